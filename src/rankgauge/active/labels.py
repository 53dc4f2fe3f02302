"""Tasks and labels: the documents that assessors are given to judge, and what they say of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from rankgauge.errors import InputError

SOMEBODY = "assessor"
"""The assessor of labels that name none."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """A document that an assessor is given to judge, with what there is to read."""

    place: int
    """The document's position in the pool."""
    query: str
    document: str
    assessor: str
    until: float
    """When the lease ends, in seconds since 1970."""
    texts: Mapping[str, str] = field(default_factory=dict, hash=False)


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
    """None: the assessor looked, and the document cannot be judged."""
    assessor: str = SOMEBODY
    comment: str | None = None
    key: str | None = None
    """A label that is sent twice with the same key is recorded once."""
    settles: bool = False
    """Whether the label settles a disagreement: its grade counts in place of the others'."""
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
    """How many labels came in, and what became of them."""

    new: int = 0
    same: int = 0
    """Labels that were recorded already."""
    replaced: int = 0
    skipped: int = 0
    """New labels that say that a document cannot be judged."""
    unasked: int = 0
    """New labels of documents that no draw has asked for yet: they are kept, and used once one does."""
    blank: int = 0
    """Rows without a grade."""

    def added(self, **counts: int) -> Recorded:
        """The same with these numbers added."""
        return replace(self, **{name: getattr(self, name) + count for name, count in counts.items()})


FIELDS = ("query", "document", "grade", "assessor", "comment", "key")


def labels_of(rows: Any, assessor: str) -> list[Label]:
    """The labels in a list of labels, mappings (query, document, grade[, assessor, comment, key]) or tuples in that
    order, or in a frame with such columns; `assessor` made those that name none."""
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
