"""What section 3 of the paper says of its six tools, measured on the same rankings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.numeric import FloatArray
from rankgauge.papers.claims import Number
from rankgauge.papers.published.ndcg_tools.evaluators import READINGS, HeldOut

TOOLS: Mapping[str, Dialect] = {
    "RankLib": dialects.get("ranklib"),
    "trec_eval": dialects.get("trec_eval-8.1+ndcg", gain="exp"),
    "LETOR 3.0": dialects.get("letor3"),
    "LETOR 4.0": dialects.get("letor4"),
    "MSLR": dialects.get("mslr"),
    "Yahoo": dialects.get("yahoo"),
}
"""The tools as they are, by the paper's names; trec_eval with exponential gains, as in the paper's experiments."""

COMPARED = (
    ("trec_eval", "RankLib"),
    ("LETOR 3.0", "RankLib"),
    ("LETOR 3.0", "LETOR 4.0"),
    ("MSLR", "LETOR 4.0"),
    ("Yahoo", "RankLib"),
)


def numbers(tested: HeldOut, scores: FloatArray) -> Iterator[tuple[str, Number]]:
    """How far tools are apart on the rankings of six models (rankings × documents).

    These are differences between two ways to compute a value from the same rankings: they have no sampling error.
    """
    values = {name: tested.values(scores, tool) for name, tool in TOOLS.items()}
    for one, other in COMPARED:
        apart = float((values[one] - values[other])[:, -1].mean())
        yield f"{one} less {other}, NDCG@10", Number(value=apart)
    short, empty = tested.is_short, tested.is_empty
    yield "LETOR 4.0 on short queries, NDCG@10", Number(value=_largest(values["LETOR 4.0"][:, -1, short]))
    met = values["Yahoo"] - values["RankLib"]
    yield "Yahoo less RankLib, queries with a relevant document", Number(value=_largest(np.abs(met[..., ~empty])))


def ties(tested: HeldOut, rankers: Sequence[str], scores: FloatArray) -> Iterator[tuple[str, Number]]:
    """How many documents of each ranking are tied, and how much the order of ties changes its NDCG@10."""
    shares = [tested.tied(one) for one in scores]
    best, worst = (tested.values(scores, READINGS["std"].changed(ties=order))[:, -1] for order in ("best", "worst"))
    moved = (best - worst).mean(axis=-1)
    yield "tied documents, mean", Number(value=float(np.mean(shares)))
    yield "best less worst order of ties, largest", Number(value=float(moved.max()))
    for ranker, share, by in zip(rankers, shares, moved, strict=True):
        yield f"tied documents, {ranker}", Number(value=share)
        yield f"best less worst order of ties, {ranker}", Number(value=float(by))


def _largest(values: FloatArray) -> float:
    """The largest value; 0 if there is none."""
    return float(np.max(values, initial=0.0))
