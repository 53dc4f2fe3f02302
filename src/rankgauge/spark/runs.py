"""Runs that a command names, evaluated by Spark: on many machines, or on all the cores of this one.

Parquet files and folders of them are read by Spark; files of other formats by the driver, which hands them on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rankgauge import dialects, files
from rankgauge.dialects import Dialect
from rankgauge.evaluation.judged_hits import note_negative
from rankgauge.evaluation.result import Result
from rankgauge.input_notes import collecting_notes
from rankgauge.measures import Measure
from rankgauge.measures.measure import asking
from rankgauge.spark import spark
from rankgauge.spark.rows import name_columns

_STORE = re.compile(r"^(\w{2,}):/")
"""How an address begins, as in s3a://bucket; a single letter is a drive."""


def evaluate_runs(
    judgments: Any, runs: Mapping[str, Any], measures: Sequence[Measure], dialect: Dialect, *, master: str | None
) -> Iterator[tuple[str, Result]]:
    """Yield the name and the result of each run, in their order; `master` is where Spark runs, as in local[2]."""
    for name, run in runs.items():
        with files.locating_repeats(run):
            result = evaluate(judgments, run, measures, dialect=dialect, master=master)
        yield name, result


def evaluate(
    judgments: Any,
    run: Any,
    measures: spark.Names,
    *,
    dialect: str | Dialect = "standard",
    master: str | None = None,
) -> Result:
    """Evaluate a run on Spark; judgments and run are paths, or frames of Spark."""
    started, spoken = spark.session(master), dialects.get(dialect)
    ask = asking(spoken.select(measures))
    read = files.judgments_from if ask is None else partial(files.judgments_from, kind=ask.facts.judgments)
    if ask is None and _is_text(judgments) and _is_text(run):  # two files may need each other to be understood
        judgments, run = files.read_pair(judgments, run, reading=spoken.reading)
    frames = (_frame(started, judgments, read), _frame(started, run, partial(files.run_from, order=spoken.order)))
    with collecting_notes() as notes:
        if ask is None and (column := name_columns(frames[0], files.JUDGMENTS).get("grade")):
            note_negative(frames[0].filter(f"`{column}` < 0").count(), spoken, spoken.select(measures))
    return spark.result(*frames, measures, dialect=spoken).noted(notes)


def _frame(started: Any, source: Any, read: Any) -> Any:
    """Return the frame that a path names, or the frame itself."""
    if hasattr(source, "mapInArrow"):
        return source
    if files.is_path(source) and not _is_text(source):
        return started.read.parquet(_address(str(source)))
    return started.createDataFrame(read(source).to_arrow())


def _is_text(source: Any) -> bool:
    """Say whether the source is a file that the driver reads: neither Parquet, nor a folder of it, nor in a store."""
    if not files.is_path(source):
        return False
    path = Path(source)
    return not (path.is_dir() or path.suffix.lower() in (".parquet", ".pq") or _STORE.match(str(source)))


def _address(path: str) -> str:
    """Return the address of a store, with the second slash of s3a:// that a path drops."""
    return re.sub(_STORE.pattern + "(?=[^/])", r"\1://", path)
