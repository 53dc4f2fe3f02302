"""trec_eval for the benchmarks: where it is looked for, and what is taken from an archive that was downloaded."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import trec_eval

SCRIPT = b"#!/bin/sh\necho 'trec_eval version 9.0.4' >&2\n"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine without trec_eval, for which the archive has a build."""
    monkeypatch.delenv("TREC_EVAL", raising=False)
    monkeypatch.setattr(trec_eval.shutil, "which", lambda name: None)
    monkeypatch.setattr(trec_eval, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(trec_eval.platform, "system", lambda: "Linux")
    monkeypatch.setattr(trec_eval.platform, "machine", lambda: "x86_64")
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    trec_eval.program.cache_clear()
    trec_eval.build.cache_clear()


def archive(path: Path) -> None:
    """Writes what PyPI has, with one small program in its jar."""
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as classes:
        classes.writestr("trec_eval/trec_eval-linux-amd64", SCRIPT)
    name = "pyserini-1.6.0/pyserini/resources/jars/anserini-fatjar.jar"
    if path.suffix == ".whl":
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr(name, jar.getvalue())
        return
    with tarfile.open(path, "w:gz") as packed:
        member = tarfile.TarInfo(name)
        member.size = len(jar.getvalue())
        packed.addfile(member, io.BytesIO(jar.getvalue()))


@pytest.mark.parametrize("name", ["pyserini-1.6.0.tar.gz", "pyserini-1.6.0-py3-none-any.whl"])
def test_the_program_is_taken_from_the_archive(machine: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is downloaded once, kept, and named on the page with the archive that it came from."""
    asked = []

    def download(command: list[str], check: bool) -> None:
        asked.append(command)
        archive(Path(command[command.index("--dest") + 1]) / name)

    with monkeypatch.context() as offline:
        offline.setattr(trec_eval.subprocess, "run", download)
        assert trec_eval.program() is None
        found = trec_eval.fetch()
        assert trec_eval.fetch() == found
    assert found is not None
    assert Path(found).read_bytes() == SCRIPT
    assert len(asked) == 1
    assert asked[0][-1] == "pyserini"
    assert "--no-deps" in asked[0]
    assert trec_eval.build() == "trec_eval 9.0.4, the build of pyserini-1.6.0-linux-amd64"


def test_nothing_is_downloaded_unasked(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking for the program starts nothing; what $TREC_EVAL names comes first; the page says what is missing."""
    monkeypatch.setattr(trec_eval.subprocess, "run", lambda *_, **__: pytest.fail("nothing is to be started"))
    assert trec_eval.program() is None
    assert "not on this machine" in trec_eval.build()
    monkeypatch.setattr(trec_eval.platform, "machine", lambda: "riscv64")
    assert trec_eval.fetch() is None
    monkeypatch.setenv("TREC_EVAL", "/opt/trec_eval")
    trec_eval.program.cache_clear()
    assert trec_eval.fetch() == trec_eval.program() == "/opt/trec_eval"
