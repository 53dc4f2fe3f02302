"""IPrecAvg: interpolated precision averaged over recall levels."""

import numpy as np

from rankgauge.errors import ParameterError
from rankgauge.measures.measure import OPEN, Example, Facts, Measure, TieRule, choice
from rankgauge.measures.precision import ROUNDINGS, interpolated_precision
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists

LEVELS = tuple(tenth / 10 for tenth in range(11))


class IPrecAvg(Measure):
    """The mean of the interpolated precision over recall levels, by default the eleven 0, 0.1, …, 1."""

    facts = Facts(
        title="11-point average precision",
        formula=r"\frac{1}{|\Lambda|}\sum_{\rho \in \Lambda} \mathrm{IPrec}@\rho",
        reference="trec_eval, m_11pt_avg; ROMIP 2010, official metrics",
        ties=TieRule.SAMPLED,
        attains=True,
        examples=(
            # The worked example of ROMIP's appendix: relevant documents at the ranks 1, 2, 4 and 15.
            Example("IPrecAvg", (1, 2, 0, 1, *[None] * 10, 1), value="(6 * 1 + 2 * .75 + 3 * 4/15) / 11"),
            Example(
                "IPrecAvg(levels=(0.2, 0.5, 0.8), rel=2)",
                (1, 2, None, 3, 1),
                missed=(2, 2, 0),
                value="(2/4 + 2/4 + 0) / 3",
            ),
            Example("IPrecAvg(levels=(0.51, 1), rounding='trec_eval')", (2, 0, 0, 1), value="(1 + 2/4) / 2"),
            Example("IPrecAvg", (0, None), missed=(0,), value="nan"),
        ),
    )
    levels: tuple[float, ...] = LEVELS
    rel: float = OPEN
    rounding: str | None = choice("rounding", ROUNDINGS)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.levels or not all(0 <= level <= 1 for level in self.levels):
            raise ParameterError("IPrecAvg", "levels", "recall levels from 0 to 1", self.levels)

    def values(self, lists: RankedLists) -> FloatArray:
        R = lists.total_relevant(self.rel)
        rounding = ROUNDINGS[self.rounding or "ceiling"]
        # From the highest level down, as trec_eval adds them.
        levels = sorted(self.levels, reverse=True)
        curve = [interpolated_precision(lists, self.rel, rounding(level, R)) for level in levels]
        added = lists.total(np.stack(curve, axis=-1), upwards=True)
        return np.where(R == 0, np.nan, added / len(levels))
