"""What a document is made of, without markup: headings, paragraphs, tables, notes, figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from rankgauge.comparison.verdict_grid import VerdictGrid
    from rankgauge.render.svg import Drawing


class Latex(str):
    """A cell that is LaTeX already."""

    __slots__ = ()


class LatexSpan(Latex):
    """A heading in LaTeX over two columns: numbers, and the marks that follow them."""

    __slots__ = ()


class Passage:
    """A part of a document."""

    kind: ClassVar[str]

    def __init_subclass__(cls) -> None:
        """The name by which writers know it is that of the class."""
        cls.kind = cls.__name__.lower()


@dataclass(frozen=True)
class Heading(Passage):
    """A title, and words that go on in its line; on a page level 2 begins a section, with a hint on how to read it."""

    title: str
    words: str = ""
    level: int = 2
    hint: str = ""


@dataclass(frozen=True)
class Paragraph(Passage):
    """Words."""

    words: str
    strong: bool = False


@dataclass(frozen=True)
class Notes(Passage):
    """Subjects, and what there is to know of each."""

    rows: Sequence[tuple[str, str]]


class Recommendations(Notes):
    """What to do, and why."""


@dataclass(frozen=True)
class Bullets(Passage):
    """Remarks without a subject."""

    lines: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Labelled:
    """What people call a query or a document, and its id, which a page shows beside it in small letters."""

    words: str
    id: str = ""

    def __str__(self) -> str:
        return f"{self.words} {self.id}".rstrip()


@dataclass(frozen=True, kw_only=True)
class ReportTable(Passage):
    """Headings and rows of cells; a cell is text, or on a page a track or a name with an id."""

    header: Sequence[str]
    rows: Sequence[Sequence[str | Track | Labelled]]
    title: str = ""
    caption: str = ""
    """What LaTeX prints above the table."""
    label: str = ""
    """By which LaTeX refers to the table."""
    numbers: Sequence[str] = ()
    """The columns of numbers, which are aligned to the right."""
    strong: frozenset[tuple[int, int]] = frozenset()
    """The row and the column of cells that stand out."""
    base: str = ""
    """The first cell of the row that others are compared with."""
    prose: str = ""
    """The column whose words may be broken into lines."""
    sortable: bool = False
    """Whether a reader of a page sorts it by pressing a heading."""


@dataclass(frozen=True)
class Legend(Passage):
    """Names with their colours."""

    hues: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Track:
    """A stretch with bars (from, width, colour, words) and dots (place, colour, words), in per cent of its length."""

    name: str = ""
    value: str = ""
    refusal: str = ""
    base: bool = False
    bars: Sequence[tuple[float, float, str, str]] = ()
    dots: Sequence[tuple[float, str, str]] = ()


@dataclass(frozen=True)
class Tracks(Passage):
    """Tracks below each other."""

    rows: Sequence[Track]


@dataclass(frozen=True)
class Figure(Passage):
    """A drawing or a table under a caption, with what belongs to it; figures in a row are set beside each other."""

    title: str
    drawn: Drawing | ReportTable | VerdictGrid
    below: Sequence[Passage] = ()


@dataclass(frozen=True)
class Details(Passage):
    """What a reader of a page unfolds; what it is about comes before the summary."""

    summary: str
    passages: Sequence[Passage]
    named: Labelled | None = None


@dataclass(frozen=True)
class Markup(Passage):
    """A part of a page that is HTML already."""

    html: str
