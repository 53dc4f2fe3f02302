"""The quality of a campaign's labels, for whoever runs it: assessors, levels, times, drift, reasons and comments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import polars as pl

from rankgauge.labelling.campaign import quality
from rankgauge.labelling.campaign.quality import SeenShare
from rankgauge.labelling.labels import Identity, LabelKind
from rankgauge.room.answers import Reason, reason_of
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.gold import AssessorBlock, Gold, GoldAnswer, GoldQuestion
from rankgauge.room.room import Room

EDGES = (5.0, 10.0, 20.0, 40.0, 80.0, 160.0, quality.BREAK)
"""Between how many seconds documents are counted by the time that they took."""

COMMENTS = 50
"""How many of the last comments are shown."""

ANSWER = {
    **dict.fromkeys(("assessor", "query", "document", "kind"), pl.String()),
    "grade": pl.Float64(),
    "comment": pl.String(),
    "made": pl.Float64(),
    "gold": pl.Boolean(),
}
"""The columns of answers."""


@dataclass(frozen=True, kw_only=True)
class AssessorQuality:
    """What is known of one assessor's labels."""

    name: str
    person: int | None
    facts: Mapping[str, Any]
    """A row of `by_assessor`."""
    gold: SeenShare
    block: AssessorBlock | None


@dataclass(frozen=True, kw_only=True)
class GoldQuality:
    """What is known of one gold question: how many have answered it, how many right, and what they remarked."""

    question: GoldQuestion
    answers: SeenShare
    comments: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True, eq=False)
