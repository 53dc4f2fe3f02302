"""How many functions and files of the package a command runs through: python -m benchmarks.trace evaluate QRELS RUN.

The command runs twice in one process, and the second time is counted: what a first time imports is no part of what a
reader has to follow. A change of file is a call, or a return, that leads into another file of the package.
Without arguments, three commands on the files of the demo are traced.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import rankgauge

__all__ = ["Trace", "main", "trace"]

PACKAGE = str(Path(rankgauge.__file__).parent)
RECORDS = f"{PACKAGE}/records.py"

FRESH = "{fresh}"
"""What stands in the name of an output that must not be there before."""

SMALL = {
    "evaluate": ("evaluate", "qrels.txt", "bm25.txt", "-m", "nDCG@10"),
    "compare": ("compare", "qrels.txt", "bm25.txt", "dense.txt.gz"),
    "active plan": ("active", "plan", "pool.csv", "--budget", "100", "-o", f"{FRESH}.rg"),
}


class Trace:
    """The functions of the package that were called, by file, and how often a call or a return changed the file."""

    def __init__(self) -> None:
        self.functions: Counter[tuple[str, str, int]] = Counter()
        self.changes = 0
        self._file = ""

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Take note of a call; what Python itself and libraries do is passed over."""
        if event != "call":
            return
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE) or code.co_name.startswith("<") or code.co_filename == RECORDS:
            return  # a comprehension is a part of its function, and records stand for Python's dataclasses
        self.functions[code.co_filename, code.co_qualname, code.co_firstlineno] += 1
        if code.co_filename != self._file:
            self.changes += 1
            self._file = code.co_filename

    @property
    def files(self) -> Counter[str]:
        """The calls by file."""
        counted: Counter[str] = Counter()
        for (file, _, _), calls in self.functions.items():
            counted[str(Path(file).relative_to(PACKAGE))] += calls
        return counted

    def __str__(self) -> str:
        return f"{len(self.functions)} functions / {len(self.files)} files / {self.changes} changes of file"


def trace(words: Sequence[str]) -> Trace:
    """Trace a command in the current folder, the second time that it runs in this process."""
    _run([word.replace(FRESH, "first") for word in words])
    traced = Trace()
    sys.setprofile(traced)
    try:
        _run([word.replace(FRESH, "second") for word in words])
    finally:
        sys.setprofile(None)
    return traced


def _run(words: Sequence[str]) -> None:
    from rankgauge.cli.main import run

    sys.argv = ["rankgauge", *words]
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        run()


@contextlib.contextmanager
def _demo() -> Iterator[None]:
    """Make the files of the demo in a folder of their own, and work there."""
    import numpy as np

    from rankgauge.demo import generate, write

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write(generate(rng=np.random.default_rng(0)), Path(folder))
        yield


def main(words: Sequence[str]) -> None:
    """Print the trace of a command, with its files; without a command, those of three commands on the demo's files."""
    if words:
        traced = trace(words)
        print(traced)
        for file, calls in traced.files.most_common():
            print(f"{calls:8,}  {file}")
        return
    with _demo():
        for name, command in SMALL.items():
            print(f"{name}: {trace(command)}", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "80")
    main(sys.argv[1:])
