"""TABLES → TABLES: scales, several assessors made one, how far they agree, graded made binary."""

from rankgauge.judgments.agreement import Agreement, agreement
from rankgauge.judgments.binarise import binarise
from rankgauge.judgments.combine import Rule, combine
from rankgauge.judgments.combine import registry as rules
from rankgauge.judgments.items import counts
from rankgauge.judgments.scales import Scale
from rankgauge.judgments.scales import get as scale
from rankgauge.judgments.scales import registry as scales

__all__ = ["Agreement", "Rule", "Scale", "agreement", "binarise", "combine", "counts", "rules", "scale", "scales"]
