"""The figures of the page on the gate: pairs of TREC runs, judged in full and without the new run's team."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects
from rankgauge.comparison import Comparison
from rankgauge.comparison.gate import GateVerdict
from rankgauge.comparison.judging import TRUSTING, JudgedRule
from rankgauge.evaluation.evaluation import score_hits
from rankgauge.labelling.board import BoardPool
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.papers.experiment import UNTRIED, Experiment, Measurements, Number, Setting
from rankgauge.papers.trec import FOLDERS, collections, teams_of
from rankgauge.ranking import Hits

MEASURE, DEPTH = "nDCG@10", 10
POOLS = ("without the new team", "the old team alone")
"""Whose documents are judged: all teams' but that of the new run, or only those of the old run's team."""

RULES = {"before": TRUSTING, "after": JudgedRule()}
JUDGED = 0.98
"""Runs take part whose first ten documents are judged to this share, so that the full judgments are the truth."""


@Experiment.in_file(__file__, trials=60)
def run(setting: Setting) -> Measurements:
    """Hold pairs of runs against each other with all judgments, and with those of fewer teams: how often does the gate
    say worse, where full judgments do not and where they do?"""
    rows, numbers = list[dict[str, Any]](), dict[str, Number]()
    for title, folder in collections(setting.data).items():
        held = _Collection.read(title, folder)
        pairs, teams = held.pairs(setting.trials, np.random.default_rng(setting.seed)), set(held.team)
        worse = np.array([held.verdict(new, old, teams, TRUSTING) is GateVerdict.WORSE for new, old in pairs])
        for pool, (rule, judged) in product(POOLS, RULES.items()):
            told = []
            for done, (new, old) in enumerate(pairs):
                setting.progress(done, len(pairs), f"{title}, {pool}, {rule}")
                asked = {held.team[old]} if pool == POOLS[1] else teams - {held.team[new]}
                told.append(held.verdict(new, old, asked, judged) is GateVerdict.WORSE)
            said = np.array(told)
            counts = {"worse": int(worse.sum()), "not worse": int((~worse).sum())}
            rates = {"false worse": float(said[~worse].mean()), "kept worse": float(said[worse].mean())}
            rows.append({"collection": title, "judged": pool, "rule": rule, **counts, **rates})
            for (name, rate), count in zip(rates.items(), reversed(counts.values()), strict=True):
                error = float(np.sqrt(rate * (1 - rate) / max(count, 1)))
                numbers[f"{title}, {pool}: {name} {rule}"] = Number(value=rate, error=error)
    if not rows:
        return UNTRIED
    words = f"{setting.trials} pairs of each collection"
    return Measurements(numbers=numbers, tables={"gate": pl.DataFrame(rows)}, words=words)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Collection:
    """The first ten documents of every run (runs × queries × ranks, −1 for none), their grades, and the runs' teams."""

    pool: BoardPool
    grades: FloatArray
    top: IndexArray
    team: tuple[str, ...]

    @classmethod
    def read(cls, title: str, folder: Path) -> _Collection:
        """Read a collection; where teams are not known, runs whose names begin with the same letters are a team."""
        pool, grades = FOLDERS[title][1](folder)
        known = teams_of(folder)
        top = np.full((len(pool.runs), len(pool.queries), DEPTH), -1)
        first = pool.rank <= DEPTH
        top[pool.run[first], pool.query[pool.document[first]], pool.rank[first] - 1] = pool.document[first]
        team = tuple(known.get(name) or re.findall("^[A-Za-z]*", name)[0] for name in pool.runs)
        return cls(pool=pool, grades=grades, top=top, team=team)

    def pairs(self, most: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Draw pairs of runs of different teams that are judged throughout: the new one and the old one."""
        judged = [run for run, documents in enumerate(self.top) if (documents >= 0).mean() >= JUDGED]
        every = [(new, old) for new in judged for old in judged if self.team[new] != self.team[old]]
        return [every[at] for at in rng.permutation(len(every))[:most].tolist()]

    def verdict(self, new: int, old: int, teams: set[str], rule: JudgedRule) -> GateVerdict:
        """Return what the gate says if the first ten documents of these teams are judged."""
        pooled = self.top[[team in teams for team in self.team]]
        known = np.zeros(len(self.grades), dtype=bool)
        known[pooled[pooled >= 0]] = True
        judged, spoken, results = np.flatnonzero(known), dialects.get("standard"), {}
        order = judged[np.lexsort((-self.grades[judged], self.pool.query[judged]))]
        for name, run in (("old", old), ("new", new)):
            query, place = np.nonzero((self.top[run] >= 0) & known[self.top[run]])
            rank = place + 1.0
            hits = Hits(
                names=list(self.pool.queries),
                query=query,
                rank=rank,
                grade=self.grades[self.top[run][query, place]],
                first=rank,
                size=np.ones(len(rank)),
                retrieved=np.minimum(self.pool.lengths[run], DEPTH).astype(np.float64),
                pool_query=self.pool.query[order],
                pool_grade=self.grades[order],
            )
            results[name] = score_hits(hits, spoken.select(MEASURE), spoken)
        return Comparison(results=results, baseline="old", judged_rule=rule).gate(MEASURE).verdict
