"""A turn: what an assessor said is recorded and the next document handed out, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rankgauge.active.campaign.books import Books
from rankgauge.active.campaign.campaign import Campaign
from rankgauge.active.campaign.handing import hand_out
from rankgauge.active.campaign.recording import enter
from rankgauge.active.campaign.review import Own, own
from rankgauge.active.labels import Label
from rankgauge.active.tasks import Task

__all__ = ["Enough", "Turn", "pause_if", "take_turn"]

Enough: TypeAlias = Callable[[Books], bool]
"""Whether so much is known that the campaign pauses."""


@dataclass(frozen=True, kw_only=True)
class Turn:
    """The next document, or none, and how things stand."""

    task: Task | None
    own: Own
    paused: bool
    spent: float
    """What was asked for takes so much from the budget."""
    out: int
    """Documents that were asked for and not yet fully judged."""


def take_turn(
    campaign: Campaign,
    assessor: str,
    labels: Sequence[Label] = (),
    *,
    enough: Enough,
    seconds: float,
    replace: bool = False,
) -> Turn:
    """Records the labels, pauses the campaign if that is enough, and hands out a document unless it is paused.

    A database has one transaction to bring to the disk where two calls would have two, and asks it half as much.
    """
    books, tasks = campaign._books, list[Task]()
    with books.changing() as connection:
        if labels:
            enter(books, connection, labels, replace=replace)
            books.take_labels(connection)
            if not books.paused and enough(books):
                books.store.set_paused(connection, True)
                books.paused = True
        if not books.paused:
            tasks = hand_out(books, connection, 1, assessor, seconds=seconds, again=True)
        return Turn(
            task=tasks[0] if tasks else None,
            own=own(books.ledger, assessor),
            paused=books.paused,
            spent=books.ledger.spent * books.settings.assessors,
            out=books.ledger.out,
        )


def pause_if(campaign: Campaign, enough: Enough) -> None:
    """Pauses the campaign if enough is known."""
    books = campaign._books
    with books.changing() as connection:
        if not books.paused and enough(books):
            books.store.set_paused(connection, True)
