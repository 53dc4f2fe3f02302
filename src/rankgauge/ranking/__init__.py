"""TABLES → RANKED LISTS: join, order, ties, cut."""

from rankgauge.ranking.frames import rank, rank_stream
from rankgauge.ranking.hits import Block, Hits, Ranking
from rankgauge.ranking.lists import UNJUDGED, RankedLists, total
from rankgauge.ranking.sampling import Sampling

__all__ = ["UNJUDGED", "Block", "Hits", "RankedLists", "Ranking", "Sampling", "rank", "rank_stream", "total"]
