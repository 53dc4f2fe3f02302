"""Judge rankings on graded relevance."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgauge.evaluate import Result, evaluate

__all__ = ["Result", "evaluate"]
__version__ = "0.1.0"

_HOMES = {"Result": "rankgauge.evaluate", "evaluate": "rankgauge.evaluate"}
"""The module that each public name lives in. They load on first use, so that `rankgauge --help` starts fast."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


class _Package(ModuleType):
    """A package in which `rankgauge.evaluate` is the function, also after the module of that name was imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        public = isinstance(value, ModuleType) and name in _HOMES
        super().__setattr__(name, getattr(value, name) if public else value)


sys.modules[__name__].__class__ = _Package
