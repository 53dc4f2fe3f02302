"""How many labels of people an honest estimate would take, and which documents to show them first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from rankgauge.audit.judge.judge_board import JudgeBoard
from rankgauge.errors import UnknownNameError
from rankgauge.labelling.board import Board
from rankgauge.labelling.board.outlook import expected_half_widths
from rankgauge.measures import Measure

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
