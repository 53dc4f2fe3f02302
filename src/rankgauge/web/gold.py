"""Gold questions: documents whose grades are known, mixed into what assessors are handed out.

Their answers are kept apart from the labels of the campaign: draws, budget and estimate are the same with gold
questions and without. Where a draw asks for a document that is a gold question too, the answer is an ordinary label,
and is compared as well. An assessor cannot tell a gold question from another document.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, Row, bindparam, delete, insert, select, update

from rankgauge.active.campaign.database import reading, writing
from rankgauge.active.labels import Label, Task
from rankgauge.errors import InputError, ParameterError
from rankgauge.web.database import BLOCKS, GOLD_ANSWERS, GOLD_QUESTIONS, QUALITY_RULES


@dataclass(frozen=True, kw_only=True)
class GoldRules:
    """How often gold questions are asked, what counts as right, and when somebody gets no more documents."""

    every: int | None = None
    """About one gold question for so many documents; None: no gold questions are asked."""
    within: int = 0
    """By how many levels a right answer may differ."""
    threshold: float = 0.7
    """The share of right answers below which an assessor gets no more documents; 0: nobody is blocked."""
    least: int = 10
    """After how many gold questions the share is looked at."""

    def __post_init__(self) -> None:
        wrong = {
            "every": (self.every is not None and self.every < 1, "1 or more, or none"),
            "within": (self.within < 0, "0 or more levels"),
            "threshold": (not 0 <= self.threshold <= 1, "between 0 and 1"),
            "least": (self.least < 1, "1 or more"),
        }
        for name, (is_wrong, expected) in wrong.items():
            if is_wrong:
                raise ParameterError("gold questions", name, expected, getattr(self, name))


@dataclass(frozen=True, kw_only=True)
class GoldQuestion:
    """A document with a known grade; None: the right answer is that it cannot be judged."""

    query: str
    document: str
    grade: float | None
    texts: Mapping[str, str] = field(default_factory=dict, hash=False)
    id: int = 0
    retired: float | None = None


@dataclass(frozen=True, kw_only=True)
class GoldAnswer:
    """What somebody answered to a gold question, and whether it was right."""

    question: GoldQuestion
    person: int
    handed: float
    made: float
    grade: float | None
    comment: str | None
    right: bool


@dataclass(frozen=True, kw_only=True)
class AssessorBlock:
    """Somebody gets no more documents since then, after that many right answers to gold questions."""

    person: int
    made: float
    asked: int
    correct: int


class Gold:
    """The gold questions of a room's campaigns."""

    def __init__(self, engine: Engine, key: str, *, clock: Callable[[], float] = time.time) -> None:
        self._engine, self._key, self._clock = engine, key, clock

    def rules(self, campaign: int) -> GoldRules | None:
        """The rules of a campaign; None if it never had gold questions."""
        with reading(self._engine) as connection:
            return _rules(connection, campaign)

    def set_rules(self, campaign: int, rules: GoldRules) -> None:
        """Gives a campaign other rules. Who is blocked stays so until somebody lifts it."""
        with writing(self._engine) as connection:
            connection.execute(delete(QUALITY_RULES).where(QUALITY_RULES.c.campaign == campaign))
            connection.execute(insert(QUALITY_RULES).values(campaign=campaign, **asdict(rules)))

    def questions(self, campaign: int) -> list[GoldQuestion]:
        """The gold questions of a campaign, without those that were retired."""
        with reading(self._engine) as connection:
            return _questions(connection, campaign)

    def add(self, campaign: int, author: int, questions: Iterable[GoldQuestion]) -> int:
        """Adds gold questions and says how many; one of the same document takes the place of the older one."""
        rows = {
            (one.query, one.document): {
                "campaign": campaign,
                "author": author,
                "made": self._clock(),
                "texts": json.dumps(dict(one.texts), ensure_ascii=False),
                **{name: getattr(one, name) for name in ("query", "document", "grade")},
            }
            for one in questions
        }
        with writing(self._engine) as connection:
            known = {(one.query, one.document): one.id for one in _questions(connection, campaign)}
            for old in rows.keys() & known.keys():
                self._retire(connection, campaign, known[old])
            if rows:
                connection.execute(insert(GOLD_QUESTIONS), list(rows.values()))
            if _rules(connection, campaign) is None:
                connection.execute(insert(QUALITY_RULES).values(campaign=campaign, **asdict(GoldRules(every=10))))
        return len(rows)

    def retire(self, campaign: int, question: int) -> bool:
        """Asks a question no more; its answers still count. False if there is no such question."""
        with writing(self._engine) as connection:
            return self._retire(connection, campaign, question)

    def _retire(self, connection: Connection, campaign: int, question: int) -> bool:
        chosen = (GOLD_QUESTIONS.c.campaign == campaign, GOLD_QUESTIONS.c.id == question)
        changed = update(GOLD_QUESTIONS).where(*chosen, GOLD_QUESTIONS.c.retired.is_(None))
        return connection.execute(changed.values(retired=self._clock())).rowcount == 1

    # handing out

    def before(
        self, campaign: int, person: int, task: Task, *, is_known: Callable[[GoldQuestion], bool]
    ) -> GoldQuestion | None:
        """The gold question that the person is asked before a document, if any; it is handed out.

        Whether there is one depends on the person and the document alone, so that a page that is opened again shows
        the same. `is_known` says whether the person has judged the document of a question already.
        """
        with reading(self._engine) as connection:
            rules, mine = _rules(connection, campaign), _handed(connection, campaign, person)
            here = [row for row in mine if row.place == task.place]
            if rules is None or rules.every is None or any(row.made is not None for row in here):
                return None
            questions = {one.id: one for one in _questions(connection, campaign)}
        if here and here[0].question in questions:
            return questions[here[0].question]
        if self._chance("ask", campaign, person, task.place) >= 1 / rules.every:
            return None
        asked = {row.question for row in mine}
        free = [one for one in questions.values() if one.id not in asked and not is_known(one)]
        return self._hand_out(campaign, person, task.place, free) if free else None

    def _hand_out(self, campaign: int, person: int, place: int, free: Sequence[GoldQuestion]) -> GoldQuestion:
        chosen = min(free, key=lambda one: self._chance("which", campaign, person, one.id))
        row = {"campaign": campaign, "question": chosen.id, "person": person, "place": place}
        with writing(self._engine) as connection:
            connection.execute(insert(GOLD_ANSWERS).values(**row, handed=self._clock()))
        return chosen

    def _chance(self, purpose: str, campaign: int, person: int, number: int) -> float:
        """A number between 0 and 1 that is always the same, and that nobody can foretell who lacks the room's key."""
        said = f"gold {purpose}:{campaign}:{person}:{number}".encode()
        return int.from_bytes(hmac.digest(self._key.encode(), said, hashlib.sha256)[:7]) / (1 << 56)

    # answers

    def question_of(self, campaign: int, label: Label, *, again: bool) -> GoldQuestion | None:
        """The gold question that a label answers; None if it is an ordinary label.

        A question that was handed out and is not answered comes first. Later, only a label that is sent once more and
        one that changes the answer (`again`) belong to it: a draw may have asked for the same document since.
        """
        wanted = {"campaign": campaign, "person": label.person, "query": label.query, "document": label.document}
        with reading(self._engine) as connection:
            rows = connection.execute(_OF_PERSON, wanted).all()
        if any(again or row.answered is None or (label.key and row.key == label.key) for row in rows):
            return _question(rows[0])
        return None

    def answer(self, campaign: int, label: Label, question: GoldQuestion, grades: Sequence[float]) -> None:
        """Records an answer to a gold question, once for each key; the person may be blocked by it."""
        assert label.person is not None
        said = {"made": self._clock(), "grade": label.grade, "comment": label.comment, "key": label.key}
        mine = (GOLD_ANSWERS.c.campaign == campaign, GOLD_ANSWERS.c.person == label.person)
        of_question = GOLD_ANSWERS.c.question == question.id
        with writing(self._engine) as connection:
            if label.key and connection.scalar(select(GOLD_ANSWERS.c.id).where(*mine, GOLD_ANSWERS.c.key == label.key)):
                return
            first = update(GOLD_ANSWERS).where(*mine, of_question, GOLD_ANSWERS.c.made.is_(None)).values(**said)
            if not connection.execute(first).rowcount:
                before = connection.execute(select(GOLD_ANSWERS).where(*mine, of_question)).first()
                at = {"place": -1, "handed": said["made"]} if before is None else {"place": -1, "handed": before.handed}
                row = {"campaign": campaign, "person": label.person, "question": question.id, **at, **said}
                connection.execute(insert(GOLD_ANSWERS).values(**row))
            self._block_if_below(connection, campaign, label.person, grades)

    def note(self, campaign: int, label: Label, grades: Sequence[float]) -> None:
        """Compares a label of the campaign that happens to be of a gold question."""
        chosen = (GOLD_QUESTIONS.c.query == label.query, GOLD_QUESTIONS.c.document == label.document)
        with reading(self._engine) as connection:
            if _rules(connection, campaign) is None:
                return
            found = connection.execute(_live(campaign).where(*chosen)).first()
        if found is not None:
            self.answer(campaign, label, _question(found), grades)

    def answered(self, campaign: int, person: int) -> int:
        """How many gold questions that were handed to the person are answered."""
        with reading(self._engine) as connection:
            mine = _handed(connection, campaign, person)
        return len({row.question for row in mine if row.made is not None and row.place >= 0})

    def answers(self, campaign: int, grades: Sequence[float]) -> list[GoldAnswer]:
        """Everybody's last answer to each gold question, in the order in which they came."""
        with reading(self._engine) as connection:
            return _answers(connection, campaign, grades)

    # who gets no more documents

    def block(self, campaign: int, person: int) -> AssessorBlock | None:
        """Since when the person gets no more documents; None if they do."""
        return self.blocks(campaign).get(person)

    def blocks(self, campaign: int) -> dict[int, AssessorBlock]:
        """Everybody who gets no more documents."""
        chosen = select(BLOCKS).where(BLOCKS.c.campaign == campaign, BLOCKS.c.lifted.is_(None))
        with reading(self._engine) as connection:
            rows = connection.execute(chosen).all()
        return {
            row.person: AssessorBlock(person=row.person, made=row.made, asked=row.asked, correct=row.correct)
            for row in rows
        }

    def lift(self, campaign: int, person: int, by: int) -> bool:
        """Gives somebody documents again; from then on only later gold questions count. False if nobody was blocked."""
        chosen = (BLOCKS.c.campaign == campaign, BLOCKS.c.person == person, BLOCKS.c.lifted.is_(None))
        with writing(self._engine) as connection:
            lifted = update(BLOCKS).where(*chosen).values(lifted=self._clock(), lifted_by=by)
            return connection.execute(lifted).rowcount > 0

    def _block_if_below(self, connection: Connection, campaign: int, person: int, grades: Sequence[float]) -> None:
        rules = _rules(connection, campaign)
        rows = connection.execute(
            select(BLOCKS.c.lifted).where(BLOCKS.c.campaign == campaign, BLOCKS.c.person == person)
        ).all()
        if rules is None or any(row.lifted is None for row in rows):
            return
        since = max((row.lifted for row in rows), default=0.0)
        mine = [one for one in _answers(connection, campaign, grades) if one.person == person and one.made > since]
        correct = sum(one.right for one in mine)
        if len(mine) >= rules.least and correct < rules.threshold * len(mine):
            row = {"campaign": campaign, "person": person, "made": self._clock(), "asked": len(mine)}
            connection.execute(insert(BLOCKS).values(**row, correct=correct))


