"""The posterior of a shallow pool's grades: values and differences of a few runs from few labels."""

from typing import TypeAlias

from rankgauge.labelling.board.estimates import BoardEstimate
from rankgauge.labelling.posterior.estimate import PosteriorEstimate
from rankgauge.labelling.posterior.posterior import GradePosterior

RunEstimate: TypeAlias = BoardEstimate | PosteriorEstimate
"""The estimates of all runs for one measure, by a board's stream or by a posterior."""

__all__ = ["GradePosterior", "PosteriorEstimate", "RunEstimate"]
