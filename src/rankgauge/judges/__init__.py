"""MACHINE JUDGES: grades from language models: asked for, read, and weighed against people."""

from rankgauge.judges.asking.outcome import Asked
from rankgauge.judges.asking.requests import Patience
from rankgauge.judges.asking.spending import Prices
from rankgauge.judges.model_judge import ask

__all__ = ["Asked", "Patience", "Prices", "ask"]
