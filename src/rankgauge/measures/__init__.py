"""RANKED LISTS → VALUES: one file per measure; the folder is its family. Dropping a file in registers it."""

from rankgauge.measures.base import Aggregate, Cutoff, Example, Facts, Measure, TieRule, registry
from rankgauge.measures.discovery import FAMILIES
from rankgauge.measures.names import as_list, parse
from rankgauge.measures.printed import Listed, Printed
from rankgauge.measures.trec_names import parse_all, resolve, trec_name

__all__ = [
    "FAMILIES",
    "Aggregate",
    "Cutoff",
    "Example",
    "Facts",
    "Listed",
    "Measure",
    "Printed",
    "TieRule",
    "as_list",
    "parse",
    "parse_all",
    "registry",
    "resolve",
    "trec_name",
]
