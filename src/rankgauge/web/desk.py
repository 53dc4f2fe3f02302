"""The desk of an assessor: what one person is handed in one campaign, and what they answer and have answered.

Pages and API go through it, so that both hand out gold questions and neither shows which documents these are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from starlette.exceptions import HTTPException

from rankgauge.active.campaign.answer_queue import NextTask
from rankgauge.active.campaign.history import OwnAnswer
from rankgauge.active.campaign.review import AssessorProgress
from rankgauge.active.labels import Label, LabelKind, Recorded, Task
from rankgauge.errors import InputError, PausedError
from rankgauge.web.campaigns import OpenCampaign
from rankgauge.web.gold import AssessorBlock, GoldAnswer, GoldQuestion
from rankgauge.web.people import Person
from rankgauge.web.roles import Role
from rankgauge.web.room import Room

BLOCKED = """Thank you for your work so far. You get no more documents for now: some of your answers differ from those
that were agreed on beforehand. That happens, often because the guidelines are not clear enough. Please talk to whoever
invited you; they can see it, and can give you documents again."""


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
        rest = self._record_gold([] if label is None else [label], again=again)
        block = self._block()
        if block is not None:
            self._record(rest, again=again)
            self.opened.campaign.release_all(self.person.assessor)
            return OnDesk(task=None, own=self.own(), block=block)
        found = self._next_task(rest, again=again)
        own = self._counted(found.own)
        return OnDesk(task=None if found.task is None else self._mixed(found.task), own=own, next=found)

    def tasks(self, n: int) -> list[Task]:
        """Up to n documents, beginning with those that are on the desk already; none while the campaign is paused."""
        if self._block() is not None:
            raise HTTPException(403, BLOCKED)
        try:
            leased = self.opened.campaign.lease(n, self.person.assessor, seconds=self._seconds, again=True)
        except PausedError:
            return []
        mixed = [one for task in leased for one in self._with_gold(task)]
        return mixed[:n]

    def record(self, labels: Sequence[Label], *, again: bool) -> Recorded:
        """Records answers from a program, all or none but those to gold questions."""
        rest = self._record_gold(labels, again=again, dry=True)
        recorded = self._record(rest, again=again)
        self._record_gold(labels, again=again)
        return recorded.added(new=len(labels) - len(rest))

    # what the person has answered

    def answers(self) -> list[OwnAnswer]:
        """Everything that the person has answered, the newest first."""
        mine = self.opened.history.answers(self.person.assessor)
        known = {(one.task.query, one.task.document) for one in mine}
        mine += [self._gold_answer(one) for one in self._gold_answers() if _key(one.question) not in known]
        return sorted(mine, key=lambda one: one.made, reverse=True)

    def answered(self, query: str, document: str) -> OwnAnswer:
        """What the person has answered of that document."""
        for one in self.answers():
            if (one.task.query, one.task.document) == (query, document):
                return one
        raise InputError("this document was not judged by you")

    def answered_before(self, moment: float) -> OwnAnswer | None:
        """The last answer before that moment."""
        return next((one for one in self.answers() if one.made < moment), None)

    # gold questions

    @property
    def _seconds(self) -> float:
        return 60 * self.room.settings.lease_minutes

    @cached_property
    def _asks_gold(self) -> bool:
        """Whoever may see the gold questions is not asked any."""
        return self.person.role is Role.ASSESSOR and self.room.gold.rules(self.opened.id) is not None

    def _block(self) -> AssessorBlock | None:
        return self.room.gold.block(self.opened.id, self.person.id) if self._asks_gold else None

    def _record_gold(self, labels: Sequence[Label], *, again: bool, dry: bool = False) -> list[Label]:
        """Records the answers to gold questions; gives the other labels."""
        if not self._asks_gold:
            return list(labels)
        rest = []
        for label in labels:
            judged = self.opened.history.is_judged(self.person.id, label.query, label.document)
            question = self.room.gold.question_of(self.opened.id, label, again=again and not judged)
            if question is None:
                rest.append(label)
            elif not dry:
                self.room.gold.answer(self.opened.id, self._graded(label), question, self._grades)
        return rest

    def _record(self, labels: Sequence[Label], *, again: bool) -> Recorded:
        done = self.opened.answers.record(labels, leased=True, replace=again) if labels else Recorded()
        self._note(labels)
        return done

    def _next_task(self, labels: Sequence[Label], *, again: bool) -> NextTask:
        label = labels[0] if labels else None
        found = self.opened.answers.next_task(self.person.assessor, label, seconds=self._seconds, replace=again)
        self._note(labels)
        return found

    def _note(self, labels: Sequence[Label]) -> None:
        """Compares labels of documents that are gold questions too."""
        if labels and self._asks_gold:
            for label in labels:
                self.room.gold.note(self.opened.id, self._graded(label), self._grades)

    def _mixed(self, task: Task) -> Task:
        return self._with_gold(task)[0]

    def _with_gold(self, task: Task) -> list[Task]:
        """The document, after the gold question that comes before it, if there is one."""
        if not self._asks_gold:
            return [task]
        question = self.room.gold.before(
            self.opened.id, self.person.id, task, is_known=lambda one: self._is_known(one, task)
        )
        return [task] if question is None else [self._task(question, task.until), task]

    def _is_known(self, question: GoldQuestion, task: Task) -> bool:
        judged = self.opened.history.is_judged(self.person.id, question.query, question.document)
        return judged or _key(question) == (task.query, task.document)

    def _task(self, question: GoldQuestion, until: float) -> Task:
        who = self.person
        ids = {"query": question.query, "document": question.document}
        return Task(place=-1, **ids, assessor=who.name, person=who.id, until=until, texts=question.texts)

    @property
    def _grades(self) -> tuple[float, ...]:
        return self.opened.campaign.settings.grades

    def _graded(self, label: Label) -> Label:
        """The label with its grade as a number of the scale."""
        return replace(label, grade=self.opened.campaign.grade_of(label))

    def _gold_answers(self) -> list[GoldAnswer]:
        if not self._asks_gold:
            return []
        found = self.room.gold.answers(self.opened.id, self._grades)
        return [one for one in found if one.person == self.person.id]

    def _gold_answer(self, one: GoldAnswer) -> OwnAnswer:
        kind = LabelKind.SKIP if one.grade is None else LabelKind.GRADE
        task = self._task(one.question, one.made)
        return OwnAnswer(task=task, kind=kind, grade=one.grade, comment=one.comment, made=one.made)

    def own(self) -> AssessorProgress:
        """What the person has done so far."""
        return self._counted(self.opened.review.own(self.person.assessor.identity))

    def _counted(self, own: AssessorProgress) -> AssessorProgress:
        """The progress with gold questions counted, so that it gives none away."""
        if not self._asks_gold:
            return own
        return replace(own, done=own.done + self.room.gold.answered(self.opened.id, self.person.id))


def _key(question: GoldQuestion) -> tuple[str, str]:
    return question.query, question.document
