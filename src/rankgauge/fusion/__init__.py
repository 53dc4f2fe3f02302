"""Several runs made into one: fusion methods, normalisations, and parameters tuned on judged queries.

A file in `methods/` adds a method, one in `normalisations/` a normalisation.
"""

from rankgauge.fusion.fusing import Fusion, FusionPlan, fuse
from rankgauge.fusion.method import METHODS, NORMALISATIONS, FusionMethod, Normalisation
from rankgauge.fusion.tuning import JudgedFusion, TunedFusion, TuningTask, fusion_gain, tune_fusion

__all__ = [
    "METHODS",
    "NORMALISATIONS",
    "Fusion",
    "FusionMethod",
    "FusionPlan",
    "JudgedFusion",
    "Normalisation",
    "TunedFusion",
    "TuningTask",
    "fuse",
    "fusion_gain",
    "tune_fusion",
]
