"""The 2×2 table of decisions, and the metrics that it gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files.romip_xml import Classification, is_xml, read_classification
from rankgauge.files.source import Source
from rankgauge.romip import metrics
from rankgauge.romip.metrics import MACRO, MICRO, Note, OfficialMetric, Row, TrackResult
from rankgauge.romip.relevance_tables import files, read_tables


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """How many decisions were right and wrong: chosen or not × relevant or not."""

    found: int
    """a: relevant and chosen."""
    wrong: int
    """b: chosen, not relevant."""
    missed: int
    """c: relevant, not chosen."""
    rejected: int
    """d: neither."""

    @classmethod
    def sum(cls, tables: Sequence[Decisions]) -> Decisions:
        """The sum of some tables."""
        names = ("found", "wrong", "missed", "rejected")
        return cls(**{name: sum(getattr(table, name) for table in tables) for name in names})

    def value(self, metric: OfficialMetric) -> float:
        """Return the value of a metric of the 2×2 table."""
        return float(getattr(self, metric.key.removesuffix("-measure")))

    @property
    def all(self) -> int:
        """Every decision."""
        return self.found + self.wrong + self.missed + self.rejected

    @property
    def recall(self) -> float:
        """a / (a + c)."""
        return _share(self.found, self.found + self.missed)

    @property
    def precision(self) -> float:
        """a / (a + b)."""
        return _share(self.found, self.found + self.wrong)

    @property
    def accuracy(self) -> float:
        """(a + d) / (a + b + c + d)."""
        return _share(self.found + self.rejected, self.all)

    @property
    def error(self) -> float:
        """(b + c) / (a + b + c + d)."""
        return _share(self.wrong + self.missed, self.all)

    @property
    def F(self) -> float:  # noqa: N802 - the appendix's own letter
        """2 / (1/p + 1/r), or 0 if precision or recall is 0."""
        return 2.0 / (1.0 / self.precision + 1.0 / self.recall) if self.found else 0.0


def evaluated(
    track: str,
    decided: Mapping[tuple[str, str], Mapping[str, Decisions]],
    metrics: tuple[OfficialMetric, ...],
    *,
    runs: Iterable[str],
    used: Iterable[Row],
    notes: Iterable[Note],
) -> TrackResult:
    """Each metric for every query or category, on the sum of their 2×2 tables (micro) and as a mean over them (macro).

    What was decided is by table and run; there is no mean of nothing.
    """
    values, figures = list[Row](), list[Row]()
    for (table, run), known in decided.items():
        values += [
            (table, run, query, metric.key, one.value(metric)) for query, one in known.items() for metric in metrics
        ]
        for metric in metrics if known else ():
            mean = sum(one.value(metric) for one in known.values()) / len(known)
            for average, value in ((MICRO, Decisions.sum([*known.values()]).value(metric)), (MACRO, mean)):
                figures.append((table, average, metric.key, run, value, len(known)))
    return TrackResult.of(track, runs=runs, metrics=metrics, used=used, figures=figures, values=values, notes=notes)


def _share(part: int, whole: int) -> float:
    """A part of a whole; 0 of nothing is 0."""
    return part / whole if whole else 0.0


TRUTH = "truth"
"""The name of the only table of a truth that lists which documents belong where."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Truth:
    """Where documents belong (query, document) by table, every category judged, and every document judged for one."""

    belonging: Mapping[str, pl.DataFrame]
    categories: tuple[str, ...]
    documents: pl.Series


def read_truth(path: Path) -> Truth:
    """The truth in relevance tables (a file or a folder, categories as tasks), or in a classification's own form."""
    first, *rest = files([path])
    if is_xml(first) and b"relevance" not in Source.of(first).read():
        if rest:
            raise InputError("holds several files, but a truth without relevance is one", path=path)
        labels = read_classification(first)
        categories = tuple(labels.pairs["query"].unique(maintain_order=True))
        return Truth(belonging={TRUTH: labels.pairs}, categories=categories, documents=labels.documents)
    tables = read_tables(path).binary
    judged = pl.concat([table.judgments for table in tables])
    return Truth(
        belonging={
            table.name: table.judgments.filter(pl.col("grade") > 0).select("query", "document") for table in tables
        },
        categories=tuple(judged["query"].unique(maintain_order=True)),
        documents=judged["document"].unique(),
    )


def classification(truth: Truth, answers: Mapping[str, Classification]) -> TrackResult:
    """Recall, precision, accuracy, error and F of each answer, micro and macro, under every table of the truth."""
    if not answers:
        raise InputError("there are no results to evaluate")
    decided = {
        (table, run): decide(belonging, truth.documents, answer.pairs)
        for table, belonging in truth.belonging.items()
        for run, answer in answers.items()
    }
    used = {table: belonging["query"].n_unique() for table, belonging in truth.belonging.items()}
    return evaluated(
        "classification",
        decided,
        metrics.DECISIONS,
        runs=answers,
        used=[(table, n, len(truth.categories) - n) for table, n in used.items()],
        notes=(
            Note(code="left-out-categories"),
            Note(code="denominator", fields={"documents": len(truth.documents)}),
            *_unjudged(truth, answers),
        ),
    )


def decide(belonging: pl.DataFrame, documents: pl.Series, chosen: pl.DataFrame) -> dict[str, Decisions]:
    """The 2×2 table of each category to which a document belongs, over the judged documents."""
    judged = chosen.filter(pl.col("document").is_in(documents.implode())).unique()
    relevant = belonging.group_by("query", maintain_order=True).len("relevant")
    picked = judged.group_by("query").len("chosen")
    both = judged.join(belonging, on=["query", "document"]).group_by("query").len("found")
    counts = relevant.join(picked, on="query", how="left", maintain_order="left")
    counts = counts.join(both, on="query", how="left", maintain_order="left").fill_null(0)
    return {category: _decisions(len(documents), *numbers) for category, *numbers in counts.iter_rows()}


def _decisions(documents: int, relevant: int, chosen: int, found: int) -> Decisions:
    wrong, missed = chosen - found, relevant - found
    return Decisions(found=found, wrong=wrong, missed=missed, rejected=documents - found - wrong - missed)


def _unjudged(truth: Truth, answers: Mapping[str, Classification]) -> Iterator[Note]:
    """How many documents and categories of each answer nobody judged."""
    for run, answer in answers.items():
        documents = set(answer.pairs["document"]) - set(truth.documents)
        categories = set(answer.pairs["query"]) - set(truth.categories)
        if documents or categories:
            counts = {"run": run, "documents": len(documents), "categories": len(categories)}
            yield Note(code="unjudged", fields=counts)
