"""Judging: the document that an assessor sees next, and what becomes of the answer."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from rankgauge.active.campaign.answer_queue import NextTask
from rankgauge.active.campaign.review import AssessorProgress
from rankgauge.active.labels import Label
from rankgauge.active.tasks import Task
from rankgauge.web.campaigns import Opened
from rankgauge.web.people import Person

__all__ = ["Answer", "Level", "Shown", "answer", "levels", "show_again", "show_next"]


@dataclass(frozen=True, kw_only=True)
class Level:
    """A grade that can be given: how it is written, its name and meaning, and the key that gives it."""

    grade: str
    name: str
    meaning: str
    key: str | None


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What the page shows: a document, or why there is none."""

    task: Task | None
    levels: Sequence[Level]
    own: AssessorProgress
    key: str
    """What the answer carries, so that one that is sent twice counts once."""
    before: str | None = None
    """The grade that was given before, where a document is looked at again; empty: it could not be judged."""
    why: str = ""
    """Why there is nothing to judge."""
    spent: float = 0.0
    budget: float = 0.0

    @property
    def query(self) -> str:
        """What was asked."""
        return "" if self.task is None else self.task.texts.get("query_text", self.task.query)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What an assessor says of a document; no grade: it cannot be judged."""

    query: str
    document: str
    grade: str | None
    comment: str
    key: str
    again: bool


def levels(opened: Opened) -> list[Level]:
    """The grades of the campaign, the best first, as they stand on the page."""
    guide, grades = opened.rules.guide, sorted(opened.campaign.settings.grades)
    whole = all(grade == int(grade) and 0 <= grade <= 9 for grade in grades)
    found = []
    for place, grade in enumerate(grades):
        written = f"{grade:g}"
        key = written if whole else str(place) if place <= 9 else None
        name = guide.names.get(written, written)
        found.append(Level(grade=written, name=name, meaning=guide.meanings.get(written, ""), key=key))
    return found[::-1]


def show_next(opened: Opened, person: Person, *, seconds: float, given: Answer | None = None) -> Shown:
    """The document that the person judges next, kept for that person for so long; first the answer is recorded.

    When this returns the answer is on the disk.
    """
    label = None if given is None else _label(person, given)
    again = given is not None and given.again
    turn = opened.turns.take(person.name, label, seconds=seconds, replace=again)
    return Shown(
        task=turn.task,
        levels=levels(opened),
        own=turn.own,
        key=secrets.token_urlsafe(12),
        why="" if turn.task else _why(turn),
        spent=turn.spent,
        budget=opened.campaign.settings.budget,
    )


def show_again(opened: Opened, person: Person, place: int) -> Shown:
    """A document that the person has judged, to judge it otherwise."""
    task, said = opened.review.task(place, person.name)
    return Shown(
        task=task,
        levels=levels(opened),
        own=opened.review.own(person.name),
        key=secrets.token_urlsafe(12),
        before="" if said.grade is None else f"{said.grade:g}",
    )


def answer(opened: Opened, person: Person, given: Answer) -> None:
    """Records the answer. When this returns it is on the disk."""
    opened.campaign.record([_label(person, given)], replace=given.again)
    opened.stop_if_enough()


def _label(person: Person, given: Answer) -> Label:
    return Label(
        query=given.query,
        document=given.document,
        grade=given.grade,
        assessor=person.name,
        comment=given.comment.strip() or None,
        key=f"{person.id}:{given.key}",
    )


def _why(turn: NextTask) -> str:
    if turn.paused:
        return "The campaign is paused."
    if turn.out:
        return "Nothing to judge at the moment: what comes next depends on documents that others have on their screens."
    return "All done: the budget is spent."
