"""What in a data set bends scores: a check is one entry in one of the files; dropping a file in registers it."""

import importlib
import pkgutil

from rankgauge.audit.lint.base import Check, Finding, Subject, registry
from rankgauge.audit.lint.measured import Lint, Shift, lint

__all__ = ["Check", "Finding", "Lint", "Shift", "Subject", "lint", "registry"]

for _name in ("queries", "documents", "grades", "files"):  # what is told first comes first
    importlib.import_module(f"{__name__}.{_name}")
for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
