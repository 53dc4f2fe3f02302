"""The gate: how often missing judgments alone make a run look worse, on two TREC collections."""

from rankgauge.papers.pages.gate import run

__all__ = ["run"]
