"""The contract of a selection: in which order the documents of a pool are judged.

An order may follow the grades that are known by then. A yardstick knows them all and tries the order; a pool that is
yet to be judged knows those of earlier judgments.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from rankgauge.labelling.board.pool import BoardPool
from rankgauge.numeric import BoolArray, FloatArray, IndexArray
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


class RunChoice(ABC):
    """Which run of a query is read next, by what was found so far."""

    def __init__(self, runs: int) -> None:
        self.runs = runs

    @abstractmethod
    def priority(self) -> FloatArray:
        """How much each run deserves to be read; equal ones are read in an order that is drawn once for each query."""

    @abstractmethod
    def learn(self, run: int, holders: BoolArray, *, relevant: bool) -> None:
        """Notes the grade of a document that was read in a run; `holders` are all runs that retrieve it."""


def by_run(choice: type[RunChoice]) -> Order:
    """Reads one run of a query or another by choice. A document without a grade counts as not relevant."""

    def read(pool: BoardPool, relevant: FloatArray, query: int, most: int, rng: np.random.Generator) -> list[int]:
        return _read(pool, relevant, query, choice(len(pool.runs)), most, rng)

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
            found = np.array(first(pool, relevant, q, wanted, rng), dtype=np.int64)
            rest = np.setdiff1d(np.arange(start, start + size), found)
            place[np.concatenate([found, rng.permutation(rest)])] = (np.arange(size) + rng.random()) / size
        return np.argsort(place, kind="stable")

    return order


def _read(
    pool: BoardPool, relevant: FloatArray, query: int, choice: RunChoice, most: int, rng: np.random.Generator
) -> list[int]:
    """The first documents of a query in the order of their judging."""
    start, size = pool.starts[query], pool.sizes[query]
    holders, lists = np.zeros((size, len(pool.runs)), dtype=bool), list[list[int]]()
    for run, (hits, _) in enumerate(pool.run_lists(query)):
        holders[hits - start, run] = True
        lists.append(hits.tolist())
    ties, places = rng.random(len(lists)) * 1e-9, [0] * len(lists)
    found, seen = list[int](), set[int]()
    while len(found) < most and np.isfinite(ties.max()):
        run = int(np.argmax(choice.priority() + ties))
        documents, place = lists[run], places[run]
        while place < len(documents) and documents[place] in seen:
            place += 1
        places[run] = place
        if place == len(documents):
            ties[run] = -np.inf
            continue
        document = documents[place]
        seen.add(document)
        found.append(document)
        choice.learn(run, holders[document - start], relevant=bool(relevant[document] == 1.0))
    return found
