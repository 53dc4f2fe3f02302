"""A run larger than memory: time and memory of 1 to 100 million lines, in cold processes.

    python -m benchmarks.stream                          1 and 3 million lines
    python -m benchmarks.stream --millions 1,10,30,100   as on the page docs/large-runs.md (the last run has 4.6 GB)
    python -m benchmarks.stream --shape irregular,packed files that cannot be scanned: double blanks, gzip; also zstd

Files are written in pieces, evaluated by `benchmarks.ours`, and removed.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import polars as pl

from benchmarks.costs import Cost, measure, module
from benchmarks.generate import near_the_top
from rankgauge.numeric import IndexArray

DEPTH, JUDGED, PIECE = 1_000, 20, 100
"""Documents of a list, judged documents of a query, and queries that are written at a time."""


def main(arguments: list[str] | None = None) -> None:
    """Prints the table of every shape that was asked for."""
    asked = _parser().parse_args(arguments)
    for shape in asked.shape:
        print(f"### {shape}\n", flush=True)
        print("| million lines | file | seconds / CPU seconds / memory | CPU seconds per million lines |")
        print("|---|---|---|---|")
        for line in _lines(asked.millions, shape, asked.folder, asked.repeat):
            print(line, flush=True)
        print()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--millions", type=lambda text: [float(n) for n in text.split(",")], default=[1.0, 3.0])
    parser.add_argument("--shape", type=lambda text: text.split(","), default=["regular"])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--repeat", type=int, default=1)
    return parser


def _lines(millions: list[float], shape: str, folder: Path, repeat: int) -> Iterator[str]:
    start = _cost(0.001, shape, folder, 3)[0]
    for million in millions:
        cost, size = _cost(million, shape, folder, repeat)
        pace = (cost.cpu - start.cpu) / million
        yield f"| {million:g} | {size / 1e6:,.0f} MB | {cost} | {pace:.3f} |"


def _cost(million: float, shape: str, folder: Path, repeat: int) -> tuple[Cost, int]:
    """What the evaluation of that many lines costs, and how large the run's file is."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        qrels, run = Path(name) / "big.qrels", Path(name) / "big.run"
        write(qrels, run, queries=max(round(million * 1e6 / DEPTH), 1))
        run = SHAPES[shape](run)
        return measure(module("benchmarks.ours", qrels, run), repeat), run.stat().st_size


def write(qrels: Path, run: Path, *, queries: int, seed: int = 7) -> None:
    """Judgments and a run, some queries at a time: a fifth of the judged documents is not in the lists."""
    rng = np.random.default_rng(seed)
    with qrels.open("wb") as judgments, run.open("wb") as lines:
        for first in range(0, queries, PIECE):
            query = np.arange(first, min(first + PIECE, queries))
            numbers = (
                np.argsort(rng.random((len(query), 2 * DEPTH), dtype=np.float32), axis=1)
                + 2_000 * (query % 4_000)[:, None]
            )
            scores = 30.0 - np.cumsum(rng.exponential(0.02, (len(query), DEPTH)), axis=1)
            found = rng.choice(DEPTH, 4 * JUDGED // 5, replace=False, p=near_the_top(DEPTH))
            judged = numbers[:, np.append(found, DEPTH + np.arange(JUDGED // 5))]
            grades = rng.integers(0, 4, judged.shape)
            _write(judgments, query, "0", judged, {"grade": grades})
            ranks = np.broadcast_to(np.arange(1, DEPTH + 1), scores.shape)
            _write(lines, query, "Q0", numbers[:, :DEPTH], {"rank": ranks, "score": scores, "tag": "bm25"})


def _write(file: BinaryIO, query: IndexArray, second: str, numbers: IndexArray, rest: Mapping[str, Any]) -> None:
    number = pl.Series("number", numbers.ravel())
    frame = pl.select(
        query=pl.Series(np.repeat(query, numbers.shape[1])),
        second=pl.lit(second),
        document=pl.format("msmarco_doc_{}_{}", number % 60, number),
        **{name: pl.Series(x.ravel()) if isinstance(x, np.ndarray) else pl.lit(x) for name, x in rest.items()},
    )
    frame.write_csv(file, include_header=False, separator=" ", float_precision=6, quote_style="never")


def _irregular(run: Path) -> Path:
    """The run with a comment in its first line and two blanks in each: no file for the scanner."""
    odd = run.with_suffix(".odd")
    with run.open() as lines, odd.open("w") as file:
        file.write("# a comment\n")
        file.writelines(line.replace(" ", "  ", 1) for line in lines)
    run.unlink()
    return odd


def _packed(run: Path) -> Path:
    packed = run.with_suffix(".run.gz")
    with run.open("rb") as lines, gzip.open(packed, "wb", compresslevel=1) as file:
        shutil.copyfileobj(lines, file, 1 << 20)
    run.unlink()
    return packed


def _zstd(run: Path) -> Path:
    import zstandard

    packed = run.with_suffix(".run.zst")
    with run.open("rb") as lines, zstandard.open(packed, "wb") as file:
        shutil.copyfileobj(lines, file, 1 << 20)
    run.unlink()
    return packed


SHAPES: Mapping[str, Callable[[Path], Path]] = {
    "regular": lambda run: run,
    "irregular": _irregular,
    "packed": _packed,
    "zstd": _zstd,
}
"""What is done to the run's file before it is read."""


if __name__ == "__main__":
    main()
