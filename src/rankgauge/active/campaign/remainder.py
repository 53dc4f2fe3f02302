"""How many documents draws that are open may still need, judged by how long the draws so far went on."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

__all__ = ["remainder"]

TRUST = 3.0
"""So many draws weigh as much in the chance to stop at a length as the draws of all lengths together."""

MARGIN = 2.0
"""Standard deviations above the mean: a draw that cannot be finished makes all after it useless."""


def remainder(stopped: Iterable[int], going: Iterable[int]) -> float:
    """The documents that draws of the lengths `going`, and a new one after its first, may well need still.

    `stopped` are the lengths at which draws ended. A draw that has gone far goes on for longer: a hard query asks for
    more. So the chance to stop is that of the draws that came as far (Kaplan & Meier 1958), drawn towards the chance
    over all lengths where these are few. Where every draw asks for all its documents at once, the rest is 0.
    """
    ended, open_ = np.array(list(stopped), dtype=int), np.array(list(going), dtype=int)
    longest = int(max([1, *ended, *open_]))
    lengths = np.arange(1, longest + 1)
    # A draw that waits at a length has not yet shown whether it stops there.
    reached = (ended >= lengths[:, None]).sum(axis=1) + (open_ > lengths[:, None]).sum(axis=1)
    stops = (ended == lengths[:, None]).sum(axis=1)
    overall = (stops.sum() + 1.0) / (reached.sum() + 1.0)
    hazard = (stops + TRUST * overall) / (reached + TRUST)
    rest = np.empty(longest + 1)
    rest[longest] = (1 - overall) / overall
    for length in range(longest - 1, -1, -1):
        rest[length] = (1 - hazard[length]) * (1 + rest[length + 1])
    each = np.append(rest[open_ - 1], rest[0])
    # Lengths spread about as in an exponential law: the variance of each is near r (1 + r).
    return float(each.sum() + MARGIN * np.sqrt((each * (1 + each)).sum()))
