"""What an administrator relies on: HEAD, metrics, the log, a path prefix, limits on connections, processes that are
replaced."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import httpx
import psutil
import pytest

from rankgauge.room import server as room_server
from rankgauge.room.people import Role
from tests.web.house import House, csrf, open_house
from tests.web.test_docs import served


@pytest.fixture
def room(tmp_path: Path) -> str:
    """The address of a new database."""
    return f"sqlite:///{tmp_path / 'room.db'}"


def test_head_is_answered_as_get(room: str) -> None:
    """Pages, API, health and files answer HEAD with the headers of GET, and nothing else."""
    with open_house(room) as house:
        number = house.campaign()
        admin, program = house.admin(), house.program()
        for client, path in [
            (admin, "/"),
            (admin, f"/campaigns/{number}"),
            (admin, "/static/room.css"),
            (program, "/api/v1/campaigns"),
            (house.guest(), "/healthz"),
            (house.guest(), "/nowhere"),
        ]:
            got, head = client.get(path), client.head(path)
            assert (head.status_code, head.content) == (got.status_code, b""), path
            assert head.headers["content-type"] == got.headers["content-type"]


def test_metrics(room: str) -> None:
    """Requests, latencies, labels, leases, who waits and the database, for this machine or whoever has the token."""
    with open_house(room) as house:
        number = house.campaign(method="passive")
        program = house.program()
        task, *others = program.post(f"/api/v1/campaigns/{number}/tasks", params={"n": 4}).json()
        label = {"query": task["query"], "document": task["document"], "grade": 1}
        program.post(f"/api/v1/campaigns/{number}/labels", json={"labels": [label]})
        text = house.guest().get("/metrics").text
        assert f'rankgauge_labels{{campaign="{number}"}} 1.0' in text
        assert f'rankgauge_leases{{campaign="{number}"}} {len(others)}.0' in text
        assert 'route="/api/v1/campaigns/{campaign}/labels",status="200"' in text
        for name in ("rankgauge_request_seconds_bucket", "rankgauge_answers_waiting 0.0", "rankgauge_database_up 1.0"):
            assert name in text
        assert house.guest(headers={"x-forwarded-for": "198.51.100.1"}).get("/metrics").status_code == 404
    with open_house(room, metrics_token="open sesame") as house:
        assert house.guest().get("/metrics").status_code == 404
        assert house.guest(headers={"authorization": "Bearer open sesame"}).get("/metrics").status_code == 200


def test_who_did_what_is_logged(room: str, caplog: pytest.LogCaptureFixture) -> None:
    """Inviting, signing in, changing a role and revoking have a line each: who, from where, in which request."""
    with caplog.at_level(logging.INFO, logger="rankgauge.room"), open_house(room) as house:
        number = house.campaign()
        admin = house.admin()
        token = csrf(admin)
        page = admin.post(f"/campaigns/{number}/people", data={"csrf": token, "name": "ann"})
        link = re.search(r"/enter#(rgl_[\w-]+)", page.text)
        assert link is not None
        house.enter(link[1])
        guest = next(row.id for row in house.room.people.of_campaign(number))
        role = {"csrf": token, "role": Role.MANAGER.value}
        assert admin.post(f"/campaigns/{number}/people/{guest}/role", data=role).status_code == 303
        answer = admin.post(f"/campaigns/{number}/people/{guest}/revoke", data={"csrf": token})
    noted = [record for record in caplog.records if getattr(record, "facts", {}).get("audit")]
    lines = {record.getMessage(): record.facts for record in noted}
    assert lines["signed in"]["person"] == guest
    assert lines["role changed"]["role"] == "manager"
    assert lines["invited"]["guest"] == lines["revoked"]["guest"] == guest
    assert lines["revoked"]["request"] == answer.headers["x-request-id"]
    assert lines["revoked"]["address"] == "127.0.0.1"
    assert lines["revoked"]["person"] != guest


@pytest.mark.parametrize("stripped", [True, False])
def test_a_path_prefix(room: str, stripped: bool) -> None:
    """Behind a proxy that serves the room under a path, every address of every page is under it."""
    with open_house(room, root_path="/judging") as house:
        number, prefix = house.campaign(), "" if stripped else "/judging"
        answer = house.guest().post(f"{prefix}/enter", data={"link": house.room.people.admin_link()})
        assert answer.headers["location"] == "/judging/"
        assert "Path=/judging" in answer.headers["set-cookie"]
        cookies = {"cookie": answer.headers["set-cookie"].partition(";")[0]}
        pages = ("", f"campaigns/{number}", f"campaigns/{number}/judge", f"campaigns/{number}/people", "campaigns/new")
        for page in pages:
            text = house.guest(headers=cookies).get(f"{prefix}/{page}").text
            addresses = re.findall(r'(?:href|src|action)="(/[^"]*)"', text)
            assert len(addresses) > 5
            assert [address for address in addresses if not address.startswith("/judging/")] == [], page
        assert house.room.settings.link("x").endswith("/enter#x")


def test_half_open_connections(room: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """1,100 half-sent requests from one address keep nobody else waiting, and are closed in time."""
    monkeypatch.setattr(room_server, "HEADERS_WITHIN", 1.0)
    with open_house(room, address_connections=50) as house:
        port = int(house.base.rpartition(":")[2])
        begun, sockets, before = time.monotonic(), [], psutil.Process().memory_info().rss
        for n in range(1_100):
            half = socket.create_connection(("127.0.0.1", port), source_address=("127.0.0.2", 0))
            half.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nX-" + b"a" * n)
            sockets.append(half)
        with httpx.Client(base_url=house.base, timeout=10) as client:
            asked = time.monotonic()
            assert client.get("/healthz").status_code == 200
            assert time.monotonic() - asked < 1.0 + psutil.getloadavg()[0] / 8
        assert psutil.Process().memory_info().rss - before < 200 << 20
        for half in sockets:
            half.settimeout(10)
            try:
                while half.recv(1_000):
                    pass
            except ConnectionError:
                pass
            half.close()
        assert time.monotonic() - begun < 30


def test_slow_bodies_and_large_headers(room: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that does not come is given up; headers without end are refused."""
    monkeypatch.setattr(room_server, "BODY_WITHIN", 0.5)
    with open_house(room) as house:
        port = int(house.base.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as slow:
            form = b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100"
            slow.sendall(b"POST /enter HTTP/1.1\r\nHost: a\r\n" + form + b"\r\n\r\nlink")
            slow.settimeout(10)
            assert slow.recv(1_000).startswith(b"HTTP/1.1 408")
        with socket.create_connection(("127.0.0.1", port)) as large:
            large.sendall(b"GET / HTTP/1.1\r\n" + (b"A: " + b"b" * 1_000 + b"\r\n") * 80)
            large.settimeout(10)
            assert large.recv(1_000).startswith(b"HTTP/1.1 431")


def answers_to(house: House, sent: bytes) -> bytes:
    """All that the room says on one connection on which this was sent, until it closes that or falls silent."""
    said = b""
    with socket.create_connection(("127.0.0.1", int(house.base.rpartition(":")[2]))) as connection:
        connection.settimeout(5)
        try:
            connection.sendall(sent)
            while piece := connection.recv(1 << 16):
                said += piece
        except OSError:
            pass
    return said


def test_requests_that_are_sent_ahead(room: str) -> None:
    """A few requests on a connection are answered one after another; thousands are refused before they take memory."""
    with open_house(room) as house:
        last = b"GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        request = b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
        assert answers_to(house, request * 8 + last).count(b"HTTP/1.1 200") == 9
        said = answers_to(house, request * 5_000)
        assert b"HTTP/1.1 429" in said
        assert said.count(b"HTTP/1.1 200") < 100
        assert 'rankgauge_connections_refused_total{status="429"}' in house.guest().get("/metrics").text


def test_cookies_that_take_long_to_read(room: str) -> None:
    """Python reads 60 KB of escaped quotes in seconds, for which nobody else would be served."""
    with open_house(room) as house:
        quotes = b'rankgauge="' + b'\\"' * 30_000 + b'"'
        begun = time.process_time()
        assert answers_to(house, b"GET / HTTP/1.1\r\nHost: a\r\nCookie: " + quotes + b"\r\n\r\n").startswith(
            b"HTTP/1.1 431"
        )
        several = b"".join(b"Cookie: " + quotes[:3_000] + b"\r\n" for _ in range(4))
        assert answers_to(house, b"GET / HTTP/1.1\r\nHost: a\r\n" + several + b"\r\n").startswith(b"HTTP/1.1 431")
        assert time.process_time() - begun < 1.0


def test_files_of_strangers_are_not_read(room: str) -> None:
    """Whoever is not signed in is told so at once, and not after the room has taken 60 MB from them."""
    with open_house(room) as house:
        house.campaign()
        form = b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 60000000\r\n\r\n--x\r\n"
        for path in (b"/drafts", b"/campaigns/1/labels", b"/campaigns/1/gold/labels", b"/api/v1/campaigns/1/labels"):
            sent = b"POST " + path + b" HTTP/1.1\r\nHost: a\r\n" + form
            assert answers_to(house, sent).startswith(b"HTTP/1.1 401"), path


def test_large_forms_and_many_rows(room: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A form without files may have a megabyte, JSON sixteen; and all that is being read at once is limited too."""
    with open_house(room) as house:
        number, admin, program = house.campaign(), house.admin(), house.program()
        form = {"content-type": "application/x-www-form-urlencoded"}
        page, call = f"/campaigns/{number}/labels", f"/api/v1/campaigns/{number}/labels"
        assert admin.post(page, content=b"&" * (2 << 20), headers=form).status_code == 413
        assert program.post(call, content=b'"' + b"\\\\" * (9 << 20) + b'"').status_code == 413
        monkeypatch.setattr("rankgauge.room.app.HELD", 100_000)
        assert program.post(call, content=b'"' + b"x" * 200_000 + b'"').status_code == 503
        monkeypatch.setattr("rankgauge.room.app.HELD", 1 << 20)
        for _ in range(20):  # what was read before is not counted any more
            assert program.post(call, content=b'"' + b"x" * 200_000 + b'"').status_code == 422


def test_strangers_lock_nothing(room: str) -> None:
    """A link that does not work is refused without a lock on the database, which would keep answers waiting."""
    with open_house(room) as house:
        house.admin()  # the time is stored now, as it is once a minute
        path = room.removeprefix("sqlite:///")
        with closing(sqlite3.connect(path)) as other:
            other.execute("begin immediate")
            assert house.guest().post("/enter", data={"link": "rgl_nobody"}).status_code == 404
            other.rollback()


def test_workers_are_replaced_and_stop(tmp_path: Path) -> None:
    """Killed processes are replaced within seconds; a stop takes less than ten, also with one that is stopped, and
    leaves all data in the one file."""
    with served(tmp_path, "--workers", "2") as (process, address, _):
        with httpx.Client(base_url=address, timeout=30) as client:
            assert client.get("/livez").status_code == 200
            assert client.get("/metrics").status_code == 200
        workers = serving(process.pid, 2)
        for worker in workers:
            worker.kill()
        begun = time.monotonic()
        fresh = serving(process.pid, 2, without=workers)
        with httpx.Client(base_url=address, timeout=30) as client:
            assert client.get("/healthz").status_code == 200
        assert time.monotonic() - begun < 5.0 + psutil.getloadavg()[0]
        os.kill(fresh[0].pid, signal.SIGSTOP)
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        assert time.monotonic() - begun < 10.0 + psutil.getloadavg()[0] / 4
        assert process.returncode == 0
        psutil.wait_procs(fresh, timeout=1)
        assert not any(worker.is_running() for worker in fresh)
        assert [path.name for path in tmp_path.iterdir() if path.name.startswith("room.db")] == ["room.db"]


def test_all_processes_are_told_to_stop(tmp_path: Path) -> None:
    """systemd sends SIGTERM to every process of a service at once: all data are in the one file then, too."""
    with served(tmp_path, "--workers", "2") as (process, address, _):
        with httpx.Client(base_url=address, timeout=30) as client:
            assert client.get("/livez").status_code == 200
        serving(process.pid, 2)
        every = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        for one in every:
            one.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        assert process.returncode == 0
        assert not psutil.wait_procs(every, timeout=5)[1]
        assert [path.name for path in tmp_path.iterdir() if path.name.startswith("room.db")] == ["room.db"]


def serving(parent: int, count: int, without: list[psutil.Process] | None = None) -> list[psutil.Process]:
    """The processes that serve, once there are so many."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        copies = [one for one in psutil.Process(parent).children(recursive=True) if serves(one)]
        fresh = [one for one in copies if without is None or one not in without]
        if len(fresh) == count:
            return fresh
        time.sleep(0.05)
    raise AssertionError(f"no {count} processes serve")


def serves(process: psutil.Process) -> bool:
    """Whether the process was copied from the one that imports, and has the socket."""
    try:
        copied = "forkserver" in " ".join(process.parent().cmdline())
        return copied and any(one.status == psutil.CONN_LISTEN for one in process.net_connections("tcp"))
    except (psutil.Error, AttributeError):
        return False
