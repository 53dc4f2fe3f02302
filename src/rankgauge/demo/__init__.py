"""Seeded generators of small collections that behave like real ones, for the demo, the docs and tests."""

from rankgauge.demo.collection import FILES, DemoCollection, generate, write
from rankgauge.demo.learning import (
    LIKENESSES,
    Likeness,
    generate_learning,
    learning_parts,
    learning_rows,
    write_learning,
    write_parts,
)

__all__ = [
    "FILES",
    "LIKENESSES",
    "DemoCollection",
    "Likeness",
    "generate",
    "generate_learning",
    "learning_parts",
    "learning_rows",
    "write",
    "write_learning",
    "write_parts",
]
