"""Discovery: which files hold measures. A measure's file is loaded when its name is asked for, so that one measure does
not cost the start of all."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

__all__ = ["FAMILIES", "has_file", "load", "load_all"]

FAMILIES = ("set", "binary", "graded", "cascade", "scalefree")


@cache
def _modules() -> dict[str, str]:
    """The modules with measures, by the name of their file."""
    packages = [importlib.import_module(f"{__package__}.{family}") for family in FAMILIES]
    return {m.name: f"{p.__name__}.{m.name}" for p in packages for m in pkgutil.iter_modules(p.__path__)}


def has_file(name: str) -> bool:
    """Whether a file is named for the measure."""
    return name.lower() in _modules()


def load(name: str) -> None:
    """Loads the file that is named for the measure, if there is one."""
    if has_file(name):
        importlib.import_module(_modules()[name.lower()])


@cache
def load_all() -> None:
    """Loads every file with measures."""
    for module in _modules().values():
        importlib.import_module(module)
