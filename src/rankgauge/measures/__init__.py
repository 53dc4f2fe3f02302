"""RANKED LISTS → VALUES: one file per measure; the folder is its family. Dropping a file in registers it."""

import importlib
import pkgutil

from rankgauge.measures.base import Aggregate, Cutoff, Example, Facts, Measure, TieRule, registry
from rankgauge.measures.names import parse
from rankgauge.measures.printed import Printed
from rankgauge.measures.trec_names import parse_all, resolve, trec_name

__all__ = [
    "FAMILIES",
    "Aggregate",
    "Cutoff",
    "Example",
    "Facts",
    "Measure",
    "Printed",
    "TieRule",
    "parse",
    "parse_all",
    "registry",
    "resolve",
    "trec_name",
]

FAMILIES = ("set", "binary", "graded", "cascade", "scalefree")

for _family in FAMILIES:
    _package = importlib.import_module(f"{__name__}.{_family}")
    for _module in pkgutil.iter_modules(_package.__path__):
        importlib.import_module(f"{_package.__name__}.{_module.name}")
