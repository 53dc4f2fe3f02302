"""Tasks and labels: the documents that assessors are given to judge, and what they say of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Self, TypeAlias

from rankgauge.errors import InputError

SOMEBODY = "assessor"
"""The assessor of labels that name none."""

Identity: TypeAlias = int | str
"""Who somebody is: the number of a person of the judging room, or a name where nothing but a name is known."""


@dataclass(frozen=True, kw_only=True)
class Assessor:
    """Who judges. A person of the judging room is known by their number, so that two people may have one name."""

    name: str
    person: int | None = None
    """The number of the person; None: known by the name alone, as in files and at the command line."""

    @property
    def identity(self) -> Identity:
        """Who it is."""
        return self.name if self.person is None else self.person

    @classmethod
    def of(cls, who: str | Assessor) -> Assessor:
        """Return the assessor of that name."""
        return who if isinstance(who, Assessor) else cls(name=who)


def identity_of(row: Any) -> Identity:
    """Who a row with `assessor` and `person` is about."""
    return str(row.assessor) if row.person is None else int(row.person)


@dataclass(frozen=True, kw_only=True)
class Task:
    """A document that an assessor is given to judge, with what there is to read."""

    place: int
    """The document's position in the pool."""
    query: str
    document: str
    assessor: str
    person: int | None = None
    """The number of the assessor, if it is a person of the judging room."""
    until: float
    """When the lease ends, in seconds since 1970."""
    texts: Mapping[str, str] = field(default_factory=dict, hash=False)


class LabelKind(StrEnum):
    """What a label says."""

    GRADE = "grade"
    SKIP = "skip"
    SETTLED = "settled"


class LabelOrigin(StrEnum):
    """How a label came into the campaign."""

    ANSWERED = "answered"
    """The document was handed to the assessor, who answered."""
    IMPORTED = "imported"
    """It came in a file or from a program, for a document that was not handed to the assessor."""
    ADJUDICATED = "adjudicated"
    """It settles a disagreement."""
    UNKNOWN = "unknown"
    """It was recorded by a version that did not keep this."""


@dataclass(frozen=True, kw_only=True)
class Exported:
    """What a file of labels that a judging room wrote says of a label: whose it was, and of what kind."""

    person: int | None
    """The number of the assessor in the room that wrote it; it gives the label to nobody."""
    kind: LabelKind
    shown: bool = False
    """Whether the file has names as pages show them, with _ for blanks, and no numbers: the export for TREC's tools."""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self | None:
        """Return what the row of a file says; None if it is not a judging room's."""
        if not {"person", "origin"} <= row.keys() or row.get("kind") not in set(LabelKind):
            return None
        number = str(row["person"]).removesuffix(".0")  # tables with gaps turn whole numbers into others
        return cls(person=int(number) if number.isdecimal() else None, kind=LabelKind(row["kind"]))


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
    person: int | None = None
    """The number of the assessor, if it is a person of the judging room."""
    sender: int | None = None
    """The number of the person who sent it, perhaps in another's name."""
    exported: Exported | None = field(default=None, compare=False)
    """What the judging room that wrote the label says of it; None if it comes from elsewhere."""
    line: int | None = field(default=None, compare=False)
    text: str | None = field(default=None, compare=False)

    @property
    def identity(self) -> Identity:
        """Who made it."""
        return identity_of(self)

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
    imported: int = 0
    """New labels of documents that were not handed to their assessors."""
    blank: int = 0
    """Rows without a grade."""
    by_text: int = 0
    """Labels that named their query by its text."""
    settled: int = 0
    """Rows of a room's file that settled disagreements there: they are no assessor's labels, and are left out."""

    outside: int = 0
    """Labels of documents or queries that the pool does not have: they are left out."""

    unread: tuple[str, ...] = ()
    """The columns of the file that say nothing of a label, and nothing that assessors read."""

    @property
    def counts(self) -> dict[str, int]:
        """The numbers by name."""
        return {name: count for name, count in asdict(self).items() if name != "unread"}

    def with_more(self, **counts: Any) -> Recorded:
        """Return what was recorded, with these numbers and names added."""
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
    return Label(**({"assessor": assessor} | kept | ids), exported=Exported.of(given))
