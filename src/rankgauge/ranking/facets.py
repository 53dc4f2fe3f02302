"""Facets: documents that are judged in several respects, with a grade for each facet of their query.

A subtopic of a query is a facet of it, and so is a group of documents that somebody compared. What is judged of a
document as a whole, its one grade, is the highest over its facets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from rankgauge.lazy_polars import pl
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.policies import JudgmentKind, NegativeGrade
from rankgauge.records import entity

FACET = "subtopic"
"""The column of judgments that names the facet."""

SUBGROUP = " "
"""What parts the group from the subgroup in the name of a facet: facets of one group belong together."""

STRATUM = "stratum"
"""The column of judgments that names the part of the pool that a document was sampled from: a facet as well."""

WEIGHT = "probability"
"""The column of judgments that says what a facet of the query is worth; of a stratum, the chance to be sampled."""

COLUMNS = {JudgmentKind.SUBTOPICS: FACET, JudgmentKind.SAMPLES: STRATUM}
"""What a measure asks for → the column of judgments that says it."""


@entity
class FacetLists:
    """The facets of a block of ranked lists.

    `grades` (queries × hits × facets) are those of the hits, `pool` (queries × judged × facets) those of all judged
    documents, in falling order of their ids; NaN where a document is not judged on a facet, and in padding. `weights`
    (queries × facets) say what each facet is worth, NaN where a query has fewer facets. `places` (queries × hits) are
    the places of the hits in the pool, and `groups` (queries × facets) number the groups of facets; None: each facet is
    a group.
    """

    grades: FloatArray
    pool: FloatArray
    weights: FloatArray
    places: FloatArray
    groups: FloatArray | None = None
    orders: dict[Any, IndexArray] = field(default_factory=dict)
    """Orders of the pool that have been worked out: several measures may need the same."""

    @classmethod
    def of(cls, grades: FloatArray, missed: FloatArray) -> FacetLists:
        """Return those of one list, from the grades of its judged hits and of the documents that it lacks."""
        pool, places = np.concatenate([grades, missed]), np.arange(float(len(grades)))
        return cls(grades=grades, pool=pool, weights=np.ones(grades.shape[-1]), places=places)

    def top(self, count: int) -> FacetLists:
        """Return the lists with their first hits only; the pool stays whole."""
        return replace(self, grades=self.grades[..., :count, :], places=self.places[..., :count])

    def rows(self, rows: IndexArray | None) -> FacetLists:
        """Return those of some lists of a block; None makes a block of a list that is alone."""
        groups = None if self.groups is None else self.groups[rows]
        cells = {name: getattr(self, name)[rows] for name in ("grades", "pool", "weights", "places")}
        return FacetLists(**cells, groups=groups)

    def take(self, order: IndexArray) -> FacetLists:
        """Return the lists with the hits of each in that order."""
        grades = np.take_along_axis(self.grades, order[..., np.newaxis], axis=-2)
        return replace(self, grades=grades, places=np.take_along_axis(self.places, order, axis=-1))


@entity
class Facets:
    """The judged documents of every query by facet, query by query and in falling order of their ids.

    `query` (documents) is the position of each document's query among the judged ones, `grades` (documents × facets)
    are NaN where a document is not judged on a facet, `weights` (queries × facets) say what each facet is worth, NaN
    where a query has fewer. `names` (queries) are the facets' names. `groups` (queries × facets) number the groups of
    facets; None: each facet is a group.
    """

    query: IndexArray
    grades: FloatArray
    weights: FloatArray
    names: Sequence[Sequence[str]]
    groups: FloatArray | None = None
    sampled: bool = False
    """Whether the facets are strata, of which some documents were drawn."""

    def worth(self, of: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """What each document is worth: the sum over its facets, by their weights, of what `of` makes of its grades."""
        judged = np.isfinite(self.grades)
        weights = np.nan_to_num(self.weights)[self.query]
        return np.asarray((np.where(judged, of(np.where(judged, self.grades, 0.0)), 0.0) * weights).sum(axis=-1))


def whole(judgments: pl.DataFrame) -> pl.DataFrame:
    """Return the judgments with one grade for each document: the highest over its facets."""
    if FACET not in judgments.columns:
        return judgments
    return judgments.group_by("query", "document", maintain_order=True).agg(pl.col("grade").max())


def split_facets(
    judgments: pl.DataFrame, negative: NegativeGrade, *, levels: bool = False
) -> tuple[pl.DataFrame, Facets]:
    """Return the judgments with one grade for each document, and the place of each among the facets; and these.

    Levels keep their order on the facets, also below 0; what negative grades mean is said of whole documents alone.
    """
    from rankgauge.ranking.hits import apply_negative

    # Measures of whole documents may do without the names of facets; those that ask for facets have checked them.
    grades = judgments["grade"].to_numpy()
    rows = judgments.with_columns(
        pl.Series("grade", apply_negative(grades, negative)),
        pl.Series("level", grades if levels else apply_negative(grades, negative)),
        pl.col(FACET).fill_null(""),
    )
    queries = rows.select(pl.col("query").unique(maintain_order=True)).with_row_index("code")
    facets = _facets(rows, queries)
    documents = (
        rows.group_by("query", "document", maintain_order=True)
        .agg(pl.col("grade").max())
        .join(queries, on="query", how="left", maintain_order="left")
        .sort("code", "document", descending=[False, True])
        .with_row_index("place")
    )
    cells = rows.join(documents.select("query", "document", "place"), on=["query", "document"], how="left")
    cells = cells.join(facets, on=["query", FACET], how="left")
    width = int(facets["facet"].max()) + 1 if len(facets) else 0  # type: ignore[arg-type]
    placed, weights = np.full((len(documents), width), np.nan), np.full((len(queries), width), np.nan)
    placed[cells["place"].to_numpy(), cells["facet"].to_numpy()] = cells["level"].to_numpy()
    weights[facets["code"].to_numpy(), facets["facet"].to_numpy()] = facets[WEIGHT].to_numpy()
    made = Facets(
        query=documents["code"].to_numpy().astype(np.int64),
        grades=placed,
        weights=weights,
        names=facets.group_by("code", maintain_order=True).agg(FACET)[FACET].to_list(),
        groups=_groups(facets, weights.shape),
    )
    return documents.select("query", "document", "grade", pl.col("place").cast(pl.Int64)), made


def _groups(facets: pl.DataFrame, shape: tuple[int, ...]) -> FloatArray | None:
    """Return the number of each facet's group, in the order of their names; None if no name has two parts."""
    if not facets[FACET].str.contains(SUBGROUP, literal=True).any():
        return None
    group = pl.col(FACET).str.split(SUBGROUP).list.first().rank("dense").over("code")
    groups = np.full(shape, np.nan)
    groups[facets["code"].to_numpy(), facets["facet"].to_numpy()] = facets.select(group).to_series().to_numpy()
    return groups


def _facets(rows: pl.DataFrame, queries: pl.DataFrame) -> pl.DataFrame:
    """Return the facets of each query, numbered in the order of their names: 2 before 10."""
    weight = pl.col(WEIGHT).first() if WEIGHT in rows.columns else pl.lit(1.0).alias(WEIGHT)
    return (
        rows.group_by("query", FACET, maintain_order=True)
        .agg(weight)
        .join(queries, on="query", how="left", maintain_order="left")
        .sort("code", pl.col(FACET).cast(pl.Float64, strict=False), FACET, nulls_last=True)
        .with_columns(pl.int_range(pl.len()).over("code").alias("facet"))
    )
