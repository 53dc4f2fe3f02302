"""Papers as code: each claim, table and figure of a paper, tested. Dropping a folder with a run.py in registers it."""

import importlib
import pkgutil

from rankgauge.experiments.base import Experiment, Figure, Outcome, Setting, get, registry
from rankgauge.experiments.claims import Claim, Condition, Number, Paper, Verdict

__all__ = [
    "Claim",
    "Condition",
    "Experiment",
    "Figure",
    "Number",
    "Outcome",
    "Paper",
    "Setting",
    "Verdict",
    "get",
    "registry",
]

for _module in pkgutil.iter_modules(__path__):
    if _module.ispkg:
        importlib.import_module(f"{__name__}.{_module.name}.run")
