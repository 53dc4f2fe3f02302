"""What a judge's errors do to the values and the order of runs.

Where people judged every pair, their board is known. Where they judged a few, it is drawn from the error model: many
boards that may be the true one. Everything is then counted over the draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from rankgauge.audit.judge.agreement import FEWEST, percentiles
from rankgauge.audit.judge.judged_runs import JudgeBoard, RunVerdicts
from rankgauge.errors import UnknownNameError
from rankgauge.labelling.board import Board
from rankgauge.labelling.board.plan import expected_half_widths
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray
from rankgauge.statistics import kendall_tau, tau_ap
from rankgauge.statistics.intervals import limits

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


HALF_WIDTH = 0.03
"""How wide half an interval may be, unless another width is asked for."""

SUSPECTED = 0.5
"""The share of attention that runs get together which are suspected to be made by a judge."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelPlan:
    """A board that is planned with the judges' grades as beliefs and people's labels as known."""

    judged: JudgeBoard
    measure: Measure
    suspects: Sequence[str] = ()
    afresh: bool = False
    """Whether to plan as if people had judged nothing yet."""
    rel: float = 1.0
    dialect: str = "standard"

    @cached_property
    def board(self) -> Board:
        """The plan's board; documents of suspected runs count for more."""
        known = None if self.afresh else self.judged.known
        made = Board.of(
            self.judged.pool,
            [self.measure],
            grades=[float(grade) for grade in self.judged.scale],
            known=known,
            columns=self.judged.columns,
            rel=self.rel,
            dialect=self.dialect,
        )
        if not self.suspects:
            return made
        runs = list(made.pool.runs)
        for name in self.suspects:
            if name not in runs:
                raise UnknownNameError("run", name, runs)
        watched = np.isin(runs, list(self.suspects))
        rest = ~watched
        shares = SUSPECTED * watched / watched.sum() + (1 - SUSPECTED) * rest / max(1, rest.sum())
        return replace(made, shares=(shares / shares.sum(),))

    def needed(self, half_width: float = HALF_WIDTH, *, seed: int = 0) -> int | None:
        """How many further labels bring half of a run's interval to that width, on average over the runs.

        None if not even all of them are expected to. It is a forecast by the beliefs, not a promise.
        """
        stream = self.board.stream(seed)
        low, high = 1, stream.size
        if high < 1 or self._half_width(high - 1) > half_width:
            return None
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._half_width(middle) <= half_width else (middle + 1, high)
        return low

    def _half_width(self, labels: int) -> float:
        return expected_half_widths(self.board, self.board.stream(0), max(1, labels))[0]

    def first(self, count: int) -> pl.DataFrame:
        """The open documents whose labels are worth most: query, document, the grade by each judge, doubt, worth.

        The worth is what a label moves runs apart, times the doubt about the grade, in per cent of all documents'.
        """
        board, place = self.board, self.judged.place
        worth = np.where(np.isnan(board.known), board.scores, 0.0)
        chosen = np.argsort(-worth, kind="stable")[: min(count, int((worth > 0).sum()))]
        chance = board.guess[chosen]
        variance = (chance * (1 - chance)).sum(axis=1)
        # "by": a column that is called like a judge would make it an assessor where people add their grades.
        judges = {f"by {name}": grades[place[chosen]] for name, grades in self.judged.pairs.own.items()}
        pool = board.pool
        return pl.DataFrame(
            {
                "query": pool.queries.gather(pool.query[chosen]),
                "document": pool.documents.gather(chosen),
                **judges,
                "expected": np.round(chance @ np.diff(board.grades) + board.grades[0], 4),
                "doubt": np.round(np.sqrt(variance), 4),
                "worth": np.round(100 * worth[chosen] / (worth.sum() or 1.0), 4),
            }
        )
