"""The page on judging as a team: its notebook runs, its settings are the settings, its commands are commands."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import fields
from pathlib import Path

import httpx
import pytest

from rankgauge.room.settings import PREFIX, RoomSettings
from tests.docs.blocks import ROOT
from tests.web.house import open_house, truth, write_pool

PAGE = (ROOT / "docs" / "judging.md").read_text(encoding="utf-8")


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's piece of Python does what it says, against an open room."""
    found = re.search(r"\n( {4}from rankgauge\.room\.client.*?)\n\n(?=\S)", PAGE, re.DOTALL)
    assert found is not None
    write_pool(tmp_path)
    monkeypatch.chdir(tmp_path)
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as house:
        token = house.program().headers["authorization"].removeprefix("Bearer ")
        code = textwrap.dedent(found[1]).replace("http://127.0.0.1:8000", house.base).replace("rgt_…", token)
        printed = io.StringIO()
        names: dict[str, object] = {}
        with redirect_stdout(printed):
            exec(compile(code, "judging.md", "exec"), names)
        assert printed.getvalue().splitlines()[0].startswith("http://127.0.0.1")
        assert printed.getvalue().splitlines()[1] == "None"
        campaign = house.room.campaigns.get(1).campaign
        for name in ("ann", "bob"):
            campaign.record(
                [(t.query, t.document, truth()[t.query, t.document], name) for t in campaign.lease(20, name)]
            )
        with redirect_stdout(io.StringIO()):
            exec(compile(code.replace('"autumn"', '"winter"'), "judging.md", "exec"), names)
        from rankgauge.room.client import RoomClient

        with RoomClient(house.base, token=token) as room:
            assert room.judgments(1).columns == ["query", "document", "grade"]
            assert len(room.labels(1)) == 40


def test_the_settings_are_all_there() -> None:
    """The page's table has a row for each setting: its variable, its default, and the words of the code."""
    for setting in fields(RoomSettings):
        default = f" `{setting.default}`" if setting.default != "" else ""
        assert f"| `{PREFIX}{setting.name.upper()}` |{default} | {setting.metadata['words']} |" in PAGE


@contextmanager
def served(folder: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """`rankgauge serve` in a process of its own: the process, the room's address, and the admin's link."""
    command = [sys.executable, "-m", "rankgauge.cli", "serve", "--port", "0", *more]
    environment = os.environ | {"PYTHONUNBUFFERED": "1", "RANKGAUGE_DATABASE": f"sqlite:///{folder / 'room.db'}"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=folder, env=environment, text=True, **pipes) as process:
        assert process.stdout is not None
        yield process, process.stdout.readline().split()[-1], process.stdout.readline().split()[-1]


def healthy(room: str) -> bool:
    """Whether the room says that it is well."""
    with urllib.request.urlopen(f"{room}/healthz") as answer:
        return bool(json.loads(answer.read())["status"] == "ok")


def test_serve_opens_and_stops(tmp_path: Path) -> None:
    """`rankgauge serve` prints the admin's link, answers, and stops on SIGTERM without a traceback."""
    with served(tmp_path) as (process, room, link):
        assert link.startswith(f"{room}/enter#rgl_")
        assert healthy(room)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 0, said
    assert "Traceback" not in said
    assert link.rpartition("#")[2] not in said


def test_several_workers(tmp_path: Path) -> None:
    """With --workers each request may reach another process; one that is killed is replaced, and all end on SIGTERM."""

    def next_worker() -> int:
        assert process.stderr is not None
        said = (re.search(r"Started server process \[(\d+)\]", line) for line in process.stderr)
        return int(next(found for found in said if found)[1])

    with served(tmp_path, "--workers", "2") as (process, room, link):
        workers = [next_worker(), next_worker()]
        assert healthy(room)
        os.kill(workers[0], signal.SIGKILL)
        assert healthy(room)
        workers[0] = next_worker()
        with httpx.Client() as client:
            assert client.post(f"{room}/enter", data={"link": link}).status_code == 303
            cookies = client.cookies
        for _ in range(8):  # connections of their own, which either process may take
            with httpx.Client(base_url=room, cookies=cookies) as other:
                assert other.get("/tokens").status_code == 200, "both know the session"
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 0, said
    assert "Traceback" not in said
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def test_a_taken_port_is_one_clear_error(tmp_path: Path) -> None:
    """Where somebody listens already, serve says so and makes no database."""
    with open_house(f"sqlite:///{tmp_path / 'other.db'}") as house:
        port = house.base.rpartition(":")[2]
        command = [sys.executable, "-m", "rankgauge.cli", "serve", "--port", port]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith("rankgauge: cannot listen on 127.0.0.1")
    assert not (tmp_path / "rankgauge.db").exists()


def test_backup_says_what_it_copied(tmp_path: Path) -> None:
    """`rankgauge serve backup` copies a room that is open, and says how much."""
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as house:
        house.campaign()
        here = ["--database", f"sqlite:///{tmp_path / 'room.db'}"]
        command = [sys.executable, "-m", "rankgauge.cli", "serve", "backup", "copy.db", *here]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1 campaign, 0 labels, ")
