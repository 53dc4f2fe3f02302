"""Gold questions: documents whose grades are known, mixed into what assessors are handed out.

Their answers are kept apart from the labels of the campaign: draws, budget and estimate are the same with gold
questions and without. Where a draw asks for a document that is a gold question too, the answer is an ordinary label,
and is compared as well. Nobody is asked twice: an earlier answer becomes the label (see `lease_documents`). Whoever
answers is told the same of a gold question as of any other document.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import Connection, Engine, Row, Select, bindparam, delete, insert, select, update

from rankgauge.errors import UnleasedError
from rankgauge.labelling.campaign.database import reading, writing
from rankgauge.labelling.campaign.leases import KeyedAnswer, SideDesk
from rankgauge.labelling.campaign.ledger import CurrentLabel
from rankgauge.labelling.campaign.review import Beside
from rankgauge.labelling.campaign.store import Store
from rankgauge.labelling.labels import Label, LabelKind, LabelOrigin
from rankgauge.render.numbers import count
from rankgauge.room.answers import SentSettings
from rankgauge.room.database import BLOCKS, GOLD_ANSWERS, GOLD_QUESTIONS, QUALITY_RULES


class GoldRules(SentSettings):
    """How often gold questions are asked, and when an assessor gets no more documents."""

    every: Annotated[int, Field(ge=1, le=10**6)] | None = Field(
        default=None, description="About one gold question for so many documents; null: none."
    )
    within: int = Field(default=0, ge=0, le=100, description="By how many levels a right answer may differ.")
    threshold: float = Field(
        default=0.7, ge=0, le=1, description="The share of right answers below which somebody is blocked; 0: nobody is."
    )
    least: int = Field(default=10, ge=1, le=10**6, description="After how many gold questions the share is looked at.")

    @property
    def words(self) -> str:
        """The rules in one line."""
        often = "none asked" if self.every is None else f"one for {self.every:,} documents"
        right = "right if the same" if not self.within else f"right within {count(self.within, 'level')}"
        blocks = f"blocks below {100 * self.threshold:g} % after {self.least:,}" if self.threshold else "blocks nobody"
        return f"{often}, {right}, {blocks}"


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
class AskedQuestion:
    """A gold question that somebody was asked and has not answered, and the document that it came before."""

    question: GoldQuestion
    place: int


@dataclass(frozen=True, kw_only=True)
class AssessorBlock:
    """Somebody gets no more documents since then, after that many right answers to gold questions."""

    person: int
    made: float
    asked: int
    correct: int


def rules_of(connection: Connection, campaign: int) -> GoldRules | None:
    """Return the rules of a campaign; None if it never had gold questions."""
    row = connection.execute(_RULES, {"campaign": campaign}).first()
    return None if row is None else GoldRules(**row._mapping)


def live_questions(connection: Connection, campaign: int) -> list[GoldQuestion]:
    """Return the gold questions of a campaign, without those that were retired."""
    return [_question(row) for row in connection.execute(live(campaign).order_by(GOLD_QUESTIONS.c.id))]


def live(campaign: int) -> Select[Any]:
    """Selects the gold questions of a campaign that are not retired."""
    return select(GOLD_QUESTIONS).where(GOLD_QUESTIONS.c.campaign == campaign, GOLD_QUESTIONS.c.retired.is_(None))


def handed_to(connection: Connection, campaign: int, person: int) -> Sequence[Row[Any]]:
    """What somebody was asked, in the order in which it was: the row, with query and document of the question."""
    return connection.execute(_HANDED, {"campaign": campaign, "person": person}).all()


def answers_of(connection: Connection, campaign: int, grades: Sequence[float]) -> list[GoldAnswer]:
    """Everybody's last answer to each gold question, in the order in which they came."""
    rules = rules_of(connection, campaign) or GoldRules()
    asked = {row.id: _question(row) for row in connection.execute(_EVERY_QUESTION, {"campaign": campaign})}
    rows = connection.execute(_EVERY_ANSWER, {"campaign": campaign}).all()
    last = {(row.question, row.person): row for row in rows}
    return [_answer(row, asked[row.question], rules, grades) for row in sorted(last.values(), key=lambda row: row.made)]


def blocks_of(connection: Connection, campaign: int) -> dict[int, AssessorBlock]:
    """Everybody who gets no more documents."""
    rows = connection.execute(_BLOCKS, {"campaign": campaign})
    return {row.person: AssessorBlock(**row._mapping) for row in rows}


