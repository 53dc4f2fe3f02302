"""Novelty: how surprising the documents shown are, in bits."""

from __future__ import annotations

import math

import numpy as np

from rankgauge.catalogue.statistic import CatalogueStatistic, Shown
from rankgauge.numeric import FloatArray


def _novelty(shown: Shown) -> FloatArray:
    # A document that nobody knows yet is taken to be known to one.
    share = np.maximum(shown.popularity, 1.0) / np.maximum(shown.popularity, 1.0).sum()
    return shown.mean(-np.log2(share[shown.item]))


NOVELTY = CatalogueStatistic(
    name="novelty",
    title="Novelty",
    words="the mean self-information of the documents shown, in bits: −log2 of the share of all popularity",
    reference="Zhou et al., Solving the apparent diversity-accuracy dilemma of recommender systems, PNAS "
    "2010; Vargas & Castells, RecSys 2011 (EFD)",
    kernel=_novelty,
    bounds=(0.0, math.inf),
    needs=("popularity",),
).register()
