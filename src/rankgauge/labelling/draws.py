"""Draws: what a campaign asks for, one after another.

Labels may come in any order, but an estimate uses a *prefix* of the draws, all of them complete: otherwise what is
quick to judge would be over-represented.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from rankgauge.labelling.pooled_documents import PooledDocuments
from rankgauge.numeric import BoolArray, FloatArray, IndexArray


class Draws(ABC):
    """The draws 0, 1, 2, … of a plan, fixed by its pool, budget and seed: whole queries, or single documents."""

    pool: PooledDocuments

    @property
    @abstractmethod
    def length(self) -> int | None:
        """How many draws there are; None if they never end."""

    @property
    @abstractmethod
    def needed(self) -> BoolArray:
        """The documents whose grades an estimate may depend on."""

    @abstractmethod
    def query(self, j: int) -> int:
        """The query of draw j: its position in the pool."""

    @abstractmethod
    def asks(self, j: int, grades: FloatArray) -> IndexArray:
        """The documents whose grades draw j needs next; none if it is complete.

        `grades` are those of all documents of the pool, NaN if not judged.
        """

    def opened(self, grades: FloatArray) -> int | None:
        """How many draws may ask for labels now; None if all may.

        In a plan of several stages the draws of a stage wait until those of the stages before are complete, because
        their beliefs are fitted to those labels.
        """
        return self.length

    def complete(self, j: int, grades: FloatArray) -> bool:
        """Whether draw j needs no more labels."""
        return len(self.asks(j, grades)) == 0


class DocumentDraws(Draws):
    """Single documents in an order."""

    _order: IndexArray

    @property
    def length(self) -> int:
        return len(self._order)

    def query(self, j: int) -> int:
        return int(self.pool.query[self._order[j]])

    def asks(self, j: int, grades: FloatArray) -> IndexArray:
        place = self._order[j : j + 1]
        return place if np.isnan(grades[place[0]]) else place[:0]
