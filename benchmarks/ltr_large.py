"""RankSVM on a generated set like MSLR: python -m benchmarks.ltr_large DOCUMENTS prints what it took, as JSON."""

from __future__ import annotations

import json
import os
import sys
import time

# Before NumPy loads: one processor.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from rankgauge.demo.learning import generate_learning
from rankgauge.papers.published.ndcg_tools.training import READINGS
from rankgauge.training import get

LISTED = 119.6
"""Documents of a query, on average."""


def main(documents: int) -> None:
    """Trains on the set, chooses C on a fifth as many other documents, and tells the seconds of the training alone."""
    queries = round(documents / LISTED)
    data = generate_learning(rng=np.random.default_rng(0), like="mslr", queries=queries + queries // 5)
    cut = int(np.flatnonzero(data.queries == str(queries + 1))[0])
    matrix, grades, qid = data.matrix, data.grades, data.queries.astype(np.int64)
    del data
    ranker = get("ranksvm")(metric="nDCG@10", dialect=READINGS["std"])
    clock, processor = time.perf_counter(), time.process_time()
    ranker.fit(matrix[:cut], grades[:cut], qid=qid[:cut], validation=(matrix[cut:], grades[cut:], qid[cut:]))
    took = {"wall": time.perf_counter() - clock, "cpu": time.process_time() - processor}
    value = ranker.score(matrix[cut:], grades[cut:], qid=qid[cut:])
    print(json.dumps({"documents": cut, "features": matrix.shape[1], "value": value, **took}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
