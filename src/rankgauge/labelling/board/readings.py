"""Readings: what a sample of labels says of every document of the pool.

For each of K folds of the labelled documents the beliefs m are fitted without it, and a document's pseudo-label is

    Ŷ = Y                          if it was labelled in another fold,
    Ŷ = m + [in the fold] (Y − m)/π  else,   π = (p/K) / (1 − p(K − 1)/K)

π is the chance to be in the fold, given that the document is in no other. So E Ŷ = Y and E Ŷ_iŶ_j = Y_iY_j for i ≠ j,
whatever the beliefs are: sums of labels and of products of labels are estimated without bias.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from rankgauge.labelling.board.beliefs import Beliefs, Effects, learnt
from rankgauge.labelling.board.features import Features
from rankgauge.labelling.board.stream import FOLDS
from rankgauge.numeric import BoolArray, FloatArray, IndexArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Readings:
    """The sample and what it says.

    `best` (documents × thresholds) is the label where there is one, else the belief from all labels. `folds` (folds ×
    documents × thresholds) are the pseudo-labels, `error` (labelled × thresholds) is (Y − m)·√(1 − p)/p. `fold`
    (labelled) is the fold of each label, `held` (labelled × thresholds) what is believed of it without its fold.
    `left_out` are the effects of the beliefs without each fold.
    """

    labelled: IndexArray
    judged: BoolArray
    chance: FloatArray
    beliefs: Beliefs
    best: FloatArray
    folds: FloatArray
    error: FloatArray
    fold: IndexArray
    held: FloatArray
    left_out: tuple[Effects, ...]

    @classmethod
    def of(
        cls,
        features: Features,
        labelled: IndexArray,
        reached: FloatArray,
        *,
        chance: FloatArray,
        fold: IndexArray,
        start: Readings | None = None,
    ) -> Readings:
        """What the labels say: `reached` (labelled × thresholds) is 1 or 0, `chance` and `fold` are the stream's.

        `start` are readings near those that will be found, such as those of one label less: they save time.
        """
        first = learnt(features, labelled, reached, None if start is None else start.beliefs.effects)
        effects = [first]
        for k in range(FOLDS):
            kept = fold[labelled] != k
            near = first if start is None else start.left_out[k]
            effects.append(learnt(features, labelled[kept], reached[kept], near))
        return cls._of(labelled, reached, chance, fold, Beliefs.each(features, effects))

    @classmethod
    def told(
        cls,
        labelled: IndexArray,
        reached: FloatArray,
        *,
        chance: FloatArray,
        fold: IndexArray,
        believe: Callable[[IndexArray], Beliefs],
    ) -> Readings:
        """The same with beliefs of any other kind: `believe` gives those of a part of the labelled documents, and
        `reached` (documents × thresholds) may hold the labels of all."""
        parts = (labelled, *(labelled[fold[labelled] != k] for k in range(FOLDS)))
        return cls._of(labelled, reached[labelled], chance, fold, map(believe, parts))

    @classmethod
    def _of(
        cls,
        labelled: IndexArray,
        reached: FloatArray,
        chance: FloatArray,
        fold: IndexArray,
        believed: Iterator[Beliefs],
    ) -> Readings:
        """`believed` are the beliefs from all labelled documents, then those without each fold."""
        beliefs = next(believed)
        best = beliefs.chance.copy()
        best[labelled] = reached
        folds = np.empty((FOLDS, *best.shape))
        misses, left_out = np.empty_like(reached), []
        pick = (chance / FOLDS) / (1.0 - chance * (FOLDS - 1) / FOLDS)
        for k, without in enumerate(believed):
            left, m = fold[labelled] == k, without.chance
            left_out.append(without.effects)
            out = labelled[left]
            misses[left] = reached[left] - m[out]
            folds[k] = m
            folds[k][labelled[~left]] = reached[~left]
            folds[k][out] = m[out] + misses[left] / pick[out, np.newaxis]
        p = chance[labelled, np.newaxis]
        judged = np.zeros(len(chance), dtype=bool)
        judged[labelled] = True
        return cls(
            labelled=labelled,
            judged=judged,
            chance=chance,
            beliefs=beliefs,
            best=best,
            folds=folds,
            error=misses * np.sqrt(1.0 - p) / p,
            fold=fold[labelled],
            held=reached - misses,
            left_out=tuple(left_out),
        )

    def guess(self, k: int) -> FloatArray:
        """What is known and believed without fold k (documents × thresholds): it knows nothing of the fold's labels."""
        found: FloatArray = self.folds[k].copy()
        left = self.fold == k
        found[self.labelled[left]] = self.held[left]
        return found

    @property
    def mean(self) -> FloatArray:
        """The mean pseudo-label over the folds (documents × thresholds)."""
        return np.asarray(self.folds.mean(axis=0))

    @property
    def doubt(self) -> FloatArray:
        """The variance of each label under the beliefs, 0 for those that are known (documents × thresholds)."""
        spread = self.beliefs.chance * (1.0 - self.beliefs.chance)
        return np.where(self.judged[:, np.newaxis], 0.0, spread)

    @property
    def inflation(self) -> FloatArray:
        """(1 − p) / p: by how much sampling multiplies a document's variance."""
        return np.asarray((1.0 - self.chance) / self.chance)