def _question(row: Row[Any]) -> GoldQuestion:
    kept = {name: getattr(row, name) for name in ("id", "query", "document", "grade", "retired")}
    return GoldQuestion(texts=json.loads(row.texts), **kept)


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
_HANDED = (
    select(GOLD_ANSWERS, GOLD_QUESTIONS.c.query, GOLD_QUESTIONS.c.document)
    .join(GOLD_QUESTIONS, GOLD_ANSWERS.c.question == GOLD_QUESTIONS.c.id)
    .where(GOLD_ANSWERS.c.campaign == bindparam("campaign"), GOLD_ANSWERS.c.person == bindparam("person"))
    .order_by(GOLD_ANSWERS.c.id)
)
_EVERY_QUESTION = select(GOLD_QUESTIONS).where(GOLD_QUESTIONS.c.campaign == bindparam("campaign"))
_EVERY_ANSWER = (
    select(GOLD_ANSWERS)
    .where(GOLD_ANSWERS.c.campaign == bindparam("campaign"), GOLD_ANSWERS.c.made.is_not(None))
    .order_by(GOLD_ANSWERS.c.id)
)
_BLOCKS = select(*(BLOCKS.c[name] for name in ("person", "made", "asked", "correct"))).where(
    BLOCKS.c.campaign == bindparam("campaign"), BLOCKS.c.lifted.is_(None)
)


BLOCKED = """Thank you for your work so far. You get no more documents for now: some of your answers differ from those
that were agreed on beforehand. That happens, often because the guidelines are not clear enough. Please talk to whoever
invited you; they can see it, and can give you documents again."""


class GoldDesk:
    """The gold questions of one person. The transaction has locked the campaign, so that nobody else answers them."""

    def __init__(self, connection: Connection, campaign: int, person: int, grades: Sequence[float]) -> None:
        self._connection, self._campaign, self._person, self._grades = connection, campaign, person, grades
        if self.is_over:
            raise UnleasedError(BLOCKED)
        self._rows = handed_to(connection, campaign, person)
        self._keys = {row.key: row for row in self._rows if row.key is not None}

    @property
    def is_over(self) -> bool:
        """Whether the person is blocked."""
        return self._person in blocks_of(self._connection, self._campaign)

    def is_asked(self, label: Label) -> bool:
        """Say whether the person was asked about that document."""
        return len(_of(label, self._rows)) > 0

    def said(self, label: Label) -> CurrentLabel | None:
        """Return the last answer."""
        answers = self._answers(label)
        return _current(answers[-1], label.assessor) if answers else None

    def often(self, label: Label) -> int:
        """Return how often the person has answered."""
        return len(self._answers(label))

    def said_under(self, key: str) -> KeyedAnswer | None:
        """Return what was answered under that key."""
        row = self._keys.get(key)
        return None if row is None else (row.query, row.document, self._person, _kind(row.grade), row.grade)

    def take(self, label: Label, made: float) -> None:
        """Records an answer to a gold question, which may block the person.

        A label of a document that happens to be a gold question is compared as well.
        """
        rows = _of(label, handed_to(self._connection, self._campaign, self._person))
        question = rows[-1].question if rows else self._question(label)
        if question is None:
            return
        said = {"made": made, "grade": label.grade, "comment": label.comment, "key": label.key}
        self._answer(said, question, [row for row in rows if row.question == question])
        self._block_if_below()

    def _answers(self, label: Label) -> list[Row[Any]]:
        return [row for row in _of(label, self._rows) if row.made is not None]

    def _question(self, label: Label) -> int | None:
        """Return the number of the gold question that there is of the document."""
        chosen = (GOLD_QUESTIONS.c.query == label.query, GOLD_QUESTIONS.c.document == label.document)
        found = self._connection.execute(live(self._campaign).where(*chosen)).first()
        return None if found is None else int(found.id)

    def _answer(self, said: Mapping[str, Any], question: int, asked: Sequence[Row[Any]]) -> None:
        """Writes the answer: to the row of the question that was asked, or, later, to one of its own."""
        first, *others = [row.id for row in asked if row.made is None] or [None]
        if first is not None:
            # Earlier versions could ask the same question twice.
            self._connection.execute(delete(GOLD_ANSWERS).where(GOLD_ANSWERS.c.id.in_(others)))
            self._connection.execute(update(GOLD_ANSWERS).where(GOLD_ANSWERS.c.id == first).values(**said))
            return
        row = {"campaign": self._campaign, "person": self._person, "question": question, "place": -1}
        handed = asked[0].handed if asked else said["made"]
        self._connection.execute(insert(GOLD_ANSWERS).values(**row, handed=handed, **said))

    def _block_if_below(self) -> None:
        connection, campaign, person = self._connection, self._campaign, self._person
        rules = rules_of(connection, campaign)
        rows = connection.execute(
            select(BLOCKS.c.lifted).where(BLOCKS.c.campaign == campaign, BLOCKS.c.person == person)
        ).all()
        if rules is None or any(row.lifted is None for row in rows):
            return
        since = max((row.lifted for row in rows), default=0.0)
        found = answers_of(connection, campaign, self._grades)
        mine = [one for one in found if one.person == person and one.made > since]
        correct = sum(one.right for one in mine)
        if len(mine) >= rules.least and correct < rules.threshold * len(mine):
            row = {"campaign": campaign, "person": person, "made": time.time(), "asked": len(mine)}
            connection.execute(insert(BLOCKS).values(**row, correct=correct))


