"""Methods of active evaluation: one file each, a design and its estimator."""

from rankgauge.labelling.method import METHODS, Estimate, Method, Plan, Repetitions, get

__all__ = ["METHODS", "Estimate", "Method", "Plan", "Repetitions", "get"]
