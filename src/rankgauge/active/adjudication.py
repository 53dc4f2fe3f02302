"""Adjudication: documents are judged in an order that may follow their grades, and the rest counts as not relevant.

It finds many relevant documents with few labels, but what it has not judged biases its values, and nothing says by how
much.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from rankgauge.active.yardstick import JudgedBoard, Standing, Trial
from rankgauge.numeric import BoolArray, FloatArray, IndexArray

Order: TypeAlias = Callable[[JudgedBoard, int, np.random.Generator], IndexArray]
"""The documents of a pool in the order in which they are judged; only the first of them, that number, need be right."""


def adjudicated(order: Order) -> Trial:
    """A campaign that judges documents in an order; what it has not judged counts as not relevant."""

    def standings(judged: JudgedBoard, labels: Sequence[int], seed: int) -> Iterator[tuple[Standing, ...]]:
        first = order(judged, max(labels), np.random.default_rng(seed))
        for n in labels:
            known = np.zeros_like(judged.reached)
            known[first[:n]] = judged.reached[first[:n]]
            yield tuple(Standing(values=values) for values in judged.plugged(known))

    return standings


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


def by_run(choice: type[RunChoice]) -> Trial:
    """A campaign that reads one run of a query or another by choice; queries judge the same share of their pools."""

    def order(judged: JudgedBoard, most: int, rng: np.random.Generator) -> IndexArray:
        pool, place = judged.board.pool, np.empty(judged.size)
        for q, (start, size) in enumerate(zip(pool.starts, pool.sizes, strict=True)):
            wanted = int(np.ceil(most / judged.size * size)) + 1
            first = np.array(_read(judged, q, choice(len(pool.runs)), wanted, rng), dtype=np.int64)
            rest = np.setdiff1d(np.arange(start, start + size), first)
            place[np.concatenate([first, rng.permutation(rest)])] = (np.arange(size) + rng.random()) / size
        return np.argsort(place, kind="stable")

    return adjudicated(order)


def _read(judged: JudgedBoard, query: int, choice: RunChoice, most: int, rng: np.random.Generator) -> list[int]:
    """The first documents of a query in the order of their judging."""
    start, size = judged.board.pool.starts[query], judged.board.pool.sizes[query]
    holders, lists = np.zeros((size, len(judged.board.pool.runs)), dtype=bool), list[list[int]]()
    for run, (hits, _) in enumerate(judged.run_lists(query)):
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
        choice.learn(run, holders[document - start], relevant=bool(judged.relevant[document]))
    return found
