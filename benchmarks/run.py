"""Times and memory of RankGauge beside its peers, in one run: python -m benchmarks.run.

--only S,M,M50,L,runs,memory,boosting,growth,startup   some of the parts
--repeat 3      how often each command runs; the quickest counts
--quick         a hundredth of the data, to see that it works
--growth 1,5,20 millions of run lines
--write         docs/benchmarks.md, and the table of the README
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import boosting, compiled, excerpt, peers, trec_eval
from benchmarks.costs import ROOT, Cost, measure, module
from benchmarks.generate import DATA, MANY, SIZES, Size, generate, generate_many
from benchmarks.goals import (
    Reached,
    reached_at_start,
    reached_in_boosting,
    reached_in_files,
    reached_in_memory,
    reached_with_runs,
)

PARTS = (*SIZES, "runs", "memory", "boosting", "growth", "startup")
PAGE, README = ROOT / "docs" / "benchmarks.md", ROOT / "README.md"
SLOW = ("ir-measures", "ranx")
OURS, COMMAND = "rankgauge", "rankgauge evaluate"
"""The call in Python, and the whole command."""

STARTS = 10
"""How often a command starts; the quickest counts."""

ASKED = "nDCG@10,AP,RR,P@10,R@1000,ERR@10"


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What the parts measured: goals, and the cost of each tool by size."""

    goals: list[Reached] = field(default_factory=list)
    costs: dict[str, dict[str, Cost]] = field(default_factory=dict)
    runs: dict[str, Cost] = field(default_factory=dict)
    """The cost of many runs by tool."""


def main(arguments: list[str] | None = None) -> int:
    """Runs the parts that were asked for, and prints the page."""
    asked = _parser().parse_args(arguments)
    found = Findings()
    page = "\n".join(_page(asked, found)) + "\n"
    if asked.write:
        PAGE.write_text(page)
    if asked.write and found.costs:
        README.write_text(excerpt.filled(README.read_text(), found.costs, found.runs))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(PARTS))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--growth", type=lambda text: [float(n) for n in text.split(",")], default=[1.0, 5.0, 20.0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--folder", type=Path, default=DATA)
    return parser


def _page(asked: argparse.Namespace, found: Findings) -> Iterator[str]:
    """The page line by line, printed as it comes."""
    for part in (_facts, _files, _runs, _memory, _boosting, _growth, _startup, _goals):
        for line in part(asked, found):
            print(line, flush=True)
            yield line


def _facts(asked: argparse.Namespace, found: Findings) -> Iterator[str]:
    yield "# Benchmarks"
    yield ""
    yield "Made by `make bench`. Compare numbers within this page only: all were measured in one run on one machine."
    yield ""
    yield f"- {datetime.now(UTC):%Y-%m-%d}, {platform.system()} {platform.machine()}, {_processor()}, "
    yield f"  {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start"
    versions = {"Python": platform.python_version(), "numpy": "", "polars": "", "scikit-learn": ""}
    named = {name: text or peers.version(name) for name, text in versions.items()} | peers.versions()
    yield "- " + ", ".join(f"{name} {text}" for name, text in named.items())
    yield f"- {trec_eval.build()}"
    yield ""


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "processor unknown")


