"""TABLES → TABLES: scales, several assessors made one, how far they agree, graded made binary."""

from rankgauge.files.scales import SCALES, Scale
from rankgauge.files.scales import get as scale
from rankgauge.judgments.agreement import Agreement, agreement
from rankgauge.judgments.combination import RULES, CrowdModel, Rule, binarise, combine, counts, dawid_skene, level_of

__all__ = [
    "RULES",
    "SCALES",
    "Agreement",
    "CrowdModel",
    "Rule",
    "Scale",
    "agreement",
    "binarise",
    "combine",
    "counts",
    "dawid_skene",
    "level_of",
    "scale",
]
