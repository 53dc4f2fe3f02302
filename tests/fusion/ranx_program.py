"""ranx's fusions of the runs in a JSON list on standard input, printed as JSON: a program of its own.

Without Numba's compiler the same functions of ranx run as Python: for small lists that takes seconds, not minutes.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"

LEARNED = {"bayesfuse": "log_odds", "mapfuse": "map_scores"}
"""The parameter under which ranx takes what a method learned; `probs` for the others."""


def fused(given: dict[str, Any]) -> list[dict[str, dict[str, float]]]:
    """A fused run for each of [method, norm, params] in {"runs": […], "qrels": {…}, "asked": […]}."""
    import ranx
    from ranx import fusion

    runs, qrels = [ranx.Run(run) for run in given["runs"]], ranx.Qrels(given["qrels"])
    made = []
    for method, norm, params in given["asked"]:
        learn = getattr(fusion, f"{method}_train", None)
        if learn is not None:
            lesson = {"n_segments": params.pop("n_segments")} if method == "probfuse" else {}
            params = {**params, LEARNED.get(method, "probs"): learn(qrels, runs, **lesson)}
        found = ranx.fuse(runs, norm=norm, method=method, params=params).run
        made.append({query: {d: float(s) for d, s in lists.items()} for query, lists in found.items()})
    return made


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    json.dump([fused(job) for job in json.load(sys.stdin)], sys.stdout)
