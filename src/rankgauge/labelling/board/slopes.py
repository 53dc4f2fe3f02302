"""Slopes: by how much a label moves each run's mean value.

    ψ_szt = (H_sz · step_t − A_sq · c_qt) / (I_q · Q)

H is the slope of what is above the line, for documents that the run retrieves. A is the run's ratio and c the slope of
the ideal sum: that part holds for every document of the query, retrieved or not. Without an ideal, A is 0 and I is 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rankgauge.labelling.board.lists import RunLists
from rankgauge.numeric import FloatArray, IndexArray

BLOCK = 8192
"""How many documents of whole queries are worked on at a time: runs × documents fit into the cache of a core or two."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Slopes:
    """The parts of the slopes: `hit` (hits), `level` A (runs × queries), `curve` c (queries × thresholds), `steps`
    (thresholds), and `scale` 1 / (I·Q) (queries); `query` is the query of each document."""

    lists: RunLists
    query: IndexArray
    hit: FloatArray
    level: FloatArray
    curve: FloatArray
    steps: FloatArray
    scale: FloatArray

    def moved(self, errors: FloatArray, documents: IndexArray) -> FloatArray:
        """What errors of the labels of some documents (documents × thresholds) move each run's value by (runs ×
        documents)."""
        query = self.query[documents]
        by_ideal = np.einsum("zt,zt->z", errors, self.curve[query])
        found = -self.level[:, query] * by_ideal
        place = np.full(len(self.query), -1)
        place[documents] = np.arange(len(documents))
        columns = place[self.lists.document]
        inside = np.flatnonzero(columns >= 0)
        columns = columns[inside]
        found[self.lists.run[inside], columns] += self.hit[inside] * (errors @ self.steps)[columns]
        return np.asarray(found * self.scale[query])

    def spread(self, covariance: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
        """For each document ψ'Cψ averaged over the runs by their shares, and the same of the runs' mean slope.

        `covariance` is documents × thresholds × thresholds; shares add up to 1.
        """
        worth, both, ideal = self._forms(covariance)
        documents, q = len(self.query), self.query
        counted = self.hit * shares[self.lists.run]
        linear = np.bincount(self.lists.document, counted, minlength=documents)
        square = np.bincount(self.lists.document, counted * self.hit, minlength=documents)
        mixed = np.bincount(self.lists.document, counted * self.level.ravel()[self.lists.cell], minlength=documents)
        mean, squared = (shares @ self.level)[q], (shares @ self.level**2)[q]
        scale = self.scale[q] ** 2
        whole = scale * (square * worth - 2 * mixed * both + squared * ideal)
        shared = scale * (linear**2 * worth - 2 * linear * mean * both + mean**2 * ideal)
        return whole, shared

    def squares(self, covariance: FloatArray) -> FloatArray:
        """Σ_z ψ_s'C_zψ_s (runs): the diagonal of `gram`, for a fraction of its time."""
        worth, both, ideal = (form * self.scale[self.query] ** 2 for form in self._forms(covariance))
        document, sums = self.lists.document, self.lists.sums
        mixed = 2 * self.level * sums(self.hit * both[document])
        by_query = np.bincount(self.query, ideal, minlength=len(self.scale))
        return np.asarray((sums(self.hit**2 * worth[document]) - mixed).sum(axis=1) + self.level**2 @ by_query)

    def fourths(self, covariance: FloatArray, weight: FloatArray) -> FloatArray:
        """Σ_z (ψ_s'C_zψ_s)² · weight_z (runs)."""
        worth, both, ideal = (form * self.scale[self.query] ** 2 for form in self._forms(covariance))
        document, level = self.lists.document, self.level.ravel()[self.lists.cell]
        rest = level**2 * ideal[document]
        own = self.hit * (self.hit * worth[document] - 2 * level * both[document]) + rest
        by_query = np.bincount(self.query, ideal**2 * weight, minlength=len(self.scale))
        return np.asarray(self.lists.sums((own**2 - rest**2) * weight[document]).sum(axis=1) + self.level**4 @ by_query)

    def gram(self, covariance: FloatArray) -> FloatArray:
        """Σ_z ψ_s'C_zψ_t (runs × runs), for a covariance of each document's errors."""
        worth, both, ideal = (form * self.scale[self.query] ** 2 for form in self._forms(covariance))
        cross = self.lists.sums(self.hit * both[self.lists.document]) @ self.level.T
        by_query = np.bincount(self.query, ideal, minlength=len(self.scale))
        return np.asarray(self._hit_gram(worth) - cross - cross.T + (self.level * by_query) @ self.level.T)

    def _forms(self, covariance: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """step'C step, step'C c and c'C c of each document."""
        stepped, curve = covariance @ self.steps, self.curve[self.query]
        ideal = np.einsum("zt,ztu,zu->z", curve, covariance, curve)
        return stepped @ self.steps, np.einsum("zt,zt->z", stepped, curve), ideal

    def _hit_gram(self, worth: FloatArray) -> FloatArray:
        """Σ_z H_sz H_tz worth_z, block by block in single precision: it is a variance, and the products are many."""
        lists, (runs, queries) = self.lists, self.lists.shape
        values = (self.hit * np.sqrt(worth)[lists.document]).astype(np.float32)
        seen = np.zeros(len(self.query) + 1, dtype=bool)
        seen[lists.document] = True
        before = np.cumsum(seen) - seen  # how many documents before each one are retrieved
        place, columns = before[lists.document], before[np.searchsorted(self.query, np.arange(queries + 1))]
        edges = np.searchsorted(lists.cell, np.arange(runs * queries + 1))
        found = np.zeros((runs, runs))
        cuts = np.unique(np.append(np.searchsorted(columns, np.arange(0, columns[-1], BLOCK)), queries))
        for first, last in pairwise(cuts.tolist()):
            dense = np.zeros((runs, columns[last] - columns[first]), dtype=np.float32)
            for run, row in enumerate(dense):
                hits = slice(edges[run * queries + first], edges[run * queries + last])
                row[place[hits] - columns[first]] = values[hits]
            found += dense @ dense.T
        return found
