"""The quality of a campaign's labels, for whoever runs it: assessors, levels, times, drift, reasons and comments.

Every number comes with what it rests on. Agreement compares two labels of one document; a document that three assessors
judged is three comparisons.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
import polars as pl
from sqlalchemy import Row

from rankgauge.labelling.labels import Identity, LabelKind
from rankgauge.room.answers import Reason, reason_of
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.gold import Gold, GoldAnswer, GoldQuestion
from rankgauge.room.room import Room
from rankgauge.statistics.intervals import largest_share

BREAK = 600.0
"""A document that took longer, in seconds, was on the screen during a break; it does not count in the times."""

HUNDRED = 100
"""How many labels make a step of the drift."""

KEYS = ["query", "document"]

AGREE = (pl.col("grade") == pl.col("grade_other")).mean().alias("agree")
SKIPPED = (pl.col("kind") == LabelKind.SKIP.value).sum().alias("skipped")


@dataclass(frozen=True, kw_only=True)
class SeenShare:
    """A share of cases, with the exact interval (Clopper & Pearson 1934) if the cases are independent."""

    seen: int
    n: int
    level: float = 0.95

    @property
    def value(self) -> float:
        """The share; NaN without cases."""
        return self.seen / self.n if self.n else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The exact interval; from 0 to 1 without cases."""
        if not self.n:
            return 0.0, 1.0
        alpha = (1 - self.level) / 2
        high = largest_share(self.seen, self.n, alpha=alpha)
        return 1.0 - largest_share(self.n - self.seen, self.n, alpha=alpha), high


def comparisons(labels: pl.DataFrame) -> pl.DataFrame:
    """A row for each label and each other assessor's label of the same document: both grades, the time of the first.

    `labels` has the columns query, document, assessor, kind, grade, made; labels without a grade are left out.
    """
    graded = labels.filter(pl.col("kind") == LabelKind.GRADE.value).select(*KEYS, "assessor", "grade", "made")
    both = graded.join(graded.drop("made"), on=KEYS, suffix="_other")
    return both.filter(pl.col("assessor") != pl.col("assessor_other"))


def by_assessor(labels: pl.DataFrame, seconds: pl.DataFrame) -> pl.DataFrame:
    """A row per assessor: documents, skipped, mean_grade; shared (documents that others judged too), compared, agree
    (share of comparisons with the same grade), above (by how much the grades exceed the others'); and the times:
    timed, low, median, high (the 10th, 50th and 90th percentile, in seconds)."""
    above = (pl.col("grade") - pl.col("grade_other")).mean().alias("above")
    shared = pl.struct(KEYS).n_unique().alias("shared")
    quantiles = {"low": 0.1, "median": 0.5, "high": 0.9}
    times = [pl.col("seconds").quantile(at, "linear").alias(name) for name, at in quantiles.items()]
    rows = labels.group_by("assessor").agg(
        pl.len().alias("documents"), SKIPPED, pl.col("grade").mean().alias("mean_grade")
    )
    for part in (
        comparisons(labels).group_by("assessor").agg(shared, pl.len().alias("compared"), AGREE, above),
        seconds.filter(pl.col("seconds") < BREAK).group_by("assessor").agg(pl.len().alias("timed"), *times),
    ):
        rows = rows.join(part, on="assessor", how="left")
    return rows.with_columns(pl.col("shared", "compared", "timed").fill_null(0)).sort("assessor")


def by_level(labels: pl.DataFrame, grades: Sequence[float]) -> pl.DataFrame:
    """A row per grade: labels; compared, and the share of comparisons in which the other assessor gave the same grade
    (specific agreement, Dice 1945); and the grade that others gave most often where they differed."""
    pairs = comparisons(labels)
    differ = pairs.filter(pl.col("grade") != pl.col("grade_other"))
    rather = differ.group_by("grade", "grade_other").len().sort("len", "grade_other", descending=[True, False])
    rows = pl.DataFrame({"grade": sorted(map(float, grades), reverse=True)}, schema={"grade": pl.Float64()})
    for part in (
        labels.filter(pl.col("kind") == LabelKind.GRADE.value).group_by("grade").agg(pl.len().alias("labels")),
        pairs.group_by("grade").agg(pl.len().alias("compared"), AGREE),
        rather.group_by("grade", maintain_order=True).agg(pl.col("grade_other").first().alias("rather")),
    ):
        rows = rows.join(part, on="grade", how="left", maintain_order="left")
    return rows.with_columns(pl.col("labels", "compared").fill_null(0))


