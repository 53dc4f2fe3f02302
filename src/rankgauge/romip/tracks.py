"""The tracks of ROMIP: search and question answering, classification and annotation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects
from rankgauge import files as io
from rankgauge.errors import InputError
from rankgauge.evaluation.evaluation import score_hits
from rankgauge.files.formats.romip import Classification, is_xml, read_classification
from rankgauge.files.source import Source
from rankgauge.measures import parse
from rankgauge.ranking import rank
from rankgauge.romip import metrics
from rankgauge.romip.metrics import MACRO, MICRO, Note, OfficialMetric, Row, TrackResult
from rankgauge.romip.relevance_tables import GRADED, RelevanceTable, RelevanceTables, files, read_tables


def search(
    tables: RelevanceTables, runs: Mapping[str, Any], *, cutoffs: Sequence[int] = metrics.CUTOFFS
) -> TrackResult:
    """Compute every official metric of the search tracks, with accuracy, error and F, of runs (paths or frames)."""
    sheets = dict.fromkeys(tables.binary, metrics.binary(cutoffs))
    if tables.graded is not None:
        graded = RelevanceTable(rule="", level=GRADED, judgments=tables.graded)
        sheets[graded] = metrics.graded_metrics(cutoffs)
    notes = ("reconstruction", "no-graded" if tables.graded is None else "indexing")
    return _evaluate_lists("search", sheets, runs, *notes, curves=metrics.CURVES)


def qa(tables: RelevanceTables, runs: Mapping[str, Any]) -> TrackResult:
    """Compute the metrics of question answering: precision, and the mean reciprocal rank on both scoring scales."""
    return _evaluate_lists("qa", dict.fromkeys(tables.binary, metrics.QA), runs, "rulers")


def _evaluate_lists(
    track: str,
    sheets: Mapping[RelevanceTable, tuple[OfficialMetric, ...]],
    runs: Mapping[str, Any],
    *notes: str,
    curves: tuple[OfficialMetric, ...] = (),
) -> TrackResult:
    """Compute the metrics of each table, and the curves of the binary ones."""
    if not runs:
        raise InputError("there are no runs to evaluate")
    read = {run: io.run_from(source) for run, source in runs.items()}
    # A query that the run does not answer counts 0 in every metric, so that all are means over the same queries.
    dialect = dialects.get("romip").changed(empty=0.0)
    figures, points, values = list[Row](), list[Row](), list[Row]()
    for table, asked in sheets.items():
        drawn = () if table.level == GRADED else curves
        levels = [(curve, level, curve.measure.format(level)) for curve in drawn for level in metrics.LEVELS]
        wanted = dialect.select([*(metric.measure for metric in asked), *(measure for _, _, measure in levels)])
        for run, ranked in read.items() if len(table.used) else ():
            result = score_hits(rank(ranked, dialect.prepare(table.used), dialect.ranking), wanted, dialect)
            for metric in asked:
                figures.append((table.name, MACRO, metric.key, run, result[metric.measure], len(result.queries)))
            for curve, level, measure in levels:
                reached = int(np.isfinite(result.matrix[:, result.measures.index(parse(measure))]).sum())
                points.append((table.name, curve.key, run, level, result[measure], reached))
            for query, row in zip(result.queries, result.matrix.tolist(), strict=True):
                # The curves' points follow the metrics.
                values += [(table.name, run, query, m.key, v) for m, v in zip(asked, row, strict=False)]
    return TrackResult.of(
        track,
        runs=runs,
        metrics=dict.fromkeys(metric for asked in sheets.values() for metric in asked),
        used=[table.counts for table in sheets],
        figures=figures,
        curves=points,
        values=values,
        notes=(Note(code=code) for code in ("left-out", *notes)),
    )


TRUTH = "truth"
"""The name of the only table of a truth that lists which documents belong where."""


@dataclass(frozen=True, kw_only=True)
class Decisions:
    """How many decisions were right and wrong, chosen or not × relevant or not: the appendix's a, b, c and d."""

    found: int
    wrong: int
    missed: int
    rejected: int

    def value(self, metric: OfficialMetric) -> float:
        """Return the value of a metric of the 2×2 table."""
        return float(getattr(self, metric.key.removesuffix("-measure")))

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
        return _share(self.found + self.rejected, sum(asdict(self).values()))

    @property
    def error(self) -> float:
        """(b + c) / (a + b + c + d)."""
        return _share(self.wrong + self.missed, sum(asdict(self).values()))

    @property
    def F(self) -> float:  # noqa: N802 - the appendix's own letter
        """2 / (1/p + 1/r), or 0 if precision or recall is 0."""
        return 2.0 / (1.0 / self.precision + 1.0 / self.recall) if self.found else 0.0


def _share(part: int, whole: int) -> float:
    """Divide a part by the whole; 0 of nothing is 0."""
    return part / whole if whole else 0.0


def _evaluate_decisions(
    track: str,
    decided: Mapping[tuple[str, str], pl.DataFrame],
    shown: tuple[OfficialMetric, ...],
    runs: Iterable[str],
    used: Iterable[Row],
    notes: Iterable[Note],
) -> TrackResult:
    """Compute each metric for every query or category, on the sum of their 2×2 tables (micro) and as a mean (macro).

    What was decided is by table and run: a query or category and its four counts a row; there is no mean of nothing.
    """
    values, figures = list[Row](), list[Row]()
    for (table, run), counts in decided.items():
        each = {row.pop("query"): Decisions(**row) for row in counts.iter_rows(named=True)}
        summed = Decisions(**counts.drop("query").sum().row(0, named=True))
        values += [
            (table, run, query, metric.key, one.value(metric)) for query, one in each.items() for metric in shown
        ]
        for metric in shown if each else ():
            mean = sum(one.value(metric) for one in each.values()) / len(each)
            for average, value in ((MICRO, summed.value(metric)), (MACRO, mean)):
                figures.append((table, average, metric.key, run, value, len(each)))
    return TrackResult.of(track, runs=runs, metrics=shown, used=used, figures=figures, values=values, notes=notes)


