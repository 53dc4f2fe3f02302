"""The contract of an engine: judgments and a run in, one result out, wherever it was computed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from rankgauge.dialects import Dialect
from rankgauge.errors import ParameterError
from rankgauge.evaluation.result import Result
from rankgauge.measures import Measure
from rankgauge.registry import Registry

ENGINES: Registry[type[Engine]] = Registry("engine", "rankgauge.spark.engines")


class Engine(ABC):
    """What evaluates runs. A subclass with a name is registered."""

    name: ClassVar[str]
    distributed: ClassVar[bool] = False
    """Whether it runs on the machines of a `master`."""

    def __init__(self, *, master: str | None = None) -> None:
        if master is not None and not self.distributed:
            raise ParameterError(f"the engine {self.name}", "master", "left out: it runs on this machine", master)
        self.master = master

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        ENGINES.add(cls)

    @abstractmethod
    def evaluate(
        self,
        judgments: Any,
        run: Any,
        measures: str | Measure | Iterable[str | Measure],
        *,
        dialect: str | Dialect = "standard",
    ) -> Result:
        """How good a run is, by each of the measures; tables are given as the engine's frames, or as paths."""

    def evaluate_all(
        self, judgments: Any, runs: Mapping[str, Any], measures: Sequence[Measure], *, dialect: Dialect
    ) -> Iterator[tuple[str, Result]]:
        """The name and the result of each run, in their order; an engine may work on several at once."""
        from rankgauge import files

        for name, run in runs.items():
            with files.traced(run):
                result = self.evaluate(judgments, run, measures, dialect=dialect)
            yield name, result


def engine(name: str = "local", *, master: str | None = None) -> Engine:
    """The engine of that name; `master` is where Spark runs, as in local[2] or spark://host:7077."""
    return ENGINES.find(name)(master=master)
