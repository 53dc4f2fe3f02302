"""What goes wrong while people judge: no acknowledged answer is lost, none counts twice, and the room goes on."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest
import sqlalchemy as sa

from rankgauge.active.campaign import database as databases
from rankgauge.datasets.pool import generate_pool
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

    def kill(self, pid: int) -> None:
        """Ends that process with SIGKILL."""
        self._tell(f"kill {pid}")
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
