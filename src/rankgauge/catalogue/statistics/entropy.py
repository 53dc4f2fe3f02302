"""Entropy: how evenly the lists show documents, in bits."""

from __future__ import annotations

import math

import numpy as np

from rankgauge.catalogue.statistic import CatalogueStatistic, Shown
from rankgauge.numeric import FloatArray


def _entropy(shown: Shown) -> FloatArray:
    share = shown.exposure[shown.exposure > 0] / shown.exposure.sum()
    return np.array(-(share * np.log2(share)).sum())


ENTROPY = CatalogueStatistic(
    name="entropy",
    title="Shannon entropy",
    words="the entropy of what is shown, in bits: that of so many documents shown equally often is their logarithm",
    reference="Shannon 1948; Elliot, SEntropy",
    kernel=_entropy,
    bounds=(0.0, math.inf),
    per_query=False,
    unlike={"shannonentropy": "RecBole's is in natural units, over the number of documents that are shown"},
).register()
