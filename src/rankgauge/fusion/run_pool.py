"""Runs to fuse, in memory: the lists of every run, and the queries of all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.errors import InputError, ParameterError, RepeatedError
from rankgauge.fusion.stack import Stack
from rankgauge.lazy_polars import pl
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.ranking.scan.lines import IrregularFileError, Words
from rankgauge.ranking.scan.run import scan_lists

ENTRIES = 1 << 17
"""About how many entries are fused at a time: what the cache of a core holds."""


Watch = Callable[[int, int, str], None]
"""Told how many parts of the work are done, of how many, and the name of the current one."""


def silent(done: int, parts: int, name: str) -> None:
    """Tell nobody how far the work is."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RunPool:
    """The runs to fuse, by name, and how their documents are called."""

    runs: Mapping[str, LoadedRun]
    spelled: Spelled
    sources: Mapping[str, Any] = field(default_factory=dict)
    """Where the runs come from, for errors that name the line."""

    @classmethod
    def of(cls, runs: Mapping[str, Any], watch: Watch = silent) -> RunPool:
        """Return the pool of runs in files, frames, dicts or data sets; `watch` is told how many are read."""
        refuse_few(runs)
        loaded, spelled = scan_runs(runs, watch) or read_tables(runs, watch)
        pool = cls(runs=loaded, spelled=spelled, sources=runs)
        listed = pool.counts > 0
        shared = listed.sum(axis=0) > 1
        for (name, run), row in zip(loaded.items(), listed, strict=True):
            if not (row & shared).any():
                ours = ", ".join(run.names[:3])
                theirs = ", ".join([query for query in pool.queries if query not in set(run.names)][:3])
                raise InputError(
                    f"the run {name} has no query in common with the others: it has {ours} …, they have {theirs} …",
                    hint="Are all runs for the same queries, with ids written alike?",
                )
        return pool

    @cached_property
    def queries(self) -> list[str]:
        """The queries of all runs, in the order in which they come first."""
        return list(dict.fromkeys(name for run in self.runs.values() for name in run.names))

    @cached_property
    def counts(self) -> IndexArray:
        """How many documents each run has for each query (runs × queries)."""
        return self._by_query([run.counts for run in self.runs.values()])

    @cached_property
    def starts(self) -> IndexArray:
        """Where the list of each run for each query begins (runs × queries)."""
        return self._by_query([np.cumsum(run.counts) - run.counts for run in self.runs.values()])

    def _by_query(self, columns: list[IndexArray]) -> IndexArray:
        place = {name: number for number, name in enumerate(self.queries)}
        table = np.zeros((len(self.runs), len(place)), dtype=np.int64)
        for row, run, column in zip(table, self.runs.values(), columns, strict=True):
            row[[place[name] for name in run.names]] = column
        return table

    def invert(self) -> RunPool:
        """Return the pool for runs whose lowest score is the best: every score with the other sign."""
        return replace(self, runs={name: run.invert() for name, run in self.runs.items()})

    def stack(self, queries: IndexArray, *, averages: bool = True) -> Stack:
        """Return the stack of these queries, by their positions."""
        counts, starts = self.counts[:, queries], self.starts[:, queries]
        list_query, list_run = np.nonzero(counts.T)
        sizes = counts[list_run, list_query]
        begins = starts[list_run, list_query]
        loaded = list(self.runs.values())
        lists = list(zip(list_run.tolist(), begins.tolist(), (begins + sizes).tolist(), strict=True))
        width = max(run.documents.shape[1] for run in loaded)
        documents = np.zeros((int(sizes.sum()), width), dtype=np.uint64)
        for column in range(width):
            words = [run.documents[:, column] if column < run.documents.shape[1] else None for run in loaded]
            if lists:
                parts = [np.zeros(b - a, np.uint64) if (one := words[r]) is None else one[a:b] for r, a, b in lists]
                np.concatenate(parts, out=documents[:, column])
        scores = [run.scores for run in loaded]
        score = np.concatenate([scores[r][a:b] for r, a, b in lists]) if lists else np.zeros(0)
        stack = Stack.of(
            documents, score, sizes, list_run, list_query, runs=len(loaded), queries=len(queries), averages=averages
        )
        if (entry := stack.repeat) is not None:
            from rankgauge import files

            name, document = list(self.runs)[int(stack.run[entry])], self.spelled(stack.documents[[entry]])[0]
            with files.locating_repeats(self.sources.get(name)):
                raise RepeatedError(self.queries[int(queries[stack.slot_query[stack.slot[entry]]])], document)
        return stack

    def blocks(self, *, entries: int = ENTRIES) -> Iterator[IndexArray]:
        """Yield the positions of all queries in their order, cut where about so many entries are together."""
        ends = np.cumsum(self.counts.sum(axis=0))
        cuts = np.flatnonzero(np.diff(ends // entries, prepend=0))
        yield from (part for part in np.split(np.arange(len(ends)), cuts) if len(part))


def refuse_few(runs: Collection[str]) -> None:
    """Refuse fewer than two runs, of which these are the names."""
    if len(runs) < 2:
        raise ParameterError("fuse", "runs", "at least two, with different names", list(runs))


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
        """Return the run; lists that do not fall are sorted, tied documents staying in their order."""
        query = np.repeat(np.arange(len(counts)), counts)
        if bool(((scores[1:] > scores[:-1]) & (query[1:] == query[:-1])).any()):
            order = np.lexsort((-scores, query))
            documents, scores = documents[order], scores[order]
        return cls(names=names, counts=counts, documents=documents, scores=scores)

    def invert(self) -> LoadedRun:
        """Return the run with the other sign before every score, so that the lowest comes first."""
        return LoadedRun.of(self.names, self.counts, self.documents, -self.scores)


Loaded = tuple[dict[str, LoadedRun], Spelled]
"""Runs by name, and how their documents are called."""


def scan_runs(runs: Mapping[str, Any], tell: Watch) -> Loaded | None:
    """Return the runs in regular TREC files; None where one is something else."""
    if not all(isinstance(run, str | os.PathLike) and not hasattr(run, "spelling") for run in runs.values()):
        return None
    loaded = {}
    for done, (name, path) in enumerate(runs.items()):
        tell(done, len(runs), name)
        try:
            loaded[name] = LoadedRun.of(*scan_lists(path))
        except IrregularFileError:
            return None
    return loaded, spelled_words


def spelled_words(rows: Words) -> pl.Series:
    """Return the ids whose bytes the words are."""
    text = np.ascontiguousarray(rows).view(f"S{8 * rows.shape[1]}").ravel()
    return pl.Series("document", text.astype(bytes)).cast(pl.String)


def read_tables(runs: Mapping[str, Any], tell: Watch) -> Loaded:
    """Return the runs, read as tables; every id gets a number."""
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
    return {name: _load(frame, codes) for name, frame in frames.items()}, lambda rows: ids.gather(rows[:, 0])


def _load(frame: pl.DataFrame, codes: pl.DataFrame) -> LoadedRun:
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
