"""Evaluate rankings on graded relevance."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rankgauge.audit.tools import audit
    from rankgauge.charts import plot
    from rankgauge.comparison import Comparison, compare
    from rankgauge.dialects import Dialect
    from rankgauge.dialects import get as dialect
    from rankgauge.errors import InputError, MissingExtraError, ParameterError, RankGaugeError, UnknownNameError
    from rankgauge.evaluation.arrays import score_arrays
    from rankgauge.evaluation.evaluation import evaluate
    from rankgauge.evaluation.result import Result
    from rankgauge.files import read_judgments, read_letor, read_run, write_judgments, write_run
    from rankgauge.fusion import fuse, fusion_gain, tune_fusion
    from rankgauge.judgments import agreement, binarise, combine, scale
    from rankgauge.measures import Measure
    from rankgauge.measures import parse as measure
    from rankgauge.measures.defined import define
    from rankgauge.policies import Ties
    from rankgauge.statistics.correlation import kendall_tau, tau_ap
    from rankgauge.statistics.similarity import rbo

__all__ = [
    "Comparison",
    "Dialect",
    "InputError",
    "Measure",
    "MissingExtraError",
    "ParameterError",
    "RankGaugeError",
    "Result",
    "Ties",
    "UnknownNameError",
    "agreement",
    "audit",
    "binarise",
    "combine",
    "compare",
    "define",
    "dialect",
    "evaluate",
    "fuse",
    "fusion_gain",
    "kendall_tau",
    "measure",
    "plot",
    "rbo",
    "read_judgments",
    "read_letor",
    "read_run",
    "scale",
    "score_arrays",
    "tau_ap",
    "tune_fusion",
    "write_judgments",
    "write_run",
]
__version__ = "0.3.0"

_HOMES = {
    "audit.tools": ["audit"],
    "evaluation.arrays": ["score_arrays"],
    "comparison": ["Comparison", "compare"],
    "dialects": ["Dialect", "dialect:get"],
    "errors": ["InputError", "MissingExtraError", "ParameterError", "RankGaugeError", "UnknownNameError"],
    "evaluation.evaluation": ["evaluate"],
    "fusion": ["fuse", "fusion_gain", "tune_fusion"],
    "files": ["read_judgments", "read_letor", "read_run", "write_judgments", "write_run"],
    "judgments": ["agreement", "binarise", "combine", "scale"],
    "measures": ["Measure", "measure:parse"],
    "measures.defined": ["define"],
    "policies": ["Ties"],
    "charts": ["plot"],
    "evaluation.result": ["Result"],
    "statistics.correlation": ["kendall_tau", "tau_ap"],
    "statistics.similarity": ["rbo"],
}
"""The public names of each module (name:its name there). They load on first use, so that `rankgauge --help` is fast."""

_FOUND = {
    name.partition(":")[0]: (f"{__name__}.{module}", name.rpartition(":")[2])
    for module, names in _HOMES.items()
    for name in names
}


def __getattr__(name: str) -> Any:
    if name not in _FOUND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    module, inner = _FOUND[name]
    return getattr(importlib.import_module(module), inner)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
