"""Scheel, Lommatzsch & Albayrak, Performance measures for multi-graded relevance, SPIM 2011: its tables and figures;
those on OHSUMED only if its folder is given."""

from __future__ import annotations

import numpy as np

from rankgauge.papers.experiment import Experiment, Measurements, Setting
from rankgauge.papers.published.multigraded import lists, ohsumed


@Experiment.in_file(__file__)
def run(setting: Setting) -> Measurements:
    """Return everything that the setting allows."""
    outcome = lists.compute() | lists.simulate(setting.trials, np.random.default_rng(setting.seed))
    return outcome if setting.data is None else outcome | ohsumed.compare(ohsumed.load(setting.data))