class QualityReport:
    """The quality of a campaign's labels as they are now."""

    opened: OpenCampaign
    gold: Gold
    people: Mapping[int, str]
    """The campaign's people by their numbers."""

    @classmethod
    def of(cls, room: Room, campaign: int) -> Self:
        """The report of a campaign of the room."""
        people = {row.id: row.name for row in room.people.of_campaign(campaign)}
        return cls(opened=room.campaigns.get(campaign), gold=room.gold, people=people)

    @cached_property
    def labels(self) -> pl.DataFrame:
        """The labels that count, by the names of their assessors, without those that settle disagreements."""
        return self.opened.history.labels()

    @cached_property
    def seconds(self) -> pl.DataFrame:
        """How long each answer took."""
        others: dict[int | str, list[float]] = {}
        for one in self.gold_answers:
            others.setdefault(one.person, []).append(one.made)
        return self.opened.history.seconds(others)

    @cached_property
    def gold_answers(self) -> list[GoldAnswer]:
        """Everybody's answers to gold questions."""
        return self.gold.answers(self.opened.id, self.opened.campaign.settings.grades)

    @cached_property
    def names(self) -> dict[Identity, str]:
        """Everybody who has answered anything, by the name that pages show."""
        asked: dict[Identity, str] = {
            one.person: self.people.get(one.person, f"#{one.person}") for one in self.gold_answers
        }
        return {**asked, **self.opened.review.assessors()}

    @cached_property
    def answers(self) -> pl.DataFrame:
        """Labels and answers to gold questions that are no labels, with comments: assessor, query, document, kind,
        grade, comment, made, gold."""
        labels = self.labels.with_columns(gold=pl.lit(False)).select(*ANSWER)
        known = set(self.labels.select("query", "document", "person").iter_rows())
        rows = [self._row(one) for one in self.gold_answers]
        gold = [row for row in rows if (row["query"], row["document"], row["person"]) not in known]
        return pl.concat([labels, pl.DataFrame(gold, schema={**ANSWER, "person": pl.Int64()}).select(*ANSWER)])

    def _row(self, one: GoldAnswer) -> dict[str, Any]:
        kind = LabelKind.SKIP if one.grade is None else LabelKind.GRADE
        ids = {"query": one.question.query, "document": one.question.document, "person": one.person}
        said = {"kind": kind.value, "grade": one.grade, "comment": one.comment, "made": one.made, "gold": True}
        return {**ids, **said, "assessor": self.names[one.person]}

    def assessors(self) -> list[AssessorQuality]:
        """Everybody who has judged."""
        names = self.names
        rows = {row["assessor"]: row for row in quality.by_assessor(self.labels, self.seconds).iter_rows(named=True)}
        blocks = self.gold.blocks(self.opened.id)
        found = []
        for who, name in sorted(names.items(), key=lambda item: item[1]):
            person = who if isinstance(who, int) else None
            right = self.accuracy([one for one in self.gold_answers if one.person == person])
            block = blocks.get(person) if person is not None else None
            facts = rows.get(name, {})
            found.append(AssessorQuality(name=name, person=person, facts=facts, gold=right, block=block))
        return found

    def levels(self) -> pl.DataFrame:
        """How far assessors agree on each level."""
        return quality.by_level(self.labels, self.opened.campaign.settings.grades)

    def times(self) -> list[tuple[str, int]]:
        """How many documents took how long, in words."""
        shown = [f"{edge:g}" for edge in EDGES[:-1]]
        spans = [f"under {shown[0]} s", *(f"{low} to {high} s" for low, high in pairwise(shown))]
        names = [*spans, f"{shown[-1]} s to 10 min", "longer: a break"]
        return list(zip(names, quality.time_bins(self.seconds, EDGES), strict=True))

    def drift(self, *, daily: bool) -> list[dict[str, Any]]:
        """Step by step, the labels and the gold questions of the time."""
        steps = quality.drift(self.labels, self.seconds, daily=daily)
        ends = [*steps["start"].to_list(), float("inf")][1:]  # none if there are no labels yet
        found, since = [], 0.0
        for row, until in zip(steps.iter_rows(named=True), ends, strict=True):
            during = [one for one in self.gold_answers if since <= one.made < until]
            found.append({**row, "gold": self.accuracy(during)})
            since = until
        return found

    def reasons(self) -> list[tuple[str, int]]:
        """Why documents could not be judged, and how often."""
        skipped = self.answers.filter(pl.col("kind") == LabelKind.SKIP.value)
        counts = Counter(reason_of(LabelKind.SKIP, comment)[0] for comment in skipped["comment"])
        given = [(reason.value, counts[reason]) for reason in Reason if counts[reason]]
        return [*given, *([("no reason given", counts[None])] if counts[None] else [])]

    def comments(self, *, gold: bool) -> list[dict[str, Any]]:
        """The last answers with a comment, the newest first, with what there is to read of their documents.

        Answers to gold questions are among them if `gold` is set, for people who may know these.
        """
        known = self.answers if gold else self.answers.filter(~pl.col("gold"))
        said = known.drop_nulls("comment").sort("made", descending=True).head(COMMENTS)
        rows = list(said.iter_rows(named=True))
        asked = {(one.question.query, one.question.document): one.question.texts for one in self.gold_answers}
        texts = self.opened.history.texts([(row["query"], row["document"]) for row in rows])
        return [
            {**row, "texts": asked.get((row["query"], row["document"]), {}) if text is None else text}
            for row, text in zip(rows, texts, strict=True)
        ]

    def questions(self) -> list[GoldQuality]:
        """The gold questions that are asked, with what is known of each."""
        answers: dict[int, list[GoldAnswer]] = {}
        for one in self.gold_answers:
            answers.setdefault(one.question.id, []).append(one)
        return [self._question(one, answers.get(one.id, [])) for one in self.gold.questions(self.opened.id)]

    def _question(self, question: GoldQuestion, answers: Sequence[GoldAnswer]) -> GoldQuality:
        said = [{**self._row(one), "right": one.right} for one in answers if one.comment]
        return GoldQuality(question=question, answers=self.accuracy(answers), comments=said)

    @staticmethod
    def accuracy(answers: Sequence[GoldAnswer]) -> SeenShare:
        """The share of right answers."""
        return SeenShare(seen=sum(one.right for one in answers), n=len(answers))
