"""Selections of pooling: by depth, by runs that found relevant documents, by fused ranks."""

from __future__ import annotations

import numpy as np

from rankgauge.labelling.board.pool import BoardPool
from rankgauge.labelling.selection import Selection, by_query, by_run
from rankgauge.numeric import FloatArray, IndexArray


def order(pool: BoardPool, relevant: FloatArray, most: int, rng: np.random.Generator) -> IndexArray:
    """Return the documents by the best rank that any run gives them, those of one rank at random."""
    return np.lexsort((rng.random(len(pool.documents)), pool.best_rank))


DEPTH = Selection(
    name="depth",
    title="Pooling to a depth: the first documents of every list, then the second, and so on",
    reference="Spärck Jones & van Rijsbergen, Report on the need for and provision of an ideal test collection, 1975",
    order=order,
).register()


MTF = Selection(
    name="mtf",
    title="Move-to-front pooling: a run is read as long as it gives relevant documents",
    reference="Cormack, Palmer & Clarke, Efficient construction of large test collections, SIGIR 1998",
    order=by_run(lambda relevant, judged: relevant - judged, shared=False),
    unjudged="counts as not relevant until it is judged, so that runs take turns",
).register()


MAXMEAN = Selection(
    name="maxmean",
    title="MaxMean: the next document of the run with the highest share of relevant ones so far",
    reference="Losada, Parapar & Barreiro, Feeling lucky? Multi-armed bandits for ordering judgements in pooling-based "
    "evaluation, SAC 2016",
    # The posterior mean of a run's chance of a relevant document, from Beta(1, 1) before the first label.
    order=by_run(lambda relevant, judged: (relevant + 1.0) / (judged + 2.0), shared=True),
    unjudged="counts as not relevant until it is judged, so that the run that was read least comes next",
).register()


BETA = 0.1
"""What a loss of 1 leaves of a run's weight, as in the paper."""


def _first_hedge(pool: BoardPool, relevant: FloatArray, query: int, most: int, rng: np.random.Generator) -> list[int]:
    """Return the documents of a query in the order of their judging."""
    start, size = pool.starts[query], pool.sizes[query]
    stakes = np.zeros((size, len(pool.runs)))
    for run, (documents, ranks) in enumerate(pool.run_lists(query)):
        stakes[documents - start, run] = 0.5 * np.log(pool.deepest / ranks)
    ties, losses, order = rng.random(size) * 1e-9, np.zeros(len(pool.runs)), list[int]()
    mixed = stakes.mean(axis=1) + ties
    for _ in range(min(most, size)):
        document = int(np.argmax(mixed))
        order.append(int(start) + document)
        ties[document] = mixed[document] = -np.inf
        grade = relevant[order[-1]]
        if not np.isnan(grade):
            losses += stakes[document] * (-1.0 if grade else 1.0)
            weights = BETA ** (losses - losses.min())
            mixed = stakes @ (weights / weights.sum()) + ties
    return order


HEDGE = Selection(
    name="hedge",
    title="Hedge: the document that the runs that did well so far rank highest",
    reference="Aslam, Pavlu & Savell, A unified model for metasearch, pooling, and system evaluation, CIKM 2003",
    order=by_query(_first_hedge),
    unjudged="changes no weight, so that without judgments all runs count the same",
).register()


K = 60
"""What a rank is raised by before it is inverted, as in the paper."""


def _first_rrf(pool: BoardPool, relevant: FloatArray, query: int, most: int, rng: np.random.Generator) -> list[int]:
    """Return the documents of a query by the sum over runs of 1 / (60 + rank), equal ones at random."""
    start, size = pool.starts[query], pool.sizes[query]
    fused = np.zeros(size)
    for documents, ranks in pool.run_lists(query):
        fused[documents - start] += 1.0 / (K + ranks)
    order: list[int] = (start + np.lexsort((rng.random(size), -fused))).tolist()
    return order


RRF = Selection(
    name="rrf",
    title="Reciprocal rank fusion: the documents that all runs together rank highest",
    reference="Cormack, Clarke & Büttcher, Reciprocal rank fusion outperforms Condorcet and individual rank learning "
    "methods, SIGIR 2009",
    order=by_query(_first_rrf),
).register()
