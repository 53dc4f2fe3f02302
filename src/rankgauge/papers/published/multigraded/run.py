"""The paper's tables and figures; those on OHSUMED only if its folder is given."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rankgauge.papers.claims import Paper
from rankgauge.papers.experiment import Experiment, Measurements, Setting
from rankgauge.papers.published.multigraded import ohsumed, swaps, tables


def run(setting: Setting) -> Measurements:
    """Everything that the setting allows."""
    outcome = tables.compute() | swaps.simulate(setting.trials, np.random.default_rng(setting.seed))
    return outcome if setting.data is None else outcome | ohsumed.compare(ohsumed.load(setting.data))


MULTIGRADED = Experiment(
    name="multigraded", paper=Paper.read(Path(__file__).with_name("expected.toml")), run=run
).register()