def time_bins(seconds: pl.DataFrame, edges: Sequence[float]) -> list[int]:
    """Return how many documents took how long: below the first edge, between each two, and above the last."""
    placed = np.digitize(seconds["seconds"].to_numpy(), list(edges))
    return [int(count) for count in np.bincount(placed, minlength=len(edges) + 1)]


def drift(labels: pl.DataFrame, seconds: pl.DataFrame, *, daily: bool) -> pl.DataFrame:
    """A row per day, or per hundred labels: start (time of the first), end, labels, mean_grade, skipped, compared,
    agree, median (seconds). A comparison belongs to the step of its later label."""
    ordered = labels.sort("made").with_row_index("number")
    step = pl.col("made") // 86400 if daily else pl.col("number") // HUNDRED
    ordered = ordered.with_columns(step=step.cast(pl.Int64))
    made, steps = pl.col("made"), ordered.select(*KEYS, "assessor", "step")
    rows = ordered.group_by("step").agg(
        *(made.min().alias("start"), made.max().alias("end"), pl.len().alias("labels")),
        *(pl.col("grade").mean().alias("mean_grade"), SKIPPED),
    )
    other = steps.rename({"assessor": "assessor_other", "step": "step_other"})
    pairs = comparisons(labels).join(steps, on=[*KEYS, "assessor"]).join(other, on=[*KEYS, "assessor_other"])
    later = pl.max_horizontal("step", "step_other").alias("step")
    timed = seconds.filter(pl.col("seconds") < BREAK).join(steps, on=[*KEYS, "assessor"])
    for part in (
        pairs.group_by(later).agg((pl.len() // 2).alias("compared"), AGREE),
        timed.group_by("step").agg(pl.col("seconds").median().alias("median")),
    ):
        rows = rows.join(part, on="step", how="left")
    return rows.with_columns(pl.col("compared").fill_null(0)).sort("step")


EDGES = (5.0, 10.0, 20.0, 40.0, 80.0, 160.0, BREAK)
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
    block: Row[Any] | None
    """Since when they get no more documents, and why, if they do not."""


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
        """Return the report of a campaign of the room."""
        people = {row.id: row.name for row in room.people.of_campaign(campaign)}
        return cls(opened=room.campaigns.get(campaign), gold=room.gold, people=people)

    @cached_property
    def labels(self) -> pl.DataFrame:
        """The labels that count, by the names of their assessors, without those that settle disagreements."""
        return self.opened.review.labels()

    @cached_property
    def seconds(self) -> pl.DataFrame:
        """How long each answer took."""
        others: dict[int | str, list[float]] = {}
        for answer in self.gold_answers:
            others.setdefault(answer.person, []).append(answer.made)
        return self.opened.review.seconds(others)

    @cached_property
    def gold_answers(self) -> list[GoldAnswer]:
        """Everybody's answers to gold questions."""
        return self.gold.answers(self.opened.id, self.opened.campaign.settings.grades)

    @cached_property
    def names(self) -> dict[Identity, str]:
        """Everybody who has answered anything, by the name that pages show."""
        asked: dict[Identity, str] = {
            answer.person: self.people.get(answer.person, f"#{answer.person}") for answer in self.gold_answers
        }
        return {**asked, **self.opened.review.assessors()}

    @cached_property
    def answers(self) -> pl.DataFrame:
        """Labels and answers to gold questions that are no labels, with comments: assessor, query, document, kind,
        grade, comment, made, gold."""
        labels = self.labels.with_columns(gold=pl.lit(False)).select(*ANSWER)
        known = set(self.labels.select("query", "document", "person").iter_rows())
        rows = [self._row(answer) for answer in self.gold_answers]
        gold = [row for row in rows if (row["query"], row["document"], row["person"]) not in known]
        return pl.concat([labels, pl.DataFrame(gold, schema={**ANSWER, "person": pl.Int64()}).select(*ANSWER)])

    def _row(self, answer: GoldAnswer) -> dict[str, Any]:
        kind = LabelKind.SKIP if answer.grade is None else LabelKind.GRADE
        ids = {"query": answer.question.query, "document": answer.question.document, "person": answer.person}
        said = {"kind": kind.value, "grade": answer.grade, "comment": answer.comment, "made": answer.made, "gold": True}
        return {**ids, **said, "assessor": self.names[answer.person]}

    def assessors(self) -> list[AssessorQuality]:
        """Everybody who has judged."""
        rows = {row["assessor"]: row for row in by_assessor(self.labels, self.seconds).iter_rows(named=True)}
        blocks = self.gold.blocks(self.opened.id)
        return [
            AssessorQuality(
                name=name,
                person=(person := who if isinstance(who, int) else None),
                facts=rows.get(name, {}),
                gold=accuracy([answer for answer in self.gold_answers if answer.person == person]),
                block=None if person is None else blocks.get(person),
            )
            for who, name in sorted(self.names.items(), key=lambda item: item[1])
        ]

    def levels(self) -> pl.DataFrame:
        """Return how far assessors agree on each level."""
        return by_level(self.labels, self.opened.campaign.settings.grades)

    def times(self) -> list[tuple[str, int]]:
        """Return how many documents took how long, in words."""
        shown = [f"{edge:g}" for edge in EDGES[:-1]]
        spans = [f"under {shown[0]} s", *(f"{low} to {high} s" for low, high in pairwise(shown))]
        names = [*spans, f"{shown[-1]} s to 10 min", "longer: a break"]
        return list(zip(names, time_bins(self.seconds, EDGES), strict=True))

    def drift(self, *, daily: bool) -> list[dict[str, Any]]:
        """Step by step, the labels and the gold questions of the time."""
        steps = drift(self.labels, self.seconds, daily=daily)
        bounds = [0.0, *steps["start"].to_list()[1:], float("inf")]  # answers before the first label are its step's
        return [
            {**row, "gold": accuracy([answer for answer in self.gold_answers if since <= answer.made < until])}
            for row, (since, until) in zip(steps.iter_rows(named=True), pairwise(bounds), strict=False)
        ]

    def reasons(self) -> list[tuple[str, int]]:
        """Return why documents could not be judged, and how often."""
        skipped = self.answers.filter(pl.col("kind") == LabelKind.SKIP.value)
        counts = Counter(reason_of(LabelKind.SKIP, comment)[0] for comment in skipped["comment"])
        words: dict[Reason | None, str] = {**{one: one.value for one in Reason}, None: "no reason given"}
        return [(told, counts[reason]) for reason, told in words.items() if counts[reason]]

    def comments(self, *, gold: bool) -> list[dict[str, Any]]:
        """Return the last answers with a comment, the newest first, with what there is to read of their documents.

        Answers to gold questions are among them if `gold` is set, for people who may know these.
        """
        known = self.answers if gold else self.answers.filter(~pl.col("gold"))
        rows = known.drop_nulls("comment").sort("made", descending=True).head(COMMENTS).rows(named=True)
        asked = {
            (answer.question.query, answer.question.document): answer.question.texts for answer in self.gold_answers
        }
        texts = self.opened.review.texts([(row["query"], row["document"]) for row in rows])
        return [
            {**row, "texts": asked.get((row["query"], row["document"]), {}) if text is None else text}
            for row, text in zip(rows, texts, strict=True)
        ]

    def questions(self) -> list[GoldQuality]:
        """Return the gold questions that are asked, with what is known of each."""
        answers: dict[int, list[GoldAnswer]] = {}
        for answer in self.gold_answers:
            answers.setdefault(answer.question.id, []).append(answer)
        return [
            GoldQuality(
                question=question,
                answers=accuracy(told := answers.get(question.id, [])),
                comments=[{**self._row(one), "right": one.right} for one in told if one.comment],
            )
            for question in self.gold.questions(self.opened.id)
        ]


def accuracy(answers: Sequence[GoldAnswer]) -> SeenShare:
    """Return the share of right answers."""
    return SeenShare(seen=sum(answer.right for answer in answers), n=len(answers))