def check_question(question: GoldQuestion) -> None:
    """Raises an error if there is nothing to read."""
    if not question.texts:
        raise InputError(
            f"there is nothing to read of document {question.document} of query {question.query}",
            hint="Choose documents of the pool, or give the columns query_text, title and text.",
        )


def _rules(connection: Connection, campaign: int) -> GoldRules | None:
    row = connection.execute(_RULES, {"campaign": campaign}).first()
    return None if row is None else GoldRules(**row._mapping)


def _questions(connection: Connection, campaign: int) -> list[GoldQuestion]:
    return [_question(row) for row in connection.execute(_live(campaign).order_by(GOLD_QUESTIONS.c.id))]


def _live(campaign: int) -> Any:
    return select(GOLD_QUESTIONS).where(GOLD_QUESTIONS.c.campaign == campaign, GOLD_QUESTIONS.c.retired.is_(None))


def _question(row: Row[Any]) -> GoldQuestion:
    kept = {name: getattr(row, name) for name in ("id", "query", "document", "grade", "retired")}
    return GoldQuestion(texts=json.loads(row.texts), **kept)


def _handed(connection: Connection, campaign: int, person: int) -> Sequence[Row[Any, Any, Any]]:
    return connection.execute(_HANDED, {"campaign": campaign, "person": person}).all()


