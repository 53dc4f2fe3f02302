"""Seeded generators of small collections that behave like real ones, for the demo, the docs and tests."""

from rankgauge.datasets.collection import Collection, generate
from rankgauge.datasets.files import FILES, write

__all__ = ["FILES", "Collection", "generate", "write"]
