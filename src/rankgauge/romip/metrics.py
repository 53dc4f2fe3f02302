"""The official metrics: what each is called, in English and in Russian, and the measure that computes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["CURVES", "CUTOFFS", "DECISIONS", "LEVELS", "QA", "OfficialMetric", "RecallCurve", "binary", "graded"]

CUTOFFS = (1, 5, 10)
"""The n of precision(n), DCG and NDCG unless others are asked for."""

LEVELS = tuple(tenth / 10 for tenth in range(11))
"""The recall levels of the 11-point curves."""


@dataclass(frozen=True, kw_only=True)
class OfficialMetric:
    """A metric of the appendix: its key in tables, its names, and its measure where a ranking is judged."""

    key: str
    english: str
    russian: str
    measure: str = ""
    lower: bool = False
    """Whether lower is better."""


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


RECALL = OfficialMetric(key="recall", english="recall", russian="полнота", measure="SetR")
PRECISION = OfficialMetric(key="precision", english="precision", russian="точность", measure="SetP")
ACCURACY = OfficialMetric(key="accuracy", english="accuracy", russian="аккуратность", measure="SetAccuracy")
ERROR = OfficialMetric(key="error", english="error", russian="ошибка", measure="SetError", lower=True)
F_MEASURE = OfficialMetric(key="F", english="F-measure", russian="F-мера", measure="SetF")

DECISIONS = (RECALL, PRECISION, ACCURACY, ERROR, F_MEASURE)
"""The metrics of the 2×2 table."""

QA = (
    PRECISION,
    OfficialMetric(
        key="RR-TREC",
        english="mean reciprocal rank, TREC ruler",
        russian="средний обратный ранг, шкала TREC",
        measure="RR(ruler='trec')",
    ),
    OfficialMetric(
        key="RR-ROMIP",
        english="mean reciprocal rank, ROMIP ruler",
        russian="средний обратный ранг, шкала РОМИП",
        measure="RR(ruler='romip')",
    ),
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
"""The appendix names ROMIP's own variant and does not define it: here each level is averaged over the queries that
reached it, and their number stands beside it."""


def binary(cutoffs: Iterable[int] = CUTOFFS) -> tuple[OfficialMetric, ...]:
    """The metrics of the search tracks under a binary table."""
    return (
        *DECISIONS,
        *(
            OfficialMetric(
                key=f"precision({n})",
                english=f"precision({n})",
                russian=f"точность на уровне {n} {_of_documents(n)}",
                measure=f"P@{n}",
            )
            for n in cutoffs
        ),
        OfficialMetric(key="R-precision", english="R-precision", russian="R-точность", measure="Rprec"),
        OfficialMetric(key="average-precision", english="average precision", russian="средняя точность", measure="AP"),
        # The appendix divides by R where trec_eval divides by min(R, N).
        OfficialMetric(key="bpref", english="bpref", russian="bpref", measure="Bpref(variant='romip')"),
        OfficialMetric(key="bpref-10", english="bpref-10", russian="bpref-10", measure="bpref_10"),
        OfficialMetric(key="reciprocal-rank", english="reciprocal rank", russian="обратный ранг", measure="RR"),
    )


def graded(cutoffs: Iterable[int] = CUTOFFS) -> tuple[OfficialMetric, ...]:
    """The metrics of the search tracks under the graded table.

    The appendix prints the discount log2(2 + p) for p from 1. It probably counts from 0, so 1 + p stands beside it.
    """
    found = [
        OfficialMetric(
            key=f"{name}({n}){mark}",
            english=f"{name}({n}){mark}",
            russian=f"{name}({n}){mark}",
            measure=f"{measure}(discount='{discount}')@{n}",
        )
        for mark, discount in (("", "log2+2"), (" 1+p", "log2"))
        for name, measure in (("DCG", "DCG"), ("NDCG", "nDCG"))
        for n in cutoffs
    ]
    return (
        *found,
        OfficialMetric(
            key="GMRR",
            english="graded mean reciprocal rank (ERR)",
            russian="Graded Mean Reciprocal Rank (ERR)",
            measure="ERR",
        ),
        OfficialMetric(key="PFound", english="PFound", russian="PFound", measure="PFound"),
    )


def _of_documents(n: int) -> str:
    """The genitive after a number: 1 документа, 5 документов, 11 документов, 21 документа."""
    return "документа" if n % 10 == 1 and n % 100 != 11 else "документов"
