"""The classification tracks: which documents belong to which categories, micro and macro.

The denominator of accuracy and error is the number of documents that were judged for at least one category, so micro
and macro accuracy are the same number, as the appendix notes. Unjudged documents of an answer do not count. Categories
without any document under the table in use are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files.romip_xml import Classification, is_xml, read_classification
from rankgauge.files.source import Source
from rankgauge.romip import metrics
from rankgauge.romip.decisions import Decisions, figures_of, values_of
from rankgauge.romip.relevance_tables import files, read_tables
from rankgauge.romip.result import Note, Row, TrackResult

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
    figures: list[Row] = []
    values: list[Row] = []
    for table, belonging in truth.belonging.items():
        for run, answer in answers.items():
            decided = decide(belonging, truth.documents, answer.pairs)
            figures += figures_of(table, run, decided, metrics.DECISIONS)
            values += values_of(table, run, decided, metrics.DECISIONS)
    used = {table: belonging["query"].n_unique() for table, belonging in truth.belonging.items()}
    return TrackResult.of(
        "classification",
        runs=answers,
        metrics=metrics.DECISIONS,
        used=[(table, n, len(truth.categories) - n) for table, n in used.items()],
        figures=figures,
        values=values,
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
