"""One fixture for every engine: what runs on this machine runs on Spark too, to the same digits.

On both run: the worked examples of every measure, every dialect's tests (the golden values of foreign tools among
them, and the learning packages' own metrics), trec_eval's own code beside ours, and the means over all orders of ties.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.engines import Evaluate, Jobs, lacking
from tests.lanes import LANES, lane_of, lane_of_path, needs_spark

# The tests run in as many processes as there are cores: threads of boosted trees would wait for each other, busily.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# How many examples a property is tried on (tests/examples.py). A busy machine is slow, which is no fault of the code.
settings.register_profile("quick", deadline=None, max_examples=10)
settings.register_profile("usual", deadline=None, max_examples=40)
settings.register_profile("studies", deadline=None, max_examples=100)
settings.load_profile("usual")


@pytest.fixture(scope="session")
def session() -> Iterator[Any]:
    """A session of Spark with two cores of this machine, and few partitions, as there is little in them."""
    if why := lacking():
        pytest.skip(why)
    from rankgauge.spark import spark

    started = spark.session(
        "local[2]",
        spark_sql_shuffle_partitions="3",
        spark_sql_adaptive_enabled="false",  # small partitions stay as they are: some of them are empty
        spark_driver_memory="1g",
        # Jobs are short: what Java spends on compiling its code well does not come back. Half the cost.
        spark_driver_extraJavaOptions="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    )
    yield started
    started.stop()


@pytest.fixture(scope="session")
def jobs(session: Any, tmp_path_factory: pytest.TempPathFactory) -> Jobs:
    """What Spark computed in this session."""
    return Jobs(session, tmp_path_factory.mktemp("spark"))


@pytest.fixture(scope="session")
def on_spark(jobs: Jobs) -> Evaluate:
    """Evaluates frames on Spark."""
    return jobs.evaluate


@pytest.fixture(scope="module", params=["local", "spark"])
def evaluate(request: pytest.FixtureRequest) -> Evaluate:
    """The same call on each engine. The inputs that a module's function `together` gives are one job of Spark."""
    if request.param == "local":
        from rankgauge.evaluation.evaluation import evaluate as here

        return here
    jobs: Jobs = request.getfixturevalue("jobs")
    together = getattr(request.module, "together", None)
    return partial(jobs.evaluate, together=together) if together else jobs.evaluate


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marks known: those of lanes, and that of pytest-xdist where it is not installed."""
    config.addinivalue_line("markers", "xdist_group(name): the tests of a group run in one process")
    for lane in LANES:
        config.addinivalue_line("markers", f"{lane}: a lane of the suite, see tests/lanes.py")
    gc.disable()  # what is imported and collected stays: looking through it for rubbish takes a tenth of the time


def pytest_collection_finish() -> None:
    """From here on there is rubbish, and none of it among what is there."""
    gc.freeze()
    gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out folders without tests of units where only these are asked for: importing them takes longer."""
    return True if config.option.markexpr == "unit" and lane_of_path(collection_path) != "unit" else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks each test with its lane. Tests on Spark, and those in a browser, stay in one process, which starts it once.

    It comes first, as the hooks that choose by marks and that keep groups together read the marks that are there.
    """
    for item in items:
        item.add_marker(lane_of(item))
        if needs_spark(item):
            item.add_marker(pytest.mark.xdist_group("spark"))
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("browser"))
