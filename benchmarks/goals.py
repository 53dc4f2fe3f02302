"""What was set out to be reached, and whether it was."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Reached", "reached_in_files", "reached_in_memory"]


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
    ("M50", "trec_eval"): (4, 10),
    ("M50", "pytrec_eval"): (5, 10),
    ("M50", "ir-measures"): (13, 25),
    ("M50", "ranx"): (18, 40),
    ("L", "trec_eval"): (7, 10),
    ("L", "pytrec_eval"): (4, 6),
    ("L", "ranx"): (17, 30),
    ("S", "pytrec_eval"): (0.5, 1),
}
"""How many times faster than a peer on files of a size: the goal, and the stretch."""

TREC_EVAL_SHARE = 0.85
"""trec_eval's time as a share of pytrec_eval's, where trec_eval itself is not at hand."""

MEMORY: dict[str, tuple[float, float]] = {
    "scikit-learn": (50, 77),
    "scikit-learn, ignore_ties": (10, 12),
    "pytrec_eval on dicts": (50, 75),
}


def reached_in_files(walls: dict[str, dict[str, float]], peaks: dict[str, float]) -> list[Reached]:
    """The goals on files, from seconds by size and tool and our peak memory by size."""
    found = []
    for (size, peer), (goal, stretch) in FILES.items():
        seconds = walls.get(size, {})
        name, theirs = peer, seconds.get(peer)
        if theirs is None and peer == "trec_eval" and "pytrec_eval" in seconds:
            name, theirs = f"pytrec_eval × {TREC_EVAL_SHARE}", TREC_EVAL_SHARE * seconds["pytrec_eval"]
        if theirs is not None:
            ratio = theirs / seconds["rankgauge"]
            found.append(Reached(what=f"{size} against {name}", measured=ratio, goal=goal, stretch=stretch))
    if "M50" in peaks:
        peak = peaks["M50"]
        found.append(Reached(what="peak memory on M50", measured=peak, goal=350, stretch=150, unit=" MB", more=False))
    return found


def reached_in_memory(seconds: dict[str, float]) -> list[Reached]:
    """The goals on arrays, from the seconds of each tool."""
    return [
        Reached(
            what=f"arrays against {peer}", measured=seconds[peer] / seconds["rankgauge"], goal=goal, stretch=stretch
        )
        for peer, (goal, stretch) in MEMORY.items()
    ]
