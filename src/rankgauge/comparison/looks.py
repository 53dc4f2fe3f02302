"""A gate that is looked at after every commit, and keeps its error rate: each look spends a part of the level.

Look k spends the share log 2 · (1/log(k + 1) − 1/log(k + 2)) of the level. The shares of all looks, however many, add
up to 1, so that the chance that any look raises a false alarm stays below the level, whatever the looks have in common
and whenever one stops (Bonferroni; Lan & DeMets, Biometrika 1983). It falls slowly: the 100th look still has 1/3100.

What was spent is in a small file beside the configuration. Looking at the same values again is the same look.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.numeric import FloatArray
from rankgauge.records import record

KEPT = 12
"""How many letters of a digest tell one look from another."""


def spending(look: int) -> float:
    """Return the share of the level that a look may spend, the first being 1.

    >>> round(spending(1), 3), round(sum(spending(look) for look in range(1, 100_000)), 2)
    (0.369, 0.94)
    """
    return math.log(2) * (1 / math.log(look + 1) - 1 / math.log(look + 2))


@record
class GateLook:
    """A look at a gate: its number among all looks in a file, and the level of them all together."""

    path: Path
    level: float
    seen: tuple[str, ...]
    """What each look saw, as a digest."""
    number: int

    @classmethod
    def take(cls, path: Path, level: float, rules: Iterable[Any], differences: Iterable[FloatArray]) -> GateLook:
        """Look once more, after the looks in the file; values that were seen before are no new look."""
        digest, seen = hashlib.sha256(repr([str(rule) for rule in rules]).encode()), _read(path, level)
        for part in differences:
            digest.update(np.round(np.ascontiguousarray(part, dtype=np.float64), 12).tobytes())
        name = digest.hexdigest()[:KEPT]
        seen = seen if name in seen else (*seen, name)
        return cls(path=path, level=level, seen=seen, number=1 + seen.index(name))

    @property
    def spent(self) -> float:
        """The level of this look alone."""
        return self.level * spending(self.number)

    def write(self) -> None:
        """Write the file of looks, whole or not at all."""
        from rankgauge.files.output import writing

        with writing(self.path) as stream:
            said = {"level": self.level, "looks": list(self.seen)}
            stream.write((json.dumps(said, indent=1) + "\n").encode())

    @property
    def words(self) -> str:
        """What this look spends."""
        return (
            f"{self.number} of those in {self.path.name}, at {self.spent:.2g}: the chance that any look raises a "
            f"false alarm stays below {self.level:g}, however many there are"
        )


def _read(path: Path, level: float) -> tuple[str, ...]:
    """Read the looks so far; without a file there were none."""
    if not path.exists():
        return ()
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        stored, seen = float(said["level"]), tuple(str(one) for one in said["looks"])
    except (OSError, ValueError, TypeError, KeyError):
        raise InputError("is no file of looks at a gate", path=path, hint="Delete it to begin anew.") from None
    if stored != level:
        raise InputError(
            f"has looks at the level {stored:g}, and now it is {level:g}: their sum would mean nothing",
            path=path,
            hint=f"Say alpha = {stored:g}, or delete it to begin anew.",
        )
    return seen
