"""Coverage: how much of the catalogue is shown to anybody."""

from __future__ import annotations

import numpy as np

from rankgauge.catalogue.statistic import CatalogueStatistic, Shown
from rankgauge.numeric import FloatArray


def _coverage(shown: Shown) -> FloatArray:
    return np.array((shown.exposure > 0).mean())


COVERAGE = CatalogueStatistic(
    name="coverage",
    title="Catalogue coverage",
    words="the share of the catalogue that is shown for any query",
    reference="Ge, Delgado-Battenfeld & Jannach, Beyond accuracy, RecSys 2010; RecBole, itemcoverage",
    kernel=_coverage,
    per_query=False,
    same=("itemcoverage", "catalog-coverage", "catalogue-coverage"),
).register()
