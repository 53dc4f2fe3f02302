"""documents: every document costs 1."""

from __future__ import annotations

import numpy as np

from rankgauge.active.cost import Cost

DOCUMENTS = Cost(name="documents", title="every document costs 1", of=lambda rows: np.ones(len(rows.frame))).register()
