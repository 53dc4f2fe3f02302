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
from rankgauge.room.gold import BLOCKED, AssessorBlock, GoldAnswer, GoldQuestion
from rankgauge.room.people import Person, Role
from rankgauge.room.room import Room

MOST_LABELS = 1000
"""How many labels a program may send at once for an assessor, who has no more documents than that to answer."""

WITHOUT = (Idle.ARCHIVED, Idle.PAUSED, Idle.STOPPED, Idle.SETTLED)
"""While a campaign is paused, nothing is on a desk."""


@dataclass(frozen=True, kw_only=True)
class OnDesk:
    """The document that is on the desk; without one, `next` says what the campaign waits for, and `block` why."""

    task: Task | None
    own: AssessorProgress
    next: NextTask | None = None
    block: AssessorBlock | None = None


@dataclass(frozen=True, kw_only=True)
class Desk:
    """What one person judges in one campaign."""

    room: Room
    opened: OpenCampaign
    person: Person

    def next(self, label: Label | None = None, *, again: bool = False) -> OnDesk:
        """Records the answer, if there is one, and puts the next document on the desk."""
        if label is not None:
            self._refuse_blocked()
        found = None if self._block() else self._next_task(label, again=again)
        if found is None:
            return OnDesk(task=None, own=self.own(), block=self._block())
        leased = [] if found.task is None else [found.task]
        shown = [] if found.idle in WITHOUT else self._mix(leased)
        return OnDesk(task=shown[0] if shown else None, own=self.own() if self.asks_gold else found.own, next=found)

    def tasks(self, n: int) -> list[Task]:
        """Up to n documents, beginning with those that are on the desk already; none while the campaign is paused.

        However many are asked for, no more than the room's settings allow are on a desk at a time.
        """
        self._refuse_blocked()
        most = min(n, self.room.settings.desk_documents)
        who, seconds, desk = self.person.assessor, self._seconds, self._gold_desk
        try:
            leased = self.opened.campaign.lease(most, who, seconds=seconds, again=True, desk=desk)
        except PausedError:
            return []
        return self._mix(leased)[:most]

    def record(self, labels: Sequence[Label], *, again: bool) -> Recorded:
        """Records answers from a program, all or none."""
        self._refuse_blocked()
        if len(labels) > MOST_LABELS:
            raise HTTPException(413, f"send at most {MOST_LABELS:,} labels at once")
        return self.opened.answers.record(labels, leased=True, replace=again, desk=self._gold_desk)

    # what the person has answered

    def answers(self) -> list[OwnAnswer]:
        """Return everything that the person has answered, the newest first."""
        mine = self.opened.review.answers(self.person.assessor)
        known = {(one.task.query, one.task.document) for one in mine}
        gold = {_key(one.question): one for one in self._gold_answers()}
        mine += [self._gold_answer(one) for pair, one in gold.items() if pair not in known]
        return sorted(mine, key=lambda one: one.made, reverse=True)

    def answered(self, query: str, document: str) -> OwnAnswer:
        """Return what the person has answered of that document."""
        for one in self.answers():
            if (one.task.query, one.task.document) == (query, document):
                return one
        raise InputError("this document was not judged by you")

    def answered_before(self, moment: float) -> OwnAnswer | None:
        """Return the last answer before that moment."""
        return next((one for one in self.answers() if one.made < moment), None)

    @property
    def is_blocked(self) -> bool:
        """Whether the person gets no more documents, and can change no answer."""
        return self._block() is not None

    # gold questions

    @property
    def _seconds(self) -> float:
        return 60 * self.room.settings.lease_minutes

    @property
    def asks_gold(self) -> bool:
        """Whoever may see the gold questions is not asked any.

        It is looked up once, but by no `cached_property`: with Python 3.11 all desks would wait for that one's lock.
        """
        if (known := vars(self).get("_asks_gold")) is None:
            known = self.person.role is Role.ASSESSOR and self.room.gold.rules(self.opened.id) is not None
            vars(self)["_asks_gold"] = known
        return bool(known)

    def _block(self) -> AssessorBlock | None:
        return self.room.gold.block(self.opened.id, self.person.id) if self.asks_gold else None

    def _refuse_blocked(self) -> None:
        """Who gets no more documents answers none either, not even once more: the answers so far stay as they are."""
        if self._block() is not None:
            raise HTTPException(403, BLOCKED)

    @property
    def _gold_desk(self) -> SideDesk | None:
        return self.room.gold.desk(self.opened.id, self.person.id, self._grades) if self.asks_gold else None

    def _next_task(self, label: Label | None, *, again: bool) -> NextTask | None:
        who, seconds, desk = self.person.assessor, self._seconds, self._gold_desk
        found = self.opened.answers.next_task(who, label, seconds=seconds, replace=again, desk=desk)
        if found is not None and found.idle in WITHOUT and self.room.campaigns.is_archived(self.opened.id):
            return replace(found, idle=Idle.ARCHIVED)
        return found

    def _mix(self, leased: Sequence[Task]) -> list[Task]:
        """The documents, and the gold questions that are not answered, in the order in which they came to the desk.

        A gold question comes before the document with which it was handed out, also when that one is answered first.
        """
        if not self.asks_gold:
            return list(leased)
        who, history = self.person.assessor, self.opened.review
        places = [task.place for task in leased]
        asked = self.room.gold.asked(self.opened.id, self.person.id, places, known=lambda: history.handed(who))
        if not asked:
            return list(leased)
        pairs = {(task.query, task.document) for task in leased}  # a draw may have asked for the same since
        until = max((task.until for task in leased), default=time.time() + self._seconds)
        order = history.order_of(who, [*places, *(one.place for one in asked)])
        gold = [(one.place, self._task(one.question, until)) for one in asked if _key(one.question) not in pairs]
        both = [*((order[place], 0, task) for place, task in gold), *((order[t.place], 1, t) for t in leased)]
        return [task for _, _, task in sorted(both, key=lambda one: one[:2])]

    def _task(self, question: GoldQuestion, until: float) -> Task:
        who = self.person
        ids = {"query": question.query, "document": question.document}
        return Task(place=-1, **ids, assessor=who.name, person=who.id, until=until, texts=question.texts)

    @property
    def _grades(self) -> tuple[float, ...]:
        return self.opened.campaign.settings.grades

    def _gold_answers(self) -> list[GoldAnswer]:
        if not self.asks_gold:
            return []
        found = self.room.gold.answers(self.opened.id, self._grades)
        return [one for one in found if one.person == self.person.id]

    def _gold_answer(self, one: GoldAnswer) -> OwnAnswer:
        kind = LabelKind.SKIP if one.grade is None else LabelKind.GRADE
        task = self._task(one.question, one.made)
        return OwnAnswer(task=task, kind=kind, grade=one.grade, comment=one.comment, made=one.made)

    def own(self) -> AssessorProgress:
        """Return what the person has done so far. Gold questions count as documents do, so that it gives none away."""
        gold = self.room.gold.answered(self.opened.id, self.person.id) if self.asks_gold else ()
        return self.opened.review.own(self.person.assessor.identity, gold)


def _key(question: GoldQuestion) -> tuple[str, str]:
    return question.query, question.document
