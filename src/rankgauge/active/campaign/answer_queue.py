"""AnswerQueue: what an assessor said is recorded and the next document handed out, for many assessors at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlalchemy.engine import Connection

from rankgauge.active.campaign.campaign import Campaign
from rankgauge.active.campaign.labels import LabelBatch
from rankgauge.active.campaign.leases import hand_out
from rankgauge.active.campaign.review import AssessorProgress, own
from rankgauge.active.campaign.state import CampaignState
from rankgauge.active.labels import Label
from rankgauge.active.tasks import Task
from rankgauge.errors import RankGaugeError

__all__ = ["AnswerQueue", "Enough", "NextTask"]

Enough: TypeAlias = Callable[[CampaignState], bool]
"""Whether so much is known that the campaign pauses."""


@dataclass(frozen=True, kw_only=True)
class NextTask:
    """The next document, or none, and how things stand."""

    task: Task | None
    own: AssessorProgress
    paused: bool
    spent: float
    """What was asked for takes so much from the budget."""
    out: int
    """Documents that were asked for and not yet fully judged."""


@dataclass(kw_only=True, eq=False)
class _Wish:
    """A turn that somebody waits for."""

    assessor: str
    label: Label | None
    seconds: float
    replace: bool
    turn: NextTask | None = None
    error: BaseException | None = None
    woken: threading.Event = field(default_factory=threading.Event)


class AnswerQueue:
    """The turns of a campaign. Those who come while a transaction is under way share the next one.

    A transaction costs much the same for one answer as for ten, most of all the wait for the disk. So the room keeps up
    however many answer at once, and nobody waits for longer than two transactions.
    """

    def __init__(self, campaign: Campaign, enough: Enough) -> None:
        self._state, self._enough = campaign._state, enough
        self._lock, self._busy, self._waiting = threading.Lock(), False, list[_Wish]()

    def take(self, assessor: str, label: Label | None = None, *, seconds: float, replace: bool = False) -> NextTask:
        """Records the label, pauses the campaign if that is enough, and hands out a document unless it is paused.

        When it returns, the label is on the disk.
        """
        wish = _Wish(assessor=assessor, label=label, seconds=seconds, replace=replace)
        with self._lock:
            self._waiting.append(wish)
            follows, self._busy = self._busy, True
        if follows:
            wish.woken.wait()
        if wish.turn is None and wish.error is None:
            self._lead()
        if wish.error is not None:
            raise wish.error
        assert wish.turn is not None
        return wish.turn

    def pause_if_enough(self) -> None:
        """Pauses the campaign if enough is known."""
        with self._state.changing() as connection:
            self._pause_if_enough(connection)

    def _lead(self) -> None:
        """Serves everybody who waits; then the first of those who came meanwhile leads."""
        with self._lock:
            wishes, self._waiting = self._waiting, []
        try:
            self._serve(wishes)
        except BaseException as error:
            for wish in wishes:
                wish.turn, wish.error = None, wish.error or error
        finally:
            with self._lock:
                heir = self._waiting[0] if self._waiting else None
                self._busy = heir is not None
            for wish in (*wishes, *([heir] if heir else [])):
                wish.woken.set()

    def _serve(self, wishes: Sequence[_Wish]) -> None:
        state = self._state
        with state.changing() as connection:
            if self._record(connection, wishes):
                self._pause_if_enough(connection)
            served = [wish for wish in wishes if wish.error is None]
            names, longest = [wish.assessor for wish in served], max([wish.seconds for wish in wishes])
            tasks = {} if state.paused else hand_out(state, connection, names, seconds=longest, again=True)
            out = state.ledger.out
            turns = [self._turn(wish.assessor, tasks.get(wish.assessor, []), out) for wish in served]
        for wish, turn in zip(served, turns, strict=True):
            wish.turn = turn

    def _record(self, connection: Connection, wishes: Sequence[_Wish]) -> bool:
        """Whether there was something to record; what is wrong with one label is no matter of the others."""
        entry = LabelBatch(state=self._state, now=self._state.clock())
        for wish in wishes:
            try:
                if wish.label is not None:
                    entry.take(wish.label, replace=wish.replace)
            except RankGaugeError as error:
                wish.error = error
        entry.write(connection)
        return bool(entry.rows)

    def _pause_if_enough(self, connection: Connection) -> None:
        if not self._state.paused and self._enough(self._state):
            self._state.store.set_paused(connection, True)
            self._state.paused = True

    def _turn(self, assessor: str, tasks: Sequence[Task], out: int) -> NextTask:
        ledger = self._state.ledger
        return NextTask(
            task=tasks[0] if tasks else None,
            own=own(ledger, assessor),
            paused=self._state.paused,
            spent=ledger.spent * self._state.settings.assessors,
            out=out,
        )
