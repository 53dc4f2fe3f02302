"""Data sets of ir_datasets: `irds:` and an id, as in PyTerrier, or an object of the library itself.

A data set's qrels are judgments, its scoreddocs a run. The library, which downloads what is missing, is imported only
if a data set is named.
"""

from __future__ import annotations

import difflib
import os
import textwrap
from collections.abc import Iterable, Mapping
from numbers import Real
from pathlib import PurePath
from typing import Any

import polars as pl

from rankgauge.errors import InputError, MissingExtraError, ParameterError, UnknownNameError
from rankgauge.files import JUDGMENTS, RUN, Table, as_judgments, as_run
from rankgauge.files.compression import unpacked_name

PREFIX = "irds:"
SHOWN = 8
"""How many data sets an error names."""

_PARTS: Mapping[str, str] = {JUDGMENTS.name: "qrels", RUN.name: "scoreddocs"}
"""Our table → the library's name for that part of a data set."""

_MARKS = ("has_qrels", "qrels_iter", "scoreddocs_iter")
"""Attributes by which a data set of the library, or a part of one, is known."""


def is_dataset(source: Any) -> bool:
    """Say whether the source is a data set of ir_datasets, or names one."""
    return _id_in(source) is not None or any(hasattr(source, mark) for mark in _MARKS)


def judgments_of(source: Any) -> pl.DataFrame:
    """Return the judgments of a data set."""
    return _table(source, JUDGMENTS)


def run_of(source: Any) -> pl.DataFrame:
    """Return the run that comes with a data set, such as the documents to rerank."""
    return _table(source, RUN)


def label(path: str | PurePath) -> str:
    """What to call a source in a report: a data set by its whole id, a file by its name without .gz and the like."""
    name = _id_in(path)
    return unpacked_name(PurePath(path).name) if name is None else f"{PREFIX}{name}"


def named_runs(owner: str, runs: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    """Return several runs by name: paths are named for their files, or in full if two are alike, others by number.

    One run alone is an error, which says how to give several to the `owner`.
    """
    if isinstance(runs, str | os.PathLike) or hasattr(runs, "columns") or (isinstance(runs, Mapping) and _is_run(runs)):
        raise ParameterError(owner, "runs", "several runs, such as {'bm25': …, 'dense': …}", "one run")
    if isinstance(runs, Mapping):
        return dict(runs)
    listed = list(runs)
    labels = [label(run) if isinstance(run, str | PurePath) else f"run {at}" for at, run in enumerate(listed, 1)]
    shown = [str(run) if labels.count(name) > 1 else name for run, name in zip(listed, labels, strict=True)]
    if len(set(shown)) < len(shown):
        raise ParameterError(owner, "runs", "different files, or runs by name", shown)
    return dict(zip(shown, listed, strict=True))


def _is_run(runs: Mapping[Any, Any]) -> bool:
    """Say whether these are the lists of one run, {query: {document: score}} or {query: [documents in order]}."""
    first = next(iter(runs.values()), None)
    if isinstance(first, Mapping):
        return isinstance(next(iter(first.values()), None), Real)
    # Rows of a run (query, document, score) may be a list as well.
    return isinstance(first, list | tuple) and bool(first) and (isinstance(first[0], str) or len(first[0]) == 2)


def ids() -> list[str]:
    """Return the ids that the library knows."""
    return list(_library().registry)


def _id_in(source: Any) -> str | None:
    """Return the id in a name such as irds:vaswani, which may be a path with backslashes on Windows."""
    if not isinstance(source, str | os.PathLike):
        return None
    text = source.as_posix() if isinstance(source, PurePath) else os.fspath(source)
    return text.removeprefix(PREFIX) if isinstance(text, str) and text.startswith(PREFIX) else None


def _table(source: Any, table: Table) -> pl.DataFrame:
    name = _id_in(source)
    dataset = source if name is None else _load(name)
    shown = "a data set of ir_datasets" if name is None else f"{PREFIX}{name}"
    rows = _rows(dataset, table, shown)
    try:
        return as_judgments(rows) if table is JUDGMENTS else as_run(rows)
    except InputError as error:
        raise InputError(error.problem, path=shown, hint=error.hint) from None


def _rows(dataset: Any, table: Table, shown: str) -> list[Any]:
    """Return the rows of that part, downloaded if necessary."""
    read = getattr(dataset, f"{_PARTS[table.name]}_iter", None)
    if read is None:
        raise InputError(f"has no {table.name} ({_PARTS[table.name]})", path=shown, hint=_alternatives(shown, table))
    try:
        return list(read())
    except Exception as error:  # whatever goes wrong in the library's download, unpacking or parser
        raise InputError(
            f"ir_datasets cannot give its {table.name}: {_message_of(error)}",
            path=shown,
            hint=f"What it has downloaded is in {_library().util.home_path()} (IR_DATASETS_HOME).",
        ) from None


def _alternatives(shown: str, table: Table) -> str | None:
    """Return a hint that names the data sets below this one that have the part."""
    library, below = _library(), f"{shown.removeprefix(PREFIX)}/"
    having = [
        f"{PREFIX}{name}"
        for name in library.registry
        if name.startswith(below) and hasattr(library.registry[name], f"{_PARTS[table.name]}_iter")
    ]
    return f"These have: {', '.join(having[:SHOWN])}{' …' if len(having) > SHOWN else ''}" if having else None


def _load(name: str) -> Any:
    library = _library()
    try:
        return library.load(name)
    except KeyError:
        # All names would fill a page: show the nearest ones, or else whole collections.
        near = difflib.get_close_matches(name, library.registry, n=3)
        raise UnknownNameError(
            "data set of ir_datasets", name, near or [known for known in library.registry if "/" not in known]
        ) from None


def _library() -> Any:
    try:
        import ir_datasets
    except ImportError:
        raise MissingExtraError("ir_datasets", "irds") from None
    return ir_datasets


def _message_of(error: Exception, width: int = 160) -> str:
    """Return the beginning of an error's message; the library has logged the rest."""
    words = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
    return textwrap.shorten(words or type(error).__name__, width, placeholder=" …")
