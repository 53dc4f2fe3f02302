"""The desk of an assessor: what one person is handed in one campaign, and what they answer and have answered.

Pages and API go through it, so that both hand out gold questions and neither shows which documents these are.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from starlette.exceptions import HTTPException

from rankgauge.errors import InputError, PausedError
from rankgauge.labelling.campaign.answer_queue import NextTask
from rankgauge.labelling.campaign.leases import SideDesk
from rankgauge.labelling.campaign.review import AssessorProgress, OwnAnswer
from rankgauge.labelling.campaign.rules import Idle
from rankgauge.labelling.labels import Label, LabelKind, Recorded, Task
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.gold import BLOCKED, GoldQuestion
from rankgauge.room.people import Person, Role
from rankgauge.room.room import Room

MOST_LABELS = 1000
"""How many labels a program may send at once for an assessor, who has no more documents than that to answer."""

WITHOUT = (Idle.ARCHIVED, Idle.PAUSED, Idle.STOPPED, Idle.SETTLED)
"""While a campaign is paused, nothing is on a desk."""


@dataclass(frozen=True, kw_only=True)
class Desk:
    """What one person judges in one campaign."""

    room: Room
    opened: OpenCampaign
    person: Person

    def next(self, label: Label | None = None, *, again: bool = False) -> NextTask | None:
        """Record the answer, if there is one, and put the next document on the desk; None for somebody blocked."""
        if label is not None:
            self._refuse_blocked()
        elif self.is_blocked:
            return None
        who, queue = self.person.assessor, self.opened.answers
        task = queue.next_task(who, label, seconds=self._seconds, replace=again, desk=self._gold_desk)
        if task is None:
            return None
        if task.idle in WITHOUT:
            archived = self.opened.id in self.room.campaigns.list_archived()
            shown, task = [], replace(task, idle=Idle.ARCHIVED) if archived else task
        else:
            shown = self._mix([] if task.task is None else [task.task])
        return replace(task, task=shown[0] if shown else None, own=self.own() if self.asks_gold else task.own)

    def tasks(self, n: int) -> list[Task]:
        """Up to n documents, beginning with those that are on the desk already; none while the campaign is paused.

        However many are asked for, no more than the room's settings allow are on a desk at a time.
        """
        self._refuse_blocked()
        most, who = min(n, self.room.settings.desk_documents), self.person.assessor
        try:
            leased = self.opened.campaign.lease(most, who, seconds=self._seconds, again=True, desk=self._gold_desk)
        except PausedError:
            return []
        return self._mix(leased)[:most]

    def record(self, labels: Sequence[Label], *, again: bool) -> Recorded:
        """Record answers from a program, all or none."""
        self._refuse_blocked()
        if len(labels) > MOST_LABELS:
            raise HTTPException(413, f"send at most {MOST_LABELS:,} labels at once")
        return self.opened.answers.record(labels, leased=True, replace=again, desk=self._gold_desk)

    # what the person has answered

    def answers(self) -> list[OwnAnswer]:
        """Return everything that the person has answered, the newest first."""
        mine = self.opened.review.answers(self.person.assessor)
        gold = dict[tuple[str, str], OwnAnswer]()
        for answer in self.room.gold.answers(self.opened.id, self._grades) if self.asks_gold else ():
            if answer.person == self.person.id:
                kind, task = (
                    LabelKind.SKIP if answer.grade is None else LabelKind.GRADE,
                    self._task(answer.question, answer.made),
                )
                said = OwnAnswer(task=task, kind=kind, grade=answer.grade, comment=answer.comment, made=answer.made)
                gold[task.query, task.document] = said
        labels = {(answer.task.query, answer.task.document): answer for answer in mine}
        return sorted({**gold, **labels}.values(), key=lambda answer: answer.made, reverse=True)

    def find_answer(self, query: str, document: str) -> OwnAnswer:
        """Return the person's answer about that document."""
        for answer in self.answers():
            if (answer.task.query, answer.task.document) == (query, document):
                return answer
        raise InputError("this document was not judged by you")

    def answered_before(self, moment: float) -> OwnAnswer | None:
        """Return the last answer before that moment."""
        return next((answer for answer in self.answers() if answer.made < moment), None)

    def own(self) -> AssessorProgress:
        """Return what the person has done so far. Gold questions count as documents do, so that it gives none away."""
        gold = self.room.gold.list_answers(self.opened.id, self.person.id) if self.asks_gold else ()
        return self.opened.review.own(self.person.assessor.identity, gold)

    # gold questions

    @property
    def asks_gold(self) -> bool:
        """Whoever may see the gold questions is not asked any.

        It is looked up once, but by no `cached_property`: with Python 3.11 all desks would wait for that one's lock.
        """
        if (known := vars(self).get("_asks_gold")) is None:
            known = self.person.role is Role.ASSESSOR and self.room.gold.rules(self.opened.id) is not None
            vars(self)["_asks_gold"] = known
        return bool(known)

    @property
    def is_blocked(self) -> bool:
        """Whether the person gets no more documents, and can change no answer."""
        return self.asks_gold and self.person.id in self.room.gold.blocks(self.opened.id)

    def _refuse_blocked(self) -> None:
        """Who gets no more documents answers none either, not even once more: the answers so far stay as they are."""
        if self.is_blocked:
            raise HTTPException(403, BLOCKED)

    @property
    def _seconds(self) -> float:
        return 60 * self.room.settings.lease_minutes

    @property
    def _grades(self) -> tuple[float, ...]:
        return self.opened.campaign.settings.grades

    @property
    def _gold_desk(self) -> SideDesk | None:
        return self.room.gold.desk(self.opened.id, self.person.id, self._grades) if self.asks_gold else None

    def _mix(self, leased: Sequence[Task]) -> list[Task]:
        """The documents, and the gold questions that are not answered, in the order in which they came to the desk.

        A gold question comes before the document with which it was handed out, also when that one is answered first.
        """
        who, history, places = self.person.assessor, self.opened.review, [task.place for task in leased]
        asked = []
        if self.asks_gold:
            asked = self.room.gold.hand_out_due(
                self.opened.id, self.person.id, places, known=lambda: history.list_handed(who)
            )
        if not asked:
            return list(leased)
        pairs = {(task.query, task.document) for task in leased}  # a draw may have asked for the same since
        until = max((task.until for task in leased), default=time.time() + self._seconds)
        order = history.order_of(who, [*places, *(place for _, place in asked)])
        gold = [
            (order[place], 0, self._task(one, until)) for one, place in asked if (one.query, one.document) not in pairs
        ]
        both = [*gold, *((order[task.place], 1, task) for task in leased)]
        return [task for _, _, task in sorted(both, key=lambda one: one[:2])]

    def _task(self, question: GoldQuestion, until: float) -> Task:
        who, ids = self.person, {"query": question.query, "document": question.document}
        return Task(place=-1, **ids, assessor=who.name, person=who.id, until=until, texts=question.texts)
