"""What a judge's errors do to the values and the order of runs.

Where people judged every pair, their board is known. Where they judged a few, it is drawn from the error model: many
boards that may be the true one. Everything is then counted over the draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from rankgauge.audit.judge.clusters import FEWEST, percentiles
from rankgauge.audit.judge.run_verdicts import RunVerdicts
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray
from rankgauge.statistics import kendall_tau, tau_ap

RESAMPLES = 500

MISFIT = 0.08
"""How far the model of a judge's errors may be off in the level of all runs, as a standard deviation, where people
judged next to nothing: on DL19 it was by .02 to .12. What a model says of levels needs the room."""

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
        """A row per run: run, people, people_low, people_high, judge, bias, low, high.

        The interval of the bias is for queries like these: the luck of the queries, and of what people have not judged.
        """
        from scipy.special import stdtrit

        queries = self.people.shape[1]
        rng = np.random.default_rng(self.seed)
        bias = self.judge - self.people
        mean = bias.mean(axis=1)
        error = bias.std(axis=1, ddof=1) / np.sqrt(queries) if queries >= FEWEST else np.full_like(mean, np.nan)
        if self.known:
            half = stdtrit(max(queries - 1, 1), 0.975) * error[0]
            low, high = mean[0] - half, mean[0] + half
            ends = np.full((2, len(self.runs)), np.nan)
        else:
            luck = rng.standard_t(max(queries - 1, 1), size=mean.shape)
            misfit = rng.normal(0.0, MISFIT * self.unknown, size=(len(mean), 1))
            low, high = np.quantile(mean + luck * error + misfit, [0.025, 0.975], axis=0)
            ends = np.quantile(self.people.mean(axis=1) + misfit, [0.025, 0.975], axis=0)
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
        return RunVerdicts(values=self.judge[np.newaxis]), RunVerdicts(values=self.people)

    @cached_property
    def chances(self) -> FloatArray:
        """The chance of each outcome for each pair of runs (outcomes × pairs), in the order of `OUTCOMES`."""
        judge, people = self._verdicts
        said, true = judge.verdict[0], people.verdict
        both = (said != 0) & (true != 0)
        cases = (
            both & (said == true),
            (said != 0) & (true == 0),
            (said == 0) & (true != 0),
            both & (said != true),
            (said == 0) & (true == 0),
        )
        return np.stack([case.mean(axis=0) for case in cases])

    @cached_property
    def swapped(self) -> FloatArray:
        """The chance that people order the two runs of a pair the other way, significant or not."""
        judge, people = self._verdicts
        return np.asarray((np.sign(people.difference) * np.sign(judge.difference[0]) < 0).mean(axis=0))

    def differences(self) -> pl.DataFrame:
        """A row per pair of runs: both differences, the judge's verdict, the chance of each outcome, the likeliest."""
        judge, people = self._verdicts
        first, second = judge.paired
        chances = dict(zip(OUTCOMES, self.chances, strict=True))
        return pl.DataFrame(
            {
                "run": [self.runs[i] for i in first],
                "other": [self.runs[i] for i in second],
                "judge": judge.difference[0],
                "people": people.difference.mean(axis=0),
                "significant": judge.verdict[0] != 0,
                **chances,
                "swapped": self.swapped,
                "flips": self.chances[1:4].sum(axis=0),
                "outcome": [OUTCOMES[n] for n in self.chances.argmax(axis=0)],
            }
        )

    def order(self) -> dict[str, float | str | int]:
        """How alike the two boards are: τ and τ_AP with intervals, counts of outcomes, and the winners."""
        found = {name: float(self.chances[n].sum()) for n, name in enumerate(OUTCOMES)}
        judge, people = self.judge.mean(axis=0), self.people.mean(axis=1)
        wins = np.bincount(people.argmax(axis=1), minlength=len(self.runs)) / len(people)
        likeliest = int(wins.argmax())
        return {
            **self._correlations(),
            **found,
            "swapped": float(self.swapped.sum()),
            "pairs": self.chances.shape[1],
            "winner_judge": self.runs[int(judge.argmax())],
            "winner_people": self.runs[likeliest],
            "winner_chance": float(wins[likeliest]),
        }

    def _correlations(self) -> dict[str, float]:
        """τ and τ_AP of the judge's order with people's, with intervals over queries and draws."""
        found: dict[str, float] = {}
        queries = self.people.shape[1]
        rng = np.random.default_rng(self.seed)
        times = rng.multinomial(queries, np.full(queries, 1 / queries), size=RESAMPLES) / queries
        draw = rng.integers(len(self.people), size=RESAMPLES)
        judge = times @ self.judge
        people = np.stack([row @ self.people[one] for row, one in zip(times, draw, strict=True)])
        means = self.judge.mean(axis=0), self.people.mean(axis=1)
        for name, statistic in (("tau", kendall_tau), ("tau_ap", tau_ap)):
            if len(self.runs) < 3:
                found |= {name: np.nan, f"{name}_low": np.nan, f"{name}_high": np.nan}
                continue
            found[name] = float(np.mean([statistic(p, means[0]) for p in means[1]]))
            drawn = np.array([statistic(p, j) for p, j in zip(people, judge, strict=True)])
            found[f"{name}_low"], found[f"{name}_high"] = percentiles(drawn, queries, found=found[name])
        return found
