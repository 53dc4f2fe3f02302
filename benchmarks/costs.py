"""What a command costs: wall time, processor time and peak memory of a cold process."""

from __future__ import annotations

import os
import subprocess
import sys
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
    return min((_run_once(command) for _ in range(repeat)), key=lambda cost: cost.wall)


RELAY = """
import os, sys, time
start = time.perf_counter()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
wall = time.perf_counter() - start
used = usage.ru_utime + usage.ru_stime
os.write(int(sys.argv[1]), f"{os.waitstatus_to_exitcode(status)} {wall} {used} {usage.ru_maxrss}".encode())
"""
"""Starts a command and measures it. A program's peak is at least that of the process that starts it, so it is small."""


def _run_once(command: Sequence[str]) -> Cost:
    reading, writing = os.pipe()
    with os.fdopen(reading) as report:
        relay = [sys.executable, "-S", "-E", "-c", RELAY, str(writing), *command]
        done = subprocess.run(relay, cwd=ROOT, stdout=subprocess.PIPE, text=True, pass_fds=[writing], check=True)
        os.close(writing)
        code, wall, used, peak = report.read().split()
    if int(code):
        raise RuntimeError(f"{' '.join(command)} ended with {code}")
    return Cost(wall=float(wall), cpu=float(used), memory=int(peak) * MAXRSS_UNIT / 2**20, output=done.stdout)
