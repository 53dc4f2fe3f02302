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
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
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
    made: float
    grade: float | None
    comment: str | None
    right: bool


def _is_right(said: float | None, known: float | None, within: int, grades: Sequence[float]) -> bool:
    if said is None or known is None:
        return said is known
    levels = {grade: level for level, grade in enumerate(sorted(grades))}
    return abs(levels[said] - levels[known]) <= within


# Every answer runs some of these.
_RULES = select(*(QUALITY_RULES.c[name] for name in GoldRules.model_fields)).where(
    QUALITY_RULES.c.campaign == bindparam("campaign")
)
_QUESTIONS = (
    select(*(GOLD_QUESTIONS.c[name] for name in ("id", "query", "document", "grade", "texts", "retired")))
    .where(GOLD_QUESTIONS.c.campaign == bindparam("campaign"))
    .order_by(GOLD_QUESTIONS.c.id)
)
_ANSWERS = (
    select(GOLD_ANSWERS)
    .where(GOLD_ANSWERS.c.campaign == bindparam("campaign"), GOLD_ANSWERS.c.made.is_not(None))
    .order_by(GOLD_ANSWERS.c.id)
)
_HANDED = (
    select(GOLD_ANSWERS, GOLD_QUESTIONS.c.query, GOLD_QUESTIONS.c.document)
    .join(GOLD_QUESTIONS, GOLD_ANSWERS.c.question == GOLD_QUESTIONS.c.id)
    .where(GOLD_ANSWERS.c.campaign == bindparam("campaign"), GOLD_ANSWERS.c.person == bindparam("person"))
    .order_by(GOLD_ANSWERS.c.id)
)
_BLOCKS = select(BLOCKS).where(BLOCKS.c.campaign == bindparam("campaign"), BLOCKS.c.lifted.is_(None))

BLOCKED = """Thank you for your work so far. You get no more documents for now: some of your answers differ from those
that were agreed on beforehand. That happens, often because the guidelines are not clear enough. Please talk to whoever
invited you; they can see it, and can give you documents again."""


