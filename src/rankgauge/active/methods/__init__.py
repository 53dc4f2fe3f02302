"""Methods of active evaluation: one file each, a design and its estimator. Dropping a file in registers it."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Any

from rankgauge.active.methods.base import Estimate, Method, Plan, Repetitions, registered
from rankgauge.errors import ParameterError, UnknownNameError

__all__ = ["Estimate", "Method", "Plan", "Repetitions", "get", "registry"]


@cache
def _load() -> None:
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")


def registry() -> Mapping[str, type[Method]]:
    """Every method by its name."""
    _load()
    return registered()


def get(name: str | Method, **options: Any) -> Method:
    """The method of that name with its options: get("paper", beliefs="uniform")."""
    if isinstance(name, Method):
        return name
    known = registry()
    if name not in known:
        raise UnknownNameError("method", name, known)
    method = known[name]
    for option in options:
        if option not in method.__dataclass_fields__:
            raise ParameterError(f"method {name}", option, f"one of {', '.join(method.__dataclass_fields__)}", option)
    return method(**options)
