"""nDCG@10 of lists that are in memory already, by RankGauge and its peers: python -m benchmarks.memory ROWS.

Prints the seconds of each as JSON: for many lists, for the same with scores of 32 bits, for one list, and for tensors
where PyTorch is installed. Building the dicts that pytrec_eval wants is not counted.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["MANY", "ONE", "SINGLE"]

COLUMNS = 100
MANY, SINGLE, ONE, TENSORS = (
    "many lists",
    "scores of 32 bits",
    "one list",
    "tensors of 40 columns, a twelfth of the rows",
)

Job = tuple[str, int, Callable[[], float]]
"""The name of a tool, how often it runs, and what it does."""


def main(rows: int) -> dict[str, dict[str, float]]:
    """The best of some runs of each, in seconds of a call; all agree on the mean."""
    rng = np.random.default_rng(7)
    grades = rng.choice(5, (rows, COLUMNS), p=[0.5, 0.2, 0.15, 0.1, 0.05]).astype(np.float64)
    scores = rng.standard_normal((rows, COLUMNS))
    seconds = {
        MANY: _seconds([*_jobs(grades, scores), _pytrec_eval(grades, scores)]),
        SINGLE: _seconds(_jobs(grades, scores.astype(np.float32))),
        ONE: _seconds([(name, 7, job) for name, _, job in _jobs(grades[:1], scores[:1])], times=200),
        TENSORS: _seconds(_tensor_jobs(rows // 12)),
    }
    return {kind: by for kind, by in seconds.items() if by}


def _jobs(grades: Any, scores: Any) -> list[Job]:
    from sklearn.metrics import ndcg_score

    from rankgauge.evaluation.arrays import score_arrays

    return [
        ("rankgauge", 7, lambda: float(score_arrays(grades, scores, "nDCG@10").mean())),
        ("scikit-learn", 2, lambda: float(ndcg_score(grades, scores, k=10))),
        ("scikit-learn, ignore_ties", 3, lambda: float(ndcg_score(grades, scores, k=10, ignore_ties=True))),
    ]


def _tensor_jobs(rows: int) -> list[Job]:
    """The jobs on tensors of PyTorch, which hand over their memory; none where it is not installed."""
    try:
        import torch
        from torchmetrics.functional.retrieval import retrieval_normalized_dcg
    except ImportError:
        return []
    from rankgauge.evaluation.arrays import score_arrays

    generator = torch.Generator().manual_seed(7)
    grades = torch.randint(0, 5, (rows, 40), generator=generator)
    scores = torch.randn(rows, 40, generator=generator)
    levels = grades.to(torch.float32)

    def torchmetrics() -> float:
        lists = zip(scores, grades, strict=True)
        return float(torch.stack([retrieval_normalized_dcg(*pair, top_k=10) for pair in lists]).mean())

    ours = ("rankgauge", 7, lambda: float(score_arrays(levels, scores, "nDCG@10").mean()))
    return [ours, ("torchmetrics", 1, torchmetrics)]


def _pytrec_eval(grades: Any, scores: Any) -> Job:
    import pytrec_eval

    names = [f"d{column}" for column in range(COLUMNS)]
    judged = {str(n): dict(zip(names, row, strict=True)) for n, row in enumerate(grades.astype(int).tolist())}
    run = {str(n): dict(zip(names, row, strict=True)) for n, row in enumerate(scores.tolist())}

    def mean() -> float:
        values = pytrec_eval.RelevanceEvaluator(judged, {"ndcg_cut.10"}).evaluate(run)
        return float(np.mean([value["ndcg_cut_10"] for value in values.values()]))

    return "pytrec_eval on dicts", 2, mean


def _seconds(jobs: list[Job], times: int = 1) -> dict[str, float]:
    seconds, means = {}, []
    for name, repeat, job in jobs:
        seconds[name], mean = _timed(job, repeat, times)
        means.append(mean)
    assert not means or np.allclose(means, means[0], atol=1e-6), means
    return seconds


def _timed(job: Callable[[], float], repeat: int, times: int) -> tuple[float, float]:
    best, mean = float("inf"), float("nan")
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(times):
            mean = job()
        best = min(best, (time.perf_counter() - start) / times)
    return best, mean


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
