"""Pools: what TREC-8's judgments say of runs that had no part in them."""

from rankgauge.experiments.pages.pools import run

__all__ = ["run"]