class Gold:
    """The gold questions of a room's campaigns. What is looked up may be so in a transaction that has begun."""

    def __init__(self, engine: Engine, key: str, *, clock: Callable[[], float] = time.time) -> None:
        self._engine, self._key, self._clock = engine, key, clock

    def _rows(self, wanted: Select[Any], connection: Connection | None = None, **values: int) -> Sequence[Row[Any]]:
        with reading(self._engine) if connection is None else nullcontext(connection) as looking:
            return looking.execute(wanted, values).all()

    def rules(self, campaign: int, connection: Connection | None = None) -> GoldRules | None:
        """Return the rules of a campaign; None if it never had gold questions."""
        rows = self._rows(_RULES, connection, campaign=campaign)
        return GoldRules(**rows[0]._mapping) if rows else None

    def questions(
        self, campaign: int, connection: Connection | None = None, *, retired: bool = False
    ) -> list[GoldQuestion]:
        """Return the gold questions of a campaign, without those that were retired unless these are asked for."""
        rows = self._rows(_QUESTIONS, connection, campaign=campaign)
        return [
            GoldQuestion(**{**row._mapping, "texts": json.loads(row.texts)})
            for row in rows
            if retired or row.retired is None
        ]

    def answers(self, campaign: int, grades: Sequence[float], connection: Connection | None = None) -> list[GoldAnswer]:
        """Everybody's last answer to each gold question, in the order in which they came."""
        rows = self._rows(_ANSWERS, connection, campaign=campaign)
        if not rows:
            return []
        rules = self.rules(campaign, connection) or GoldRules()
        asked = {one.id: one for one in self.questions(campaign, connection, retired=True)}
        last = {(row.question, row.person): row for row in rows}
        return [
            GoldAnswer(
                question=(question := asked[row.question]),
                right=_is_right(row.grade, question.grade, rules.within, grades),
                **{name: getattr(row, name) for name in ("person", "made", "grade", "comment")},
            )
            for row in sorted(last.values(), key=lambda row: row.made)
        ]

    def handed_to(self, campaign: int, person: int, connection: Connection | None = None) -> Sequence[Row[Any]]:
        """What somebody was asked, in the order in which it was: the row, with query and document of the question."""
        return self._rows(_HANDED, connection, campaign=campaign, person=person)

    def list_answers(self, campaign: int, person: int) -> list[Beside]:
        """Return everything that the person has answered of gold questions, with answers that were changed."""
        mine = self.handed_to(campaign, person)
        return [(row.query, row.document, row.made) for row in mine if row.made is not None]

    def blocks(self, campaign: int, connection: Connection | None = None) -> dict[int, Row[Any]]:
        """Everybody who gets no more documents, by their numbers: since when (`made`), and how many of the gold
        questions (`asked`) they had answered right by then (`correct`)."""
        return {row.person: row for row in self._rows(_BLOCKS, connection, campaign=campaign)}

    # changes

    def set_rules(self, campaign: int, rules: GoldRules) -> None:
        """Give a campaign other rules. Who is blocked stays so until somebody lifts it."""
        with self._changing(campaign) as connection:
            connection.execute(delete(QUALITY_RULES).where(QUALITY_RULES.c.campaign == campaign))
            connection.execute(insert(QUALITY_RULES).values(campaign=campaign, **rules.model_dump()))

    def add(self, campaign: int, author: int, questions: Iterable[GoldQuestion]) -> int:
        """Add gold questions and say how many; one of the same document takes the place of the older one."""
        rows = {
            (question.query, question.document): {
                **{"campaign": campaign, "author": author, "made": self._clock()},
                **{"query": question.query, "document": question.document, "grade": question.grade},
                "texts": json.dumps(dict(question.texts), ensure_ascii=False),
            }
            for question in questions
        }
        with self._changing(campaign) as connection:
            for old in self.questions(campaign, connection):
                if (old.query, old.document) in rows:
                    self._retire(connection, campaign, old.id)
            if rows:
                connection.execute(insert(GOLD_QUESTIONS), list(rows.values()))
            if self.rules(campaign, connection) is None:
                connection.execute(insert(QUALITY_RULES).values(campaign=campaign, **GoldRules(every=10).model_dump()))
        return len(rows)

    def retire(self, campaign: int, question: int) -> bool:
        """Ask a question no more; its answers still count. False if there is no such question."""
        with self._changing(campaign) as connection:
            return self._retire(connection, campaign, question)

    def _retire(self, connection: Connection, campaign: int, question: int) -> bool:
        chosen = (GOLD_QUESTIONS.c.campaign == campaign, GOLD_QUESTIONS.c.id == question)
        changed = update(GOLD_QUESTIONS).where(*chosen, GOLD_QUESTIONS.c.retired.is_(None))
        return connection.execute(changed.values(retired=self._clock())).rowcount == 1

    def lift(self, campaign: int, person: int, by: int) -> bool:
        """Gives somebody documents again; from then on only later gold questions count. False if nobody was blocked."""
        chosen = (BLOCKS.c.campaign == campaign, BLOCKS.c.person == person, BLOCKS.c.lifted.is_(None))
        with self._changing(campaign) as connection:
            lifted = update(BLOCKS).where(*chosen).values(lifted=self._clock(), lifted_by=by)
            return connection.execute(lifted).rowcount > 0

    @contextmanager
    def _changing(self, campaign: int) -> Iterator[Connection]:
        """A transaction that has locked the campaign, as those have in which answers are recorded."""
        with writing(self._engine, campaign) as connection:
            Store(campaign=campaign).lock(connection)
            yield connection

    # handing out

    def hand_out_due(
        self, campaign: int, person: int, places: Sequence[int], *, known: Callable[[], set[tuple[str, str]]]
    ) -> list[tuple[GoldQuestion, int]]:
        """The gold questions that the person was asked and has not answered, with those due before these documents;
        each with the document that it comes before.

        Whether one is due depends on the person and the document alone, so that a page that is opened again shows the
        same; it stays until it is answered. `known` gives the documents that the person was handed otherwise.
        """
        with reading(self._engine) as connection:
            rules, mine = self.rules(campaign, connection), self.handed_to(campaign, person, connection)
            if rules is None or rules.every is None:
                return []
            due = {place for place in places if self._chance("ask", campaign, person, place) < 1 / rules.every}
            due -= {row.place for row in mine}
            if not due and all(row.made is not None for row in mine):
                return []
            live = {one.id: one for one in self.questions(campaign, connection)}
        had = {(row.query, row.document) for row in mine if row.made is not None or row.question in live}
        fresh = [one for one in live.values() if (one.query, one.document) not in had] if due else []
        seen = known() if fresh else set()
        free = [one for one in fresh if (one.query, one.document) not in seen]
        mine = self._hand_out(campaign, person, due, free) if free else mine
        waiting = {row.question: row.place for row in mine if row.made is None and row.question in live}
        return [(live[question], place) for question, place in waiting.items()]

    def _hand_out(self, campaign: int, person: int, due: set[int], free: Iterable[GoldQuestion]) -> Sequence[Row[Any]]:
        """Hand out a question before each of these documents; return all that the person was handed.

        The campaign is locked meanwhile: a page that is opened twice at once is handed one question.
        """
        chosen = sorted(free, key=lambda question: self._chance("which", campaign, person, question.id))
        common = {"campaign": campaign, "person": person, "handed": self._clock()}
        with self._changing(campaign) as connection:
            mine = self.handed_to(campaign, person, connection)
            answered = {(row.query, row.document) for row in mine if row.made is not None}
            asked = {row.question for row in mine}
            left = [
                question.id
                for question in chosen
                if question.id not in asked and (question.query, question.document) not in answered
            ]
            places = sorted(due - {row.place for row in mine})
            rows = [
                {**common, "question": question, "place": place} for question, place in zip(left, places, strict=False)
            ]
            if rows:
                connection.execute(insert(GOLD_ANSWERS), rows)
            return self.handed_to(campaign, person, connection)

    def _chance(self, purpose: str, campaign: int, person: int, number: int) -> float:
        """A number between 0 and 1 that is always the same, and that nobody can foretell who lacks the room's key."""
        said = f"gold {purpose}:{campaign}:{person}:{number}".encode()
        return int.from_bytes(hmac.digest(self._key.encode(), said, hashlib.sha256)[:7]) / (1 << 56)

    def desk(self, campaign: int, person: int, grades: Sequence[float]) -> SideDesk:
        """Return the gold questions that somebody answers among the documents of a campaign."""
        return partial(GoldDesk, self, campaign, person, grades)


