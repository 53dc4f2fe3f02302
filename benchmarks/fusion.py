"""Fusion beside ranx: the same runs, loaded and from files.

    python -m benchmarks.fusion                                as on the page docs/fusion.md: 10 runs × 6,980 × 1,000
    python -m benchmarks.fusion --queries 700 --part 350       a tenth of it

*Loaded*: the runs are in memory, in the form that each tool reads files into, and one call gives the fused run. Each
method runs once before it is timed, so that Numba has compiled ranx's. Ten runs of that size do not fit into 24 GB as
ranx keeps them, so it fuses them part by part, some queries at a time, and the seconds are added up; RankGauge has all
of them at once. *Files*: a cold process reads the files of one part, fuses, and writes a TREC file; what Numba compiled
is in its cache by then. Both have to agree: the numbers of documents and the sums of all fused scores are compared.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.costs import measure, module

__all__ = ["main"]

METHODS = {"rrf": "none", "weighted-sum": "min-max", "combmnz": "min-max"}
"""The methods, each with its normalisation."""

POOL = 3
"""How many times a list's length the pool of a query has: two runs share a third of their documents."""

PIECE = 50
"""How many queries are written at a time."""


def main(arguments: list[str] | None = None) -> None:
    """Prints both tables."""
    asked = _parser().parse_args(arguments)
    if asked.child:
        {"ours": _ours, "ranx": _ranx, "ranx-files": _ranx_files}[asked.child](asked, asked.files)
        return
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        whole, parts = _written(Path(folder), asked)
        _loaded(asked, whole, parts)
        _files(asked, whole, parts[0], Path(folder))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--queries", type=int, default=6_980)
    parser.add_argument("--documents", type=int, default=1_000)
    parser.add_argument("--part", type=int, default=349, help="how many queries ranx fuses at a time")
    parser.add_argument("--methods", type=lambda text: text.split(","), default=list(METHODS))
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--repeat", type=int, default=1, help="how often each fuses loaded runs; the quickest counts")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="*", help=argparse.SUPPRESS)
    return parser


def _written(folder: Path, asked: argparse.Namespace) -> tuple[list[Path], list[list[Path]]]:
    """The runs as TREC files, whole and in parts of some queries."""
    whole = [folder / f"run{number}.txt" for number in range(asked.runs)]
    starts = range(0, asked.queries, asked.part)
    parts = [[folder / f"part{at}.run{number}.txt" for number in range(asked.runs)] for at in range(len(starts))]
    for number, path in enumerate(whole):
        rng = np.random.default_rng(number)
        with path.open("wb") as file:
            for part, start in zip(parts, starts, strict=True):
                with part[number].open("wb") as piece:
                    for low in range(start, min(start + asked.part, asked.queries), PIECE):
                        queries = np.arange(low, min(low + PIECE, start + asked.part, asked.queries))
                        text = _lines(rng, queries, asked.documents, f"run{number}")
                        piece.write(text)
                        file.write(text)
    return whole, parts


def _lines(rng: np.random.Generator, queries: Any, documents: int, tag: str) -> bytes:
    """The lines of some queries; the documents of a query come from a pool that all runs share."""
    size = POOL * documents
    chosen = np.argsort(rng.random((len(queries), size), dtype=np.float32), axis=1)[:, :documents]
    scores = 30.0 - np.cumsum(rng.exponential(0.02, chosen.shape), axis=1)
    frame = pl.select(
        query=pl.Series(np.repeat(queries, documents)),
        second=pl.lit("Q0"),
        document=pl.Series((chosen + (queries * 1_237 % 2_900 * size)[:, np.newaxis]).ravel()),
        rank=pl.Series(np.tile(np.arange(1, documents + 1), len(queries))),
        score=pl.Series(scores.ravel()),
        tag=pl.lit(tag),
    )
    return frame.write_csv(include_header=False, separator=" ", float_precision=6, quote_style="never").encode()


def _loaded(asked: argparse.Namespace, whole: list[Path], parts: list[list[Path]]) -> None:
    shape = f"{asked.runs} runs × {asked.queries:,} queries × {asked.documents:,} documents"
    print(f"### Loaded runs to a fused run: {shape}\n", flush=True)
    size = [f"--runs={asked.runs}", f"--methods={','.join(asked.methods)}", f"--repeat={asked.repeat}"]
    own = measure(module("benchmarks.fusion", "--child=ours", *size, *whole))
    peer = measure(module("benchmarks.fusion", "--child=ranx", *size, *(path for part in parts for path in part)))
    ours, theirs = json.loads(own.output.splitlines()[-1]), json.loads(peer.output.splitlines()[-1])
    print("| seconds / CPU seconds | ranx | rankgauge | times as fast |\n|---|---|---|---|")
    for name in asked.methods:
        _agree(name, ours[name], theirs[name])
        costs = [f"{one[name]['seconds']:.2f} s / {one[name]['cpu']:.2f} s" for one in (theirs, ours)]
        times = [theirs[name][kind] / ours[name][kind] for kind in ("seconds", "cpu")]
        print(f"| {name} | {costs[0]} | {costs[1]} | {times[0]:.1f} / {times[1]:.1f} |")
    print(
        f"| reading the files | {theirs['read']:.1f} s | {ours['read']:.1f} s | {theirs['read'] / ours['read']:.1f} |"
    )
    print(f"| peak memory | {peer.memory:,.0f} MB, {asked.part:,} queries at a time | {own.memory:,.0f} MB, all | |\n")


