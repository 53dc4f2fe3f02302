"""Decision trees as plain numbers: those of a random forest, and those that LightGBM grows.

A forest's nodes are flat arrays, one tree after another, so that NumPy alone finds each document's leaf, before and
after a ranker is saved. scikit-learn compares features of 32 bits with thresholds of 64, and so do we.

LightGBM trusts the text of a model: a damaged or malicious one ends the whole process. So no text from a file reaches
it. A ranker's file holds numbers; once they are known to be a tree, the text for LightGBM is written here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from rankgauge.numeric import FloatArray, IndexArray

LEAF = -1
ROWS = 1 << 14
"""How many documents go down the trees together: few enough for their features to stay in the cache."""


class SavedTrees(ABC):
    """Arrays of nodes that a ranker's file holds as lists, those in `whole` of whole numbers."""

    whole: ClassVar[tuple[str, ...]]

    def state(self) -> dict[str, Any]:
        """Return the nodes as lists."""
        return {name: values.tolist() for name, values in vars(self).items()}

    @classmethod
    def restore(cls, state: Mapping[str, Any], features: int) -> Self:
        """Return the trees of a state; an error if they are no trees, or use an unknown feature."""
        names = [field.name for field in fields(cls)]  # type: ignore[arg-type]
        trees = cls(**{n: _whole_numbers(state[n]) if n in cls.whole else np.array(state[n], float) for n in names})
        trees._check(features)
        return trees

    @abstractmethod
    def _check(self, features: int) -> None:
        """Raise an error if the arrays do not form trees."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Trees(SavedTrees):
    """The nodes of a forest."""

    whole = ("feature", "left", "right", "roots")

    feature: IndexArray
    """The feature that a node compares, from 0 on; −1 at leaves."""
    threshold: FloatArray
    left: IndexArray
    right: IndexArray
    """The children; at leaves `left` is the leaf's number."""
    roots: IndexArray

    @classmethod
    def of(cls, grown: Sequence[Any]) -> Trees:
        """Return the nodes of scikit-learn's trees."""
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
        """Yield the leaf of each document, for some rows at a time and one tree after another."""
        for start in range(0, len(matrix), ROWS):
            some = np.ascontiguousarray(matrix[start : start + ROWS], dtype=np.float32)
            width, flat = some.shape[1], some.ravel()
            for root in self.roots.tolist():
                node = np.full(len(some), root)
                moving = np.arange(len(some)) if self.feature[root] != LEAF else np.zeros(0, dtype=np.int64)
                while len(moving):
                    at = node[moving]
                    lower = flat[moving * width + self.feature[at]] <= self.threshold[at]
                    below = np.where(lower, self.left[at], self.right[at])
                    node[moving] = below
                    moving = moving[self.feature[below] != LEAF]
                yield slice(start, start + len(some)), self.left[node]

    def mean(self, matrix: FloatArray, worth: FloatArray) -> FloatArray:
        """Return the mean over the trees of the values in each document's leaves (`worth`: leaves × any)."""
        added = np.zeros((len(matrix), worth.shape[1]))
        for rows, leaves in self.leaves(matrix):
            added[rows] += worth[leaves]
        return added / len(self.roots)

    def _check(self, features: int) -> None:
        """Make sure that every path ends in a leaf: children come after their parent."""
        count, leaf, at = len(self.feature), self.is_leaf, np.arange(len(self.feature))
        if any(values.shape != (count,) for values in (self.threshold, self.left, self.right)) or not len(self.roots):
            raise ValueError("its trees are incomplete")
        below = np.stack([self.left, self.right])[:, ~leaf]
        ways = ((below > at[~leaf]) & (below < count)).all() and ((self.roots >= 0) & (self.roots < count)).all()
        asked = ((self.feature >= LEAF) & (self.feature < features)).all()
        if not np.isfinite(self.threshold).all():
            raise ValueError("a threshold is not a number")
        if not (ways and asked and np.array_equal(self.left[leaf], np.arange(leaf.sum()))):
            raise ValueError("its nodes do not form trees")


