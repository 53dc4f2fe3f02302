"""How fast files of features are read, beside other readers: python -m benchmarks.letor_readers.

--rows 60000     lines of the file; MSLR-WEB30K has 3,771,125
--features 136   how many features there are
--sparse 0.2     the share of features that a line of the sparse file has; 0 leaves that file out
--repeat 3       how often each reader runs, in a process of its own; the quickest counts
--folder DIR     where the files go; they are made anew each time and removed

LightGBM's reader knows no `qid:`; it gets the same lines without it. It does more than the others: it sorts the values
into bins. scikit-learn's matrices are sparse.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.costs import measure, module

LISTED = 120
"""Documents of a query, about as many as in MSLR."""

BLOCK = 20_000


def generate(path: Path, *, rows: int, features: int, share: float, seed: int = 0) -> None:
    """Writes a file like MSLR's (whole numbers, zeros, six digits) and, beside it, the same without queries."""
    rng = np.random.default_rng(seed)
    with path.open("w") as file, _bare(path).open("w") as bare:
        for start in range(0, rows, BLOCK):
            for row, grade, texts in _lines(rng, min(BLOCK, rows - start), features, share):
                file.write(f"{grade} qid:{(start + row) // LISTED + 1} {' '.join(texts)} \n")
                bare.write(f"{grade} {' '.join(texts)}\n")


def _lines(rng: np.random.Generator, rows: int, features: int, share: float) -> Iterator[tuple[int, int, list[str]]]:
    values = rng.exponential(8.0, (rows, features)) * rng.choice([-1, 1, 1], (rows, features))
    values[:, rng.random(features) < 0.5] //= 1
    values[rng.random((rows, features)) < 0.3] = 0.0
    kept = rng.random((rows, features)) < share
    grades = rng.choice(5, rows, p=[0.52, 0.32, 0.13, 0.02, 0.01])
    for row, grade in enumerate(grades.tolist()):
        numbers = np.flatnonzero(kept[row])
        found = values[row, numbers].tolist()
        yield row, grade, [f"{n + 1}:{v:.6g}" for n, v in zip(numbers.tolist(), found, strict=True)]


def _bare(path: Path) -> Path:
    return path.with_suffix(".bare")


def _ours(path: Path) -> None:
    from rankgauge.files.formats.letor import read_features
    from rankgauge.files.source import Source

    read_features(Source.of(path))


def _ours_single(path: Path) -> None:
    from rankgauge.files.formats.letor import read_features
    from rankgauge.files.source import Source

    read_features(Source.of(path), dtype=np.float32)


def _careful(path: Path) -> None:
    from rankgauge.files.formats.letor import read_carefully
    from rankgauge.files.source import Source

    read_carefully(Source.of(path))


def _sklearn(path: Path) -> None:
    from sklearn.datasets import load_svmlight_file

    load_svmlight_file(str(path), query_id=True)


def _lightgbm(path: Path) -> None:
    from lightgbm import Dataset

    Dataset(str(_bare(path)), params={"verbose": -1}).construct()


READERS: Mapping[str, Callable[[Path], None]] = {
    "rankgauge": _ours,
    "rankgauge, float32": _ours_single,
    "rankgauge, careful": _careful,
    "lightgbm Dataset(path)": _lightgbm,
    "scikit-learn load_svmlight_file": _sklearn,
}


@dataclass(frozen=True, kw_only=True)
class Rate:
    """What one reader did with one file."""

    wall: float
    cpu: float
    memory: float


def main(arguments: list[str] | None = None) -> int:
    """Prints a table for each file, or reads one file and prints its seconds."""
    asked = _parser().parse_args(arguments)
    if asked.read:
        return _read(asked.read, asked.file)
    print(f"{platform.machine()}, Python {platform.python_version()}; {asked.rows:,} rows × {asked.features} features")
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        for kind, share in {"dense": 1.0, "sparse": asked.sparse}.items():
            if share:
                path = Path(folder) / f"{kind}.txt"
                generate(path, rows=asked.rows, features=asked.features, share=share)
                _print(kind, path, asked)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--features", type=int, default=136)
    parser.add_argument("--sparse", type=float, default=0.2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--read", choices=list(READERS), default=None, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, default=None, help=argparse.SUPPRESS)
    return parser


def _read(reader: str, path: Path) -> int:
    """Reads the file and prints seconds on the clock and of processors; imports are not counted."""
    warm = path.with_name("warm.txt")
    warm.write_text("1 qid:1 1:2 2:3\n0 qid:1 1:1 2:0\n")
    _bare(warm).write_text("1 1:2 2:3\n0 1:1 2:0\n")
    READERS[reader](warm)
    wall, cpu = time.perf_counter(), time.process_time()
    READERS[reader](path)
    print(time.perf_counter() - wall, time.process_time() - cpu)
    return 0


def _rate(reader: str, path: Path, repeat: int) -> Rate:
    command = module("benchmarks.letor_readers", "--read", reader, "--file", path)
    runs = [measure(command) for _ in range(repeat)]
    found = min((*map(float, run.output.split()), run.memory) for run in runs)
    return Rate(wall=found[0], cpu=found[1], memory=found[2])


def _print(kind: str, path: Path, asked: argparse.Namespace) -> None:
    size = path.stat().st_size / 1e6
    print(f"\n### {kind}: {size:,.0f} MB\n")
    print("| reader | rows/s | MB/s | MB per second of processor | peak memory, MB | times ours |")
    print("|---|---|---|---|---|---|")
    ours = None
    for reader in READERS:
        rate = _rate(reader, path, asked.repeat)
        ours = ours or rate
        row = f"{asked.rows / rate.wall:,.0f} | {size / rate.wall:.0f} | {size / rate.cpu:.0f} | {rate.memory:,.0f}"
        print(f"| {reader} | {row} | {rate.wall / ours.wall:.1f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
