"""One person's gold questions in a transaction: what they were asked and have said, and what an answer leads to.

A gold question is answered as a document of the campaign is (see `labelling/campaign/side_questions.py`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from rankgauge.errors import UnleasedError
from rankgauge.labelling.campaign.leases import KeyedAnswer
from rankgauge.labelling.campaign.ledger import CurrentLabel
from rankgauge.labelling.labels import Label, LabelKind, LabelOrigin
from rankgauge.room.database import BLOCKS, GOLD_ANSWERS, GOLD_QUESTIONS
from rankgauge.room.gold_rows import answers_of, blocks_of, handed_to, live, rules_of

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
        """Whether the person was asked about that document."""
        return len(_of(label, self._rows)) > 0

    def said(self, label: Label) -> CurrentLabel | None:
        """The last answer."""
        answers = self._answers(label)
        return _current(answers[-1], label.assessor) if answers else None

    def often(self, label: Label) -> int:
        """How often the person has answered."""
        return len(self._answers(label))

    def said_under(self, key: str) -> KeyedAnswer | None:
        """What was answered under that key."""
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
        """The number of the gold question that there is of the document."""
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
    """What the person was asked about the document of the label."""
    return [row for row in rows if (row.query, row.document) == (label.query, label.document)]


def _current(row: Row[Any], assessor: str) -> CurrentLabel:
    """An answer as a label."""
    kept = {name: getattr(row, name) for name in ("id", "grade", "comment", "made")}
    return CurrentLabel(kind=_kind(row.grade), origin=LabelOrigin.ANSWERED, assessor=assessor, **kept)


def _kind(grade: float | None) -> LabelKind:
    return LabelKind.SKIP if grade is None else LabelKind.GRADE
