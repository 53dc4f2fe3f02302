"""One query, rank by rank: what each document adds to its value, stage by stage, under one dialect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from rankgauge.audit.tools.scores import Scores, explain_refusals, reason
from rankgauge.dialects import Dialect
from rankgauge.errors import RankGaugeError, UnknownNameError
from rankgauge.evaluation.query_documents import ranked_documents
from rankgauge.measures import Measure
from rankgauge.measures.gains import DISCOUNTS, gains
from rankgauge.measures.graded.ndcg import nDCG
from rankgauge.numeric import FloatArray
from rankgauge.policies import JudgmentKind, Ties
from rankgauge.ranking import RankedLists
from rankgauge.ranking.facets import whole
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import number
from rankgauge.render.passages import Heading, Notes, Passage
from rankgauge.render.table import Column, ReportTable


@dataclass(frozen=True, kw_only=True, eq=False)
class Explanation:
    """How a query gets its value under one dialect."""

    dialect: Dialect
    kernel: Measure
    """The measure with every parameter set."""
    query: str
    ranks: pl.DataFrame
    """A row per retrieved document: rank, document, grade, tied, gain, discount, contribution, cumulative, …

    `tied` is the size of the document's tie group; where ties are averaged, `discount` is the mean over the group's
    ranks. `ideal` and `ideal_cumulative` are the grade at that rank of the ideal order and the sum of discounted gains
    down to it. A column that the measure has no use for is absent.
    """
    raw: float
    """What the measure's formula gives; NaN where it is 0/0."""
    value: float
    """What the tool counts; NaN where it leaves the query out."""
    ideal: float | None
    """DCG of the whole ideal ranking, which may be longer than the list; None where the measure has no use for it."""

    @property
    def settled(self) -> str:
        """What became of the formula's value."""
        if np.isnan(self.value):
            return "left out of the mean"
        if np.isnan(self.raw):
            return f"0/0 counts as {self.value:g}"
        return "as computed" if self.raw == self.value else f"counts as {self.value:g}"


def explain(scores: Scores, dialect: Dialect, measure: Measure, query: str) -> Explanation:
    """Return how the query gets its value under the dialect."""
    dialect = dialect.provider(measure)
    hits = scores.hits(dialect)
    known, dialect = hits.queries, dialect.topped(hits.highest)  # the scale is that of all queries
    if query not in known:
        raise UnknownNameError("judged query", query, known)
    alone = scores.only(query, dialect)
    expected, pool = dialect.ties is Ties.EXPECTED, dialect.choice("ideal", measure)
    (block,) = alone.hits(dialect).blocks(expected=expected, ideal=pool)
    kernel, lists = dialect.read(measure), block.lists
    judged, run = alone.tables(dialect)
    order = ranked_documents(run, whole(judged), dialect.ranking).drop("query")
    result = alone.result(dialect, measure)
    return Explanation(
        dialect=dialect,
        kernel=kernel,
        query=query,
        ranks=order.with_columns(**_stages(kernel, lists, len(order))),
        raw=float(result.raw[0, 0]),
        value=float(result.matrix[0, 0]) if len(result.matrix) else np.nan,
        ideal=float(kernel.divisor(lists)[0]) if isinstance(kernel, nDCG) else None,
    )


def explain_all(
    scores: Scores, dialects: Iterable[Dialect], measure: Measure, query: str
) -> tuple[list[Explanation], dict[str, str]]:
    """How the query gets its value under each dialect whose tool accepts the input, and why the others refuse it."""
    explanations, errors = list[Explanation](), dict[str, RankGaugeError]()
    for dialect in dialects:
        try:
            explanations.append(explain(scores, dialect, measure, query))
        except UnknownNameError:
            raise
        except RankGaugeError as error:
            errors[dialect.name] = error
    if not explanations:
        raise next(iter(errors.values()))
    return explanations, {name: reason(error) for name, error in errors.items()}


def _stages(kernel: Measure, lists: RankedLists, n: int) -> dict[str, pl.Series]:
    """Return the columns that show how the value comes about."""
    columns: dict[str, pl.Series] = {}
    plain = kernel.facts.judgments is JudgmentKind.GRADES  # else a document has a gain for each facet, none of its own
    name, discount = getattr(kernel, "gain", None) if plain else None, getattr(kernel, "discount", None)
    if name is not None:
        columns["gain"] = _by_rank(lists, _gains(kernel, lists), n)
    if discount is not None:
        columns["discount"] = _by_rank(lists, _weights(kernel, lists), n)
    with suppress(NotImplementedError):  # a measure that is no sum over ranks
        columns["contribution"] = _by_rank(lists, kernel.contributions(lists), n)
        columns["cumulative"] = columns["contribution"].fill_null(0.0).cum_sum()
    if name is not None and discount is not None:
        columns |= _ideal(kernel, lists, n)
    return {column: series.alias(column) for column, series in columns.items()}


