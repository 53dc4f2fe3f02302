"""The contract of an engine: judgments and a run in, one result out, wherever it was computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from rankgauge.dialects import Dialect
from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.measures import Measure
from rankgauge.result import Result

__all__ = ["ENGINES", "Engine", "engine"]


class Engine(Protocol):
    """What evaluates runs."""

    def evaluate(
        self, judgments: Any, run: Any, measures: str | Measure | Iterable[str | Measure], *, dialect: str | Dialect
    ) -> Result:
        """How good a run is, by each of the measures; tables are given as the engine's frames, or as paths."""
        ...


def _local(master: str | None) -> Engine:
    from rankgauge.backends.engines.local import Local

    if master is not None:
        raise ParameterError("the engine local", "master", "left away: only spark has one", master)
    return Local()


def _spark(master: str | None) -> Engine:
    from rankgauge.backends.engines.spark import Spark

    return Spark(master=master)


ENGINES: Mapping[str, Callable[[str | None], Engine]] = {"local": _local, "spark": _spark}


def engine(name: str = "local", *, master: str | None = None) -> Engine:
    """The engine of that name; `master` is where Spark runs, as in local[2] or spark://host:7077."""
    if name not in ENGINES:
        raise UnknownNameError("engine", name, ENGINES)
    return ENGINES[name](master)