def _files(asked: argparse.Namespace, whole: list[Path], part: list[Path], folder: Path) -> None:
    print(f"### Files to a file, cold: {asked.runs} runs × {min(asked.part, asked.queries):,} queries, and all\n")
    print("| method | ranx | rankgauge fuse | times as fast | rankgauge fuse, all queries |\n|---|---|---|---|---|")
    for name in asked.methods:
        peer = measure(module("benchmarks.fusion", "--child=ranx-files", f"--methods={name}", *part))
        command = ["--method", name, "--norm", METHODS[name], "-o", folder / "fused.txt"]
        own = measure(module("rankgauge.cli", "fuse", *part, *command))
        every = measure(module("rankgauge.cli", "fuse", *whole, *command))
        print(f"| {name} | {peer} | {own} | {peer.wall / own.wall:.1f} | {every} |", flush=True)


def _agree(name: str, ours: dict[str, float], theirs: dict[str, float]) -> None:
    if ours["documents"] != theirs["documents"] or not math.isclose(ours["sum"], theirs["sum"], rel_tol=1e-9):
        raise RuntimeError(f"{name}: {ours} here, {theirs} in ranx")


def _ours(asked: argparse.Namespace, files: list[str]) -> None:
    from rankgauge.fusion import FusionPlan
    from rankgauge.fusion.method import make_method
    from rankgauge.fusion.run_pool import RunPool

    started = time.perf_counter()
    pool = RunPool.of({path: path for path in files})
    found: dict[str, Any] = {"read": time.perf_counter() - started}
    small = RunPool.of({"a": {"q": {"d": 1.0}}, "b": {"q": {"d": 1.0}}})
    for name in asked.methods:
        plan = FusionPlan.of(make_method(name), norm=METHODS[name], depth=None)
        plan.run(small)
        seconds, cpu, fused = _timed(partial(plan.run, pool), asked.repeat)
        total = math.fsum(float(part.scores.sum()) for part in fused.parts)
        found[name] = {"seconds": seconds, "cpu": cpu, "sum": total, "documents": fused.documents}
    print(json.dumps(found))


def _ranx(asked: argparse.Namespace, files: list[str]) -> None:
    found: dict[str, Any] = {
        "read": 0.0,
        **{name: {"seconds": 0.0, "cpu": 0.0, "sum": 0.0, "documents": 0} for name in asked.methods},
    }
    for number, low in enumerate(range(0, len(files), asked.runs)):
        started = time.perf_counter()
        runs = _ranx_runs(files[low : low + asked.runs])
        found["read"] += time.perf_counter() - started
        for name in asked.methods:
            if not number:
                _ranx_fused(name, [_first_query(run) for run in runs])  # compiles
            seconds, cpu, fused = _timed(partial(_ranx_fused, name, runs), asked.repeat)
            found[name]["seconds"] += seconds
            found[name]["cpu"] += cpu
            lists = fused.run.values()
            found[name]["sum"] += math.fsum(math.fsum(scores.values()) for scores in lists)
            found[name]["documents"] += sum(len(scores) for scores in lists)
            del fused
    print(json.dumps(found))


def _timed(fuse: Callable[[], Any], repeat: int) -> tuple[float, float, Any]:
    """The seconds and the CPU seconds of the quickest of some calls, and what the last one gave."""
    times, fused = [], None
    for _ in range(repeat):
        fused, started, used = None, time.perf_counter(), time.process_time()
        fused = fuse()
        times.append((time.perf_counter() - started, time.process_time() - used))
    return *min(times), fused


def _ranx_files(asked: argparse.Namespace, files: list[str]) -> None:
    fused = _ranx_fused(asked.methods[0], _ranx_runs(files))
    with tempfile.NamedTemporaryFile(suffix=".txt", delete=False) as file:
        path = file.name
    fused.save(path, kind="trec")
    os.unlink(path)


def _ranx_runs(files: Iterable[str]) -> list[Any]:
    warnings.simplefilter("ignore")
    import ranx

    return [ranx.Run.from_file(path, kind="trec") for path in files]


def _first_query(run: Any) -> Any:
    import ranx

    query = next(iter(run.keys()))
    return ranx.Run({query: dict(run.run[query])})


def _ranx_fused(name: str, runs: list[Any]) -> Any:
    import ranx

    from rankgauge.fusion import METHODS as KINDS

    norm = None if METHODS[name] == "none" else METHODS[name]
    params = {"weights": [1 / len(runs)] * len(runs)} if name.startswith("weighted") else {}
    return ranx.fuse(runs, norm=norm, method=KINDS[name].ranx, params=params)


if __name__ == "__main__":
    main(sys.argv[1:])
