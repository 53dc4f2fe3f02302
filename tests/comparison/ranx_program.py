"""ranx's p-values of the runs in a JSON object on standard input, printed as JSON: a program of its own.

Without Numba's compiler the same functions of ranx run as Python: for small runs that takes seconds, not minutes.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from itertools import combinations
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"


def p_values(given: dict[str, Any], test: str) -> list[list[Any]]:
    """A row [run, other, measure, p] for each pair and measure of {"qrels", "runs", "measures", "draws"}."""
    import ranx

    runs = [ranx.Run(run, name=name) for name, run in given["runs"].items()]
    report = ranx.compare(
        ranx.Qrels(given["qrels"]), runs, given["measures"], stat_test=test, n_permutations=given["draws"]
    )
    return [
        [run, other, measure, float(report.comparisons[frozenset([run, other])][measure]["p_value"])]
        for run, other in combinations(given["runs"], 2)
        for measure in given["measures"]
    ]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asked = json.load(sys.stdin)
    json.dump({test: p_values(asked, test) for test in asked["tests"]}, sys.stdout)
