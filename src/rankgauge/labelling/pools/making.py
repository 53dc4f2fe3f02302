"""A pool to judge: the documents that a selection takes from runs, what they cost, and what they cover."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl

from rankgauge.constraints import whole_number
from rankgauge.errors import InputError, ParameterError
from rankgauge.evaluation.judged_hits import whole_judgments
from rankgauge.judgments.llm.asking.pairs import with_texts
from rankgauge.labelling.board import BoardPool
from rankgauge.labelling.pools.contributions import rank_weights
from rankgauge.labelling.selection import SELECTIONS, Selection
from rankgauge.numeric import BoolArray, IndexArray
from rankgauge.registry import plain
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import count
from rankgauge.render.passages import Heading, Notes
from rankgauge.render.table import Column, ReportTable

METHOD = "depth"
"""How documents are selected, unless another way is named."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MadePool:
    """The documents to judge, `chosen` of a pool's candidates, in the order of their judging."""

    pool: BoardPool
    selection: Selection
    chosen: IndexArray
    depth: int | None = None
    budget: int | None = None
    texts: pl.DataFrame | None = None
    """The columns of texts, a row for each chosen document."""
    seed: int = 0

    def __repr__(self) -> str:
        queries = int((self.counts > 0).sum())
        return f"<{len(self.chosen):,} documents to judge, for {queries} queries, by {self.selection.name}>"

    @cached_property
    def textless(self) -> dict[str, int]:
        """How many of the documents have no text of each kind, where texts were given."""
        texts = pl.DataFrame() if self.texts is None else self.texts
        blank = {name: texts[name].is_null() | (texts[name] == "") for name in texts.columns if "text" in name}
        return {name: int(where.sum()) for name, where in blank.items() if where.any()}

    @cached_property
    def judged(self) -> BoolArray:
        """The documents of the candidates that were judged before."""
        return ~np.isnan(self.pool.known)

    @cached_property
    def counts(self) -> IndexArray:
        """How many documents of each query are to be judged."""
        return np.bincount(self.pool.query[self.chosen], minlength=len(self.pool.queries))

    @cached_property
    def holders(self) -> IndexArray:
        """How many runs retrieve each candidate."""
        return np.bincount(self.pool.document, minlength=len(self.pool.documents))

    @property
    def listed(self) -> int:
        """How many of the documents that were judged before are in the lists at all."""
        return int((self.judged & (self.holders > 0)).sum())

    def coverage(self, measures: Iterable[str], *, dialect: str = "standard") -> pl.DataFrame:
        """For each run and measure the share of the weight of its ranks on documents that were judged before, and on
        those with the chosen ones."""
        known, rows = self.judged.copy(), []
        both = known.copy()
        both[self.chosen] = True
        for name in measures:
            weights = rank_weights(name, self.pool.deepest, dialect=dialect)
            shares = [self.pool.weight_inside(weights, mask).tolist() for mask in (known, both)]
            rows += [
                {"run": run, "measure": name, "judged": before, "covered": after}
                for run, before, after in zip(self.pool.runs, *shares, strict=True)
            ]
        return pl.DataFrame(rows)

    def frame(self) -> pl.DataFrame:
        """Return the table to judge: the documents of a query together, in the order of their judging.

        `best_rank` and `runs` are the best rank and the number of runs that retrieve the document; rank_NAME is its
        rank in the run of that name.
        """
        pool, chosen = self.pool, self.chosen
        order = np.argsort(_alphabet(pool.queries)[pool.query[chosen]], kind="stable")
        rows = chosen[order]
        starts = np.flatnonzero(np.diff(pool.query[rows], prepend=-1))
        place = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows))) + 1
        frame = pool.ids[rows].with_columns(
            place=pl.Series(place),
            best_rank=pl.Series(pool.best_rank[rows]),
            runs=pl.Series(self.holders[rows]),
            **{f"rank_{name}": ranks for name, ranks in zip(pool.runs, self._ranks(rows), strict=True)},
        )
        if self.texts is None:
            return frame
        ids = frame.select("query", "document")
        return pl.concat([ids, self.texts[order], frame.drop(ids.columns)], how="horizontal")

    def _ranks(self, rows: IndexArray) -> Iterable[pl.Series]:
        """Yield the ranks of documents in each run, empty where it does not retrieve them."""
        pool = self.pool
        place = np.full(len(pool.documents), -1)
        place[rows] = np.arange(len(rows))
        for run in range(len(pool.runs)):
            mine = pool.run == run
            ranks, at = np.full(len(rows), np.nan), place[pool.document[mine]]
            ranks[at[at >= 0]] = pool.rank[mine][at >= 0]
            yield pl.Series(ranks, nan_to_null=True).cast(pl.Int64)


