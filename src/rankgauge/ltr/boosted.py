"""LightGBM's trees as plain numbers: what a ranker's file holds, and what is given back to LightGBM.

LightGBM trusts the text of a model: one that is damaged, or was made to do harm, ends the whole process. So no text
from a file reaches it: numbers do, once they are known to be a tree, in a text that is written here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge.ltr.trees import whole_numbers
from rankgauge.numeric import FloatArray, IndexArray

__all__ = ["Boosted", "model", "parsed"]

WHOLE = ("feature", "decision", "left", "right")
DECISIONS = (0, 2, 4, 6, 8, 10)
"""How a node compares: bit 1 sends what is missing to the left, bits 2 and 3 say what that is; bit 0 is for sets."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Boosted:
    """A tree: its inner nodes, and what stands in its leaves. A child below 0 is a leaf: −1 the first, −2 the next."""

    feature: IndexArray
    threshold: FloatArray
    decision: IndexArray
    left: IndexArray
    right: IndexArray
    leaf: FloatArray

    @classmethod
    def restored(cls, state: Mapping[str, Any], features: int) -> Boosted:
        """The tree that gave this state; an error where it is none, or asks for a feature beyond the last."""
        whole: dict[str, Any] = {name: whole_numbers(state[name]) for name in WHOLE}
        tree = cls(threshold=np.array(state["threshold"], float), leaf=np.array(state["leaf"], float), **whole)
        tree._check(features)
        return tree

    def _check(self, features: int) -> None:
        inner = len(self.leaf) - 1
        nodes = (self.feature, self.threshold, self.decision, self.left, self.right)
        if self.leaf.ndim != 1 or any(values.shape != (inner,) for values in nodes):
            raise ValueError("a tree has one leaf more than it has nodes")
        if not (np.isfinite(self.threshold).all() and np.isfinite(self.leaf).all()):
            raise ValueError("a threshold or a leaf is no number")
        if not (np.isin(self.decision, DECISIONS).all() and ((self.feature >= 0) & (self.feature < features)).all()):
            raise ValueError("a node asks for what there is not")
        if not inner:
            return
        below = np.concatenate([self.left, self.right])
        # Every node but the first, and every leaf, hangs below one node, which stands before it: no way leads round.
        once = np.array_equal(np.sort(below), np.setdiff1d(np.arange(-inner - 1, inner), 0))
        if not (once and ((below < 0) | (below > np.tile(np.arange(inner), 2))).all()):
            raise ValueError("its nodes are no tree")

    def state(self) -> dict[str, Any]:
        """The numbers as lists."""
        return {name: values.tolist() for name, values in vars(self).items()}

    def text(self, number: int) -> str:
        """The tree as LightGBM writes it."""
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


def parsed(text: str, features: int) -> tuple[Boosted, ...]:
    """The trees in the text of a model that LightGBM has grown."""
    return tuple(Boosted.restored(tree, features) for tree in _trees(text))


def _trees(text: str) -> Iterator[dict[str, list[float]]]:
    for part in text.partition("\nend of trees")[0].split("\nTree=")[1:]:
        lines = dict(line.split("=", 1) for line in part.splitlines()[1:] if "=" in line)
        yield {ours: list(map(float, lines[name].split())) for name, ours in FIELDS.items()}


def model(trees: Sequence[Boosted], features: int) -> str:
    """The text of a model of these trees."""
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
