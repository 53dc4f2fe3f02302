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
        raise _unknown(name, known)
    return known[name]


def _unknown(name: str, known: Mapping[str, Dialect]) -> UnknownNameError:
    """The error for a name that is not known, or for several names where one is wanted."""
    parts = [part.strip() for part in name.split(",")]
    if len(parts) > 1 and known.keys() >= set(parts):
        side = "One dialect at a time here; 'rankgauge audit' shows several side by side."
        return UnknownNameError("dialect", name, known, near=(), otherwise=side)
    return UnknownNameError("dialect", name, known)


def _modules() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(__path__)]
