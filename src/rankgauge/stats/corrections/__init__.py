"""What becomes of p-values where many pairs are tested: one correction a file. Dropping a file in registers it."""

import importlib
import pkgutil

from rankgauge.stats.corrections.base import Correction, Family, find, registry

__all__ = ["Correction", "Family", "find", "registry"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
