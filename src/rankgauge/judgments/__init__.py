"""TABLES → TABLES: scales, several assessors made one, how far they agree, graded made binary."""

from rankgauge.judgments.agreement import Agreement, agreement
from rankgauge.judgments.binarise import binarise
from rankgauge.judgments.combine import RULES, Rule, combine
from rankgauge.judgments.items import counts
from rankgauge.judgments.scales import SCALES, Scale
from rankgauge.judgments.scales import get as scale

__all__ = ["RULES", "SCALES", "Agreement", "Rule", "Scale", "agreement", "binarise", "combine", "counts", "scale"]
