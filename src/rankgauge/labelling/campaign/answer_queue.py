"""The answer queue: the one way into a campaign for the answers of many assessors who judge at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlalchemy.engine import Connection

from rankgauge.errors import RankGaugeError
from rankgauge.labelling.campaign.campaign import LabelCampaign
from rankgauge.labelling.campaign.database import outage_of
from rankgauge.labelling.campaign.labels import LabelBatch, LabelTerms
from rankgauge.labelling.campaign.leases import Leases, SideDesk, SideQuestions, lease_documents
from rankgauge.labelling.campaign.review import AssessorProgress, assessor_progress
from rankgauge.labelling.campaign.rules import Idle, SharedRules, why_idle
from rankgauge.labelling.labels import Assessor, Identity, Label, Recorded, Task

REPLACE = "Leave it out, or say that labels may replace earlier ones: the new one counts and the old one is kept."
"""What to do where a label contradicts an earlier one."""


Closed: TypeAlias = Callable[[Connection], RankGaugeError | None]


@dataclass(frozen=True, kw_only=True)
class NextTask:
    """The next document for an assessor, or none, and the state of the campaign."""

    task: Task | None
    own: AssessorProgress
    spent: float
    """The cost of all documents handed out so far."""
    idle: Idle | None
    """Why there is no document."""


@dataclass(kw_only=True, eq=False)
class _Request:
    """Labels to record, and whether their assessor wants the next document; somebody waits for it."""

    labels: Sequence[Label]
    replace: bool
    leased: bool
    desk: SideDesk | None = None
    """What else the assessor was asked."""
    side: SideQuestions | None = None
    """What else the assessor was asked, as the transaction finds it."""
    assessor: Assessor | None = None
    """Who wants the next document; None: nobody."""
    seconds: float = 0.0
    recorded: Recorded = Recorded()
    next: NextTask | None = None
    error: BaseException | None = None
    done: bool = False
    woken: threading.Event = field(default_factory=threading.Event)


class AnswerQueue:
    """Requests that arrive during a transaction share the next one.

    A transaction costs much the same for one answer as for ten, as most of it is waiting for the disk. So the room
    keeps up however many answer at once, and nobody waits for more than two transactions.
    """

    def __init__(self, campaign: LabelCampaign, rules: SharedRules, *, closed: Closed) -> None:
        """`closed` says in a transaction why the campaign takes no answers, if it does not."""
        self.rules, self._closed = rules, closed
        self._campaign, self._state = campaign, campaign._state
        self._looked: tuple[float | None, int] | None = None
        """The stopping rule at the last look, and how many draws were complete."""
        self._lock, self._busy, self._waiting = threading.Lock(), False, list[_Request]()

    @property
    def waiting(self) -> int:
        """How many requests wait for the next transaction."""
        return len(self._waiting)

    def record(
        self, labels: Sequence[Label], *, leased: bool, replace: bool = False, desk: SideDesk | None = None
    ) -> Recorded:
        """Record the labels, all or none, and pause the campaign if its stopping rule is met.

        With `leased`, as for everybody who may not import labels, only documents that were handed to their assessors
        are accepted, and answers to what is asked on the side. When it returns, the labels are on disk.
        """
        left: dict[str, int] = {}
        if not leased:
            labels, left = self._campaign.imports(labels)
        sent = _Request(labels=labels, replace=replace, leased=leased, desk=desk)
        return self._wait(sent).recorded.with_more(**left)

    def next_task(
        self,
        assessor: Assessor,
        label: Label | None = None,
        *,
        seconds: float,
        replace: bool = False,
        desk: SideDesk | None = None,
    ) -> NextTask | None:
        """Record the assessor's answer, if there is one, and leases them the next document.

        None if the assessor gets no more documents by what is asked on the side.
        """
        sent = _Request(labels=[] if label is None else [label], replace=replace, leased=True, desk=desk)
        sent.assessor, sent.seconds = assessor, seconds
        return self._wait(sent).next

    def look(self) -> None:
        """Pause the campaign if its stopping rule, which was perhaps set just now, is met already."""
        with self._state.changing() as connection:
            self._pause_if_met(connection)

    def _wait(self, request: _Request) -> _Request:
        outage_of(self._state.engine, self._state.store.campaign).look()
        with self._lock:
            self._waiting.append(request)
            follows, self._busy = self._busy, True
        if follows:
            request.woken.wait()
        if not request.done:
            self._lead()
        if request.error is not None:
            raise request.error
        return request

    def _lead(self) -> None:
        """Serve all who wait; afterwards the first of those who came meanwhile leads."""
        with self._lock:
            requests, self._waiting = self._waiting, []
        try:
            self._serve(requests)
        except BaseException as error:
            for request in requests:
                request.error = request.error or error
        finally:
            with self._lock:
                heir = self._waiting[0] if self._waiting else None
                self._busy = heir is not None
            for request in requests:
                request.done = True
            for request in (*requests, *([heir] if heir else [])):
                request.woken.set()

    def _serve(self, requests: Sequence[_Request]) -> None:
        state = self._state
        with state.changing() as connection:
            leases = Leases(state, connection)
            if self._record(connection, leases, requests):
                self._pause_if_met(connection)
            over = [request for request in requests if request.side is not None and request.side.is_over]
            leases.end_all(label.identity for request in over for label in request.labels)
            asking = [one for one in requests if one.assessor is not None and one.error is None and one not in over]
            wanted = {who: _side(request, connection) for request in asking if (who := request.assessor) is not None}
            longest = max((request.seconds for request in asking), default=0.0)
            hand_out = wanted and not state.paused
            tasks = lease_documents(leases, wanted, seconds=longest, again=True) if hand_out else {}
            answers = {who: self._next(connection, who, tasks.get(who, [])) for who in (one.identity for one in wanted)}
        for request in asking:
            request.next = answers.get(request.assessor.identity) if request.assessor else None

    def _record(self, connection: Connection, leases: Leases, requests: Sequence[_Request]) -> bool:
        """Say whether there was something to record. An error in one request does not concern the others."""
        batch = LabelBatch(state=self._state, leases=leases)
        closed = self._closed(connection) if any(request.labels for request in requests) else None
        for request in requests:
            try:
                if closed is not None and request.labels:
                    raise closed
                request.side = _side(request, connection)
                terms = LabelTerms(replace=request.replace, leased=request.leased, side=request.side, hint=REPLACE)
                request.recorded = batch.add_all(request.labels, terms)
            except RankGaugeError as error:
                request.error = error
        batch.write(connection)
        return bool(batch.rows)

    def _pause_if_met(self, connection: Connection) -> None:
        """Pause the campaign if more draws are complete than at the last look and its stopping rule is now met."""
        state, rules = self._state, self.rules.read(connection)
        if state.paused or rules.stop_at is None:
            return
        complete = sum(stage.complete(state.ledger) for stage in state.stages)
        before, self._looked = self._looked, (rules.stop_at, complete)
        if self._looked != before and rules.met(state):
            state.pause(connection)

    def _next(self, connection: Connection, who: Identity, tasks: Sequence[Task]) -> NextTask:
        ledger = self._state.ledger
        return NextTask(
            task=tasks[0] if tasks else None,
            own=assessor_progress(ledger, who),
            idle=None if tasks else why_idle(self._state, self.rules.read(connection), who),
            spent=ledger.spent * self._state.settings.assessors,
        )


def _side(request: _Request, connection: Connection) -> SideQuestions | None:
    """Return what else the assessor was asked, with what was answered in this transaction."""
    return None if request.desk is None else request.desk(connection)
