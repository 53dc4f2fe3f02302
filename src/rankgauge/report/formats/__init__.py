"""One file per output format; dropping a file in registers it."""

import importlib
import pkgutil

from rankgauge.report.base import Format, Report, find, registry

__all__ = ["Format", "Report", "find", "registry"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
