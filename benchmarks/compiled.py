"""What compiled kernels would cost, measured with a prototype in C: python -m benchmarks.compiled QRELS RUN."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from benchmarks.costs import Cost, measure

__all__ = ["list_nanoseconds", "program", "scan_cost"]

SOURCE = Path(__file__).with_suffix(".c")
BUILT = Path(__file__).parent / "data" / "compiled"


@cache
def program() -> str | None:
    """The prototype, built if a C compiler is there."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    BUILT.parent.mkdir(parents=True, exist_ok=True)
    words = [compiler, "-O3", "-march=native", "-o", str(BUILT), str(SOURCE), "-lm"]
    return str(BUILT) if subprocess.run(words, capture_output=True).returncode == 0 else None


def scan_cost(qrels: Path, run: Path, repeat: int) -> Cost | None:
    """What the compiled scan of these files costs, from files to judged hits."""
    made = program()
    return None if made is None else measure([made, "scan", str(qrels), str(run)], repeat)


def list_nanoseconds(rows: int) -> float | None:
    """How long nDCG@10 of one of that many lists takes the compiled kernel."""
    made = program()
    return None if made is None else float(measure([made, "lists", str(rows)]).output.split()[0])


def main(qrels: str, run: str) -> None:
    """Prints both figures."""
    print("scan:", scan_cost(Path(qrels), Path(run), repeat=3))
    print("one of 100,000 lists:", list_nanoseconds(100_000), "ns")


if __name__ == "__main__":
    main(*sys.argv[1:])
