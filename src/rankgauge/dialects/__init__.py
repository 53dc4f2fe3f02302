"""One constant per tool, every field citing the behaviour it copies. Dropping a file in registers it."""

import importlib
import pkgutil

from rankgauge.dialects.base import Dialect, Printed, registry
from rankgauge.errors import UnknownNameError

__all__ = ["Dialect", "Printed", "get", "registry"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")


def get(name: str | Dialect) -> Dialect:
    """The dialect of that name."""
    if isinstance(name, Dialect):
        return name
    known = registry()
    if name not in known:
        raise UnknownNameError("dialect", name, known)
    return known[name]
