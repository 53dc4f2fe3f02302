"""The page on judging as a team: its notebook runs, its settings are the settings, its commands are commands."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import urllib.request
from dataclasses import fields
from pathlib import Path

import pytest

from rankgauge.web.settings import PREFIX, RoomSettings
from tests.docs.blocks import ROOT
from tests.web.house import open_house, truth, write_pool

PAGE = (ROOT / "docs" / "judging.md").read_text(encoding="utf-8")


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's piece of Python does what it says, against an open room."""
    found = re.search(r"\n( {4}from rankgauge\.web\.client.*?)\n\n(?=\S)", PAGE, re.DOTALL)
    assert found is not None
    write_pool(tmp_path)
    monkeypatch.chdir(tmp_path)
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as house:
        token = house.program().headers["authorization"].removeprefix("Bearer ")
        code = textwrap.dedent(found[1]).replace("http://127.0.0.1:8000", house.base).replace("rgt_…", token)
        printed = io.StringIO()
        names: dict[str, object] = {}
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "judging.md", "exec"), names)
        assert printed.getvalue().splitlines()[0].startswith("http://127.0.0.1")
        assert printed.getvalue().splitlines()[1] == "None"
        campaign = house.room.campaigns.get(1).campaign
        for name in ("ann", "bob"):
            campaign.record(
                [(t.query, t.document, truth()[t.query, t.document], name) for t in campaign.lease(20, name)]
            )
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code.replace('"autumn"', '"winter"'), "judging.md", "exec"), names)
        from rankgauge.web.client import RoomClient

        with RoomClient(house.base, token=token) as room:
            assert room.judgments(1).columns == ["query", "document", "grade"]
            assert len(room.labels(1)) == 40


def test_the_settings_are_all_there() -> None:
    """The page's table has a row for each setting: its variable, its default, and the words of the code."""
    for setting in fields(RoomSettings):
        default = f" `{setting.default}`" if setting.default != "" else ""
        assert f"| `{PREFIX}{setting.name.upper()}` |{default} | {setting.metadata['words']} |" in PAGE


def test_serve_opens_and_stops(tmp_path: Path) -> None:
    """`rankgauge serve` prints the admin's link, answers, and stops on SIGTERM without a traceback."""
    command = [sys.executable, "-m", "rankgauge.cli", "serve", "--port", "0"]
    environment = os.environ | {"PYTHONUNBUFFERED": "1", "RANKGAUGE_DATABASE": f"sqlite:///{tmp_path / 'room.db'}"}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        opened, link = process.stdout.readline().split()[-1], process.stdout.readline().split()[-1]
        assert link.startswith(f"{opened}/enter/rgl_")
        with urllib.request.urlopen(f"{opened}/healthz") as answer:
            assert json.loads(answer.read())["status"] == "ok"
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGTERM, said  # how a server that was told to stop ends
    assert "Traceback" not in said
    assert link.rpartition("/")[2] not in said


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
    """`rankgauge backup` copies a room that is open, and says how much."""
    with open_house(f"sqlite:///{tmp_path / 'room.db'}") as house:
        house.campaign()
        command = [sys.executable, "-m", "rankgauge.cli", "backup", f"sqlite:///{tmp_path / 'room.db'}", "copy.db"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1 campaigns, 0 labels, ")
