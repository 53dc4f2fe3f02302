"""Where the work is done: on this machine, or on many. The same kernels on the same blocks either way."""

from rankgauge.backends.engine import Engine, engine
from rankgauge.backends.job import EvaluationJob

__all__ = ["Engine", "EvaluationJob", "engine"]
