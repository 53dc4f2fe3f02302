"""How much of what a measure looks at is judged: of the first k documents of each list, or of all that was retrieved.

A value says little where nobody judged what it looks at, so this share comes before any verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.numeric import IndexArray
from rankgauge.ranking import Hits
from rankgauge.ranking.lists import UNJUDGED

LEAST = 0.2
"""The share of the documents that could be judged below which values say nothing of a run: far below what new
runs have on TREC collections, far above what ids that do not match leave."""

NONE = 0.01
"""Below this share next to no id of a run is an id of the judgments."""


@dataclass(frozen=True, kw_only=True)
class JudgedShare:
    """How many documents a measure looks at (`listed`), how many of these are judged, and how many could be.

    A query with three judged documents allows no more than three judged ones among the first ten, so `possible` counts
    three for it. `depth` is the measure's cutoff, 0 for whole lists.
    """

    depth: int
    listed: int
    judged: int
    possible: int
    relevant_only: bool = False
    """Whether every judged document has the same grade: such a file lists what is relevant, and not what was looked
    at."""

    @property
    def share(self) -> float:
        """The share of the documents that are judged; NaN where a run lists nothing."""
        return self.judged / self.listed if self.listed else np.nan

    @property
    def unjudged(self) -> int:
        """How many documents nobody judged."""
        return self.listed - self.judged

    @property
    def is_thin(self) -> bool:
        """Whether so little is judged that values mean nothing."""
        return self.reach < (NONE if self.relevant_only else LEAST)

    @property
    def reach(self) -> float:
        """The share judged of the documents that could be."""
        return self.judged / self.possible if self.possible else 1.0

    @property
    def place(self) -> str:
        """What it is a share of, in words."""
        return f"the top {self.depth}" if self.depth else "all retrieved documents"


def judged_share(hits: Hits, depth: int, queries: IndexArray, judged: IndexArray | None = None) -> JudgedShare:
    """Count the judged documents among the first `depth` of each list (0: of whole lists), over some of the queries.

    `judged` counts those of every query, where the ranks of the hits are not known.
    """
    hits, limit = hits.whole, depth or np.inf
    judged = judged_within(hits, depth) if judged is None else judged
    pooled = hits.pool_grade > UNJUDGED
    pool = np.bincount(hits.pool_query[pooled], minlength=len(hits.names))
    listed = np.minimum(hits.retrieved, limit)
    # A list that has only unjudged documents is empty once they are taken out: a document of it could be judged.
    possible = np.minimum(np.maximum(listed, hits.is_answered), pool)
    grades = hits.pool_grade[pooled]
    return JudgedShare(
        depth=depth,
        listed=int(listed[queries].sum()),
        judged=int(judged[queries].sum()),
        possible=int(possible[queries].sum()),
        relevant_only=bool(len(grades)) and float(grades.min()) == float(grades.max()),
    )


def judged_within(hits: Hits, depth: int) -> IndexArray:
    """Count the judged documents among the first `depth` of each list (0: of whole lists)."""
    hits = hits.whole
    inside = (hits.rank <= (depth or np.inf)) & (hits.grade > UNJUDGED)
    return np.bincount(hits.query[inside], minlength=len(hits.names))


def thinnest(shares: Sequence[JudgedShare]) -> JudgedShare | None:
    """The share that is too small for a value to mean anything, the smallest first; None if none is."""
    return min((one for one in shares if one.is_thin), key=lambda one: one.reach, default=None)


def percent(share: JudgedShare, *, unjudged: bool = False) -> str:
    """The share judged, or unjudged, in per cent; neither all nor none unless it is."""
    if not share.listed:
        return "–"
    rounded = round(100 * (share.unjudged if unjudged else share.judged) / share.listed)
    if 0 < share.judged < share.listed:
        return "under 1 %" if rounded < 1 else "over 99 %" if rounded > 99 else f"{rounded} %"
    return f"{rounded} %"


def too_few(run: str, judged: Mapping[str, JudgedShare], share: JudgedShare | None = None) -> str | None:
    """Say how little of a run is judged, by the shares of its measures: the thinnest, or the one that is given.

    It names the measures for which it holds, unless it holds for all. None if enough is judged.
    """
    share = thinnest(list(judged.values())) if share is None else share
    if share is None:
        return None
    for_ = ", ".join(name for name, one in judged.items() if one.depth == share.depth)
    fine = not all(one.is_thin for one in judged.values())
    place = f"documents in {share.place}" if share.depth else "retrieved documents"
    verb = "is" if share.judged <= 1 else "are"
    counted = f"{share.judged or 'none'} of the {share.listed:,} {place} {verb} ({percent(share)})"
    what, values = (f" for {for_}", f"values of {for_}") if fine else ("", "values")
    return f"hardly anything of {run} is judged{what}: {counted}, so its {values} say nothing"


def remedy(mismatch: str | None) -> str:
    """What to look at, or to type, if next to nothing of a run is judged; `mismatch` is why it looks like a mistake."""
    if mismatch is not None:
        return mismatch[:1].upper() + mismatch[1:]
    return "Judge its documents (rankgauge pool make), or look at the files (rankgauge audit lint)"
