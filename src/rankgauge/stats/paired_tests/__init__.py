"""Whether two runs differ by more than the luck of the queries: one test a file. Dropping a file in registers it."""

import importlib
import pkgutil

from rankgauge.stats.paired_tests.base import PairedTest, Tested, find, registry

__all__ = ["PairedTest", "Tested", "find", "registry"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
