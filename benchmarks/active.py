"""What planning an active evaluation costs: q* on a pool of MSLR's size, and how its time grows.

python -m benchmarks.active            the goals, then the growth
--quick         a hundredth of the pool, to see that it works
--repeat 3      how often each growth cell runs; the quickest counts
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import polars as pl

from benchmarks.costs import Cost, measure, module
from benchmarks.goals import Reached
from rankgauge.labelling.moments import moments
from rankgauge.labelling.pool import Pool
from rankgauge.labelling.target import Target


@dataclass(frozen=True, kw_only=True)
class Case:
    """A measure on a pool of a size."""

    measure: str
    rankers: int = 1
    queries: int = 31_531
    documents: int = 119
    grades: int = 5

    @property
    def name(self) -> str:
        """The measure as papers call it: ERR, ΔERR."""
        return ("Δ" if self.rankers == 2 else "") + self.measure.partition("(")[0]


ERR, DCG = "ERR(max_grade={top})", "DCG(gain='exp')"
MSLR = {
    Case(measure=ERR): 5.0,
    Case(measure=DCG): 5.0,
    Case(measure=ERR, rankers=2): 60.0,
    Case(measure=DCG, rankers=2): 60.0,
}
"""The cases of MSLR's size, and the seconds that q* may take."""

MEMORY = 2048.0
"""The megabytes that a process with such a pool may take."""

SMALL = Case(measure=ERR, queries=2000, documents=120)
GROWTH: dict[str, tuple[Case, str, tuple[int, ...]]] = {
    "queries": (SMALL, "queries", (2000, 4000, 8000, 16000)),
    "grades": (SMALL, "grades", (16, 32, 64, 128)),
    "list length": (SMALL, "documents", (120, 240, 480, 960)),
    "length of two lists": (replace(SMALL, rankers=2, queries=250), "documents", (120, 240, 480, 960)),
}
"""What grows: the case, the part of it that grows, and its sizes."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the tables line by line as they come."""
    asked = _parser().parse_args(arguments)
    if asked.case:
        print(json.dumps(_run(Case(**json.loads(asked.case)), asked.repeat)))
        return 0
    for part in (_goals, _growth):
        for line in part(asked):
            print(line, flush=True)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--case", help="one case as JSON: what a child process runs")
    return parser


def _goals(asked: argparse.Namespace) -> Iterator[str]:
    yield "| q* on a pool of | measure | seconds | CPU seconds | pool from a frame | peak memory | goal |"
    yield "|---|---|---|---|---|---|---|"
    for case, most in MSLR.items():
        case = replace(case, queries=case.queries // 100) if asked.quick else case
        found, cost = _child(case, 1)
        quick = Reached(what="seconds", measured=found["wall"], goal=most, stretch=None, more=False)
        small = Reached(what="memory", measured=cost.memory, goal=MEMORY, stretch=None, more=False)
        yield (
            f"| {case.queries:,} × {case.documents} × {case.grades} | {case.name} | {found['wall']:.2f} s "
            f"| {found['cpu']:.2f} s | {found['build']:.1f} s | {cost.memory:,.0f} MB "
            f"| under {most:g} s: {quick.verdict}; under {MEMORY / 1024:g} GB: {small.verdict} |"
        )


def _growth(asked: argparse.Namespace) -> Iterator[str]:
    yield "\n| what grows | measure | sizes | CPU seconds | time grows as | last doubling |"
    yield "|---|---|---|---|---|---|"
    for what, (case, part, sizes) in GROWTH.items():
        for measured in (ERR, DCG):
            cases = [replace(case, measure=measured, **{part: size}) for size in sizes]
            cases = [replace(one, queries=max(one.queries // 100, 5)) if asked.quick else one for one in cases]
            seconds = [_child(one, asked.repeat)[0]["cpu"] for one in cases]
            slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
            shown = ", ".join(f"{second:.3f}" for second in seconds)
            yield (
                f"| {what} | {cases[0].name} | {', '.join(map(str, sizes))} | {shown} | size^{slope:.2f} "
                f"| × {seconds[-1] / seconds[-2]:.2f} |"
            )


def _child(case: Case, repeat: int) -> tuple[dict[str, float], Cost]:
    """What a process of its own measures, and what it costs."""
    cost = measure(module("benchmarks.active", "--case", json.dumps(asdict(case)), "--repeat", repeat))
    return json.loads(cost.output), cost


def _run(case: Case, repeat: int) -> dict[str, float]:
    start = time.perf_counter()
    pool = _pool(case)
    build = time.perf_counter() - start
    walls, cpus = [], []
    for _ in range(repeat):
        wall, cpu = time.perf_counter(), time.process_time()
        _design(pool, case.measure.format(top=case.grades - 1))
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return {"build": build, "wall": min(walls), "cpu": min(cpus)}


def _design(pool: Pool, measure: str) -> np.ndarray:
    """q* of Sawade et al. 2012: √(E[(L − R)²] / λ), scaled to 1."""
    found = moments(pool, Target.of(measure, pool))
    design = np.sqrt(found.about() / pool.query_costs)
    assert np.isfinite(design).all()
    return design / design.sum()


def _pool(case: Case) -> Pool:
    """A pool of lists in random orders, the second a disturbed first, with random beliefs."""
    rng = np.random.default_rng(7)
    rows = case.queries * case.documents
    first = rng.standard_normal(rows)
    frame = pl.DataFrame(
        {
            "query": np.repeat(np.arange(case.queries), case.documents),
            "document": np.tile(np.arange(case.documents), case.queries),
            "score_1": first,
            **({"score_2": first + rng.standard_normal(rows)} if case.rankers == 2 else {}),
        }
    )
    beliefs = rng.random((rows, case.grades))
    beliefs /= beliefs.sum(axis=1, keepdims=True)
    return Pool.of(frame, grades=np.arange(case.grades), beliefs=beliefs)


if __name__ == "__main__":
    sys.exit(main())
