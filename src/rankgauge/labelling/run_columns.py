"""The columns of a pool's table that hold ranks or scores of runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rankgauge.files import find

NAMED = re.compile(r"(?:rank|score)_(?P<before>.+)|(?P<after>.+)_(?:rank|score)", re.IGNORECASE)
RANK = re.compile(r"(?:^|_)rank(?:_|$)", re.IGNORECASE)

OF_NO_RUN = frozenset({"best_rank"})
"""A column of `rankgauge pool make`: the best rank that any run gives the document."""


def run_columns(columns: Sequence[str]) -> dict[str, str]:
    """The columns by run: score_1, score_2, …; or score; or rank_NAME, score_NAME and the like; or rank.

    Where a run has both ranks and scores, its ranks: they have no ties.
    """
    numbered = dict(_numbered(columns))
    if len(numbered) > 1:
        return numbered
    if "score" in columns:
        return {"ranker": "score"}
    lone = find(columns, "score") or find(columns, "rank")
    return numbered or _named(columns) or ({"ranker": lone} if lone is not None else {})


def is_rank(column: str) -> bool:
    """Whether a column of a run holds ranks, not scores."""
    return RANK.search(column) is not None


def _numbered(columns: Sequence[str]) -> Iterator[tuple[str, str]]:
    for number in range(1, len(columns) + 1):
        if f"score_{number}" not in columns:
            return
        yield f"ranker {number}", f"score_{number}"


def _named(columns: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for column in columns:
        match = None if column in OF_NO_RUN else NAMED.fullmatch(column)
        if match is not None:
            name = match["before"] or match["after"]
            run = f"ranker {name}" if name.isdecimal() else name
            if run not in found or is_rank(column):
                found[run] = column
    return found
