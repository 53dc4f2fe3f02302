"""The figures of the page on the gate: pairs of TREC runs, judged in full and without the new run's team."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from rankgauge import dialects
from rankgauge.comparison import Comparison
from rankgauge.comparison.gate import GateVerdict
from rankgauge.comparison.judging import TRUSTING, JudgedRule
from rankgauge.evaluation.evaluation import score_hits
from rankgauge.evaluation.result import Result
from rankgauge.labelling.board import BoardPool
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
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
    """Hold pairs of runs against each other with all judgments, and with those of fewer teams."""
    rows = [row for title, folder in collections(setting.data).items() for row in _rows(title, folder, setting)]
    if not rows:
        return UNTRIED
    numbers = {
        f"{row['collection']}, {row['judged']}: {name} {row['rule']}": Number(
            value=row[name], error=float(np.sqrt(row[name] * (1 - row[name]) / max(row[count], 1)))
        )
        for row in rows
        for name, count in (("false worse", "not worse"), ("kept worse", "worse"))
    }
    table = pl.DataFrame(rows)
    return Measurements(numbers=numbers, tables={"gate": table}, words=f"{setting.trials} pairs of each collection")


def _rows(title: str, folder: Path, setting: Setting) -> Iterator[dict[str, Any]]:
    """A row for each pool and rule: how often the gate says worse, where full judgments do not and where they do."""
    collection, rng = _Collection.read(title, folder), np.random.default_rng(setting.seed)
    pairs = collection.pairs(setting.trials, rng)
    teams = set(collection.team)
    truth = [collection.verdict(new, old, teams, TRUSTING) for new, old in pairs]
    worse = np.array([one is GateVerdict.WORSE for one in truth])
    for pool in POOLS:
        for rule, judged in RULES.items():
            told = []
            for done, (new, old) in enumerate(pairs):
                setting.progress(done, len(pairs), f"{title}, {pool}, {rule}")
                asked = {collection.team[old]} if pool == POOLS[1] else teams - {collection.team[new]}
                told.append(collection.verdict(new, old, asked, judged) is GateVerdict.WORSE)
            said = np.array(told)
            yield {
                "collection": title,
                "judged": pool,
                "rule": rule,
                "worse": int(worse.sum()),
                "not worse": int((~worse).sum()),
                "false worse": float(said[~worse].mean()),
                "kept worse": float(said[worse].mean()),
            }


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
        letters = {name: re.match("[A-Za-z]*", name) for name in pool.runs}
        top = np.full((len(pool.runs), len(pool.queries), DEPTH), -1)
        first = pool.rank <= DEPTH
        top[pool.run[first], pool.query[pool.document[first]], pool.rank[first] - 1] = pool.document[first]
        team = tuple(known.get(name) or (begin[0] if (begin := letters[name]) else name) for name in pool.runs)
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
        results = {name: self._result(run, known) for name, run in (("old", old), ("new", new))}
        return Comparison(results=results, baseline="old", judged_rule=rule).gate(MEASURE).verdict

    def _result(self, run: int, known: BoolArray) -> Result:
        query, place = np.nonzero((self.top[run] >= 0) & known[self.top[run]])
        rank, judged = place + 1.0, np.flatnonzero(known)
        order = np.lexsort((-self.grades[judged], self.pool.query[judged]))
        hits = Hits(
            names=list(self.pool.queries),
            query=query,
            rank=rank,
            grade=self.grades[self.top[run][query, place]],
            first=rank,
            size=np.ones(len(rank)),
            retrieved=np.minimum(self.pool.lengths[run], DEPTH).astype(np.float64),
            pool_query=self.pool.query[judged][order],
            pool_grade=self.grades[judged][order],
        )
        spoken = dialects.get("standard")
        return score_hits(hits, spoken.select(MEASURE), spoken)
