"""Preferences: worths of documents from answers to the question which of some documents is better.

A choice is a list of documents in the order in which they were shown, and their order by preference, written
`d2 > d1 = d3`. People's choices and a model's are fitted alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge.errors import InputError
from rankgauge.files.columns import find
from rankgauge.files.output import writing
from rankgauge.statistics.paired_comparisons import Comparisons, FittedWorths, fit_worths, list_weight

EXPECTED = "Expected the columns query, documents (as shown, separated by blanks) and order (d2 > d1 = d3)."
PLACES = [("rank", 0.5), ("rank_low", 0.025), ("rank_high", 0.975)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Choices:
    """Choices by query: the documents as they were shown, and the place of each by preference (1 is the best)."""

    query: Sequence[str]
    shown: Sequence[Sequence[str]]
    places: Sequence[Sequence[int]]

    @classmethod
    def from_table(cls, table: pl.DataFrame) -> Choices:
        """Read the choices of a table with the columns query, documents and order."""
        rows, shown, places = _named_columns(table, ["documents", "order"], EXPECTED).rows(), [], []
        for number, (_, documents, order) in enumerate(rows, 1):
            listed = (documents or "").split()
            levels = [[name.strip() for name in part.split("=")] for part in (order or "").split(">")]
            if len(listed) < 2 or len(set(listed)) < len(listed) or sorted(chain(*levels)) != sorted(listed):
                problem = f"choice {number}: {order or ''!r} is no order of {', '.join(listed) or 'any documents'}"
                raise InputError(problem, hint=EXPECTED)
            place = {name: level for level, names in enumerate(levels, 1) for name in names}
            shown.append(listed)
            places.append([place[name] for name in listed])
        return cls(query=[row[0] for row in rows], shown=shown, places=places)

    def to_table(self) -> pl.DataFrame:
        """Return the table that `from_table` reads; ids with blanks or signs of orders are refused."""
        if odd := next((name for name in chain(*self.shown) if set(name) & set(" \t\n>=")), None):
            raise InputError(f"the document id {odd!r} has a blank or a sign of orders, > or =")
        orders = []
        for shown, places in zip(self.shown, self.places, strict=True):
            level = {at: [name for name, place in zip(shown, places, strict=True) if place == at] for at in places}
            orders.append(" > ".join(" = ".join(level[at]) for at in sorted(level)))
        return pl.DataFrame({"query": self.query, "documents": [" ".join(one) for one in self.shown], "order": orders})

    def pairs(self) -> Iterator[tuple[str, str, str, int, float]]:
        """Yield every two documents of each choice: the query, the two as shown, which is better, and the weight.

        The pairs of a longer list weigh less, as they share its noise.
        """
        for query, shown, places in zip(self.query, self.shown, self.places, strict=True):
            for i, first in enumerate(shown):
                for j in range(i + 1, len(shown)):
                    better = (places[i] < places[j]) - (places[i] > places[j])
                    yield query, first, shown[j], better, list_weight(len(shown))


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedPreferences:
    """The worths that choices come to; `frame` has a row per document."""

    documents: pl.DataFrame
    choices: Choices
    worths: FittedWorths
    seed: int = 0

    @classmethod
    def fit(cls, choices: Choices, seed: int = 0) -> FittedPreferences:
        """Fit the worths of all documents that were compared."""
        rows = list(choices.pairs())
        if not rows:
            raise InputError("no two documents were compared", hint=EXPECTED)
        named = [pair for query, first, second, _, _ in rows for pair in ((query, first), (query, second))]
        seen = pl.DataFrame(named, schema=["query", "document"], orient="row").unique(maintain_order=True)
        known = seen.group_by("query", maintain_order=True).all().explode("document")  # those of a query together
        place = {pair: n for n, pair in enumerate(known.rows())}
        comparisons = Comparisons(
            query=known["query"].rle_id().to_numpy().astype(np.int64),
            first=np.array([place[row[0], row[1]] for row in rows]),
            second=np.array([place[row[0], row[2]] for row in rows]),
            better=np.array([row[3] for row in rows], dtype=np.float64),
            weight=np.array([row[4] for row in rows]),
        )
        return cls(documents=known, choices=choices, worths=fit_worths(comparisons), seed=seed)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """A row per document: grade (the share of the query's others that it is preferred to), low, high, its rank with
        an interval, and the number of comparisons that it was in."""
        held = self.worths.comparisons
        drawn = self.worths.draws(np.random.default_rng(self.seed))
        places = np.empty_like(drawn)  # of each document in its query
        for documents, _ in held.blocks:
            places[:, documents] = (-drawn[:, documents]).argsort(axis=1).argsort(axis=1) + 1.0
        low, high = np.quantile(self.worths.shares(drawn), [0.025, 0.975], axis=0)
        grade = np.clip(self.worths.shares(), low, high)
        ranks = np.quantile(places, [at for _, at in PLACES], axis=0, method="nearest").astype(np.int64)
        seen = np.bincount(np.concatenate([held.first, held.second]), minlength=len(grade))
        numbers = {"grade": grade, "low": low, "high": high}
        return self.documents.with_columns(
            *(pl.Series(name, np.round(values, 4)) for name, values in numbers.items()),
            *(pl.Series(name, row) for (name, _), row in zip(PLACES, ranks, strict=True)),
            pl.Series("comparisons", seen),
        )

    def first_share(self) -> tuple[float, float, float]:
        """Return how often the first of two equal documents is preferred, and the ends of its 95 % interval."""
        worths = self.worths
        ends = (worths.place + step * worths.place_error for step in (0.0, -1.96, 1.96))
        value, low, high = (worths.first_share(place) for place in ends)
        return value, low, high

    @cached_property
    def _net(self) -> dict[tuple[str, str, str], list[int]]:
        """By query and two documents, in the order of their ids, what each comparison said of the former."""
        told: dict[tuple[str, str, str], list[int]] = {}
        for query, first, second, better, _ in self.choices.pairs():
            key, sign = ((query, first, second), 1) if first < second else ((query, second, first), -1)
            told.setdefault(key, []).append(sign * better)
        return told

    def swap_share(self) -> float:
        """Return the share of the pairs asked in both orders on which both orders agree; NaN without any."""
        both = [len(set(told)) == 1 for told in self._net.values() if len(told) > 1]
        return float(np.mean(both)) if both else float("nan")

    def write_preferences(self, path: Path) -> int:
        """Write the preferences as trec_eval has them, a group for each pair; return how many there are.

        A pair on which the answers are divided, as with a bias for the first place, has no preference.
        """
        kept = [(*key, sum(told)) for key, told in self._net.items() if sum(told)]
        with writing(path) as file:
            for number, (query, one, other, net) in enumerate(kept, 1):
                for document, level in ((one, net > 0), (other, net < 0)):
                    file.write(f"{query} {number} 1 {document} {int(level)}\n".encode())
        return len(kept)


def _named_columns(table: pl.DataFrame, names: list[str], hint: str) -> pl.DataFrame:
    """Return the column of queries and others as texts, but lists of documents, which JSON lines have, as they are."""
    query = find(table.columns, "query")
    lacking = [name for name in names if name not in table.columns]
    if query is None or lacking:
        raise InputError(f"the table has no column {', '.join(([] if query else ['query']) + lacking)}", hint=hint)
    texts = [name for name in names if not isinstance(table[name].dtype, pl.List)]
    return table.select(pl.col(query).alias("query"), *names).with_columns(pl.col("query", *texts).cast(pl.String))


COLUMNS = "Columns: query, documents (separated by blanks), best, worst."
ALL_THREE = (
    "Every row has the documents that were shown, the best and the worst of them; leave out rows without a choice."
)


def best_worst(choices: pl.DataFrame) -> pl.DataFrame:
    """Judgments: how often a document was the best less how often it was the worst, out of the times it was shown.

    A row of the choices has a query, the documents that were shown (separated by blanks, or a list), the best and the
    worst of them. Louviere, Flynn & Marley, Best-worst scaling, 2015.
    """
    named = _named_columns(choices, ["documents", "best", "worst"], COLUMNS)
    documents = named["documents"]
    split = documents.cast(pl.List(pl.String)) if documents.dtype == pl.List else documents.str.split(" ")
    listed = split.list.eval(pl.element().str.strip_chars()).list.eval(pl.element().filter(pl.element() != ""))
    rows = named.with_columns(listed, pl.col("best", "worst").str.strip_chars()).with_row_index("row", offset=1)
    lists, (no_best, no_worst) = pl.col("documents"), (pl.col(name).fill_null("") == "" for name in ("best", "worst"))
    for bad, words, hint in (
        (lists.list.len().fill_null(0) == 0, " shows no documents", ALL_THREE),
        (no_best, " names no best document", ALL_THREE),
        (no_worst, " names no worst document", ALL_THREE),
        (~lists.list.contains(pl.col("best")).fill_null(False), ": the best, {best}, is not among {listed}", None),
        (~lists.list.contains(pl.col("worst")).fill_null(False), ": the worst, {worst}, is not among {listed}", None),
        (lists.list.n_unique() < lists.list.len(), " shows {again} more than once", None),
        (pl.col("best") == pl.col("worst"), ": {best} is both the best and the worst", None),
    ):
        if len(wrong := rows.filter(bad)):
            row = wrong.row(0, named=True)
            told = row["documents"] or []
            again = next((one for one in told if told.count(one) > 1), "")
            problem = words.format(**row, listed=", ".join(told), again=again)
            raise InputError(f"choice {row['row']} of query {row['query']}{problem}", hint=hint)
    shown = rows.explode("documents").rename({"documents": "document"})
    best, worst = ((pl.col("document") == pl.col(name)).sum().cast(pl.Int64) for name in ("best", "worst"))
    return shown.group_by("query", "document", maintain_order=True).agg(grade=(best - worst) / pl.len())