def _whole_numbers(values: Any) -> IndexArray:
    """Return the values of a file as whole numbers; an error if one is not."""
    given = np.array(values, dtype=np.float64)
    if not (np.isfinite(given).all() and np.array_equal(given, np.rint(given))):
        raise ValueError("a number that should be whole is not")
    return np.array(values, dtype=np.int64)


DECISIONS = (0, 2, 4, 6, 8, 10)
"""How a node compares: bit 1 sends missing values left, bits 2 and 3 say what is missing; bit 0 is for categories."""


@dataclass(frozen=True, kw_only=True, eq=False)
class BoostedTree(SavedTrees):
    """A tree of LightGBM: its inner nodes and the values of its leaves. A child below 0 is a leaf: −1 is the first."""

    whole = ("feature", "decision", "left", "right")

    feature: IndexArray
    threshold: FloatArray
    decision: IndexArray
    left: IndexArray
    right: IndexArray
    leaf: FloatArray

    def _check(self, features: int) -> None:
        inner = len(self.leaf) - 1
        nodes = (self.feature, self.threshold, self.decision, self.left, self.right)
        if self.leaf.ndim != 1 or any(values.shape != (inner,) for values in nodes):
            raise ValueError("a tree should have one more leaf than inner nodes")
        if not (np.isfinite(self.threshold).all() and np.isfinite(self.leaf).all()):
            raise ValueError("a threshold or a leaf is not a number")
        if not (np.isin(self.decision, DECISIONS).all() and ((self.feature >= 0) & (self.feature < features)).all()):
            raise ValueError("a node has an unknown feature or comparison")
        if not inner:
            return
        below = np.concatenate([self.left, self.right])
        # Each node but the first, and each leaf, is the child of exactly one earlier node: there are no cycles.
        once = np.array_equal(np.sort(below), np.setdiff1d(np.arange(-inner - 1, inner), 0))
        if not (once and ((below < 0) | (below > np.tile(np.arange(inner), 2))).all()):
            raise ValueError("its nodes do not form a tree")

    def text(self, number: int) -> str:
        """Return the tree as LightGBM writes it."""
        fields = {
            "num_leaves": [len(self.leaf)],
            "num_cat": [0],
            **{name: getattr(self, ours).tolist() for name, ours in FIELDS.items()},
            "is_linear": [0],
            "shrinkage": [1],
        }
        lines = [f"{name}={' '.join(map(repr, values))}" for name, values in fields.items()]
        return "\n".join([f"Tree={number}", *lines, "", "", ""])


FIELDS = {
    "split_feature": "feature",
    "threshold": "threshold",
    "decision_type": "decision",
    "left_child": "left",
    "right_child": "right",
    "leaf_value": "leaf",
}
"""LightGBM's names → ours."""


def lightgbm_trees(text: str, features: int) -> tuple[BoostedTree, ...]:
    """Return the trees in the text of a model that LightGBM grew."""
    trees = []
    for part in text.partition("\nend of trees")[0].split("\nTree=")[1:]:
        lines = dict(line.split("=", 1) for line in part.splitlines()[1:] if "=" in line)
        numbers = {ours: list(map(float, lines[name].split())) for name, ours in FIELDS.items()}
        trees.append(BoostedTree.restore(numbers, features))
    return tuple(trees)


def lightgbm_text(trees: Sequence[BoostedTree], features: int) -> str:
    """Return the text of a LightGBM model with these trees."""
    texts = [tree.text(number) for number, tree in enumerate(trees)]
    head = {
        "version": "v4",
        "num_class": 1,
        "num_tree_per_iteration": 1,
        "label_index": 0,
        "max_feature_idx": features - 1,
        "feature_names": " ".join(f"f{number}" for number in range(1, features + 1)),
        "feature_infos": " ".join(["none"] * features),
        "tree_sizes": " ".join(str(len(text)) for text in texts),
    }
    lines = [f"{name}={value}" for name, value in head.items()]
    return "\n".join(["tree", *lines, "", *texts[:1]]) + "".join(texts[1:]) + "end of trees\n"
