"""The official metrics: what each is called, in English and in Russian, and the measure that computes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

CUTOFFS = (1, 5, 10)
"""The n of precision(n), DCG and NDCG unless others are asked for. The appendix has all three for precision, and 5
and 10 for DCG and NDCG."""

LEVELS = tuple(tenth / 10 for tenth in range(11))
"""The recall levels of the 11-point curves."""


@dataclass(frozen=True)
class OfficialMetric:
    """A metric of the appendix: its key in tables, the measure that computes it for rankings, and its names."""

    key: str
    measure: str
    russian: str
    english: str = ""
    """The key, unless another name is given."""
    lower: bool = False
    """Whether lower is better."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "english", self.english or self.key)


@dataclass(frozen=True, kw_only=True)
class RecallCurve:
    """An 11-point curve of precision over recall."""

    key: str
    english: str
    russian: str
    measure: str
    """The measure at a recall level, with the level left open."""
    official: bool

    def at(self, level: float) -> str:
        """The measure at that recall level."""
        return self.measure.format(level)


RECALL = OfficialMetric("recall", "SetR", "полнота")
PRECISION = OfficialMetric("precision", "SetP", "точность")
ACCURACY = OfficialMetric("accuracy", "SetAccuracy", "аккуратность")
ERROR = OfficialMetric("error", "SetError", "ошибка", lower=True)
F_MEASURE = OfficialMetric("F", "SetF", "F-мера", "F-measure")

DECISIONS = (RECALL, PRECISION, ACCURACY, ERROR, F_MEASURE)
"""The metrics of the 2×2 table."""

_TREC = ("средний обратный ранг, шкала TREC", "mean reciprocal rank, TREC scale")
_ROMIP = ("средний обратный ранг, шкала РОМИП", "mean reciprocal rank, ROMIP scale")
QA = (
    PRECISION,
    OfficialMetric("RR-TREC", "RR(ruler='trec')", *_TREC),
    OfficialMetric("RR-ROMIP", "RR(ruler='romip')", *_ROMIP),
)
"""The metrics of the question-answering track."""

CURVES = (
    RecallCurve(
        key="11pt-TREC",
        english="11-point recall/precision curve (TREC)",
        russian="11-точечный график полноты/точности (TREC)",
        measure="IPrec@{}",
        official=True,
    ),
    RecallCurve(
        key="11pt-reached",
        english="11-point recall/precision curve (ROMIP: reconstruction, not official)",
        russian="11-точечный график полноты/точности (РОМИП: реконструкция, не официальный)",
        measure="IPrec(reached_only=True)@{}",
        official=False,
    ),
)
"""The appendix names ROMIP's own variant without defining it. Here each level is averaged over the queries that
reached it, and their number is shown beside it."""


def binary(cutoffs: Iterable[int] = CUTOFFS) -> tuple[OfficialMetric, ...]:
    """The metrics of the search tracks under a binary table.

    The appendix lists accuracy, error and F for classification only. The reciprocal rank is not in its list either, but
    section 3.5 says that the search track uses it.
    """
    return (
        *DECISIONS,
        *(OfficialMetric(f"precision({n})", f"P@{n}", f"точность на уровне {n} {_of_documents(n)}") for n in cutoffs),
        OfficialMetric("R-precision", "Rprec", "R-точность"),
        OfficialMetric("average-precision", "AP", "средняя точность", "average precision"),
        # The appendix divides by R where trec_eval divides by min(R, N). Its bracket takes the first R relevant
        # documents into account, but non-relevant ones are meant; bpref-10 prints NonRelBefore for its NonRelBefore10.
        OfficialMetric("bpref", "Bpref(variant='romip')", "bpref"),
        OfficialMetric("bpref-10", "bpref_10", "bpref-10"),
        OfficialMetric("reciprocal-rank", "RR", "обратный ранг", "reciprocal rank"),
    )


def graded(cutoffs: Iterable[int] = CUTOFFS) -> tuple[OfficialMetric, ...]:
    """The metrics of the search tracks under the graded table.

    The appendix prints the discount log2(2 + p) for p from 1. It probably counts from 0, so 1 + p is given as well.
    """
    err = ("Graded Mean Reciprocal Rank (ERR)", "graded mean reciprocal rank (ERR)")
    return (
        *(
            OfficialMetric(name, f"{measure}(discount='{discount}')@{n}", name)
            for mark, discount in (("", "log2+2"), (" 1+p", "log2"))
            for short, measure in (("DCG", "DCG"), ("NDCG", "nDCG"))
            for n in cutoffs
            for name in (f"{short}({n}){mark}",)
        ),
        OfficialMetric("GMRR", "ERR", *err),
        OfficialMetric("PFound", "PFound", "PFound"),
    )


def _of_documents(n: int) -> str:
    """The genitive after a number: 1 документа, 5 документов, 11 документов, 21 документа."""
    return "документа" if n % 10 == 1 and n % 100 != 11 else "документов"
