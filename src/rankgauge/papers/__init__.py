"""Papers as code: the claims, tables and figures of a paper, tested. A folder in `papers/` adds one."""

from rankgauge.papers.experiment import (
    PAPERS,
    Claim,
    Condition,
    Experiment,
    Figure,
    Measurements,
    Number,
    Paper,
    Setting,
    Verdict,
)

__all__ = [
    "PAPERS",
    "Claim",
    "Condition",
    "Experiment",
    "Figure",
    "Measurements",
    "Number",
    "Paper",
    "Setting",
    "Verdict",
]
