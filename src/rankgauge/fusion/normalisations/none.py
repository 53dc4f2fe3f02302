"""none: scores as they are."""

from __future__ import annotations

from rankgauge.fusion.normalisation import NONE, Normalisation

Normalisation(name=NONE, title="scores as the runs have them", formula="s", apply=lambda stack: stack).register()
