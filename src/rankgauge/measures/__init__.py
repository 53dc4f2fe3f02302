"""RANKED LISTS → VALUES: a file per measure, or per few that are read together; its folder is the family."""

from rankgauge.measures.measure import FAMILIES, MEASURES, Aggregate, Cutoff, Example, Facts, Measure, TieRule
from rankgauge.measures.names import as_list, each, parse, parse_all, resolve, trec_name
from rankgauge.measures.output import Listed, Printed, measures_of

__all__ = [
    "FAMILIES",
    "MEASURES",
    "Aggregate",
    "Cutoff",
    "Example",
    "Facts",
    "Listed",
    "Measure",
    "Printed",
    "TieRule",
    "as_list",
    "each",
    "measures_of",
    "parse",
    "parse_all",
    "resolve",
    "trec_name",
]
