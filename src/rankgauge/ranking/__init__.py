"""TABLES → RANKED LISTS: join, order, ties, cut."""

from rankgauge.ranking.frames import Ranking, rank
from rankgauge.ranking.hits import Block, Hits
from rankgauge.ranking.lists import UNJUDGED, RankedLists, total

__all__ = ["UNJUDGED", "Block", "Hits", "RankedLists", "Ranking", "rank", "total"]
