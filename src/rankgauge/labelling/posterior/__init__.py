"""The posterior of a shallow pool's grades: values and differences of a few runs from few labels."""

from rankgauge.labelling.posterior.posterior import GradePosterior, PosteriorEstimate

__all__ = ["GradePosterior", "PosteriorEstimate"]
