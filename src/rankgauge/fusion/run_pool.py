"""Runs to fuse, in memory: the lists of every run, and the queries of all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.errors import InputError, ParameterError, RepeatedError
from rankgauge.fusion.loaded_run import LoadedRun, Spelled, Watch, scanned, tabled
from rankgauge.fusion.stack import Stack
from rankgauge.numeric import IndexArray

ENTRIES = 1 << 17
"""About how many entries are fused at a time: what the cache of a core holds."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RunPool:
    """The runs to fuse, by name, and how their documents are called."""

    runs: Mapping[str, LoadedRun]
    spelled: Spelled
    sources: Mapping[str, Any] = field(default_factory=dict)
    """Where the runs come from, for errors that name the line."""

    @classmethod
    def of(cls, runs: Mapping[str, Any], watch: Watch | None = None) -> RunPool:
        """The pool of runs in files, frames, dicts or data sets; `watch` is told how many are read."""
        refuse_few(runs)
        tell = watch or (lambda done, parts, name: None)
        loaded, spelled = scanned(runs, tell) or tabled(runs, tell)
        pool = cls(runs=loaded, spelled=spelled, sources=runs)
        pool.refuse_strangers()
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

    def refuse_strangers(self) -> None:
        """An error for a run that has no query in common with any other."""
        shared = (self.counts > 0).sum(axis=0) > 1
        for name, row in zip(self.runs, self.counts > 0, strict=True):
            if not bool((row & shared).any()):
                ours = ", ".join(self.runs[name].names[:3])
                theirs = ", ".join([one for one in self.queries if one not in set(self.runs[name].names)][:3])
                raise InputError(
                    f"the run {name} has no query in common with the others: it has {ours} …, they have {theirs} …",
                    hint="Are all runs for the same queries, with ids written alike?",
                )

    def inverted(self) -> RunPool:
        """The pool of runs in which the least score is the best."""
        return replace(self, runs={name: run.inverted() for name, run in self.runs.items()})

    def chosen(self, queries: IndexArray, *, averages: bool = True) -> Stack:
        """The stack of these queries, by their positions."""
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
        self._refuse_repeated(stack, queries)
        return stack

    def blocks(self, *, entries: int = ENTRIES) -> Iterator[IndexArray]:
        """The positions of all queries in their order, cut where about so many entries are together."""
        ends = np.cumsum(self.counts.sum(axis=0))
        cuts = np.flatnonzero(np.diff(ends // entries, prepend=0))
        yield from (part for part in np.split(np.arange(len(ends)), cuts) if len(part))

    def _refuse_repeated(self, stack: Stack, queries: IndexArray) -> None:
        found = stack.repeated()
        if found is None:
            return
        from rankgauge import files

        run, query, entry = found
        name, document = list(self.runs)[run], self.spelled(stack.documents[[entry]])[0]
        with files.traced(self.sources.get(name)):
            raise RepeatedError(self.queries[int(queries[query])], document)


def refuse_few(runs: Collection[str]) -> None:
    """An error for fewer than two runs, of which these are the names."""
    if len(runs) < 2:
        raise ParameterError("fuse", "runs", "at least two, with different names", list(runs))


def run_names(runs: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    """The runs by name; paths are named for their files, other runs for their number."""
    if isinstance(runs, Mapping):
        return dict(runs)
    from rankgauge import files

    listed = list(runs)
    labels = [files.label(run) if files.is_path(run) else f"run {at}" for at, run in enumerate(listed, 1)]
    shown = [str(run) if labels.count(label) > 1 else label for run, label in zip(listed, labels, strict=True)]
    if len(set(shown)) < len(shown):
        raise ParameterError("fuse", "runs", "different files, or runs by name", shown)
    return dict(zip(shown, listed, strict=True))
