"""How many documents draws that are open may still need, judged by how long the draws so far went on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankgauge.numeric import BoolArray, FloatArray, IndexArray

__all__ = ["remainder"]

TRUST = 3.0
"""So many draws weigh as much in the chance to stop at a length as the draws of all lengths together."""

RECENT = 20
"""So many of the last draws are looked at: later draws may go further, as what was left over is theirs to spend."""

MARGIN = 3.0
"""Standard deviations above the mean: a draw that cannot be finished makes all after it useless."""


def remainder(lengths: Sequence[int], is_open: Sequence[bool]) -> float:
    """The documents that the draws that are open, and a new one after its first, may well need still.

    `lengths` are those of the draws so far, in their order. A draw that has gone far goes on for longer: a hard query
    asks for more. So the chance to stop is that of the draws that came as far (Kaplan & Meier 1958), drawn towards the
    chance over all lengths where these are few. Of what all draws and what the last ones say, the more counts.
    """
    known, going = np.array(lengths, dtype=int), np.array(is_open, dtype=bool)
    open_ = known[going]
    found = [_rest(known, going), _rest(known[-RECENT:], going[-RECENT:])]
    return max(_upper(np.append(rest[np.minimum(open_, len(rest) - 1) - 1], rest[0])) for rest in found)


def _upper(each: FloatArray) -> float:
    """A bound for the sum. Lengths spread about as in an exponential law: the variance of each is near r (1 + r)."""
    return float(each.sum() + MARGIN * np.sqrt((each * (1 + each)).sum()))


def _rest(lengths: IndexArray, is_open: BoolArray) -> FloatArray:
    """How much longer a draw of each length goes, from a length of 1 on."""
    longest = int(lengths.max(initial=1))
    overall, hazard = _hazard(lengths, is_open, longest)
    rest = np.full(longest + 1, (1 - overall) / overall)
    for length in range(longest - 1, -1, -1):
        rest[length] = (1 - hazard[length]) * (1 + rest[length + 1])
    return rest


def _hazard(lengths: IndexArray, is_open: BoolArray, longest: int) -> tuple[float, FloatArray]:
    """The chance to stop at any length, and at each length from 1 on."""
    at = np.arange(1, longest + 1)[:, np.newaxis]
    stops = ((lengths == at) & ~is_open).sum(axis=1)
    # A draw that waits at a length has not yet shown whether it stops there.
    reached = (lengths > at).sum(axis=1) + stops
    overall = float((stops.sum() + 1.0) / (reached.sum() + 1.0))
    return overall, (stops + TRUST * overall) / (reached + TRUST)
