"""Judge rankings on graded relevance."""

from rankgauge.evaluate import Result, evaluate

__all__ = ["Result", "evaluate"]
__version__ = "0.1.0"
