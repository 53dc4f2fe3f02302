"""Labels: what assessors say of documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from rankgauge.errors import InputError

__all__ = ["SOMEBODY", "Label", "LabelKind", "Recorded", "labels_of"]

SOMEBODY = "assessor"
"""The assessor of labels that name none."""


class LabelKind(StrEnum):
    """What a label says."""

    GRADE = "grade"
    SKIP = "skip"
    SETTLED = "settled"


@dataclass(frozen=True, kw_only=True)
class Label:
    """What one assessor says of one document: a grade or a word of the scale, or that it cannot be judged."""

    query: str
    document: str
    grade: float | str | None = None
    """None: the assessor looked, and it cannot be judged."""
    assessor: str = SOMEBODY
    comment: str | None = None
    key: str | None = None
    """A label that is sent twice under one key is recorded once."""
    settles: bool = False
    """Whether the label ends a disagreement: its grade counts in place of the others'."""
    line: int | None = field(default=None, compare=False)
    text: str | None = field(default=None, compare=False)

    @property
    def kind(self) -> LabelKind:
        """What the label says."""
        if self.settles:
            return LabelKind.SETTLED
        return LabelKind.SKIP if self.grade is None else LabelKind.GRADE


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """What became of labels that came in."""

    new: int = 0
    same: int = 0
    """Labels that were there already, word for word."""
    replaced: int = 0
    skipped: int = 0
    """Among the new ones, those that say that a document cannot be judged."""
    unasked: int = 0
    """Among the new ones, those of documents that no draw has asked for yet: kept, and not used until one does."""
    blank: int = 0
    """Rows without a grade."""

    def added(self, **counts: int) -> Recorded:
        """The same with so many more."""
        return replace(self, **{name: getattr(self, name) + count for name, count in counts.items()})


FIELDS = ("query", "document", "grade", "assessor", "comment", "key")


def labels_of(rows: Any, assessor: str) -> list[Label]:
    """Labels out of labels, mappings (query, document, grade[, assessor, comment, key]), tuples in that order, or a
    frame with such columns; `assessor` is whose they are where they name nobody."""
    if hasattr(rows, "iter_rows"):
        rows = rows.iter_rows(named=True)
    return [row if isinstance(row, Label) else _label(row, assessor) for row in rows]


def _label(row: Mapping[str, Any] | tuple[Any, ...], assessor: str) -> Label:
    given = dict(row) if isinstance(row, Mapping) else dict(zip(FIELDS, row, strict=False))
    missing = [name for name in ("query", "document") if given.get(name) is None]
    if missing:
        raise InputError(f"a label has no {missing[0]}", text=str(row), hint=f"Expected {', '.join(FIELDS)}.")
    kept = {name: given[name] for name in FIELDS if given.get(name) is not None}
    ids = {"query": str(given["query"]), "document": str(given["document"])}
    return Label(**({"assessor": assessor} | kept | ids))