def _answers(connection: Connection, campaign: int, grades: Sequence[float]) -> list[GoldAnswer]:
    rules = _rules(connection, campaign) or GoldRules()
    asked = {row.id: _question(row) for row in connection.execute(_EVERY_QUESTION, {"campaign": campaign})}
    rows = connection.execute(_EVERY_ANSWER, {"campaign": campaign}).all()
    last = {(row.question, row.person): row for row in rows}
    return [_answer(row, asked[row.question], rules, grades) for row in sorted(last.values(), key=lambda row: row.made)]


def _answer(row: Row[Any], question: GoldQuestion, rules: GoldRules, grades: Sequence[float]) -> GoldAnswer:
    kept = {name: getattr(row, name) for name in ("person", "handed", "made", "grade", "comment")}
    return GoldAnswer(question=question, right=_is_right(row.grade, question.grade, rules.within, grades), **kept)


def _is_right(said: float | None, known: float | None, within: int, grades: Sequence[float]) -> bool:
    if said is None or known is None:
        return said is known
    levels = {grade: level for level, grade in enumerate(sorted(grades))}
    return abs(levels[said] - levels[known]) <= within


# Every answer runs some of these.
_RULES = select(*(QUALITY_RULES.c[name] for name in ("every", "within", "threshold", "least"))).where(
    QUALITY_RULES.c.campaign == bindparam("campaign")
)
_HANDED = select(GOLD_ANSWERS.c.question, GOLD_ANSWERS.c.place, GOLD_ANSWERS.c.made).where(
    GOLD_ANSWERS.c.campaign == bindparam("campaign"), GOLD_ANSWERS.c.person == bindparam("person")
)
_OF_PERSON = (
    select(GOLD_QUESTIONS, GOLD_ANSWERS.c.made.label("answered"), GOLD_ANSWERS.c.key)
    .join(GOLD_ANSWERS, GOLD_ANSWERS.c.question == GOLD_QUESTIONS.c.id)
    .where(GOLD_ANSWERS.c.campaign == bindparam("campaign"), GOLD_ANSWERS.c.person == bindparam("person"))
    .where(GOLD_QUESTIONS.c.query == bindparam("query"), GOLD_QUESTIONS.c.document == bindparam("document"))
    .order_by(GOLD_ANSWERS.c.id.desc())
)
_EVERY_QUESTION = select(GOLD_QUESTIONS).where(GOLD_QUESTIONS.c.campaign == bindparam("campaign"))
_EVERY_ANSWER = (
    select(GOLD_ANSWERS)
    .where(GOLD_ANSWERS.c.campaign == bindparam("campaign"), GOLD_ANSWERS.c.made.is_not(None))
    .order_by(GOLD_ANSWERS.c.id)
)
