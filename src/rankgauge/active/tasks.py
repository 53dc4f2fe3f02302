"""Tasks: documents in the hands of an assessor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Task"]


@dataclass(frozen=True, kw_only=True)
class Task:
    """A document to judge: its ids, what there is to read, who judges it, and until when nobody else is asked."""

    place: int
    """Where the document stands in the pool."""
    query: str
    document: str
    assessor: str
    until: float
    """In seconds since 1970."""
    texts: Mapping[str, str] = field(default_factory=dict, hash=False)
