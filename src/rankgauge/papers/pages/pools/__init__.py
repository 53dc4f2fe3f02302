"""Pools: what TREC-8's judgments say of runs that had no part in them."""

from rankgauge.papers.pages.pools import run

__all__ = ["run"]
