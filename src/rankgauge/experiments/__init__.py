"""Papers as code: each claim, table and figure of a paper, tested. Dropping a folder with a run.py in registers it."""

from rankgauge.experiments.claims import Claim, Condition, Number, Paper, Verdict
from rankgauge.experiments.experiment import PAPERS, Experiment, Figure, Measurements, Setting

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
