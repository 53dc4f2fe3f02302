"""trec_eval itself: that of $TREC_EVAL, that of the path, or one built from the source beside the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from functools import cache
from pathlib import Path

from benchmarks.costs import ROOT

__all__ = ["program"]

SOURCE = ROOT.parent / "shared" / "peers" / "trec_eval-10.0.tar.xz"
BUILT = Path(__file__).parent / "data" / "trec_eval"


@cache
def program() -> str | None:
    """The program, built if need be and if a C compiler is there; None where there is no way to it."""
    found = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")
    return found or _built(SOURCE, BUILT)


def _built(source: Path, folder: Path) -> str | None:
    """The program made from the packed source, with all that the compiler can do for its speed."""
    made = next(folder.glob("*/trec_eval"), None)
    if made is None and source.exists() and shutil.which("cc") and shutil.which("make"):
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(source) as packed:
            packed.extractall(folder, filter="data")
        tree = next(path.parent for path in folder.glob("*/Makefile"))
        done = subprocess.run(
            ["make", 'CFLAGS=-g -I. -O3 -march=native -w -DVERSIONID=\\"10.0\\"'], cwd=tree, capture_output=True
        )
        made = tree / "trec_eval" if done.returncode == 0 else None
    return None if made is None else str(made)