@dataclass(frozen=True, kw_only=True, eq=False)
class Truth:
    """Where documents belong (query, document) by table, every category judged, and every document judged for one."""

    belonging: Mapping[str, pl.DataFrame]
    categories: tuple[str, ...]
    documents: pl.Series


def read_truth(path: Path) -> Truth:
    """Read the truth in relevance tables (a file or a folder, categories as tasks), or in a classification's form."""
    first, *rest = files([path])
    if is_xml(first) and b"relevance" not in Source.of(first).read():
        if rest:
            raise InputError("holds several files, but a truth without relevance is one", path=path)
        labels = read_classification(first)
        belonging, judged, documents = {TRUTH: labels.pairs}, labels.pairs, labels.documents
    else:
        tables = read_tables(path).binary
        relevant = pl.col("grade") > 0
        belonging = {table.name: table.judgments.filter(relevant).select("query", "document") for table in tables}
        judged = pl.concat([table.judgments for table in tables])
        documents = judged["document"].unique()
    categories = tuple(judged["query"].unique(maintain_order=True))
    return Truth(belonging=belonging, categories=categories, documents=documents)


def classification(truth: Truth, answers: Mapping[str, Classification]) -> TrackResult:
    """Compute recall, precision, accuracy, error and F of each answer, micro and macro, under every table."""
    if not answers:
        raise InputError("there are no results to evaluate")
    decided, relevant = {}, {table: rows["query"].n_unique() for table, rows in truth.belonging.items()}
    for (table, belonging), (run, answer) in product(truth.belonging.items(), answers.items()):
        judged = answer.pairs.filter(pl.col("document").is_in(truth.documents.implode())).unique()
        both = judged.join(belonging, on=["query", "document"])
        counts = belonging.group_by("query", maintain_order=True).len("relevant")
        for rows, name in ((judged, "chosen"), (both, "found")):
            counts = counts.join(rows.group_by("query").len(name), on="query", how="left", maintain_order="left")
        a, chose, all_of = (pl.col(name).fill_null(0).cast(pl.Int64) for name in ("found", "chosen", "relevant"))
        rejected = len(truth.documents) - chose - all_of + a
        decided[table, run] = counts.select("query", a, wrong=chose - a, missed=all_of - a, rejected=rejected)
    notes = [Note(code="left-out-categories"), Note(code="denominator", fields={"documents": len(truth.documents)})]
    for run, answer in answers.items():
        strange = {
            "documents": len(set(answer.pairs["document"]) - set(truth.documents)),
            "categories": len(set(answer.pairs["query"]) - set(truth.categories)),
        }
        if any(strange.values()):
            notes.append(Note(code="unjudged", fields={"run": run, **strange}))
    used = [(table, n, len(truth.categories) - n) for table, n in relevant.items()]
    return _evaluate_decisions("classification", decided, metrics.DECISIONS, answers, used, notes)


def annotation(documents: RelevanceTables, annotations: Mapping[str, RelevanceTables]) -> TrackResult:
    """Compute precision, accuracy and error of each system's annotations, under every table of the documents.

    Assessors judge each annotation (the snippet of a search result) and, separately, its document. The 2×2 table sets
    "annotation judged relevant" against "document judged relevant", over all pairs of query and document judged both
    ways. The appendix names the metrics without saying what the table counts, so this is our reading.

    The annotations' assessors are combined by the same rule and level as the documents'. If one assessor judged the
    documents and several the annotations, there is a table for each rule.
    """
    if not annotations:
        raise InputError("there are no annotations to evaluate")
    rules = sorted({table.rule for judged in annotations.values() for table in judged.binary} - {""})
    tables = [
        replace(table, rule=rule)
        for table in documents.binary
        for rule in (rules if rules and not table.rule else [table.rule])
    ]
    decided, shown, relevant = {}, pl.col("grade_annotation") > 0, pl.col("grade") > 0
    for table, (run, judged) in product(tables, annotations.items()):
        like = _judgments_like(judged, table, run)
        pairs = table.used.join(like, on=["query", "document"], suffix="_annotation", maintain_order="left")
        decided[table.name, run] = pairs.group_by("query", maintain_order=True).agg(
            found=(shown & relevant).sum(),
            wrong=(shown & ~relevant).sum(),
            missed=(~shown & relevant).sum(),
            rejected=(~shown & ~relevant).sum(),
        )
    used, notes = [table.counts for table in tables], (Note(code="left-out"), Note(code="annotations"))
    wanted = (metrics.PRECISION, metrics.ACCURACY, metrics.ERROR)
    return _evaluate_decisions("annotation", decided, wanted, annotations, used, notes)


def _judgments_like(annotations: RelevanceTables, table: RelevanceTable, run: str) -> pl.DataFrame:
    """Return the judgments under the rule and level of the table; those of one assessor serve for both rules."""
    known = {(one.rule, one.level): one.judgments for one in annotations.binary}
    judgments = known.get((table.rule, table.level), known.get(("", table.level)))
    if judgments is None:
        have = ", ".join(other.name for other in annotations.binary) or "none"
        raise InputError(f"the annotations of {run} have no table {table.name}", hint=f"They have: {have}.")
    return judgments
