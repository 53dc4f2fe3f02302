"""What a judge's errors do to the values and the order of runs.

Where people judged every pair, their board is known. Where they judged a few, it is drawn from the error model: many
boards that may be the true one. Everything is then counted over the draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankgauge import dialects, files
from rankgauge.audit.judge.agreement import FEWEST, percentiles
from rankgauge.audit.judge.pairs import GradedPairs
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, UnknownNameError
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.ranking import RankedLists, rank
from rankgauge.statistics.corrections.usual import adjust_holm
from rankgauge.statistics.correlation import kendall_tau, tau_ap
from rankgauge.statistics.intervals import limits, student_quantile, student_tail

CELLS = 1 << 22
"""How many cells are scored at once."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedRuns:
    """For each query and run the judged hits: their ranks and the positions of their pairs, padded.

    `rank`, `pair`, `first` and `size` are queries × runs × hits, `retrieved` queries × runs; `pool` (queries × pairs)
    has the positions of each query's pairs. A place without a hit has the rank NaN and the pair −1.
    """

    runs: tuple[str, ...]
    rank: FloatArray
    pair: IndexArray
    first: FloatArray | None
    size: FloatArray | None
    retrieved: FloatArray
    pool: IndexArray
    dialect: Dialect

    @classmethod
    def from_runs(
        cls, pairs: GradedPairs, runs: Mapping[str, Any], *, rel: float = 1.0, dialect: str = "standard"
    ) -> JudgedRuns:
        """Return the lists of runs (paths, frames, dicts; by name), to be scored as a dialect has it."""
        spoken = dialects.get(dialect, rel=rel)
        places = pairs.frame().with_columns(grade=np.arange(len(pairs.people), dtype=np.float64))
        ranked_runs, within = [], []
        for source in runs.values():
            with files.locating_repeats(source):
                hits = rank(files.run_from(source), places, spoken.ranking)
            counts = np.bincount(hits.query, minlength=len(hits.names))
            ranked_runs.append(hits)
            within.append(np.arange(len(hits.query)) - (np.cumsum(counts) - counts)[hits.query])
        shape = (len(pairs.sizes), len(ranked_runs), max((int(one.max(initial=-1)) + 1 for one in within), default=0))
        ranked, first, size = (np.full(shape, np.nan) for _ in range(3))
        pair, retrieved = np.full(shape, -1, dtype=np.int64), np.zeros(shape[:2])
        for number, (hits, place) in enumerate(zip(ranked_runs, within, strict=True)):
            at = (hits.query, number, place)
            ranked[at], first[at], size[at] = hits.rank, hits.first, hits.size
            pair[at] = hits.grade.astype(np.int64)
            retrieved[:, number] = hits.retrieved
        tied = bool((np.nan_to_num(size, nan=1.0) > 1).any())
        columns = np.arange(int(pairs.sizes.max(initial=0)))
        return cls(
            runs=tuple(runs),
            rank=ranked,
            pair=pair,
            first=first if tied else None,
            size=size if tied else None,
            retrieved=retrieved,
            pool=np.where(columns < pairs.sizes[:, np.newaxis], pairs.starts[:, np.newaxis] + columns, -1),
            dialect=spoken,
        )

    def top(self, depth: int) -> JudgedRuns:
        """The lists without what no measure of that depth can need; 0 keeps all. A tie that begins above it stays."""
        if not depth:
            return self
        needed = (self.rank if self.first is None else self.first) <= depth
        width = int(needed.sum(axis=-1).max(initial=0))
        return replace(
            self,
            rank=self.rank[..., :width],
            pair=self.pair[..., :width],
            first=None if self.first is None else self.first[..., :width],
            size=None if self.size is None else self.size[..., :width],
        )

    def values(self, grades: FloatArray, measure: Measure) -> FloatArray:
        """Return the value of every list: queries × runs, or draws × queries × runs for grades of draws × pairs."""
        if grades.ndim == 1:
            return np.asarray(self.values(grades[np.newaxis], measure)[0])
        kernel = self.dialect.topped(float(grades.max(initial=0.0))).read(measure)
        step = max(1, CELLS // max(1, self.pair.size + self.pool.size))
        values = np.zeros((len(grades), *self.retrieved.shape))
        for at in range(0, len(grades), step):
            some = np.pad(grades[at : at + step], ((0, 0), (0, 1)), constant_values=np.nan)  # −1 points to the NaN
            ideal = -np.sort(-some[:, self.pool], axis=-1)
            cells = (len(some), *self.pair.shape)
            lists = RankedLists(
                ranks=np.broadcast_to(self.rank, cells),
                grades=some[:, self.pair],
                ideal=np.broadcast_to(ideal[:, :, np.newaxis], (*cells[:-1], ideal.shape[-1])),
                retrieved=np.broadcast_to(self.retrieved, cells[:-1]),
                first=None if self.first is None else np.broadcast_to(self.first, cells),
                size=None if self.size is None else np.broadcast_to(self.size, cells),
            )
            values[at : at + step] = np.nan_to_num(kernel.score(lists), nan=float(self.dialect.empty))
        return values

    def tops(self, depth: int) -> list[IndexArray]:
        """Return for each run the positions of the pairs among its first documents."""
        near = self.rank <= depth
        return [np.unique(self.pair[:, run][near[:, run]]) for run in range(len(self.runs))]

    def best_ranks(self, pairs: int) -> FloatArray:
        """Return the best rank of each pair over the runs; infinite where no list has it."""
        best = np.full(pairs + 1, np.inf)
        np.minimum.at(best, self.pair.ravel(), np.where(np.isnan(self.rank), np.inf, self.rank).ravel())
        return best[:-1]


ALPHA = 0.05


class RunVerdicts(NamedTuple):
    """The differences of pairs of runs (sets × pairs), and which are more than luck: 1 where the first run of a pair is
    above the second by more, −1 where it is below, 0 where the difference may be luck."""

    difference: FloatArray
    verdict: FloatArray

    @classmethod
    def from_values(cls, values: FloatArray) -> RunVerdicts:
        """Test every two runs (sets × queries × runs) by the paired t test, with Holm's correction over all pairs.

        The test needs no more than the covariance of the runs' values.
        """
        from scipy.special import stdtr  # ours takes ten times as long for the p-values of all resamples

        queries, means = values.shape[1], values.mean(axis=1)
        first, second = run_pairs(values.shape[-1])
        difference = np.round(means[:, first] - means[:, second], 12)
        if queries < 2:
            return cls(difference, np.zeros_like(difference))
        centred = values - means[:, np.newaxis]
        spread = np.matmul(centred.transpose(0, 2, 1), centred) / (queries - 1)
        own = np.diagonal(spread, axis1=1, axis2=2)
        variance = np.maximum(own[:, first] + own[:, second] - 2 * spread[:, first, second], 0.0)
        # Values that are equal but for the last bits have no difference and no spread.
        error = np.sqrt(np.where(variance > 1e-24, variance, 0.0) / queries)
        gone = error <= 1e-15 * np.abs(difference)
        p = 2 * stdtr(queries - 1, -np.abs(difference) / np.where(gone | (error == 0), 1.0, error))
        p = np.where(error > 0, p, np.where(difference == 0, 1.0, 0.0))
        return cls(difference, np.sign(difference) * (adjust_holm(p) < ALPHA))


def run_pairs(runs: int) -> tuple[IndexArray, IndexArray]:
    """Return the positions of the runs of each pair."""
    first, second = np.triu_indices(runs, 1)
    return first, second


RESAMPLES = 500

MISFIT = 0.08
"""How far the model of a judge's errors may be off in the level of all runs, as a standard deviation, where people
judged next to nothing: on DL19 it was by .02 to .12. What a model says of levels needs the room."""

TIED = 1e-12
"""Means of runs that differ by less are the same."""

OUTCOMES = ("kept", "lost", "found", "reversed", "open")
"""What becomes of a difference: significant by both; by the judge only; by people only; the other way; by neither."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Consequences:
    """A measure's values by a judge (queries × runs), and by people (draws × queries × runs; one draw: known)."""

    measure: Measure
    runs: tuple[str, ...]
    judge: FloatArray
    people: FloatArray
    seed: int
    unknown: float = 0.0
    """The share of the pairs that people have not judged."""

    @property
    def known(self) -> bool:
        """Whether people judged every pair."""
        return len(self.people) == 1

    def values(self) -> pl.DataFrame:
        """Return a row per run: run, people, people_low, people_high, judge, bias, low, high.

        The interval of the bias is for queries like these: the luck of the queries, and of what people have not judged.
        """
        queries = self.people.shape[1]
        rng = np.random.default_rng(self.seed)
        bias = self.judge - self.people
        mean = bias.mean(axis=1)
        error = bias.std(axis=1, ddof=1) / np.sqrt(queries) if queries >= FEWEST else np.full_like(mean, np.nan)
        ends = np.full((2, len(self.runs)), np.nan)
        if self.known:
            half = student_quantile(max(queries - 1, 1), 0.975) * error[0]
            low, high = mean[0] - half, mean[0] + half
        else:
            luck = rng.standard_t(max(queries - 1, 1), size=mean.shape)
            misfit = rng.normal(0.0, MISFIT * self.unknown, size=(len(mean), 1))
            low, high = np.quantile(mean + luck * error + misfit, [0.025, 0.975], axis=0)
            ends = np.quantile(self.people.mean(axis=1) + misfit, [0.025, 0.975], axis=0)
            ends = np.clip(ends, *limits(self.measure.facts.bounds, self.people))
        return pl.DataFrame(
            {
                "run": list(self.runs),
                "people": self.people.mean(axis=(0, 1)),
                "people_low": ends[0],
                "people_high": ends[1],
                "judge": self.judge.mean(axis=0),
                "bias": mean.mean(axis=0),
                "low": low,
                "high": high,
            }
        )

    @cached_property
    def _verdicts(self) -> tuple[RunVerdicts, RunVerdicts]:
        return RunVerdicts.from_values(self.judge[np.newaxis]), RunVerdicts.from_values(self.people)

    @cached_property
    def chances(self) -> FloatArray:
        """The chance of each outcome for each pair of runs (outcomes × pairs), in the order of `OUTCOMES`."""
        judge, people = self._verdicts
        said, true = judge.verdict[0], people.verdict
        both, neither = (said != 0) & (true != 0), (said == 0) & (true == 0)
        cases = (both & (said == true), (said != 0) & (true == 0), (said == 0) & (true != 0), both & (said != true))
        return np.stack([case.mean(axis=0) for case in (*cases, neither)])

    @cached_property
    def swapped(self) -> FloatArray:
        """The chance that people order the two runs of a pair the other way, significant or not."""
        judge, people = self._verdicts
        return np.asarray((np.sign(people.difference) * np.sign(judge.difference[0]) < 0).mean(axis=0))

    def differences(self) -> pl.DataFrame:
        """A row per pair of runs: both differences, the judge's verdict, the chance of each outcome, the likeliest."""
        judge, people = self._verdicts
        first, second = run_pairs(len(self.runs))
        return pl.DataFrame(
            {
                "run": [self.runs[i] for i in first],
                "other": [self.runs[i] for i in second],
                "judge": judge.difference[0],
                "people": people.difference.mean(axis=0),
                "significant": judge.verdict[0] != 0,
                **dict(zip(OUTCOMES, self.chances, strict=True)),
                "swapped": self.swapped,
                "flips": self.chances[1:4].sum(axis=0),
                "outcome": [OUTCOMES[n] for n in self.chances.argmax(axis=0)],
            }
        )

    def order(self) -> dict[str, float | str | int]:
        """Return how alike the two boards are: τ and τ_AP with intervals, counts of outcomes, and the winners."""
        judge, people = self.judge.mean(axis=0), self.people.mean(axis=1)
        wins = np.bincount(people.argmax(axis=1), minlength=len(self.runs)) / len(people)
        likeliest = int(wins.argmax())
        return {
            **self._correlations(),
            **{name: float(self.chances[n].sum()) for n, name in enumerate(OUTCOMES)},
            "swapped": float(self.swapped.sum()),
            "pairs": self.chances.shape[1],
            "winner_judge": self._best(judge),
            "winner_people": self._best(people[0]) if self.known else self.runs[likeliest],
            "winner_chance": float(wins[likeliest]),
        }

    def _best(self, means: FloatArray) -> str:
        """Name the run with the highest mean, or say how many share it."""
        best = np.flatnonzero(means >= means.max() - TIED)
        return self.runs[best[0]] if len(best) == 1 else f"{len(best)} runs tied"

    def _correlations(self) -> dict[str, float]:
        """τ and τ_AP of the judge's order with people's, with intervals over queries and draws."""
        if len(self.runs) < 3:
            return {name + end: np.nan for name in ("tau", "tau_ap") for end in ("", "_low", "_high")}
        queries, rng = self.people.shape[1], np.random.default_rng(self.seed)
        times = rng.multinomial(queries, np.full(queries, 1 / queries), size=RESAMPLES) / queries
        draw = rng.integers(len(self.people), size=RESAMPLES)
        judge = times @ self.judge
        people = np.stack([row @ self.people[time] for row, time in zip(times, draw, strict=True)])
        correlations: dict[str, float] = {}
        for name, statistic in (("tau", kendall_tau), ("tau_ap", tau_ap)):
            known = float(np.mean([statistic(mean, self.judge.mean(axis=0)) for mean in self.people.mean(axis=1)]))
            drawn = np.array([statistic(p, j) for p, j in zip(people, judge, strict=True)])
            low, high = percentiles(drawn, queries, measured=known)
            correlations |= {name: known, f"{name}_low": low, f"{name}_high": high}
        return correlations


FEWEST_OTHERS = 6
"""A line and its spread need this many other runs."""


def circularity(runs: Sequence[str], judge: FloatArray, people: FloatArray, suspects: Sequence[str]) -> pl.DataFrame:
    """Return a row per run: run, suspected, bias, expected, excess, t, p (one-sided).

    `judge` (runs) and `people` (draws × runs) are values. The bias that is expected follows the line of the runs that
    nobody suspects.
    """
    for name in suspects:
        if name not in runs:
            raise UnknownNameError("run", name, list(runs))
    trusted = ~np.isin(list(runs), list(suspects))
    if trusted.sum() < FEWEST_OTHERS:
        raise InputError(
            f"the test of --made-by-judge needs {FEWEST_OTHERS} other runs or more; there are {int(trusted.sum())}",
            hint="Give more runs that no judge had a part in, or leave --made-by-judge out.",
        )
    value, rows = people.mean(axis=0), []
    bias = judge - value
    for place, run in enumerate(runs):  # each against the line through the trusted others
        others = trusted & (np.arange(len(judge)) != place)
        x, level, n = value - value[others].mean(), float(bias[others].mean()), int(others.sum())
        spread = float((x[others] ** 2).sum())
        slope, distance = (
            (float(x[others] @ bias[others]) / spread, x[place] ** 2 / spread) if spread > 0 else (0.0, 0.0)
        )
        expected = level + slope * x
        variance = float(((bias - expected)[others] ** 2).sum() / (n - 2))
        # What people have not judged may move the run and the line: so much of it as differs from draw to draw.
        apart = (judge - people)[:, place] - (judge - people)[:, others].mean(axis=1)
        unknown = float(apart.var(ddof=1)) if len(people) > 1 else 0.0
        error, excess = np.sqrt(variance * (1 + 1 / n + distance) + unknown), float((bias - expected)[place])
        t = float(excess / error) if error > 0 else 0.0
        p = float(student_tail(n - 2, t))
        rows.append((run, not trusted[place], float(bias[place]), float(expected[place]), excess, t, p))
    return pl.DataFrame(rows, schema=["run", "suspected", "bias", "expected", "excess", "t", "p"], orient="row")