class GoldDesk:
    """The gold questions of one person. The transaction has locked the campaign, so that nobody else answers them."""

    def __init__(self, gold: Gold, campaign: int, person: int, grades: Sequence[float], connection: Connection) -> None:
        self._gold, self._connection, self._grades = gold, connection, grades
        self._campaign, self._person = campaign, person
        if self.is_over:
            raise UnleasedError(BLOCKED)
        self._rows = gold.handed_to(campaign, person, connection)

    @property
    def is_over(self) -> bool:
        """Whether the person is blocked."""
        return self._person in self._gold.blocks(self._campaign, self._connection)

    def is_asked(self, label: Label) -> bool:
        """Say whether the person was asked about that document."""
        return len(_of(label, self._rows)) > 0

    def last_answer(self, label: Label) -> CurrentLabel | None:
        """Return the last answer."""
        for row in reversed(self._answers(label)):
            kept = {name: getattr(row, name) for name in ("id", "grade", "comment", "made")}
            return CurrentLabel(kind=_kind(row), origin=LabelOrigin.ANSWERED, assessor=label.assessor, **kept)
        return None

    def often(self, label: Label) -> int:
        """Return how often the person has answered."""
        return len(self._answers(label))

    def said_under(self, key: str) -> KeyedAnswer | None:
        """Return what was answered under that key."""
        row = next((row for row in self._rows if row.key == key), None)
        return None if row is None else (row.query, row.document, self._person, _kind(row), row.grade)

    def take(self, label: Label, made: float) -> None:
        """Record an answer to a gold question, which may block the person.

        A label of a document that happens to be a gold question is compared as well.
        """
        connection, c = self._connection, GOLD_QUESTIONS.c
        rows = _of(label, self._gold.handed_to(self._campaign, self._person, connection))
        known = (
            c.campaign == self._campaign,
            c.query == label.query,
            c.document == label.document,
            c.retired.is_(None),
        )
        question = rows[-1].question if rows else connection.scalar(select(c.id).where(*known))
        if question is None:
            return
        said = {"made": made, "grade": label.grade, "comment": label.comment, "key": label.key}
        asked = [row for row in rows if row.question == question]
        # The answer goes to the row of the question that was asked, or, later, to one of its own.
        first, *others = [row.id for row in asked if row.made is None] or [None]
        if first is not None:
            # Earlier versions could ask the same question twice.
            connection.execute(delete(GOLD_ANSWERS).where(GOLD_ANSWERS.c.id.in_(others)))
            connection.execute(update(GOLD_ANSWERS).where(GOLD_ANSWERS.c.id == first).values(**said))
        else:
            row = {"campaign": self._campaign, "person": self._person, "question": question, "place": -1}
            handed = asked[0].handed if asked else made
            connection.execute(insert(GOLD_ANSWERS).values(**row, handed=handed, **said))
        self._block_if_below()

    def _answers(self, label: Label) -> list[Row[Any]]:
        return [row for row in _of(label, self._rows) if row.made is not None]

    def _block_if_below(self) -> None:
        connection, campaign, person = self._connection, self._campaign, self._person
        rules = self._gold.rules(campaign, connection)
        mine = (BLOCKS.c.campaign == campaign, BLOCKS.c.person == person)
        lifted = connection.scalars(select(BLOCKS.c.lifted).where(*mine)).all()
        if rules is None or None in lifted:
            return
        since = max(lifted, default=0.0)
        answers = self._gold.answers(campaign, self._grades, connection)
        counted = [answer.right for answer in answers if answer.person == person and answer.made > since]
        if len(counted) >= rules.least and sum(counted) < rules.threshold * len(counted):
            row = {"campaign": campaign, "person": person, "made": time.time(), "asked": len(counted)}
            connection.execute(insert(BLOCKS).values(**row, correct=sum(counted)))


def _of(label: Label, rows: Iterable[Row[Any]]) -> list[Row[Any]]:
    """Return what the person was asked about the document of the label."""
    return [row for row in rows if (row.query, row.document) == (label.query, label.document)]


def _kind(row: Row[Any]) -> LabelKind:
    return LabelKind.SKIP if row.grade is None else LabelKind.GRADE
