"""Discovery: which files hold rankers. A ranker's file is loaded when its name is asked for."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

__all__ = ["load", "load_all", "plain"]


def plain(name: str) -> str:
    """The name as it is compared: `CoordinateAscent`, `coordinate-ascent` and `coordinate_ascent` are one."""
    return name.lower().replace("-", "").replace("_", "")


@cache
def _modules() -> dict[str, str]:
    """The modules of this package, by the plain names of their files."""
    package = importlib.import_module(str(__package__))
    return {plain(m.name): f"{package.__name__}.{m.name}" for m in pkgutil.iter_modules(package.__path__)}


def load(name: str) -> None:
    """Loads the file that is named for the ranker, if there is one."""
    if plain(name) in _modules():
        importlib.import_module(_modules()[plain(name)])


@cache
def load_all() -> None:
    """Loads every file."""
    for module in _modules().values():
        importlib.import_module(module)
