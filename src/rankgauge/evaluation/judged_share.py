"""How much of what a measure looks at is judged: of the first k documents of each list, or of all that was retrieved.

A value says little where nobody judged what it looks at, so this share comes before any verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.policies import Ties
from rankgauge.ranking import Hits
from rankgauge.ranking.hits import tally
from rankgauge.ranking.lists import UNJUDGED
from rankgauge.records import record
from rankgauge.render.numbers import count
from rankgauge.render.passages import Paragraph

if TYPE_CHECKING:
    from rankgauge.evaluation.result import Result

LEAST = 0.2
"""The share of the documents that could be judged below which values say nothing of a run: far below what new
runs have on TREC collections, far above what ids that do not match leave."""

FEW = 0.05
"""Up to this share of the queries, or one of them, may show nothing."""

NONE = 0.01
"""Below this share next to no id of a run is an id of the judgments."""


def is_many(some: int, queries: int) -> bool:
    """Say whether so many of the queries show nothing that the others do not speak for all."""
    return some > max(1, FEW * queries)


@record
class JudgedShare:
    """How many documents a measure looks at (`listed`), how many of these are judged, and how many could be.

    A query with three judged documents allows no more than three judged ones among the first ten, so `possible` counts
    three for it. `depth` is the measure's cutoff, 0 for whole lists. Where values are means over all orders of tied
    documents, `judged` is how many to expect there.
    """

    depth: int
    listed: int
    judged: float
    possible: int
    relevant_only: bool = False
    """Whether all judged documents have the same grade above 0, but for those of queries with nothing relevant: such a
    file lists relevant documents only."""
    misplaced: bool = False
    """Whether lists hold what is judged for other queries."""

    @property
    def share(self) -> float:
        """The share of the documents that are judged; NaN where a run lists nothing."""
        return self.judged / self.listed if self.listed else np.nan

    @property
    def unjudged(self) -> int:
        """How many documents nobody judged."""
        return math.ceil(self.listed - self.judged)

    @property
    def is_thin(self) -> bool:
        """Whether so little is judged that values mean nothing."""
        return self.misplaced or self.reach < (NONE if self.relevant_only else LEAST)

    @property
    def reach(self) -> float:
        """The share judged of the documents that could be."""
        return self.judged / self.possible if self.possible else 1.0

    @property
    def place(self) -> str:
        """What it is a share of, in words."""
        return f"the top {self.depth}" if self.depth else "all retrieved documents"


def judged_share(hits: Hits, depth: int, queries: IndexArray, judged: FloatArray) -> JudgedShare:
    """Add up the `judged` documents among the first `depth` of each list (0: of whole lists), over some queries."""
    hits, limit = hits.whole, depth or np.inf
    pooled = hits.pool_grade > UNJUDGED
    kept = slice(None) if pooled.all() else pooled
    pool, grades = tally(hits.pool_query[kept], len(hits.names)), hits.pool_grade[kept]
    positive = np.zeros(len(hits.names), dtype=bool)
    positive[hits.pool_query[kept][grades > 0]] = True
    grades = grades[positive[hits.pool_query[kept]]]
    listed = np.minimum(hits.retrieved, limit)
    # A list that has only unjudged documents is empty once they are taken out: a document of it could be judged.
    possible = np.minimum(np.maximum(listed, hits.is_answered), pool)
    return JudgedShare(
        depth=depth,
        listed=int(listed[queries].sum()),
        judged=_whole(float(judged[queries].sum())),
        possible=int(possible[queries].sum()),
        relevant_only=bool(len(grades)) and 0 < float(grades.min()) == float(grades.max()),
        misplaced=hits.misplaced,
    )


def judged_within(hits: Hits, depth: int, ties: Ties) -> FloatArray:
    """Count the judged documents among the first `depth` of each list (0: of whole lists).

    Where the order of tied documents is averaged, each counts as often as it is among them.
    """
    hits, limit, n = hits.whole, depth or np.inf, len(hits.names)
    known = hits.grade > UNJUDGED
    averaged = known & (hits.size > 1) if ties is Ties.EXPECTED else np.zeros(len(known), dtype=bool)
    counts = tally(hits.query[known & ~averaged & (hits.rank <= limit)], n).astype(np.float64)
    first, size = hits.first[averaged].astype(np.float64), hits.size[averaged].astype(np.float64)
    return counts + np.bincount(hits.query[averaged], np.clip(limit - first + 1.0, 0.0, size) / size, minlength=n)


def _whole(number: float) -> float:
    """Return a count as a whole number, unless it is a mean that is none."""
    return round(number) if abs(number - round(number)) < 1e-6 else number


def thinnest(shares: Sequence[JudgedShare]) -> JudgedShare | None:
    """Return the share that is too small for a value to mean anything, the smallest first; None if none is."""
    return min((one for one in shares if one.is_thin), key=lambda one: one.reach, default=None)


def percent(share: JudgedShare, *, unjudged: bool = False) -> str:
    """Return the share judged, or unjudged, in per cent; neither all nor none unless it is."""
    if not share.listed:
        return "–"
    rounded = round(100 * (share.listed - share.judged if unjudged else share.judged) / share.listed)
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
    number = f"{round(share.judged, 1):,}" if share.judged else "none"
    counted = f"{number} of the {share.listed:,} {place} {verb} ({percent(share)})"
    what, values = (f" for {for_}", f"values of {for_}") if fine else ("", "values")
    if share.misplaced:
        part = f"{percent(share)} of {share.place} is judged"
        return f"lists of {run} seem to be other queries' ({part}), so its values say nothing"
    return f"hardly anything of {run} is judged{what}: {counted}, so its {values} say nothing"


def remedy(mismatch: str | None) -> str:
    """What to look at, or to type, if next to nothing of a run is judged; `mismatch` is why it looks like a mistake."""
    if mismatch is not None:
        return mismatch[:1].upper() + mismatch[1:]
    return "Judge its documents (rankgauge pool make), or look at the files (rankgauge audit lint)"


NAMED = 3
"""Up to so many runs are named one by one."""

Results: TypeAlias = "Mapping[str, Result]"


def is_complete(results: Results) -> bool:
    """Say whether everything that the measures look at is judged."""
    return all(share.judged == share.listed for result in results.values() for share in result.judged.values())


def judged_line(results: Results) -> str:
    """Return which share of the measures' depth is judged, for each run: 77 % (bm25), 75 % (dense) of the top 10."""
    if is_complete(results):
        return "everything that the measures look at"
    shares = {run: {one.depth: one for one in result.judged.values()} for run, result in results.items()}
    depths = sorted(next(iter(shares.values())), key=lambda depth: (not depth, depth))
    return " and ".join(_of_depth({run: share[depth] for run, share in shares.items()}) for depth in depths)


