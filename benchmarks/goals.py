"""What was set out to be reached, and whether it was."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Reached",
    "reached_at_start",
    "reached_in_boosting",
    "reached_in_files",
    "reached_in_memory",
    "reached_with_runs",
]


@dataclass(frozen=True, kw_only=True)
class Reached:
    """A goal and what was measured; `more` says whether more is better."""

    what: str
    measured: float
    goal: float
    stretch: float | None
    unit: str = "×"
    more: bool = True

    @property
    def verdict(self) -> str:
        """Missed, met, or stretch."""
        if self.stretch is not None and self._at_least(self.stretch):
            return "stretch"
        return "met" if self._at_least(self.goal) else "missed"

    def _at_least(self, bound: float) -> bool:
        return self.measured >= bound if self.more else self.measured <= bound


FILES: dict[tuple[str, str], tuple[float, float]] = {
    ("M", "trec_eval"): (4, 10),
    ("M50", "trec_eval"): (10, 15),
    ("M50", "pytrec_eval"): (5, 10),
    ("M50", "ir-measures"): (13, 25),
    ("M50", "ranx"): (18, 40),
    ("L", "trec_eval"): (8, 10),
    ("L", "pytrec_eval"): (4, 6),
    ("L", "ranx"): (17, 30),
    ("S", "pytrec_eval"): (0.5, 1),
}
"""How many times faster than a peer on files of a size: the goal, and the stretch. Beside trec_eval our time is that
of the whole command; beside libraries, that of the call in Python."""

COMMAND = "rankgauge evaluate"

PEAKS: dict[str, float] = {"M50": 150, "L": 300}
"""Megabytes that the command may take on files of a size."""

RUNS: dict[str, tuple[float, float]] = {"trec_eval": (6, 8), "pytrec_eval": (5, 8)}
"""How many times faster the command is on many runs."""

COMPARED = 3
"""Seconds of processors that a comparison of 129 runs by four measures may take."""

TREC_EVAL_SHARE = 0.85
"""trec_eval's time as a share of pytrec_eval's, where trec_eval itself is not at hand."""

MEMORY: dict[str, tuple[float, float]] = {
    "scikit-learn": (80, 100),
    "scikit-learn, ignore_ties": (10, 12),
    "pytrec_eval on dicts": (50, 75),
}
"""How many times faster than a peer on arrays."""

STARTS: dict[str, tuple[str, float]] = {
    COMMAND: ("import numpy", 2),
    "rankgauge --version": ("python alone", 3),
    "rankgauge --help": ("python alone", 5),
    "import rankgauge": ("python alone", 5),
}
"""How many times as long as another command each may take."""

BOOSTED = 5
"""Percent of a boosting round that the metric may take."""


def reached_in_files(walls: dict[str, dict[str, float]], peaks: dict[str, float]) -> list[Reached]:
    """The goals on files, from seconds by size and tool and our peak memory by size."""
    found = []
    for (size, peer), (goal, stretch) in FILES.items():
        seconds = walls.get(size, {})
        name, theirs = peer, seconds.get(peer)
        if theirs is None and peer == "trec_eval" and "pytrec_eval" in seconds:
            name, theirs = f"pytrec_eval × {TREC_EVAL_SHARE}", TREC_EVAL_SHARE * seconds["pytrec_eval"]
        if theirs is not None:
            ours = seconds.get(COMMAND) if peer == "trec_eval" else None
            ratio = theirs / (ours or seconds["rankgauge"])
            found.append(Reached(what=f"{size} against {name}", measured=ratio, goal=goal, stretch=stretch))
    for size, goal in PEAKS.items():
        if size in peaks:
            what = f"peak memory on {size}"
            found.append(Reached(what=what, measured=peaks[size], goal=goal, stretch=None, unit=" MB", more=False))
    return found


def reached_at_start(walls: dict[str, float], small: float | None) -> list[Reached]:
    """The goals of start-up, from the seconds of each command and those of the whole command on S."""
    known = walls if small is None else walls | {COMMAND: small}
    named = {COMMAND: "the command on S"}
    return [
        Reached(
            what=f"{named.get(name, name)}, times {other}",
            measured=known[name] / known[other],
            goal=goal,
            stretch=None,
            more=False,
        )
        for name, (other, goal) in STARTS.items()
        if name in known
    ]


def reached_with_runs(walls: dict[str, float], compared: float) -> list[Reached]:
    """The goals on many runs, from the seconds of each tool and the processors' seconds of a comparison."""
    found = [
        Reached(what=f"many runs against {peer}", measured=walls[peer] / walls[COMMAND], goal=goal, stretch=stretch)
        for peer, (goal, stretch) in RUNS.items()
        if peer in walls
    ]
    what = "processors' time of a comparison of many runs"
    return [*found, Reached(what=what, measured=compared, goal=COMPARED, stretch=None, unit=" s", more=False)]


def reached_in_memory(seconds: dict[str, dict[str, float]]) -> list[Reached]:
    """The goals on arrays, from the seconds of each tool by kind of lists."""
    return [
        Reached(what=f"arrays, {kind}, against {peer}", measured=by[peer] / by["rankgauge"], goal=goal, stretch=stretch)
        for kind, by in seconds.items()
        for peer, (goal, stretch) in MEMORY.items()
        if peer in by
    ]


def reached_in_boosting(shares: dict[str, float]) -> list[Reached]:
    """The goals of a metric, from its share of a boosting round by library, in percent."""
    return [
        Reached(what=f"metric of {library}", measured=share, goal=BOOSTED, stretch=None, unit=" %", more=False)
        for library, share in shares.items()
    ]