def make_pool(
    runs: Mapping[str, Any],
    *,
    method: str = METHOD,
    depth: int | None = None,
    budget: int | None = None,
    judged: Any = None,
    rel: float = 1.0,
    documents: Any = None,
    queries: Any = None,
    seed: int = 0,
) -> MadePool:
    """Return the documents of runs (paths, frames, dicts; by name) that a selection would have judged.

    `depth` takes them from the first documents of each list, `budget` takes that many of all. Documents in `judged`
    are left out, and tell an adaptive selection which runs find relevant ones: those of grade `rel` or more.
    `documents` and `queries` are tables of texts.
    """
    selection = SELECTIONS.find(method)
    if depth is None and budget is None:
        raise InputError("neither a depth nor a budget is given", hint="Such as --depth 10, or --budget 500.")
    if budget is not None and budget < 1:
        raise ParameterError("pool make", "budget", "a whole number, 1 or more", budget)
    whole_number(least=0).check("pool make", "seed", seed)
    pool = BoardPool.from_runs(runs, depth=depth, also=None if judged is None else whole_judgments(judged))
    if judged is not None and np.isnan(pool.known).all():
        raise InputError(
            "no judged document is in the runs",
            path=os.fspath(judged) if isinstance(judged, str | os.PathLike) else None,
            hint="Are both from the same collection, with ids of queries and documents spelled alike?",
        )
    relevant = np.where(np.isnan(pool.known), np.nan, (pool.known >= rel).astype(np.float64))
    order = selection.order(pool, relevant, len(pool.documents), np.random.default_rng(seed))
    chosen = order[np.isnan(pool.known[order])][:budget]
    if not len(chosen):
        raise _all_judged(pool, depth)
    texts = _texts(pool.ids[chosen], documents, queries)
    return MadePool(pool=pool, selection=selection, chosen=chosen, depth=depth, budget=budget, texts=texts, seed=seed)


def _all_judged(pool: BoardPool, depth: int | None) -> InputError:
    """Return the error where nothing is left to judge."""
    if depth is None or depth >= pool.deepest:
        words = "every document of the runs is judged already"
        return InputError(words, hint="Only other runs, or longer lists, could bring more.")
    words = f"every document among the first {depth} of each list is judged already"
    return InputError(words, hint=f"Take a deeper pool: the longest list has {pool.deepest:,} documents.")


def _texts(ids: pl.DataFrame, documents: Any, queries: Any) -> pl.DataFrame | None:
    """Return the texts of documents and queries, a row for each of the ids."""
    frame = ids
    for name, source in (("query", queries), ("document", documents)):
        frame = frame if source is None else with_texts(frame, name, source)
    return frame.drop(ids.columns) if len(frame.columns) > len(ids.columns) else None


def _alphabet(queries: pl.Series) -> IndexArray:
    """Return the place of each query among all: by number where all are numbers, else by name."""
    numbers = queries.cast(pl.Float64, strict=False)
    keys = queries if numbers.has_nulls() else numbers
    return np.asarray(keys.rank("ordinal").to_numpy())


