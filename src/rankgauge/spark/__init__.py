"""Where the work is done: on this machine, or on many. The same kernels on the same blocks either way."""

from rankgauge.spark.engine import Engine, engine

__all__ = ["Engine", "engine"]
