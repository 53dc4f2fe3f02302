"""Personalisation: how different the lists of two queries are."""

from __future__ import annotations

import numpy as np

from rankgauge.catalogue.statistic import CatalogueStatistic, Shown
from rankgauge.numeric import FloatArray


def _personalisation(shown: Shown) -> FloatArray:
    # The sum of the cosines of all pairs follows from the sum of all lists, each of length 1.
    n = float(np.count_nonzero(shown.lengths))
    together = np.bincount(shown.item, weights=1.0 / np.sqrt(shown.lengths[shown.query]), minlength=len(shown.items))
    # The sum may be off in its last digits, and the mean below 0 or above 1.
    return np.clip(1.0 - (together @ together - n) / (n * (n - 1.0)) if n > 1 else np.nan, 0.0, 1.0)


PERSONALISATION = CatalogueStatistic(
    name="personalisation",
    title="Personalisation",
    words="1 less the mean cosine of the lists of two queries: 1 if no two share a document",
    reference="recmetrics, personalization",
    kernel=_personalisation,
    per_query=False,
    same=("personalization",),
).register()
