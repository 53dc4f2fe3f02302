"""Crashes: a campaign whose processes are killed at any moment, and several processes at once."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from rankgauge.labelling.campaign import Campaign
from tests.active.campaigns import pool

KILLS = int(os.environ.get("RANKGAUGE_KILLS", "60"))
"""How often processes are killed; 200 with RANKGAUGE_KILLS=200."""
SIZES = {"queries": 400, "documents": 5}

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


class Workers:
    """The process that forks assessors."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.said: list[str] = []

    def tell(self, command: str) -> None:
        """A command."""
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()

    def hear(self, word: str) -> str:
        """What follows the word, once it is said; everything before it is kept."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(word):
                return line.removeprefix(word).strip()
            self.said.append(line.strip())
        raise AssertionError(f"the worker ended before it said {word}")

    def start(self, assessor: str) -> int:
        """The number of a new process."""
        self.tell(f"go {assessor}")
        return int(self.hear("pid"))

    def end(self, pid: int) -> None:
        """Waits for a process to end."""
        self.tell(f"wait {pid}")
        self.hear(f"dead {pid}")


@contextmanager
def workers(location: str) -> Iterator[Workers]:
    """A process that forks assessors, ended afterwards."""
    command = [sys.executable, "-m", "tests.active.worker", location]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, cwd=Path(__file__).parents[2], **pipes) as process:
        yield Workers(process)
        assert process.stdin is not None
        process.stdin.close()


def stored(path: Path) -> set[tuple[str, ...]]:
    """The labels that are in the file, each of them once."""
    with closing(sqlite3.connect(path)) as raw:
        rows = raw.execute("select query, document, grade, assessor from labels").fetchall()
        assert raw.execute("pragma integrity_check").fetchone() == ("ok",)
    found = {(query, document, f"{grade:g}", assessor) for query, document, grade, assessor in rows}
    assert len(found) == len(rows), "a label is there twice"
    return found


def test_killed(tmp_path: Path) -> None:
    """After many kills at random moments every acknowledged label is there once, and the draws are the seed's."""
    path, rng = tmp_path / "c.rg", random.Random(4)
    with Campaign.create(path, pool(**SIZES), "ERR", budget=2000, method="passive", seed=11) as campaign:
        plan = campaign.plans[0]
    with workers(str(path)) as team:
        acknowledged = set[tuple[str, ...]]()
        pace = 0.01
        for _ in range(KILLS):
            pid = team.start("anna")
            for word in ["ready", "ack", "ack"][: rng.randrange(4)]:
                began, heard = time.perf_counter(), team.hear(word)
                acknowledged |= {tuple(heard.split())} - {()}
                pace = 0.8 * pace + 0.2 * (time.perf_counter() - began)
            time.sleep(rng.uniform(0, pace))
            os.kill(pid, signal.SIGKILL)
            team.end(pid)
            acknowledged |= {tuple(line.split()[1:]) for line in team.said if line.startswith("ack")}
            assert acknowledged <= stored(path)
    assert len(acknowledged) >= KILLS / 2
    with closing(sqlite3.connect(path)) as raw:
        draws = [query for (query,) in raw.execute("select query from draws order by number")]
        places = [place for (place,) in raw.execute("select place from tasks order by id")]
    assert draws == [plan.query(j) for j in range(len(draws))]
    with Campaign.open(path) as campaign:
        nothing = campaign.pool.costs * float("nan")
        assert places == [int(place) for j in range(len(draws)) for place in plan.asks(j, nothing)]
        assert campaign.progress().complete * SIZES["documents"] <= len(stored(path))


def test_at_once(database: str) -> None:
    """Assessors in processes of their own judge every document once, and together spend the budget and no more."""
    Campaign.create(database, pool(**SIZES), "ERR", budget=100, method="passive").close()
    people = ("anna", "ben", "cleo")
    with workers(database) as team:
        for pid in [team.start(name) for name in people]:
            team.end(pid)
    said = [line.split()[1:] for line in team.said if line.startswith("ack")]
    with Campaign.open(database) as campaign:
        progress = campaign.progress()
        assert (progress.spent, progress.judged, progress.labels, progress.complete) == (100, 100, 100, 20)
        labels = campaign.labels().select("query", "document", "grade", "assessor").iter_rows()
        found = sorted([query, document, f"{grade:g}", assessor] for query, document, grade, assessor in labels)
    assert found == sorted(said)
    assert len({(query, document) for query, document, *_ in said}) == 100
