"""One constant per tool, every field citing the behaviour it copies. Dropping a file in registers it."""

import importlib
import pkgutil
import re
from collections.abc import Mapping

from rankgauge.dialects import base
from rankgauge.dialects.base import Dialect, Printed
from rankgauge.errors import UnknownNameError

__all__ = ["Dialect", "Printed", "get", "registry"]


def registry() -> Mapping[str, Dialect]:
    """Every dialect by its name."""
    for module in _modules():
        importlib.import_module(f"{__name__}.{module}")
    return base.registry()


def get(name: str | Dialect) -> Dialect:
    """The dialect of that name; its file is looked for first, so that one dialect does not cost the start of all."""
    if isinstance(name, Dialect):
        return name
    module = re.sub(r"\W+", "_", name)
    if module in _modules():
        importlib.import_module(f"{__name__}.{module}")
    known = base.registry()
    known = known if name in known else registry()
    if name not in known:
        raise UnknownNameError("dialect", name, known)
    return known[name]


def _modules() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(__path__)]
