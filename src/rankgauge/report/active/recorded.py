"""What became of labels, in words."""

from __future__ import annotations

from rankgauge.active.labels import Recorded

__all__ = ["told"]

WORDS = {
    "new": "{} recorded",
    "replaced": "{} replaced",
    "same": "{} known already",
    "skipped": "{} cannot be judged",
    "unasked": "{} that nobody asked for: kept, and not used before a draw asks",
    "blank": "{} without a grade",
}


def told(count: Recorded) -> str:
    """The counts that are not 0, between commas."""
    found = [words.format(getattr(count, name)) for name, words in WORDS.items() if getattr(count, name)]
    return ", ".join(found) or "no labels"