def _scaled(size: Size, quick: bool) -> Size:
    return replace(size, queries=max(size.queries // 100, 5)) if quick else size


def _files(asked: argparse.Namespace, found: Findings) -> Iterator[str]:
    """Each tool on each size, in cold processes."""
    sizes = [_scaled(size, asked.quick) for name, size in SIZES.items() if name in asked.only]
    if not sizes:
        return
    tools = [OURS, COMMAND, *peers.known()]
    yield "## From files to values per query and means"
    yield ""
    yield "nDCG@10, AP, RR, P@10, R@1000, and ERR@10 for RankGauge only. Wall-clock seconds / CPU seconds /"
    yield "peak memory, in a cold process: `rankgauge` is a call in Python, `rankgauge evaluate` the whole command."
    yield ""
    yield "| | " + " | ".join(f"{size.name}: {size.queries:,} × {size.depth:,}" for size in sizes) + " |"
    yield "|---|" + "---|" * len(sizes)
    costs = found.costs
    for size in sizes:
        files = generate(size, folder=asked.folder)
        costs[size.name] = {tool: _tool_cost(tool, *files, repeat=asked.repeat) for tool in tools}
    for tool in tools:
        yield f"| {tool} | " + " | ".join(str(costs[size.name][tool]) for size in sizes) + " |"
    for tool in peers.WIRE:
        cells = (
            str(measure(peers.command(tool, *generate(size, folder=asked.folder)), asked.repeat)) for size in sizes
        )
        yield f"| {tool} | " + " | ".join(cells) + " |"
    yield ""
    yield "The last two rows only touch every byte of the files: what no reader can beat."
    yield ""
    yield from _compiled_scans(asked, sizes)
    walls = {size: {tool: cost.wall for tool, cost in by.items()} for size, by in costs.items()}
    found.goals.extend(reached_in_files(walls, {size: by[COMMAND].memory for size, by in costs.items()}))


def _compiled_scans(asked: argparse.Namespace, sizes: list[Size]) -> Iterator[str]:
    """What a compiled scan would bring."""
    took = {size.name: compiled.scan_cost(*generate(size, folder=asked.folder), asked.repeat) for size in sizes}
    if all(took.values()):
        yield "What would a compiled scan bring? A plain loop in C (`benchmarks/compiled.c`, one thread, from files to"
        yield (
            "judged hits, nothing scored) takes " + ", ".join(f"{cost} on {name}" for name, cost in took.items()) + "."
        )
        yield ""


def _runs(asked: argparse.Namespace, found: Findings) -> Iterator[str]:
    """Many runs on the same judgments."""
    if "runs" not in asked.only:
        return
    qrels, runs = generate_many(3 if asked.quick else MANY, folder=asked.folder)
    yield f"## {len(runs)} runs of TREC-8's shape"
    yield ""
    yield "50 topics, 1,000 documents each, 86,830 judgments. trec_eval takes one run at a time, in a loop of the"
    yield "shell; pytrec_eval reads the judgments once; RankGauge takes all runs at once. `rankgauge compare` tests"
    yield "all pairs of runs by nDCG@10, AP, RR and P@10 as well."
    yield ""
    yield "| | seconds / CPU seconds / memory |"
    yield "|---|---|"
    for tool in (OURS, COMMAND, *(peer for peer in peers.known() if peer not in SLOW)):
        found.runs[tool] = _tool_cost(tool, qrels, *runs, repeat=asked.repeat)
        yield f"| {tool} | {found.runs[tool]} |"
    compared = measure([*_rankgauge("compare"), str(qrels), *map(str, runs), "-m", "nDCG@10,AP,RR,P@10"], asked.repeat)
    yield f"| rankgauge compare | {compared} |"
    yield ""
    found.goals.extend(reached_with_runs({tool: cost.wall for tool, cost in found.runs.items()}, compared.cpu))


def _tool_cost(tool: str, qrels: Path, *runs: Path, repeat: int) -> Cost:
    print(f"  {tool} on {runs[0].name} …", file=sys.stderr, flush=True)
    if tool == OURS:
        return measure(module("benchmarks.ours", qrels, *runs), repeat)
    if tool == COMMAND:
        words = ["-m", ASKED, "-d", "trec_eval", "-c", "-q", "-o", "tsv"]
        return measure([*_rankgauge("evaluate"), str(qrels), *map(str, runs), *words], repeat)
    return measure(peers.command(tool, qrels, *runs), 1 if tool in SLOW else repeat)


def _rankgauge(name: str) -> list[str]:
    """A command as users type it; from a clone that is not installed, the module that it calls."""
    tool = Path(sys.executable).with_name("rankgauge")
    return [str(tool), name] if tool.exists() else module("rankgauge.cli", name)


def _memory(asked: argparse.Namespace, found: Findings) -> Iterator[str]:
    """Lists that are in memory already."""
    if "memory" not in asked.only:
        return
    rows = 1_000 if asked.quick else 100_000
    seconds = json.loads(measure(module("benchmarks.memory", rows)).output)
    yield f"## In memory: nDCG@10 of {rows:,} lists of 100 judged documents, and of one"
    yield ""
    yield "Times RankGauge's in brackets."
    yield ""
    yield "| | " + " | ".join(seconds) + " |"
    yield "|---|" + "---|" * len(seconds)
    for name in dict.fromkeys(name for by in seconds.values() for name in by):
        cells = (f"{_short(by[name])} ({by[name] / by[OURS]:.1f})" if name in by else "" for by in seconds.values())
        yield f"| {name} | " + " | ".join(cells) + " |"
    yield ""
    yield from _compiled_lists(rows, next(iter(seconds.values())))
    found.goals.extend(reached_in_memory(seconds))


def _short(seconds: float) -> str:
    return f"{seconds:.3f} s" if seconds > 0.01 else f"{1e6 * seconds:.0f} µs"


def _compiled_lists(rows: int, by: dict[str, float]) -> Iterator[str]:
    """What a compiled kernel would bring on lists in memory."""
    nanoseconds = compiled.list_nanoseconds(rows)
    if nanoseconds is not None:
        yield "A prototype in C that looks at no ties (`benchmarks/compiled.c`, one thread) takes"
        yield f"{nanoseconds:,.0f} ns a list, RankGauge {1e9 * by[OURS] / rows:,.0f} ns. One list alone is where a"
        yield "compiled kernel would pay: there nearly all of the time is that of calls of NumPy."
        yield ""


def _boosting(asked: argparse.Namespace, found: Findings) -> Iterator[str]:
    """The metric of libraries that boost trees."""
    if "boosting" not in asked.only:
        return
    queries, rounds = (30, 3) if asked.quick else (boosting.QUERIES, boosting.ROUNDS)
    shares = json.loads(measure(module("benchmarks.boosting", queries, rounds)).output)
    yield "## As a metric of boosted trees"
    yield ""
    yield f"nDCG@10 on a generated set like MSLR, 136 features: training on {queries:,} queries of 120 documents on"
    yield f"average, watching these and {queries // 3:,} others. Medians of {rounds} rounds, in milliseconds."
    yield ""
    yield "| | round | metric | share | share of processor time |"
    yield "|---|---|---|---|---|"
    for name, one in shares.items():
        percent = f"{one['share']:.1f} % | {one['share_cpu']:.1f} %"
        yield f"| {name} | {one['round']:.0f} | {one['metric']:.1f} | {percent} |"
    yield ""
    found.goals.extend(reached_in_boosting({name: one["share"] for name, one in shares.items()}))


def _growth(asked: argparse.Namespace, found: Findings) -> Iterator[str]:
    """Longer and longer runs: the time per million lines should stay what it is."""
    if "growth" not in asked.only:
        return
    yield "## Growth"
    yield ""
    yield "| million run lines | seconds / CPU seconds / memory | seconds per million lines, without start-up |"
    yield "|---|---|---|"
    smallest = generate(Size(name="0", queries=50, depth=10, judged=10), folder=asked.folder)
    start = measure(module("benchmarks.ours", *smallest), 5)
    pace = []
    for millions in asked.growth:
        scale = 10 if asked.quick else 1_000
        size = Size(name="growth", queries=round(millions * scale), depth=1_000, judged=50)
        files = generate(size, folder=asked.folder)
        cost = measure(module("benchmarks.ours", *files), asked.repeat)
        pace.append((cost.wall - start.wall) / (size.lines / 1e6))
        yield f"| {size.lines / 1e6:g} | {cost} | {pace[-1]:.3f} |"
        for file in files:
            file.unlink()
    yield ""
    change = 100 * (max(pace) / min(pace) - 1)
    found.goals.append(
        Reached(what="time per million lines, change", measured=change, goal=20, stretch=None, unit=" %", more=False)
    )


def _startup(asked: argparse.Namespace, found: Findings) -> Iterator[str]:
    """What it costs to begin."""
    if "startup" not in asked.only:
        return
    yield "## Start-up"
    yield ""
    yield "| | seconds / CPU seconds / memory |"
    yield "|---|---|"
    jobs = {
        "python alone": [sys.executable, "-c", "pass"],
        "import numpy": [sys.executable, "-c", "import numpy"],
        "import polars": [sys.executable, "-c", "import polars"],
        "import rankgauge": [sys.executable, "-c", "import rankgauge"],
        "import rankgauge and evaluate": [sys.executable, "-c", "from rankgauge import evaluate"],
        "rankgauge --version": [*_rankgauge("--version")],
        "rankgauge --help": [*_rankgauge("--help")],
        "rankgauge evaluate --help": [*_rankgauge("evaluate"), "--help"],
    }
    costs = {name: measure(job, STARTS) for name, job in jobs.items()}
    yield from (
        f"| {name} | {cost.wall:.3f} s / {cost.cpu:.3f} s / {cost.memory:,.0f} MB |" for name, cost in costs.items()
    )
    yield ""
    small = found.costs.get("S", {}).get(COMMAND)
    found.goals.extend(reached_at_start({name: cost.wall for name, cost in costs.items()}, small and small.wall))


def _goals(asked: argparse.Namespace, found: Findings) -> Iterator[str]:
    if not found.goals:
        return
    yield "## Goals"
    yield ""
    yield "| | measured | goal | stretch | |"
    yield "|---|---|---|---|---|"
    for one in found.goals:
        stretch = "" if one.stretch is None else f"{one.stretch:g}{one.unit}"
        yield f"| {one.what} | {one.measured:.1f}{one.unit} | {one.goal:g}{one.unit} | {stretch} | {one.verdict} |"
    yield ""
    yield from WHY


WHY = (
    "Why goals are missed. The command on S is start-up: importing NumPy takes 0.07 s of it, other modules 0.03 s,",
    "Python 0.01 s, the work itself 0.05 s. On larger files the scan has no hot spot left: its time is spread over",
    "some hundred calls of NumPy a chunk, each a pass over memory, and a plain loop in C takes as long (see above).",
    "Lists in memory take less time than those of a loop in C, as sorting is most of it, and scikit-learn without",
    "ties sorts with the same vector instructions. LightGBM and XGBoost need a tenth of a second for a round, in",
    "which some 480,000 documents are scored in 11 to 16 ms.",
)


if __name__ == "__main__":
    sys.exit(main())
