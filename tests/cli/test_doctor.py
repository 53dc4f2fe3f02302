"""rankgauge doctor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import rankgauge
from rankgauge.cli.commands import doctor as module

Command = Callable[..., str]


def test_it_says_what_is_there(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Versions, extras with the pip lines of those that are missing, and databases that answer or do not."""
    monkeypatch.delenv("RANKGAUGE_DATABASE", raising=False)
    monkeypatch.setattr(module, "_is_installed", lambda name: name != "zstandard")
    gone = tmp_path / "nosuch" / "room.db"
    shown = command("doctor", "--database", f"sqlite:///{tmp_path}/room.db", "--database", f"sqlite:///{gone}")
    said = " ".join(shown.split())
    assert rankgauge.__version__ in said
    assert "[zstd] missing zstandard: pip install 'rankgauge[zstd]'" in said
    assert "[web] present" in said
    assert "room.db answers" in said
    assert "does not answer" in said
    assert "database none named" in " ".join(command("doctor").split())


def test_extras_are_those_of_the_package() -> None:
    """Every extra that it asks for is one of the package's."""
    from importlib.metadata import metadata

    assert set(module.EXTRAS) <= set(metadata("rankgauge").get_all("Provides-Extra") or ())
