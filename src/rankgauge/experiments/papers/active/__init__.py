"""Sawade, Bickel, von Oertzen, Scheffer & Landwehr: active evaluation of ranking functions."""

from rankgauge.experiments.papers.active import run

__all__ = ["run"]