def _of_depth(shares: Mapping[str, JudgedShare]) -> str:
    """Return the shares of the runs at one depth; of many runs the least and the most."""
    place = next(iter(shares.values())).place
    told = {run: percent(one) for run, one in shares.items()}
    if len(set(told.values())) == 1:
        return f"{next(iter(told.values()))} of {place}"
    named = list(told.items())
    if len(named) > NAMED:
        ordered = sorted(shares, key=lambda run: shares[run].share)
        return " to ".join(f"{told[run]} ({run})" for run in (ordered[0], ordered[-1])) + f" of {place}"
    return ", ".join(f"{words} ({run})" for run, words in named) + f" of {place}"


def is_relevant_only(results: Results) -> bool:
    """Say whether the judgments list relevant documents alone, so that nobody knows which others were looked at."""
    return any(share.relevant_only for result in results.values() for share in result.judged.values())


RELEVANT_ONLY = (
    "every judged document has the same grade, so the judgments may list relevant documents only: whether others were "
    "looked at is not known"
)


def warnings(results: Results) -> Iterator[str]:
    """One sentence for each run of which so little is judged that its values mean nothing, or of which more than a few
    searches failed: why, and what to do."""
    for run, result in results.items():
        if (words := result.thin_words(run)) is not None:
            yield words
        failed, counted = len(result.hits.failed), len(result.counted)
        if is_many(failed, failed + counted):
            yield (
                f"{failed:,} of {failed + counted:,} searches of {run} failed, so its means rest on "
                f"{count(counted, 'query', 'queries')} alone. Search again"
            )


def passages(results: Results, *, always: bool, unjudged: str) -> Iterator[Paragraph]:
    """Yield the share judged, and warnings, before anything else; `unjudged` says what becomes of other documents."""
    for words in warnings(results):
        yield Paragraph(f"Warning: {words}" + "." * (not words.endswith("?")), strong=True)
    if is_complete(results):
        if always:
            yield Paragraph(f"Judged: {judged_line(results)}.")
        return
    words = f"{unjudged}; {RELEVANT_ONLY}" if is_relevant_only(results) else unjudged
    yield Paragraph(f"Judged: {judged_line(results)}; {words}.")


def data(results: Results) -> list[dict[str, Any]]:
    """Return a row for each run and measure, for programs."""
    return [
        {
            "run": run,
            "measure": measure,
            "depth": share.depth or None,
            "listed": share.listed,
            "judged": share.judged,
            "share": share.share,
            "enough": not share.is_thin,
        }
        for run, result in results.items()
        for measure, share in result.judged.items()
    ]
