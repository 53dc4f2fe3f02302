"""How one tool turns judgments and a run into numbers: the contract of a dialect, and one file per tool in `tools/`."""

from rankgauge.dialects.dialect import DIALECTS, Dialect, get
from rankgauge.measures.output import Printed

__all__ = ["DIALECTS", "Dialect", "Printed", "get"]
