"""IPrec@r: interpolated precision at a recall level."""

import numpy as np

from rankgauge.measures.measure import OPEN, Cutoff, Example, Facts, Measure, TieRule, choice
from rankgauge.measures.precision import ROUNDINGS, interpolated_precision, reached
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


class IPrec(Measure):
    """The greatest precision at any rank where at least the share r of the relevant documents has been found.

    0 where the list never gets that far; with `reached_only` not defined there, so that a mean of each level is over
    the queries that reached it: a reconstruction of ROMIP's modified 11-point curve, not its official definition.
    `rounding` says how many documents a level needs: the exact ceiling, or what trec_eval makes of it.
    """

    facts = Facts(
        title="Interpolated precision at a recall level",
        formula=r"\max \{P@n : n \ge \min \{m : R@m \ge \rho\}\}",
        reference="Voorhees & Harman, TREC: Experiment and Evaluation in Information Retrieval, 2005",
        cutoff=Cutoff.RECALL,
        ties=TieRule.SAMPLED,
        attains=True,
        examples=(
            Example("IPrec@0.6", (1, 2, 0, 1, *[None] * 10, 1), value="3 / 4"),
            Example("IPrec@0.8", (1, 2, 0, 1, *[None] * 10, 1), value="4 / 15"),
            Example("IPrec@0", (0, 1, 2), missed=(1,), value="2 / 3"),
            Example("IPrec(rel=2)@0.5", (1, 2, None, 3, 1), missed=(2, 2, 0), value="2 / 4"),
            Example("IPrec(rel=2)@0.6", (1, 2, None, 3, 1), missed=(2, 2, 0), value="0"),
            Example("IPrec(reached_only=True)@0.6", (1, 2, None), missed=(2, 2, 0), value="nan"),
            Example("IPrec@0.7", (1, 0, *[2] * 6), missed=(2, 2, 2), value="7 / 8"),
            Example("IPrec(rounding='trec_eval')@0.51", (1, 0, 2), value="1 / 1"),
            Example("IPrec(rounding='nearest')@0.3", (0, 1, 0), missed=(2, 2, 2), value="1 / 2"),
            Example("IPrec(rounding='nearest')@0.4", (0, 1, 0), missed=(2, 2, 2), value="0"),
            Example("IPrec@0.5", (0, None), missed=(0,), value="nan"),
        ),
    )
    cutoff: float = OPEN
    rel: float = OPEN
    reached_only: bool = False
    rounding: str | None = choice("rounding", ROUNDINGS)

    @property
    def left_out(self) -> bool:
        """With `reached_only`, each level's mean is over the queries that reached it."""
        return self.reached_only

    def values(self, lists: RankedLists) -> FloatArray:
        R = lists.total_relevant(self.rel)
        needed = ROUNDINGS[self.rounding or "ceiling"](self.cutoff, R)
        precision = interpolated_precision(lists, self.rel, needed)
        undefined = (R == 0) | (self.reached_only & ~reached(lists, self.rel, needed))
        return np.where(undefined, np.nan, precision)
