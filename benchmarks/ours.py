"""RankGauge on a judgments file and run files, as a user would call it: python -m benchmarks.ours QRELS RUN…"""

from __future__ import annotations

import os
import sys

# Before NumPy loads: no threads for matrix products, which nothing here needs, and no huge pages, which the kernel
# may have to make room for first.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")

import rankgauge as rg

MEASURES = ["nDCG@10", "AP", "RR", "P@10", "R@1000", "ERR@10"]


def main(qrels: str, *runs: str) -> None:
    """Prints the mean of every measure, after a look at the values per query."""
    results = rg.evaluate(qrels, {run: run for run in runs}, MEASURES, dialect="trec_eval")
    for result in results.values():
        assert len(result.by_query)
        for measure in MEASURES:
            print(measure, f"{result[measure]:.4f}", sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
