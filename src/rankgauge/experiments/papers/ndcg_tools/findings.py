"""The numbers behind the paper's claims, from the values of every ranker, reading and cutoff on each query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rankgauge.experiments.claims import CLEAR, Number
from rankgauge.experiments.standard_errors import fold_means, fold_number
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

LAST = -1
"""The cutoff that rankers are compared at: 10, the last one."""

TITLES = {"yahoo": "Yahoo", "letor": "LETOR"}
MIDDLE = ("RankBoost", "RankSVM", "LambdaMART")
LOWER = ("AdaRank", "RankNet")
BEST = "Coordinate Ascent"


@dataclass(frozen=True, kw_only=True, eq=False)
class Findings:
    """Values of NDCG (judged by × trained under × rankers × cutoffs × queries), and what follows from them."""

    values: FloatArray
    readings: tuple[str, ...]
    """The labels of the first two axes."""
    rankers: tuple[str, ...]
    fold: IndexArray
    """The fold of each query."""

    def numbers(self) -> dict[str, Number]:
        """Every number by its name."""
        parts = (self._evaluators(), self._together(), self.trainings(), self._order(), self._swaps())
        return {name: number for part in parts for name, number in part}

    def compared(self, judged: str, trained: str) -> FloatArray:
        """The values (rankers × cutoffs × queries) of models trained under one reading, judged by another."""
        return np.asarray(self.values[self.readings.index(judged), self.readings.index(trained)])

    def _evaluators(self) -> Iterator[tuple[str, Number]]:
        """How much the readings differ on the same rankings."""
        apart = self.values - self.values[self.readings.index("std")]
        raised = fold_means(apart[self.readings.index("yahoo")], self.fold)[0]
        # The difference of two readings of the same rankings is arithmetic: it has no sampling error.
        yield "Yahoo less standard", Number(value=float(raised.mean()))
        yield "Yahoo less standard, highest less lowest", Number(value=float(np.ptp(raised)))
        lowered = apart[self.readings.index("letor")].mean(axis=(0, 1))
        for place in (7, 8, 9):
            yield f"LETOR less standard at {place + 1}", fold_number(lowered[place], self.fold)

    def trainings(self) -> Iterator[tuple[str, Number]]:
        """What training under another reading changes for each ranker, judged by the standard reading."""
        for label, gained in self._gains():
            for ranker, of_one in zip(self.rankers, gained, strict=True):
                yield f"{label}, {ranker}", fold_number(of_one, self.fold)

    def _together(self) -> Iterator[tuple[str, Number]]:
        for label, gained in self._gains():
            yield f"{label}, mean of six", fold_number(gained.mean(axis=0), self.fold)

    def _gains(self) -> Iterator[tuple[str, FloatArray]]:
        usual = self.compared("std", "std")[:, LAST]
        for reading, title in TITLES.items():
            yield f"trained under {title} less standard", self.compared("std", reading)[:, LAST] - usual

    def _order(self) -> Iterator[tuple[str, Number]]:
        """Which ranker is better, trained and judged by the standard reading."""
        at_last = dict(zip(self.rankers, self.compared("std", "std")[:, LAST], strict=True))
        means = {name: fold_number(values, self.fold).value for name, values in at_last.items()}
        other = max((name for name in self.rankers if name != BEST), key=means.__getitem__)
        yield f"{BEST} less the best other", fold_number(at_last[BEST] - at_last[other], self.fold)
        ordered = sorted(MIDDLE, key=means.__getitem__)
        apart = at_last[ordered[-1]] - at_last[ordered[0]]
        yield f"{', '.join(MIDDLE)}: best less worst", fold_number(apart, self.fold)
        middle = np.mean([at_last[name] for name in MIDDLE], axis=0)
        for name in LOWER:
            yield f"{name} less the middle three", fold_number(at_last[name] - middle, self.fold)

    def _swaps(self) -> Iterator[tuple[str, Number]]:
        """How often another reading orders the rankers differently, all trained under the standard reading."""
        pairs = list(combinations(range(len(self.rankers)), 2))
        usual, usual_clear = self._signs("std", pairs)
        for reading, title in TITLES.items():
            signs, clear = self._signs(reading, pairs)
            other = (signs != usual).any(axis=0).sum()
            opposite = ((signs != usual) & clear & usual_clear).any(axis=1).sum()
            yield f"cutoffs with another order under {title}", Number(value=float(other))
            yield f"pairs in clearly opposite orders under {title}", Number(value=float(opposite))

    def _signs(self, reading: str, pairs: list[tuple[int, int]]) -> tuple[FloatArray, BoolArray]:
        """Which of two rankers is better (pairs × cutoffs), and whether by two standard errors."""
        values = self.compared(reading, "std")
        means, errors = fold_means(np.array([values[one] - values[other] for one, other in pairs]), self.fold)
        rounded = np.round(means, 12)  # a difference in the last bits is none
        return np.asarray(np.sign(rounded)), np.asarray(np.abs(means) > CLEAR * errors)
