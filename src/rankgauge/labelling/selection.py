"""The contract of a selection: in which order the documents of a pool are judged.

An order may follow the grades that are known by then. A yardstick knows them all and tries the order; a pool that is
yet to be judged knows those of earlier judgments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from rankgauge.labelling.board.pool import BoardPool
from rankgauge.numeric import FloatArray, IndexArray
from rankgauge.registry import Registered, Registry

Order: TypeAlias = Callable[[BoardPool, FloatArray, int, np.random.Generator], IndexArray]
"""The documents of a pool in the order in which they are judged; only the first of them, that number, need be right.

The second argument (documents) says which are relevant: 1 or 0, and NaN where nobody knows yet.
"""

SELECTIONS: Registry[Selection] = Registry(
    "selection", "rankgauge.labelling.selections", order=lambda selection: selection.adaptive
)


@dataclass(frozen=True, kw_only=True)
class Selection(Registered):
    """A way to choose the documents of a pool."""

    registry = SELECTIONS

    name: str
    title: str
    reference: str
    order: Order
    unjudged: str = ""
    """What a document without a grade teaches, where grades change the order; empty where they do not."""

    @property
    def adaptive(self) -> bool:
        """Whether grades change the order."""
        return bool(self.unjudged)


Priority: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
"""How much each run of a query deserves to be read, by how many of its documents were relevant, and were judged."""


def by_run(priority: Priority, *, shared: bool) -> Order:
    """Read one run of a query or another by priority, equal ones in an order that is drawn once for each query.

    A document without a grade counts as not relevant. A grade counts for the run in which the document was read, or,
    if it is `shared`, for all runs that retrieve the document.
    """

    def read(pool: BoardPool, grades: FloatArray, query: int, most: int, rng: np.random.Generator) -> list[int]:
        start, size = pool.starts[query], pool.sizes[query]
        holders, lists = np.zeros((size, len(pool.runs)), dtype=bool), list[list[int]]()
        for run, (hits, _) in enumerate(pool.run_lists(query)):
            holders[hits - start, run] = True
            lists.append(hits.tolist())
        ties, places = rng.random(len(lists)) * 1e-9, [0] * len(lists)
        relevant, judged, taken = np.zeros(len(lists)), np.zeros(len(lists)), dict[int, None]()
        while len(taken) < most and np.isfinite(ties.max()):
            run = int(np.argmax(priority(relevant, judged) + ties))
            documents, place = lists[run], places[run]
            while place < len(documents) and documents[place] in taken:
                place += 1
            places[run] = place
            if place == len(documents):
                ties[run] = -np.inf
                continue
            document = documents[place]
            taken[document] = None
            counts = holders[document - start] if shared else run
            judged[counts] += 1.0
            relevant[counts] += grades[document] == 1.0
        return list(taken)

    return by_query(read)


def by_query(
    first: Callable[[BoardPool, FloatArray, int, int, np.random.Generator], list[int]],
) -> Order:
    """An order that queries make by themselves, given the first documents of each; queries have judged the same share
    of their pools at any time. What they do not name comes last, at random."""

    def order(pool: BoardPool, relevant: FloatArray, most: int, rng: np.random.Generator) -> IndexArray:
        place = np.empty(len(pool.documents))
        for q, (start, size) in enumerate(zip(pool.starts, pool.sizes, strict=True)):
            wanted = int(np.ceil(most / len(place) * size)) + 1
            order = np.array(first(pool, relevant, q, wanted, rng), dtype=np.int64)
            rest = np.setdiff1d(np.arange(start, start + size), order)
            place[np.concatenate([order, rng.permutation(rest)])] = (np.arange(size) + rng.random()) / size
        return np.argsort(place, kind="stable")

    return order
