"""What a command costs: wall time, processor time and peak memory of a cold process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Cost", "measure", "module"]

ROOT = Path(__file__).parents[1]
MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Seconds on the clock, seconds of processors, and megabytes at the peak."""

    wall: float
    cpu: float
    memory: float
    output: str

    def __str__(self) -> str:
        return f"{self.wall:.2f} s / {self.cpu:.2f} s / {self.memory:,.0f} MB"


def module(name: str, *arguments: object) -> list[str]:
    """The command that runs a module of ours."""
    return [sys.executable, "-m", name, *map(str, arguments)]


def measure(command: Sequence[str], repeat: int = 1) -> Cost:
    """The cost of the quickest of some runs of the command."""
    return min((_once(command) for _ in range(repeat)), key=lambda cost: cost.wall)


def _once(command: Sequence[str]) -> Cost:
    start = time.perf_counter()
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    with child.stdout:
        output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {child.returncode}")
    return Cost(
        wall=wall,
        cpu=usage.ru_utime + usage.ru_stime,
        memory=usage.ru_maxrss * MAXRSS_UNIT / 2**20,
        output=output,
    )
