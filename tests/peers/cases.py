"""Random cases that RankGauge and its peers evaluate alike: each query is a case of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

__all__ = ["CASES", "Cases", "cases"]

CASES = 1_000
SEED = 20_261


@dataclass(frozen=True, kw_only=True)
class Cases:
    """Judgments and a run as dicts of dicts, which every peer reads."""

    judgments: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]

    @property
    def queries(self) -> list[str]:
        """The queries, each a random case."""
        return list(self.run)


@cache
def cases(*, ties: bool, lowest: int = 0, highest: int = 4, missing: bool = False) -> Cases:
    """Lists of 1 to 40 documents, some of them judged, with relevant documents that the run missed; made once.

    With `ties` many scores are equal. At least one document of each query is judged, and one is retrieved; with
    `missing` the run lacks every tenth query.
    """
    rng = np.random.default_rng(SEED)
    judgments: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number in range(CASES):
        documents = [f"d{i}" for i in rng.permutation(60)]
        listed = documents[: rng.integers(1, 41)]
        judged = rng.choice(documents, size=rng.integers(1, 41), replace=False)
        top = int(rng.integers(max(lowest, 0), highest + 1))
        judgments[f"{number + 1}"] = {str(d): int(rng.integers(lowest, top + 1)) for d in judged}
        scores = rng.integers(0, 6, len(listed)) / 4 if ties else rng.permutation(len(listed)) / 8
        run[f"{number + 1}"] = {d: float(s) for d, s in zip(listed, scores, strict=True)}
    answered = {query: found for query, found in run.items() if not (missing and query.endswith("7"))}
    return Cases(judgments=judgments, run=answered)
