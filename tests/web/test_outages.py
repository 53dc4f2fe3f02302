"""A database that cannot be written to, and what several processes share."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import numpy as np
import psutil
import pytest
import sqlalchemy as sa

from rankgauge.demo.collection import generate_pool
from rankgauge.errors import UnavailableError
from rankgauge.labelling.campaign.database import AGAIN, LOCKED, Location, Outage, connect, reading, writing
from rankgauge.labelling.campaign.rules import MOMENT
from rankgauge.room import app
from rankgauge.room.log import LOG, JsonLines, OnceAMinute
from tests.web.house import LEVELS, House, fields, open_house, parquet

REASON = f"the database {LOCKED}"


@contextmanager
def locked(database: str) -> Iterator[None]:
    """While another program holds the lock: of the file, or on a server of the first campaign."""
    path = Location(database).path
    if path is not None:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("begin immediate")
            yield
            other.execute("rollback")
        return
    engine = connect(Location(database), existing=True)
    with engine.connect() as other:
        other.execute(sa.text("select * from campaigns where id = 1 for update"))
        yield
        other.rollback()
    engine.dispose()


def test_a_lock_is_told_at_once(house: House, database: str) -> None:
    """The first waits as long as a room has patience, others hear 503 at once, /healthz says why; then it goes on."""
    number = house.campaign(method="passive", assessors=2)
    clients = [house.assessor(number, f"judge {n}") for n in range(20)]
    shown = [fields(client.get(f"/campaigns/{number}/judge").text) for client in clients[:1]]
    took: list[tuple[int, float]] = []

    def ask(client: httpx.Client) -> None:
        started = time.monotonic()
        status = client.get(f"/campaigns/{number}/judge").status_code
        took.append((status, time.monotonic() - started))

    with locked(database):
        ask(clients[0])
        assert took.pop()[0] == 503
        threads = [threading.Thread(target=ask, args=(client,)) for client in clients]
        for thread in threads:
            thread.start()
        started = time.monotonic()
        health = house.guest().get("/healthz")
        assert time.monotonic() - started < 1
        assert (health.status_code, health.json()["reason"]) == (503, REASON)
        for thread in threads:
            thread.join()
        assert {status for status, _ in took} == {503}
        slow = sorted(seconds for _, seconds in took)
        assert slow[len(slow) // 2] < app.PATIENCE, "most do not wait for the lock"
        assert slow[-1] < 3 * app.PATIENCE
        answer = clients[0].get(f"/campaigns/{number}/judge", headers={"accept": "application/json"})
        assert answer.json()["detail"].startswith(REASON)
    time.sleep(AGAIN)
    assert house.guest().get("/healthz").json()["status"] == "ok"
    assert clients[0].post(f"/campaigns/{number}/judge", data={**shown[0], "grade": "1"}).status_code == 303


def test_one_tries_again() -> None:
    """While an outage lasts one caller at a time may try; whoever succeeds ends it."""
    now = [0.0]
    outage = Outage(clock=lambda: now[0])
    outage.check()
    outage.begin(UnavailableError(REASON))
    with pytest.raises(UnavailableError, match=LOCKED):
        outage.check()
    now[0] = AGAIN
    outage.check()
    with pytest.raises(UnavailableError, match=LOCKED):
        outage.check()
    outage.end()
    outage.check()


def test_threads_take_turns(database: str) -> None:
    """Threads of one process that write at once all get their turn, though together they outlast the patience."""
    patience, hold = 0.3, 0.03
    engine = connect(Location(database), existing=False, patience=patience)
    with writing(engine) as connection:
        connection.execute(sa.text("create table turns (n integer)"))
    errors: list[UnavailableError] = []

    def write() -> None:
        try:
            for _ in range(3):
                with writing(engine) as connection:
                    connection.execute(sa.text("insert into turns values (1)"))
                    time.sleep(hold)
        except UnavailableError as error:
            errors.append(error)

    threads = [threading.Thread(target=write) for _ in range(15)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    with reading(engine) as connection:
        assert connection.execute(sa.text("select count(*) from turns")).scalar_one() == 3 * len(threads)
    engine.dispose()


def test_other_campaigns_go_on(database: str) -> None:
    """On a server a campaign that somebody else has locked is the only one that waits."""
    if database.startswith("sqlite"):
        pytest.skip("a file is locked as a whole")
    with open_house(database) as house:
        first, second = house.campaign("first"), house.campaign("second")
        ann, bob = house.assessor(first, "ann"), house.assessor(second, "bob")
        with locked(database):
            assert ann.get(f"/campaigns/{first}/judge").status_code == 503
            assert bob.get(f"/campaigns/{second}/judge").status_code == 200


def test_a_stopping_rule_is_for_all_processes(database: str) -> None:
    """A rule that is set in one process stops the campaign in another, whose pages show it at once."""
    with open_house(database) as here, open_house(database) as there:
        frame = generate_pool(rng=np.random.default_rng(0), queries=140, documents=1).drop("grade")
        wanted = {"name": "wide", "measure": "P@1", "budget": 140, "levels": LEVELS, "method": "passive"}
        made = here.program().post(
            "/api/v1/campaigns", params={**wanted, "filename": "pool.parquet"}, content=parquet(frame)
        )
        number, program = made.json()["id"], there.program()
        path = f"/api/v1/campaigns/{number}"
        assert program.get(path).json()["stop_at"] is None
        assert here.program().put(f"{path}/stop", json={"half_width": 1000}).status_code == 200
        time.sleep(MOMENT + 0.01)
        assert program.get(path).json()["stop_at"] == 1000
        judged = 0
        while tasks := program.post(f"{path}/tasks?n=20").json():
            labels = [{"query": one["query"], "document": one["document"], "grade": 1} for one in tasks]
            judged += program.post(f"{path}/labels", json={"labels": labels}).json()["new"]
        assert judged == 100, "a confidence sequence begins at 100 draws"
        assert here.program().get(path).json()["progress"]["paused"]


@pytest.fixture
def told() -> Iterator[list[logging.LogRecord]]:
    """What the room logs of the database."""
    records, handler = list[logging.LogRecord](), logging.Handler()
    handler.emit = records.append
    handler.addFilter(lambda record: record.getMessage() == "database")
    handler.addFilter(OnceAMinute())
    LOG.addHandler(handler)
    yield records
    LOG.removeHandler(handler)


def test_an_outage_is_told_sparingly(house: House, database: str, told: list[logging.LogRecord]) -> None:
    """However many requests are refused, the log has one traceback, and nothing that people have written."""
    number = house.campaign(method="passive", assessors=2)
    client = house.assessor(number, "ann")
    form = {**fields(client.get(f"/campaigns/{number}/judge").text), "grade": "1", "comment": "my own words"}
    with locked(database):
        got = [client.post(f"/campaigns/{number}/judge", data=form).status_code for _ in range(6)]
    assert got == [503] * 6
    (record,) = told
    line = JsonLines().format(record)
    assert "Traceback" in line
    assert "my own words" not in line


def test_an_outage_is_told_again() -> None:
    """After a minute the same error is told once more, with how many were not; another error at once."""
    times, lines = [0.0], []
    once = OnceAMinute(lambda: times[0])
    for times[0], problem in ((0.0, "locked"), (1.0, "locked"), (2.0, "full"), (59.0, "locked"), (61.0, "locked")):
        error = UnavailableError(problem)
        record = LOG.makeRecord(LOG.name, logging.ERROR, "", 0, "database", (), (type(error), error, None))
        if once.filter(record):
            lines.append(json.loads(JsonLines().format(record)))
    assert [(line["error"].rpartition(": ")[2], line.get("not_told", 0)) for line in lines] == [
        ("locked", 0),
        ("full", 0),
        ("locked", 2),
    ]


def test_processes_take_turns(tmp_path: Path) -> None:
    """Who writes to a file of SQLite without a pause does not keep another process waiting."""
    engines = [connect(Location(f"sqlite:///{tmp_path / 'a.db'}"), existing=False, patience=2.0) for _ in range(2)]
    with writing(engines[0]) as connection:
        connection.execute(sa.text("create table a (b integer)"))
    over, waits = threading.Event(), list[float]()

    def write_on() -> None:
        while not over.is_set():
            with writing(engines[0]) as connection:
                connection.execute(sa.text("insert into a values (1)"))
                time.sleep(0.01)

    busy = threading.Thread(target=write_on)
    busy.start()
    for _ in range(20):
        started = time.monotonic()
        with writing(engines[1]) as connection:
            connection.execute(sa.text("insert into a values (2)"))
        waits.append(time.monotonic() - started)
    over.set()
    busy.join()
    for engine in engines:
        engine.dispose()
    assert sorted(waits)[-3] < 0.1 + psutil.getloadavg()[0] / 20
