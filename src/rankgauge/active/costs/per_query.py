"""one: every query costs 1, however many documents it has."""

from __future__ import annotations

import numpy as np

from rankgauge.active.cost import Cost

ONE = Cost(name="one", title="every query costs 1", of=lambda rows: np.repeat(1.0 / rows.sizes, rows.sizes)).register()
