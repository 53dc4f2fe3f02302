"""Several runs made into one: fusion methods, normalisations, and parameters tuned on judged queries.

A file in `methods/` adds a method, one in `normalisations/` a normalisation.
"""

from rankgauge.fusion.fusing import Fusion, FusionPlan, fuse
from rankgauge.fusion.method import METHODS, FusionMethod
from rankgauge.fusion.normalisation import NORMALISATIONS, Normalisation
from rankgauge.fusion.tuning import TunedFusion, TuningTask, tune_fusion

__all__ = [
    "METHODS",
    "NORMALISATIONS",
    "Fusion",
    "FusionMethod",
    "FusionPlan",
    "Normalisation",
    "TunedFusion",
    "TuningTask",
    "fuse",
    "tune_fusion",
]
