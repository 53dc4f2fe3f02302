"""MACHINE JUDGES: grades from language models: asked for, read, and weighed against people."""

from rankgauge.judgments.llm.asking.endpoint import Patience, Prices
from rankgauge.judgments.llm.asking.outcome import Asked
from rankgauge.judgments.llm.asking.session import ask

__all__ = ["Asked", "Patience", "Prices", "ask"]
