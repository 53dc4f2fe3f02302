"""IPrec@r: interpolated precision at a recall level, and its mean over levels."""

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np

from rankgauge.constraints import Constraint
from rankgauge.measures.forms import cumulated_precision
from rankgauge.measures.measure import OPEN, Facts, Measure, TieRule, choice, parameter, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists


def _ceiling(level: float, R: FloatArray) -> FloatArray:
    """Return the least whole number from level · R on, of the level as it is written: 0.7 · 10 is 7, not a bit more."""
    written = Fraction(str(float(level)))
    return np.asarray(-(-R.astype(np.int64) * written.numerator // written.denominator), dtype=np.float64)


ROUNDINGS: Mapping[str, Callable[[float, FloatArray], FloatArray]] = {
    "ceiling": _ceiling,
    "trec_eval": lambda level, R: np.floor(level * R + 0.9),  # up to 9.0: the ceiling, for whole tenths
    "nearest": lambda level, R: np.floor(level * R + 0.5),  # trec_eval 10: lround
}
"""How many of R relevant documents a recall level needs, by name."""


def interpolated_precision(lists: RankedLists, rel: float, needed: FloatArray) -> FloatArray:
    """Return the greatest precision at any rank from that of the needed-th relevant document on; 0 where it is missing.

    Precision is greatest at relevant documents, so only these are looked at. `lists` are in strict order.
    """
    relevant = lists.relevant(rel)
    precision = cumulated_precision(lists, relevant.astype(float))
    enough = np.cumsum(relevant, axis=-1) >= needed[..., np.newaxis]
    return np.asarray(np.max(np.where(enough, precision, 0.0), axis=-1, initial=0.0))


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
        ties=TieRule.SAMPLED,
        attains=True,
        examples=read_examples("""
            IPrec@0.6 of 1 2 0 1 - - - - - - - - - - 1 = 3 / 4
            IPrec@0.8 of 1 2 0 1 - - - - - - - - - - 1 = 4 / 15
            IPrec@0 of 0 1 2 | 1 = 2 / 3
            IPrec(rel=2)@0.5 of 1 2 - 3 1 | 2 2 0 = 2 / 4
            IPrec(rel=2)@0.6 of 1 2 - 3 1 | 2 2 0 = 0
            IPrec(reached_only=True)@0.6 of 1 2 - | 2 2 0 = nan
            IPrec@0.7 of 1 0 2 2 2 2 2 2 | 2 2 2 = 7 / 8
            IPrec(rounding='trec_eval')@0.51 of 1 0 2 = 1 / 1
            IPrec(rounding='nearest')@0.3 of 0 1 0 | 2 2 2 = 1 / 2
            IPrec(rounding='nearest')@0.4 of 0 1 0 | 2 2 2 = 0
            IPrec@0.5 of 0 - | 0 = nan
        """),
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
        reached = lists.relevant(self.rel).sum(axis=-1) >= needed
        undefined = (R == 0) | (self.reached_only & ~reached)
        return np.where(undefined, np.nan, precision)


LEVELS = Constraint("recall levels from 0 to 1", lambda levels: levels and all(0 <= level <= 1 for level in levels))


class IPrecAvg(Measure):
    """The mean of the interpolated precision over recall levels, by default the eleven 0, 0.1, …, 1."""

    facts = Facts(
        title="11-point average precision",
        formula=r"\frac{1}{|\Lambda|}\sum_{\rho \in \Lambda} \mathrm{IPrec}@\rho",
        reference="trec_eval, m_11pt_avg; ROMIP 2010, official metrics",
        ties=TieRule.SAMPLED,
        attains=True,
        examples=read_examples("""
            # The worked example of ROMIP's appendix: relevant documents at the ranks 1, 2, 4 and 15.
            IPrecAvg of 1 2 0 1 - - - - - - - - - - 1 = (6 * 1 + 2 * .75 + 3 * 4/15) / 11
            IPrecAvg(levels=(0.2, 0.5, 0.8), rel=2) of 1 2 - 3 1 | 2 2 0 = (2/4 + 2/4 + 0) / 3
            IPrecAvg(levels=(0.51, 1), rounding='trec_eval') of 2 0 0 1 = (1 + 2/4) / 2
            IPrecAvg of 0 - | 0 = nan
        """),
    )
    levels: tuple[float, ...] = parameter(LEVELS, default=tuple(tenth / 10 for tenth in range(11)))
    rel: float = OPEN
    rounding: str | None = choice("rounding", ROUNDINGS)

    def values(self, lists: RankedLists) -> FloatArray:
        R = lists.total_relevant(self.rel)
        rounding = ROUNDINGS[self.rounding or "ceiling"]
        # From the highest level down, as trec_eval adds them.
        levels = sorted(self.levels, reverse=True)
        curve = [interpolated_precision(lists, self.rel, rounding(level, R)) for level in levels]
        added = lists.total(np.stack(curve, axis=-1), upwards=True)
        return np.where(R == 0, np.nan, added / len(levels))
