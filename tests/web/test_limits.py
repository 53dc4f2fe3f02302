"""What is sent to the room costs time and memory in proportion to its size, and never a server's error."""

from __future__ import annotations

import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import polars as pl
import pytest

from rankgauge.errors import InputError, ParameterError
from rankgauge.files import read_table
from rankgauge.labelling.campaign.labels import inside_pool
from rankgauge.labelling.label_format import read_labels
from rankgauge.labelling.labels import Label
from rankgauge.room.new_campaign import MOST_LEVELS, levels_of
from tests.web.house import House, csrf, open_house, parquet, pool
from tests.web.test_faults import doorkeeper
from tests.web.test_security import CALLS, PUBLIC, call

BLANKS = "2 " + " " * 20_000 + "="
"""A line of a scale on which a careless pattern would spend minutes."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A room with a campaign."""
    with open_house(f"sqlite:///{tmp_path_factory.mktemp('limits') / 'room.db'}") as opened:
        opened.campaign("first")
        yield opened


def exported(tasks: int) -> bytes:
    """An export of Label Studio with so many tasks."""
    annotation = {"completed_by": 1, "result": [{"type": "choices", "value": {"choices": ["1"]}}]}
    items = [{"data": {"query": f"q{n}", "document": "d"}, "annotations": [annotation]} for n in range(tasks)]
    return json.dumps(items, indent=1).encode()


def many_labels(labels: int) -> bytes:
    """So many labels, as a program sends them."""
    said = {"document": "d", "grade": 1, "comment": "x" * 100}
    return json.dumps({"labels": [{"query": f"q{n}", **said} for n in range(labels)]}).encode()


def bomb() -> bytes:
    """A small Parquet file of a gigabyte."""
    rows = {"query": "q", "document": "d" * 100, "score": 1.0}
    frame = pl.DataFrame({name: pl.Series([value]).new_from_index(0, 10_000_000) for name, value in rows.items()})
    frame.write_parquet(buffer := io.BytesIO(), compression="zstd")
    return buffer.getvalue()


def test_an_export_is_read_in_linear_time(tmp_path: Path) -> None:
    """Ten times as many tasks of Label Studio take about ten times as long, with the lines on which they begin."""
    path, took = tmp_path / "export.json", dict[int, float]()
    for tasks in (1_000, 10_000):
        path.write_bytes(exported(tasks))
        took[tasks] = min(_processor_time(lambda: read_labels(path, assessor="ann")) for _ in range(3))
    assert took[10_000] < 20 * took[1_000], "lines counted from the beginning each time make it more than 30"
    labels = read_labels(path, assessor="ann").labels
    assert len(labels) == 10_000
    lines = path.read_text().splitlines()
    assert all(lines[(labels[n].line or 0) - 1].strip() == "{" for n in (0, 1, 9_999))


def _processor_time(work: Callable[[], object]) -> float:
    """The seconds that this thread computes: other threads and programs do not count."""
    started = time.thread_time()
    work()
    return time.thread_time() - started


def test_a_level_is_read_in_linear_time() -> None:
    """A line of blanks is refused at once, and what was a level is one."""
    started = time.thread_time()
    with pytest.raises(InputError, match="levels: expected"):
        levels_of(BLANKS)
    assert time.thread_time() - started < 0.5
    assert levels_of(" 2\tvery  good : yes: all\n-0.5 bad") == [("2", "very  good", "yes: all"), ("-0.5", "bad", "")]
    for wrong in ("good", "2", "2 a=b", "2 a, b", "2 : x", "1e3 x"):
        with pytest.raises(InputError):
            levels_of(wrong)


def test_an_id_that_is_nearly_right() -> None:
    """Among many that begin alike the nearest are found at once, and before anything is locked."""
    known = {f"http-example-org-a-query-with-a-long-name-{n:06}": {"d": n} for n in range(20_000)}
    label = Label(query="http-example-org-a-query-with-a-long-name-00042", document="d", grade=1.0)
    started = time.thread_time()
    with pytest.raises(InputError, match="Did you mean http-example-org-a-query-with-a-long-name-0004"):
        inside_pool([label], SimpleNamespace(positions=known))
    assert time.thread_time() - started < 0.5


def test_a_scale_has_so_many_levels() -> None:
    """One more is a clear error."""
    lines = [f"{n} level {n}" for n in range(MOST_LEVELS + 1)]
    assert len(levels_of("\n".join(lines[:-1]))) == MOST_LEVELS
    with pytest.raises(ParameterError, match=f"at most {MOST_LEVELS}"):
        levels_of("\n".join(lines))


@pytest.mark.parametrize("write", [pl.DataFrame.write_parquet, pl.DataFrame.write_ipc])
def test_a_bomb_is_refused(tmp_path: Path, write: Any) -> None:
    """Of rows that repeat, and of one long text; a table that is as large as it looks is read."""
    suffix = "parquet" if write is pl.DataFrame.write_parquet else "arrow"
    rows = pl.DataFrame({"a": pl.Series([1.0]).new_from_index(0, 20_000_000), "b": 1})
    text = pl.DataFrame({"a": ["x" * 80_000_000]})
    for n, frame in enumerate((rows, text)):
        write(frame, tmp_path / f"{n}.{suffix}", compression="zstd")
        with pytest.raises(InputError, match="unpacks to more than 100 times its size"):
            read_table(tmp_path / f"{n}.{suffix}")
    write(pool(), tmp_path / f"pool.{suffix}", compression="zstd")
    assert read_table(tmp_path / f"pool.{suffix}").equals(pool())


@pytest.fixture(scope="module")
def apart(house: House) -> Iterator[House]:
    """The same room, served by a process of its own: whoever sends something takes no time from it."""
    with doorkeeper(str(house.room.engine.url)) as door:
        door.open()
        served = House(room=house.room, base=door.base)
        yield served
        for guest in served.guests:
            guest.close()


