"""Gold questions as they are kept: what was asked, what was answered, who gets no more documents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, select

from rankgauge.errors import InputError, ParameterError
from rankgauge.render.numbers import count
from rankgauge.room.database import BLOCKS, GOLD_ANSWERS, GOLD_QUESTIONS, QUALITY_RULES

LARGEST, MOST_LEVELS = 10**6, 100
"""No number of gold questions or documents is larger, and no answer is farther off."""


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

    @property
    def words(self) -> str:
        """The rules in one line."""
        often = "none asked" if self.every is None else f"one for {self.every:,} documents"
        right = "right if the same" if not self.within else f"right within {count(self.within, 'level')}"
        blocks = f"blocks below {100 * self.threshold:g} % after {self.least:,}" if self.threshold else "blocks nobody"
        return f"{often}, {right}, {blocks}"

    def __post_init__(self) -> None:
        wrong = {
            "every": (self.every is not None and not 1 <= self.every <= LARGEST, f"1 to {LARGEST:,}, or none"),
            "within": (not 0 <= self.within <= MOST_LEVELS, f"0 to {MOST_LEVELS} levels"),
            "threshold": (not 0 <= self.threshold <= 1, "between 0 and 1"),
            "least": (not 1 <= self.least <= LARGEST, f"1 to {LARGEST:,}"),
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


def check_question(question: GoldQuestion) -> None:
    """Raises an error if there is nothing to read."""
    if not question.texts:
        raise InputError(
            f"there is nothing to read of document {question.document} of query {question.query}",
            hint="Choose documents of the pool, or give the columns query_text, title and text.",
        )


def rules_of(connection: Connection, campaign: int) -> GoldRules | None:
    """The rules of a campaign; None if it never had gold questions."""
    row = connection.execute(_RULES, {"campaign": campaign}).first()
    return None if row is None else GoldRules(**row._mapping)


def live_questions(connection: Connection, campaign: int) -> list[GoldQuestion]:
    """The gold questions of a campaign, without those that were retired."""
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
    rows = connection.execute(_BLOCKS, {"campaign": campaign}).all()
    return {
        row.person: AssessorBlock(person=row.person, made=row.made, asked=row.asked, correct=row.correct)
        for row in rows
    }


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
_BLOCKS = select(BLOCKS).where(BLOCKS.c.campaign == bindparam("campaign"), BLOCKS.c.lifted.is_(None))
