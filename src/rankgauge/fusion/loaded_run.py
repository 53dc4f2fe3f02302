"""Files, frames and dicts → lists in flat arrays.

Ids are rows of 64-bit words. Where every run is a regular TREC file, a row is the id's own bytes, straight from the
scan of the file; otherwise runs are read as tables, and a row is the number of the id among all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.lazy_polars import pl
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.ranking.scan.chunks import IrregularFileError
from rankgauge.ranking.scan.ids import Words
from rankgauge.ranking.scan.run import scan_lists

Watch = Callable[[int, int, str], None]
"""Told how many parts of the work are done, of how many, and the name of the current one."""

Spelled = Callable[[Words], "pl.Series"]
"""The ids that rows of words stand for."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadedRun:
    """The lists of one run: those of query i are the next `counts[i]` documents, by falling score."""

    names: list[str]
    counts: IndexArray
    documents: Words
    scores: FloatArray

    @classmethod
    def of(cls, names: list[str], counts: IndexArray, documents: Words, scores: FloatArray) -> LoadedRun:
        """The run; lists that do not fall are sorted, tied documents staying in their order."""
        query = np.repeat(np.arange(len(counts)), counts)
        if bool(((scores[1:] > scores[:-1]) & (query[1:] == query[:-1])).any()):
            order = np.lexsort((-scores, query))
            documents, scores = documents[order], scores[order]
        return cls(names=names, counts=counts, documents=documents, scores=scores)

    def inverted(self) -> LoadedRun:
        """The run with the least score first, as if every score had the other sign."""
        return LoadedRun.of(self.names, self.counts, self.documents, -self.scores)


Loaded = tuple[dict[str, LoadedRun], Spelled]
"""Runs by name, and how their documents are called."""


def scanned(runs: Mapping[str, Any], tell: Watch) -> Loaded | None:
    """The runs in regular TREC files; None where one is something else."""
    if not all(isinstance(run, str | os.PathLike) and not hasattr(run, "spelling") for run in runs.values()):
        return None
    found = {}
    for done, (name, path) in enumerate(runs.items()):
        tell(done, len(runs), name)
        try:
            found[name] = LoadedRun.of(*scan_lists(path))
        except IrregularFileError:
            return None
    return found, spelled_words


def spelled_words(rows: Words) -> pl.Series:
    """The ids whose bytes the words are."""
    text = np.ascontiguousarray(rows).view(f"S{8 * rows.shape[1]}").ravel()
    return pl.Series("document", text.astype(bytes)).cast(pl.String)


def tabled(runs: Mapping[str, Any], tell: Watch) -> Loaded:
    """The runs, read as tables; every id gets a number."""
    from rankgauge import files

    frames = {}
    for done, (name, run) in enumerate(runs.items()):
        tell(done, len(runs), name)
        frame = files.run_from(run)
        if frame.is_empty():
            raise InputError("the run is empty", path=name)
        frames[name] = frame.select("query", "document", "score")
    ids = pl.concat([frame["document"] for frame in frames.values()]).unique(maintain_order=True)
    codes = pl.DataFrame({"document": ids, "code": np.arange(len(ids), dtype=np.uint64)})
    return {name: _loaded(frame, codes) for name, frame in frames.items()}, partial(_gathered, ids)


def _gathered(ids: pl.Series, rows: Words) -> pl.Series:
    return ids.gather(rows[:, 0])


def _loaded(frame: pl.DataFrame, codes: pl.DataFrame) -> LoadedRun:
    names = frame["query"].unique(maintain_order=True)
    numbers = pl.DataFrame({"query": names, "number": np.arange(len(names))})
    rows = frame.join(numbers, on="query", how="left", maintain_order="left")
    rows = rows.join(codes, on="document", how="left", maintain_order="left")
    number = rows["number"].to_numpy()
    if bool((number[1:] < number[:-1]).any()):
        rows = rows.sort("number", maintain_order=True)
        number = rows["number"].to_numpy()
    counts = np.bincount(number, minlength=len(names))
    words = rows["code"].to_numpy().reshape(-1, 1)
    return LoadedRun.of(names.to_list(), counts, words, rows["score"].to_numpy())
