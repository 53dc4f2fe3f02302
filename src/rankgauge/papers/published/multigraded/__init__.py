"""Scheel, Lommatzsch & Albayrak, Performance measures for multi-graded relevance, SPIM 2011."""

from rankgauge.papers.published.multigraded import run

__all__ = ["run"]
