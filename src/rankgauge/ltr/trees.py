"""Trees as flat arrays: every document finds its leaf by NumPy alone, before and after a file.

The nodes of all trees stand one after another. An inner node sends documents whose feature is at most its threshold to
the left. scikit-learn compares features of 32 bits with thresholds of 64, and so do we.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import FloatArray, IndexArray

__all__ = ["Trees", "whole_numbers"]

LEAF = -1
ROWS = 1 << 14
"""How many documents go down the trees together: little enough that their features stay in the cache."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Trees:
    """The nodes of some trees, and what stands in their leaves."""

    feature: IndexArray
    """The feature that a node asks for, from 0 on; -1 at leaves."""
    threshold: FloatArray
    left: IndexArray
    right: IndexArray
    """The nodes below; at leaves `left` is the leaf's number."""
    roots: IndexArray

    @classmethod
    def of(cls, grown: Sequence[Any]) -> Trees:
        """The nodes of scikit-learn's trees."""
        counts = np.array([tree.node_count for tree in grown])
        roots = np.cumsum(counts) - counts
        shift = np.repeat(roots, counts)
        feature = np.concatenate([tree.feature for tree in grown]).astype(np.int64)
        leaf = np.concatenate([tree.children_left for tree in grown]) == LEAF
        left, right = (
            np.concatenate([getattr(tree, name) for tree in grown]) + shift
            for name in ("children_left", "children_right")
        )
        return cls(
            feature=np.where(leaf, LEAF, feature),
            threshold=np.where(leaf, 0.0, np.concatenate([tree.threshold for tree in grown])),
            left=np.where(leaf, np.cumsum(leaf) - 1, left),
            right=np.where(leaf, 0, right),
            roots=roots,
        )

    @property
    def is_leaf(self) -> npt.NDArray[np.bool_]:
        """Which nodes are leaves."""
        return np.asarray(self.feature == LEAF)

    def leaves(self, matrix: FloatArray) -> Iterator[tuple[slice, IndexArray]]:
        """For some rows at a time, and each tree in turn, the numbers of the leaves that the rows end in."""
        for start in range(0, len(matrix), ROWS):
            some = np.ascontiguousarray(matrix[start : start + ROWS], dtype=np.float32)
            for root in self.roots.tolist():
                yield slice(start, start + len(some)), self._leaves(some, root)

    def mean(self, matrix: FloatArray, worth: FloatArray) -> FloatArray:
        """The mean over the trees of what the documents' leaves are worth (leaves × any)."""
        added = np.zeros((len(matrix), worth.shape[1]))
        for rows, leaves in self.leaves(matrix):
            added[rows] += worth[leaves]
        return added / len(self.roots)

    def _leaves(self, matrix: npt.NDArray[np.float32], root: int) -> IndexArray:
        width, flat = matrix.shape[1], matrix.ravel()
        node = np.full(len(matrix), root)
        moving = np.arange(len(matrix)) if self.feature[root] != LEAF else np.zeros(0, dtype=np.int64)
        while len(moving):
            at = node[moving]
            lower = flat[moving * width + self.feature[at]] <= self.threshold[at]
            below = np.where(lower, self.left[at], self.right[at])
            node[moving] = below
            moving = moving[self.feature[below] != LEAF]
        return np.asarray(self.left[node])

    def state(self) -> dict[str, Any]:
        """The nodes as lists."""
        return {name: values.tolist() for name, values in vars(self).items()}

    @classmethod
    def restored(cls, state: Mapping[str, Any], features: int) -> Trees:
        """The trees that gave this state; an error where they are none, or ask for a feature beyond the last."""
        whole = {name: whole_numbers(state[name]) for name in ("feature", "left", "right", "roots")}
        trees = cls(threshold=np.array(state["threshold"], dtype=np.float64), **whole)
        trees._check(features)
        return trees

    def _check(self, features: int) -> None:
        """Every way ends in a leaf: the nodes below a node stand after it."""
        count, leaf, at = len(self.feature), self.is_leaf, np.arange(len(self.feature))
        if any(values.shape != (count,) for values in (self.threshold, self.left, self.right)) or not len(self.roots):
            raise ValueError("its trees are not whole")
        below = np.stack([self.left, self.right])[:, ~leaf]
        ways = ((below > at[~leaf]) & (below < count)).all() and ((self.roots >= 0) & (self.roots < count)).all()
        asked = ((self.feature >= LEAF) & (self.feature < features)).all()
        if not np.isfinite(self.threshold).all():
            raise ValueError("a threshold is no number")
        if not (ways and asked and np.array_equal(self.left[leaf], np.arange(leaf.sum()))):
            raise ValueError("its nodes are no trees")


def whole_numbers(values: Any) -> IndexArray:
    """The values of a file as whole numbers; an error where one is not."""
    given = np.array(values, dtype=np.float64)
    if not (np.isfinite(given).all() and np.array_equal(given, np.rint(given))):
        raise ValueError("a number is not whole")
    return np.array(values, dtype=np.int64)
