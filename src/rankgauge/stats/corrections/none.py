"""No correction: each test by itself."""

from __future__ import annotations

from rankgauge.stats.correction import Correction

NONE = Correction(
    name="none",
    title="no correction",
    words="each test by itself; of 20 pairs of equal runs one is expected to be separated by luck at 0.05",
    reference="–",
    adjust=lambda family: family.p,
    magnifies=False,
).register()