def _ideal(kernel: Any, lists: RankedLists, n: int) -> dict[str, pl.Series]:
    """Return the grades of the ideal order, and the discounted gains summed down to each rank."""
    ideal = lists.ideal_order()
    depth = kernel.ideal_depth if isinstance(kernel, nDCG) else None
    if depth == "filled":
        ranks = np.arange(1.0, n + 1)
        filled = np.where(ranks <= (kernel.cutoff or n), DISCOUNTS[kernel.discount](ranks), 0.0)
        return {"ideal": pl.Series(np.ones(n)), "ideal_cumulative": pl.Series(np.cumsum(filled))}
    reach = replace(kernel, cutoff=None) if depth == "all" else kernel
    sums = np.cumsum(np.nan_to_num(_gains(kernel, ideal) * _weights(reach, ideal)), axis=-1)
    last = float(sums[0, -1]) if sums.shape[-1] else 0.0
    return {"ideal": _by_rank(ideal, ideal.grades, n), "ideal_cumulative": _by_rank(ideal, sums, n).fill_null(last)}


def _gains(kernel: Any, lists: RankedLists) -> FloatArray:
    """Return what each hit gains; not every measure with a gain takes a table of gains."""
    return gains(lists, kernel.gain, getattr(kernel, "gains", None))


def _weights(kernel: Any, lists: RankedLists) -> FloatArray:
    """Return what each hit's rank is worth; not every measure with a discount takes a cutoff."""
    return lists.weigh(DISCOUNTS[kernel.discount], getattr(kernel, "cutoff", None))


def _by_rank(lists: RankedLists, amounts: FloatArray, n: int) -> pl.Series:
    """Return the amounts of the hits at their ranks; null at ranks where nobody judged."""
    cells = np.full(n, np.nan)
    width = amounts.shape[-1]
    at = lists.ranks[0, :width]
    inside = ~np.isnan(at) & (at <= n)
    cells[at[inside].astype(np.intp) - 1] = amounts[0][inside]
    return pl.Series(cells, nan_to_null=True)


COLUMNS = {
    "gain": "gain",
    "discount": "discount",
    "contribution": "adds",
    "cumulative": "sum",
    "ideal": "ideal grade",
    "ideal_cumulative": "ideal DCG",
}
"""The columns of an explanation, and their headings."""

RANKS = 20
"""How many ranks are shown of a measure that has no cutoff."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ExplanationReport(Report):
    """What each dialect makes of one query."""

    command = "audit explain"

    found: Sequence[Explanation]
    refused: Mapping[str, str] = field(default_factory=dict)
    """By tool, why it refuses the input."""

    def document(self, medium: Medium) -> ReportDocument:
        """Return each dialect stage by stage, and then the values beside each other."""
        headline, passages = f"Query {self.found[0].query}", list[Passage]()
        for explanation in self.found:
            passages += [
                Heading(explanation.dialect.name, words=f"  {explanation.dialect.title}"),
                _ranks(explanation),
                _stage_notes(explanation),
            ]
        formula = Column("formula", format=lambda raw: "0/0" if np.isnan(raw) else number(raw))
        rows = [
            (explanation.dialect.name, explanation.raw, explanation.value, explanation.settled)
            for explanation in self.found
        ]
        columns = ("tool", formula, Column("counts", format=number), "")
        passages += [Heading(headline), ReportTable(columns=columns, rows=rows)]
        if self.refused:
            told = Notes(explain_refusals(self.refused))
            passages += [Heading("Refused", words="  by tools that do not take this input"), told]
        return ReportDocument(headline=headline, passages=passages)


def _ranks(explanation: Explanation) -> ReportTable:
    """List the documents down to the cutoff."""
    shown = explanation.ranks.head(explanation.kernel.depth or RANKS)
    columns = (
        Column("rank", format=str),
        Column("document", ("document", "tied"), lambda name, tied: f"{name} =" if tied > 1 else name, left=True),
        Column("grade", format=_general),
        *(
            Column(head, key, _general if key in ("gain", "ideal") else partial(_general, digits=".4f"))
            for key, head in COLUMNS.items()
            if key in shown.columns
        ),
    )
    return ReportTable(columns=columns, rows=shown.rows(named=True))


def _general(amount: float | None, digits: str = "g") -> str:
    """Write a number of a rank; infinity is a grade that the tool reads as "not judged"."""
    return "–" if amount is None or np.isinf(amount) else format(amount, digits)


def _stage_notes(explanation: Explanation) -> Notes:
    """Return what the dialect does at each stage."""
    dialect, kernel, raw = explanation.dialect, explanation.kernel, explanation.raw
    more = len(explanation.ranks) - (kernel.depth or RANKS)
    stages = [("further", f"{more} documents below these")] if more > 0 else []
    tied = bool((explanation.ranks["tied"] > 1).any())
    stages.append(("order", dialect.ties.words + " (= marks them)" if tied else "by falling score, no ties"))
    stages += [
        (name, str(getattr(kernel, name))) for name in ("gain", "discount") if getattr(kernel, name, None) is not None
    ]
    stages += [("ideal", dialect.ideal.words)] if "ideal" in explanation.ranks.columns else []
    stages += [("ideal DCG", f"{explanation.ideal:.4f}")] if explanation.ideal is not None else []
    stages += [("value", explanation.settled if np.isnan(raw) else f"{number(raw)}, {explanation.settled}")]
    return Notes(stages)
