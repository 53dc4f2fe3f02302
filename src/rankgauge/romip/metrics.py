"""The official metrics: what each is called, in English and in Russian, and the measure that computes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

CUTOFFS = (1, 5, 10)
"""The n of precision(n), DCG and NDCG unless others are asked for. The appendix has all three for precision, and 5
and 10 for DCG and NDCG."""

LEVELS = tuple(tenth / 10 for tenth in range(11))
"""The recall levels of the 11-point curves."""


@dataclass(frozen=True)
class OfficialMetric:
    """A metric of the appendix: its official name, the measure that computes it for rankings, and its names in reports.

    The official name is that of the appendix's list of metrics, and the key in tables, CSV and JSON.
    """

    key: str
    measure: str
    """For a curve of precision over recall, the measure at a recall level, with the level left open."""
    russian: str
    english: str = ""
    """The key, unless another name is given."""
    lower: bool = False
    """Whether lower is better."""
    official: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "english", self.english or self.key)


RECALL = OfficialMetric("recall", "SetR", "полнота")
PRECISION = OfficialMetric("precision", "SetP", "точность")
ACCURACY = OfficialMetric("accuracy", "SetAccuracy", "аккуратность")
ERROR = OfficialMetric("error", "SetError", "ошибка", lower=True)
F_MEASURE = OfficialMetric("F-measure", "SetF", "F-мера")

DECISIONS = (RECALL, PRECISION, ACCURACY, ERROR, F_MEASURE)
"""The metrics of the 2×2 table."""

_TREC = ("средний обратный ранг, шкала TREC", "mean reciprocal rank, TREC scale")
_ROMIP = ("средний обратный ранг, шкала РОМИП", "mean reciprocal rank, ROMIP scale")
QA = (
    PRECISION,
    OfficialMetric("TrecReciprocalRank", "RR(ruler='trec')", *_TREC),
    OfficialMetric("RomipReciprocalRank", "RR(ruler='romip')", *_ROMIP),
)
"""The metrics of the question-answering track."""

CURVES = (
    OfficialMetric(
        "11-point matrix (TREC)",
        "IPrec@{}",
        "11-точечный график полноты/точности (TREC)",
        "11-point recall/precision curve (TREC)",
    ),
    OfficialMetric(
        "11-point matrix (ROMIP)",
        "IPrec(reached_only=True)@{}",
        "11-точечный график полноты/точности (РОМИП: реконструкция, не официальный)",
        "11-point recall/precision curve (ROMIP: reconstruction, not official)",
        official=False,
    ),
)
"""The appendix names ROMIP's own variant without defining it. Here each level is averaged over the queries that
reached it, and their number is shown beside it."""


def binary(cutoffs: Iterable[int] = CUTOFFS) -> tuple[OfficialMetric, ...]:
    """Return the metrics of the search tracks under a binary table.

    The appendix lists accuracy, error and F for classification only. The reciprocal rank is not in its list either, but
    section 3.5 says that the search track uses it.
    """
    endings = {n: "а" if n % 10 == 1 and n % 100 != 11 else "ов" for n in cutoffs}  # 1 документа, 11 документов
    return (
        *DECISIONS,
        *(OfficialMetric(f"precision({n})", f"P@{n}", f"точность на уровне {n} документ{endings[n]}") for n in cutoffs),
        OfficialMetric("R-precision", "Rprec", "R-точность"),
        OfficialMetric("average precision", "AP", "средняя точность"),
        # The appendix divides by R, as Buckley & Voorhees (2004) do; trec_eval divides by min(R, N). The appendix's
        # bracket takes the first R relevant documents into account, but non-relevant ones are meant; bpref-10 prints
        # NonRelBefore for its NonRelBefore10.
        OfficialMetric("bpref", "Bpref(variant='romip')", "bpref"),
        OfficialMetric("bpref-10", "bpref_10", "bpref-10"),
        OfficialMetric("ReciprocalRank", "RR", "обратный ранг", "reciprocal rank"),
    )


def graded_metrics(cutoffs: Iterable[int] = CUTOFFS) -> tuple[OfficialMetric, ...]:
    """Return the metrics of the search tracks under the graded table.

    The appendix prints the discount log2(2 + p) for p from 1. It probably counts from 0, so 1 + p is given as well.
    """
    err = ("Graded Mean Reciprocal Rank (ERR)", "graded mean reciprocal rank (ERR)")
    return (
        *(
            OfficialMetric(f"Graded_{short}@{n}{mark}", f"{measure}(discount='{discount}')@{n}", name, name)
            for mark, discount in (("", "log2+2"), (" 1+p", "log2"))
            for short, measure in (("DCG", "DCG"), ("NDCG", "nDCG"))
            for n in cutoffs
            for name in (f"{short}({n}){mark}",)
        ),
        OfficialMetric("Graded Mean Reciprocal Rank", "ERR", *err),
        OfficialMetric("PFound", "PFound", "PFound"),
    )


MACRO, MICRO = "macro", "micro"

Row = tuple[Any, ...]

_TEXT, _NUMBER, _COUNT = pl.String, pl.Float64, pl.Int64
_SCHEMAS = {
    "figures": {"table": _TEXT, "average": _TEXT, "metric": _TEXT, "run": _TEXT, "value": _NUMBER, "n": _COUNT},
    "curves": {"table": _TEXT, "curve": _TEXT, "run": _TEXT, "recall": _NUMBER, "precision": _NUMBER, "n": _COUNT},
    "used": {"table": _TEXT, "used": _COUNT, "left_out": _COUNT},
    "values": {"table": _TEXT, "run": _TEXT, "query": _TEXT, "metric": _TEXT, "value": _NUMBER},
}


@dataclass(frozen=True, kw_only=True)
class Note:
    """A remark for the reader: what it is about, and the numbers and names in it."""

    code: str
    fields: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class TrackResult:
    """The evaluation of a track: every metric of every run under every table."""

    track: str
    runs: tuple[str, ...]
    metrics: tuple[OfficialMetric, ...]
    used: pl.DataFrame
    """How many queries or categories have something relevant under a table, and how many are left out."""
    figures: pl.DataFrame
    """A mean per row, macro or micro; n is the number of queries or categories."""
    values: pl.DataFrame
    """A metric's value for one query or category."""
    curves: pl.DataFrame
    """A point of a curve per row; n is the number of queries that it is a mean of."""
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(
        cls,
        track: str,
        *,
        runs: Iterable[str],
        metrics: Iterable[OfficialMetric],
        notes: Iterable[Note],
        curves: Iterable[Row] = (),
        **rows: Iterable[Row],
    ) -> TrackResult:
        """Return the result with its tables made of rows."""
        frames = {
            name: pl.DataFrame(list(rows_of), schema=_SCHEMAS[name], orient="row")
            for name, rows_of in {"curves": curves, **rows}.items()
        }
        return cls(track=track, runs=tuple(runs), metrics=tuple(metrics), notes=tuple(notes), **frames)

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables by name, in the order of the report."""
        return tuple(self.used["table"])

    def value(self, table: str, metric: str, run: str, average: str = MACRO) -> float:
        """Return one number."""
        wanted = {"table": table, "average": average, "metric": metric, "run": run}
        return float(self.figures.filter(**wanted)["value"].item())
