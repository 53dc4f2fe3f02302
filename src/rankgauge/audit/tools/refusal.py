"""Why a tool refuses an input, in a sentence or two."""

from __future__ import annotations

from rankgauge.errors import RankGaugeError


def reason(error: RankGaugeError) -> str:
    """What an error says, in one paragraph."""
    problem, *hints = str(error).splitlines()
    return ". ".join([problem, *(hint.strip() for hint in hints)])
