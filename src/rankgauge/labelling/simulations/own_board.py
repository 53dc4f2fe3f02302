"""Yardsticks tried on a user's own judgments and runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.evaluation.notes import thresholds
from rankgauge.labelling.board import Board, BoardPool
from rankgauge.labelling.defaults import DIALECT
from rankgauge.labelling.simulations.board_report import JUDGES, BoardSimulationReport
from rankgauge.labelling.simulations.board_study import BoardTrials
from rankgauge.labelling.simulations.jobs import Progress, cores, unreported
from rankgauge.labelling.yardstick import YARDSTICKS, JudgedBoard
from rankgauge.measures import parse
from rankgauge.numeric import FloatArray

SHARES = (0.02, 0.05, 0.1, 0.2)
"""The usual numbers of labels, as shares of the pool."""


class PoolKind(StrEnum):
    """Which documents are the pool."""

    JUDGED = "judged"
    DEPTH = "depth"

    @property
    def words(self) -> str:
        """Which they are."""
        return "all that have a grade" if self is PoolKind.JUDGED else "the first of every list, up to a depth"

    @classmethod
    def of(cls, name: str) -> PoolKind:
        """The kind of that name."""
        if name not in set(cls):
            raise UnknownNameError("pool", name, [kind.value for kind in cls])
        return cls(name)


@dataclass(frozen=True, kw_only=True)
class BoardSimulation:
    """What is simulated: the runs of a board, the measures, the yardsticks, and how often.

    The pool are the judged documents, or the first `depth` of every list, of which those without a grade count as not
    relevant. Labels are `budgets`, or `shares` of the pool.
    """

    judgments: Any
    runs: Mapping[str, Any]
    measures: tuple[str, ...] = ("nDCG@10", "AP")
    methods: tuple[str, ...] = ()
    """Yardsticks; all of them if none is named, those that need a judge only where there is one."""
    shares: tuple[float, ...] = ()
    budgets: tuple[int, ...] = ()
    judges: Mapping[str, Any] = field(default_factory=dict)
    """Judges other than people, by name."""
    dialect: str | Dialect = DIALECT
    pool: PoolKind = PoolKind.JUDGED
    depth: int | None = None
    repetitions: int = 100
    seed: int = 0
    workers: int = field(default_factory=cores)
    folder: Path | None = None
    progress: Progress = unreported

    def run(self) -> BoardSimulationReport:
        """Tries the yardsticks and gathers the results."""
        self.check()
        judged = self._judged()
        trials = BoardTrials(
            methods=self._methods,
            labels=self._labels(judged.size),
            repetitions=self.repetitions,
            seed=self.seed,
            workers=self.workers,
            folder=self.folder,
            progress=self.progress,
        )
        words = "the judged documents" if self.pool is PoolKind.JUDGED else f"the first {self.depth} of every list"
        spoken = judged.board.targets[0].dialect
        rest = {"dialect": spoken.name, **dict(thresholds(spoken, [parse(name) for name in self.measures]))}
        told = {JUDGES: ", ".join(judge.name for judge in judged.board.pool.judges)} if self.judges else {}
        study = trials.run(judged, _title(self.judgments), pool=words, **rest, **told)
        return BoardSimulationReport(studies=(study,), seed=self.seed)

    def check(self) -> None:
        """Raises an error for settings that make no sense, before anything is read."""
        if self.budgets and self.shares:
            raise ParameterError("simulate", "shares", "left out where budgets are given", self.shares)
        for share in self.shares:
            if not 0 < share <= 1:
                raise ParameterError("simulate", "shares", "numbers above 0 and up to 1", share)
        if self.pool is PoolKind.DEPTH and self.depth is None:
            raise ParameterError("simulate", "depth", "how many documents of each list are pooled", None)
        if self.pool is PoolKind.JUDGED and self.depth is not None:
            raise ParameterError("simulate", "depth", "left out unless the pool is that of a depth", self.depth)
        # Checks the names, the repetitions and the budgets as they are known so far.
        BoardTrials(methods=self._methods, labels=self.budgets or (2,), repetitions=self.repetitions)

    @property
    def _methods(self) -> tuple[str, ...]:
        """The yardsticks that are asked for; else all that have what they need."""
        return self.methods or tuple(name for name, one in YARDSTICKS.items() if self.judges or not one.judge)

    def _judged(self) -> JudgedBoard:
        if self.pool is PoolKind.JUDGED:
            pool = BoardPool.from_runs(self.runs, only=self.judgments, judges=self.judges)
        else:
            pool = BoardPool.from_runs(self.runs, depth=self.depth, judges=self.judges)
        grades = np.nan_to_num(pool.grades(self.judgments), nan=0.0)
        return judged_board(pool, grades, self.measures, dialect=self.dialect)

    def _labels(self, documents: int) -> tuple[int, ...]:
        wanted = self.budgets or tuple(round(share * documents) for share in self.shares or SHARES)
        most = max(wanted)
        if most > documents:
            raise ParameterError("simulate", "budgets", f"numbers up to the {documents} documents of the pool", most)
        return tuple(sorted(set(wanted)))


def judged_board(
    pool: BoardPool, grades: FloatArray, measures: tuple[str, ...], *, dialect: str | Dialect
) -> JudgedBoard:
    """The board of a pool whose grades are all known, on the scale of those grades."""
    scale = np.unique(np.maximum(np.append(grades, 0.0), 0.0))
    if len(scale) < 2:
        raise InputError("no document of the pool has a grade above 0", hint="Are these the judgments of these runs?")
    return JudgedBoard(board=Board.of(pool, measures, grades=scale.tolist(), dialect=dialect), grades=grades)


def _title(judgments: Any) -> str:
    return Path(str(judgments)).name if isinstance(judgments, str | PathLike) else "the board"
