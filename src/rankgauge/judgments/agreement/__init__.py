"""How far assessors agree: one file per coefficient. Dropping a file in registers it."""

import importlib
import pkgutil

from rankgauge.judgments.agreement.base import Coefficient, Tally, registry
from rankgauge.judgments.agreement.result import Agreement, agreement

__all__ = ["Agreement", "Coefficient", "Tally", "agreement", "registry"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