SHOWN = 20
"""How many runs a terminal shows: those with the least weight in the pool."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PoolMakingReport(Report):
    """A pool, the measures whose weights it covers, and how long a label takes, if that is known."""

    command = "pool make"

    made: MadePool
    measures: tuple[str, ...]
    dialect: str = "standard"
    seconds: float | None = None

    @cached_property
    def coverage(self) -> pl.DataFrame:
        """The share of each run's weight by each measure."""
        return self.made.coverage(self.measures, dialect=self.dialect)

    @property
    def hours(self) -> float | None:
        """How long one assessor takes."""
        return None if self.seconds is None else len(self.made.chosen) * self.seconds / 3600

    def frame(self) -> pl.DataFrame:
        """Return a row per run and measure."""
        return self.coverage

    def data(self) -> dict[str, Any]:
        """Return the counts, and the coverage."""
        made, counts = self.made, self.made.counts
        return {
            "runs": list(made.pool.runs),
            "method": made.selection.name,
            "depth": made.depth,
            "budget": made.budget,
            "seed": made.seed,
            "documents": len(made.chosen),
            "judged": int(made.judged.sum()),
            "judged_in_lists": made.listed,
            "queries": len(made.pool.queries),
            "per_query": {"least": int(counts.min()), "median": float(np.median(counts)), "most": int(counts.max())},
            "hours": self.hours,
            "coverage": self.coverage,
        }

    def document(self, medium: Medium) -> ReportDocument:
        """Return the facts of the pool, and a table of the runs."""
        brief = medium is Medium.TERMINAL
        passages = (
            Heading(self.headline(), level=1),
            Notes(list(self._facts())),
            Heading("How much of each run will be judged"),
            self._table(brief=brief),
            Notes(list(self._notes(brief=brief))),
        )
        return ReportDocument(title="A pool to judge", headline=self.headline(), passages=passages)

    def headline(self) -> str:
        """Return how many documents there are to judge."""
        queries = count(int((self.made.counts > 0).sum()), "query", "queries")
        return f"{count(len(self.made.chosen), 'document')} to judge, for {queries}"

    def _facts(self) -> Iterator[tuple[str, str]]:
        made, counts = self.made, self.made.counts
        yield "chosen by", _method(made.selection)
        part = f"the first {made.depth} of each list" if made.depth else "all that the runs retrieve"
        yield "taken from", f"{part}: {count(int((~made.judged).sum()), 'document')} without a grade"
        least, most = int(counts.min()), int(counts.max())
        spread = f"{least:,} to {most:,} documents, median {np.median(counts):g}"
        yield "per query", count(least, "document") if least == most else spread
        for name, missing in made.textless.items():
            yield "no text", f"{count(missing, 'document')} of the pool have no {name.replace('_', ' ')} in the table"
        if made.judged.any():
            listed = f"of which {made.listed:,} {'is' if made.listed == 1 else 'are'} in these lists and left out"
            none = "none of which is in these lists: are ids spelled alike, and are these the judgments of these runs?"
            yield "judged already", f"{count(int(made.judged.sum()), 'document')}, {listed if made.listed else none}"
        if self.hours is not None:
            yield "takes", f"{self.hours:,.1f} hours of one assessor, at {self.seconds:g} seconds a label"

    def _table(self, *, brief: bool) -> ReportTable:
        """Return the shares of each run, those with the least by the first measure first."""
        wide: dict[str, list[dict[str, Any]]] = {}
        for row in self.coverage.iter_rows(named=True):
            wide.setdefault(row["run"], []).append(row)
        runs, before = sorted(wide, key=lambda run: wide[run][0]["covered"]), bool(self.made.judged.any())
        rows = [(run, *wide[run]) for run in runs[: SHOWN if brief else None]]
        shares = (Column(measure, format=partial(_share, before=before)) for measure in self.measures)
        return ReportTable(columns=("run", *shares), rows=rows)

    def _notes(self, *, brief: bool) -> Iterator[tuple[str, str]]:
        made = self.made
        yield "weight", "the share of what a run's ranks can add to the measure that lies on judged documents"
        if made.judged.any():
            yield "arrow", "from what is judged already to what will be"
        if brief and len(made.pool.runs) > SHOWN:
            yield "runs", f"the {SHOWN} with the least weight in the pool, of {len(made.pool.runs)}"
        if made.selection.adaptive:
            known = "Judge some of these and make the next pool with --judgments: its order follows the grades"
            yield made.selection.name, f"a document without a grade {made.selection.unjudged}. {known}"
        yield "seed", str(made.seed)


def _share(cell: dict[str, Any], *, before: bool) -> str:
    after = f"{100 * cell['covered']:.1f} %"
    return f"{100 * cell['judged']:.1f} → {after}" if before else after


def _method(selection: Selection) -> str:
    """Return the name of a way to choose, what it stands for if that is not the same, and what it does."""
    head, _, words = selection.title.partition(": ")
    spelled = "" if plain(head) == plain(selection.name) else f", {head[0].lower()}{head[1:]}"
    return f"{selection.name}{spelled}: {words}"
