"""TABLES → TABLES: scales, several assessors made one, how far they agree, graded made binary."""

from rankgauge.judgments.agreement import Agreement, agreement
from rankgauge.judgments.combination import RULES, Rule, binarise, combine, counts, level_of
from rankgauge.tables.scales import SCALES, Scale
from rankgauge.tables.scales import get as scale

__all__ = [
    "RULES",
    "SCALES",
    "Agreement",
    "Rule",
    "Scale",
    "agreement",
    "binarise",
    "combine",
    "counts",
    "level_of",
    "scale",
]
