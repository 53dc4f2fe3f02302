"""Sawade, Bickel, von Oertzen, Scheffer & Landwehr: active evaluation of ranking functions."""

from rankgauge.papers.published.active import run

__all__ = ["run"]