def _of(label: Label, rows: Iterable[Row[Any]]) -> list[Row[Any]]:
    """Return what the person was asked about the document of the label."""
    return [row for row in rows if (row.query, row.document) == (label.query, label.document)]


def _current(row: Row[Any], assessor: str) -> CurrentLabel:
    """Return an answer as a label."""
    kept = {name: getattr(row, name) for name in ("id", "grade", "comment", "made")}
    return CurrentLabel(kind=_kind(row.grade), origin=LabelOrigin.ANSWERED, assessor=assessor, **kept)


def _kind(grade: float | None) -> LabelKind:
    return LabelKind.SKIP if grade is None else LabelKind.GRADE


class Gold:
    """The gold questions of a room's campaigns."""

    def __init__(self, engine: Engine, key: str, *, clock: Callable[[], float] = time.time) -> None:
        self._engine, self._key, self._clock = engine, key, clock

    def rules(self, campaign: int) -> GoldRules | None:
        """Return the rules of a campaign; None if it never had gold questions."""
        with reading(self._engine) as connection:
            return rules_of(connection, campaign)

    def set_rules(self, campaign: int, rules: GoldRules) -> None:
        """Gives a campaign other rules. Who is blocked stays so until somebody lifts it."""
        with self._changing(campaign) as connection:
            connection.execute(delete(QUALITY_RULES).where(QUALITY_RULES.c.campaign == campaign))
            connection.execute(insert(QUALITY_RULES).values(campaign=campaign, **rules.model_dump()))

    def questions(self, campaign: int) -> list[GoldQuestion]:
        """Return the gold questions of a campaign, without those that were retired."""
        with reading(self._engine) as connection:
            return live_questions(connection, campaign)

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
        with self._changing(campaign) as connection:
            known = {(one.query, one.document): one.id for one in live_questions(connection, campaign)}
            for old in rows.keys() & known.keys():
                self._retire(connection, campaign, known[old])
            if rows:
                connection.execute(insert(GOLD_QUESTIONS), list(rows.values()))
            if rules_of(connection, campaign) is None:
                connection.execute(insert(QUALITY_RULES).values(campaign=campaign, **GoldRules(every=10).model_dump()))
        return len(rows)

    def retire(self, campaign: int, question: int) -> bool:
        """Asks a question no more; its answers still count. False if there is no such question."""
        with self._changing(campaign) as connection:
            return self._retire(connection, campaign, question)

    def _retire(self, connection: Connection, campaign: int, question: int) -> bool:
        chosen = (GOLD_QUESTIONS.c.campaign == campaign, GOLD_QUESTIONS.c.id == question)
        changed = update(GOLD_QUESTIONS).where(*chosen, GOLD_QUESTIONS.c.retired.is_(None))
        return connection.execute(changed.values(retired=self._clock())).rowcount == 1

    # handing out

    def asked(
        self, campaign: int, person: int, places: Sequence[int], *, known: Callable[[], set[tuple[str, str]]]
    ) -> list[AskedQuestion]:
        """The gold questions that the person was asked and has not answered, with those due before these documents.

        Whether one is due depends on the person and the document alone, so that a page that is opened again shows the
        same; it stays until it is answered. `known` gives the documents that the person was handed otherwise.
        """
        with reading(self._engine) as connection:
            rules, mine = rules_of(connection, campaign), handed_to(connection, campaign, person)
            due = self._due(campaign, person, places, rules) - {row.place for row in mine}
            if rules is None or rules.every is None or not (due or any(row.made is None for row in mine)):
                return []
            live = {one.id: one for one in live_questions(connection, campaign)}
        had = {(row.query, row.document) for row in mine if row.made is not None or row.question in live}
        fresh = [one for one in live.values() if (one.query, one.document) not in had] if due else []
        seen = known() if fresh else set()
        free = [one for one in fresh if (one.query, one.document) not in seen]
        mine = self._hand_out(campaign, person, due, free) if free else mine
        waiting = {row.question: row.place for row in mine if row.made is None and row.question in live}
        return [AskedQuestion(question=live[number], place=place) for number, place in waiting.items()]

    def _due(self, campaign: int, person: int, places: Iterable[int], rules: GoldRules | None) -> set[int]:
        """Return the documents before which the person is asked a gold question."""
        rate = 0.0 if rules is None or rules.every is None else 1 / rules.every
        return {place for place in places if self._chance("ask", campaign, person, place) < rate}

    def _hand_out(self, campaign: int, person: int, due: set[int], free: Iterable[GoldQuestion]) -> Sequence[Row[Any]]:
        """Hands out a question before each of these documents; gives all that the person was handed.

        The campaign is locked meanwhile: a page that is opened twice at once is handed one question.
        """
        chosen = sorted(free, key=lambda one: self._chance("which", campaign, person, one.id))
        common = {"campaign": campaign, "person": person, "handed": self._clock()}
        with self._changing(campaign) as connection:
            mine = handed_to(connection, campaign, person)
            answered = {(row.query, row.document) for row in mine if row.made is not None}
            asked = {row.question for row in mine}
            left = [one.id for one in chosen if one.id not in asked and (one.query, one.document) not in answered]
            places = sorted(due - {row.place for row in mine})
            rows = [{**common, "question": one, "place": place} for one, place in zip(left, places, strict=False)]
            if rows:
                connection.execute(insert(GOLD_ANSWERS), rows)
            return handed_to(connection, campaign, person)

    @contextmanager
    def _changing(self, campaign: int) -> Iterator[Connection]:
        """A transaction that has locked the campaign, as those have in which answers are recorded."""
        with writing(self._engine, campaign) as connection:
            Store(campaign=campaign).lock(connection)
            yield connection

    def _chance(self, purpose: str, campaign: int, person: int, number: int) -> float:
        """A number between 0 and 1 that is always the same, and that nobody can foretell who lacks the room's key."""
        said = f"gold {purpose}:{campaign}:{person}:{number}".encode()
        return int.from_bytes(hmac.digest(self._key.encode(), said, hashlib.sha256)[:7]) / (1 << 56)

    # answers

    def desk(self, campaign: int, person: int, grades: Sequence[float]) -> SideDesk:
        """Return the gold questions that somebody answers among the documents of a campaign."""
        return lambda connection: GoldDesk(connection, campaign, person, grades)

    def answered(self, campaign: int, person: int) -> list[Beside]:
        """Return everything that the person has answered of gold questions, with answers that were changed."""
        with reading(self._engine) as connection:
            mine = handed_to(connection, campaign, person)
        return [(row.query, row.document, row.made) for row in mine if row.made is not None]

    def answers(self, campaign: int, grades: Sequence[float]) -> list[GoldAnswer]:
        """Everybody's last answer to each gold question, in the order in which they came."""
        with reading(self._engine) as connection:
            return answers_of(connection, campaign, grades)

    # who gets no more documents

    def block(self, campaign: int, person: int) -> AssessorBlock | None:
        """Since when the person gets no more documents; None if they do."""
        return self.blocks(campaign).get(person)

    def blocks(self, campaign: int) -> dict[int, AssessorBlock]:
        """Everybody who gets no more documents."""
        with reading(self._engine) as connection:
            return blocks_of(connection, campaign)

    def lift(self, campaign: int, person: int, by: int) -> bool:
        """Gives somebody documents again; from then on only later gold questions count. False if nobody was blocked."""
        chosen = (BLOCKS.c.campaign == campaign, BLOCKS.c.person == person, BLOCKS.c.lifted.is_(None))
        with self._changing(campaign) as connection:
            lifted = update(BLOCKS).where(*chosen).values(lifted=self._clock(), lifted_by=by)
            return connection.execute(lifted).rowcount > 0