@pytest.mark.parametrize("attack", ["label studio", "blanks", "levels", "bomb", "labels"])
def test_the_room_goes_on(apart: House, attack: str) -> None:
    """While somebody sends what takes longest, /healthz answers within a second."""
    program, small = apart.program(), parquet(pool().drop("grade"))
    params: dict[str, Any] = {"name": attack, "budget": 40, "filename": "pool.parquet"}
    levels = "\n".join(f"{n} l{n}" for n in range(2_000))
    makers = {"label studio": lambda: exported(20_000), "bomb": bomb, "labels": lambda: many_labels(50_000)}
    made = makers.get(attack, bytes)()  # before anybody waits: the clock is in the sender's process
    sent: dict[str, Any] = {
        "label studio": lambda: uploaded(apart, made),
        "blanks": lambda: program.post("/api/v1/campaigns", params={**params, "levels": BLANKS[:5000]}, content=small),
        "levels": lambda: program.post("/api/v1/campaigns", params={**params, "levels": levels}, content=small),
        "bomb": lambda: program.post("/api/v1/campaigns", params=params, content=made),
        "labels": lambda: program.post("/api/v1/campaigns/1/labels", content=made),
    }
    got: list[int] = []
    worker = threading.Thread(target=lambda: got.append(sent[attack]().status_code))
    worker.start()
    waits, guest = [], apart.guest()
    while worker.is_alive() or not waits:
        started = time.monotonic()
        assert guest.get("/healthz").status_code == 200
        waits.append(time.monotonic() - started)
        time.sleep(0.05)
    worker.join()
    assert 400 <= got[0] < 500
    assert max(waits) < 1


def uploaded(house: House, content: bytes) -> httpx.Response:
    """Labels that an admin uploads."""
    admin = house.admin()
    files = {"labels": ("labels.json", content)}
    return admin.post("/campaigns/1/labels", data={"csrf": csrf(admin)}, files=files)


@pytest.mark.parametrize(
    "item", ['"annotations": null', '"annotations": [{"result": null, "was_cancelled": false}]'], ids=range(2)
)
def test_nobody_has_annotated_yet(house: House, item: str) -> None:
    """A task without annotations is one that is not judged yet."""
    answer = uploaded(house, f'[{{"data": {{"query": "q01", "document": "q01-d01"}}, {item}}}]'.encode())
    assert answer.status_code == 200
    assert "0 new labels" in answer.text


@pytest.mark.parametrize(
    "text",
    [
        '[{"data": 1}]',
        '[{"data": null}]',
        '[{"data": {"query": "q", "document": "d"}, "annotations": 7}]',
        '[{"data": {"query": "q", "document": "d"}, "annotations": [7]}]',
        '[{"data": {"query": "q", "document": "d"}, "annotations": [{"result": {"a": 1}}]}]',
        '[{"data": {"query": "q", "document": "d"}, "annotations": [{"result": ["x"]}]}]',
        '[{"data": ' * 20_000,
        '{"query": ' * 20_000,
        "[",
    ],
    ids=range(9),
)
def test_what_is_no_export(house: House, text: str) -> None:
    """Nonsense in place of labels is a clear error."""
    assert uploaded(house, text.encode()).status_code == 400


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"labels":' * 50_000, '{"a":' * 1000 + "1" + "}" * 1000, "1e999", ""], ids=range(5)
)
def test_deep_json(house: House, text: str) -> None:
    """A body that is nested without end, or is none, is the sender's mistake."""
    program = house.program()
    for method, path in (("POST", "labels"), ("POST", "assessors"), ("PUT", "stop"), ("POST", "disagreements")):
        answer = program.request(
            method,
            f"/api/v1/campaigns/1/{path}",
            content=text.encode(),
            headers={"content-type": "application/json"},
        )
        assert 400 <= answer.status_code < 500, (path, answer.text)


@pytest.mark.parametrize("number", [2**31, 2**63, 2**64, 10**30, -(2**63) - 1])
def test_numbers_that_nothing_has(house: House, number: int) -> None:
    """A number that no database knows leads nowhere, on every route; as a moment it is before or after all answers."""
    admin = house.admin()
    token = csrf(admin)
    for method, path in set(CALLS) - PUBLIC:
        if "{" in path:
            filled = path.replace("{name}", "labels.csv")
            for part in ("campaign", "guest", "token", "draft", "file"):
                filled = filled.replace(f"{{{part}}}", str(number))
            answer = call(admin, method, filled, token)
            assert 400 <= answer.status_code < 500, (method, path, answer.text)
    assert 400 <= admin.get(f"/campaigns/1/judge/history?page={number}").status_code < 500
    assert admin.get(f"/campaigns/1/judge?before={number}").status_code == 200


@pytest.mark.parametrize("stop_at", ["inf", "nan", "-1", "1e400"])
def test_a_rule_that_is_no_number(house: House, stop_at: str) -> None:
    """It is refused, and no campaign is left behind."""
    program, small = house.program(), parquet(pool().drop("grade"))
    before = len(program.get("/api/v1/campaigns").json())
    params = {"name": f"rule {stop_at}", "budget": 40, "filename": "pool.parquet", "stop_at": stop_at}
    assert program.post("/api/v1/campaigns", params=params, content=small).status_code in (400, 422)
    assert len(program.get("/api/v1/campaigns").json()) == before
    admin = house.admin()
    sent = {"csrf": csrf(admin, "/campaigns/1"), "half_width": stop_at}
    assert admin.post("/campaigns/1/stop", data=sent).status_code == 400
    assert program.get("/api/v1/campaigns/1").json()["stop_at"] is None
