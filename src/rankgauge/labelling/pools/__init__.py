"""Pools: which documents to judge, and whether judgments serve runs that had no part in them."""

from rankgauge.labelling.pools.making import MadePool, make_pool
from rankgauge.labelling.pools.reuse import Reuse, reuse

__all__ = ["MadePool", "Reuse", "make_pool", "reuse"]
