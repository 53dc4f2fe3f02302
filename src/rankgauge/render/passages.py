"""What a document is made of, without markup: headings, paragraphs, tables, notes, figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from rankgauge.records import record, tuple_record

if TYPE_CHECKING:
    from rankgauge.comparison.page import VerdictGrid
    from rankgauge.render.svg import Drawing
    from rankgauge.render.table import ReportTable


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


@tuple_record
class Heading(Passage):
    """A title, and words that go on in its line; on a page level 2 begins a section, with a hint on how to read it."""

    title: str
    words: str = ""
    level: int = 2
    hint: str = ""


@tuple_record
class Paragraph(Passage):
    """Words."""

    words: str
    strong: bool = False


@tuple_record
class Notes(Passage):
    """Subjects, and what there is to know of each."""

    rows: Sequence[tuple[str, str]]


class Recommendations(Notes):
    """What to do, and why."""


@tuple_record
class Bullets(Passage):
    """Remarks without a subject."""

    lines: Sequence[str]


@record
class Labelled:
    """What people call a query or a document, and its id, which a page shows beside it in small letters."""

    words: str
    id: str = ""

    def __str__(self) -> str:
        return f"{self.words} {self.id}".rstrip()


@tuple_record
class Legend(Passage):
    """Names with their colours."""

    hues: Mapping[str, str]


@record
class Track:
    """A stretch with bars (from, width, colour, words) and dots (place, colour, words), in per cent of its length."""

    name: str = ""
    value: str = ""
    refusal: str = ""
    base: bool = False
    bars: Sequence[tuple[float, float, str, str]] = ()
    dots: Sequence[tuple[float, str, str]] = ()


Cell = str | Track | Labelled
"""A cell of a table: text, or on a page a track or a name with an id."""


@tuple_record
class Tracks(Passage):
    """Tracks below each other."""

    rows: Sequence[Track]


@tuple_record
class Figure(Passage):
    """A drawing or a table under a caption, with what belongs to it; figures in a row are set beside each other."""

    title: str
    drawn: Drawing | ReportTable | VerdictGrid
    below: Sequence[Passage] = ()


@tuple_record
class Details(Passage):
    """What a reader of a page unfolds; what it is about comes before the summary."""

    summary: str
    passages: Sequence[Passage]
    named: Labelled | None = None


@tuple_record
class Markup(Passage):
    """A part of a page that is HTML already."""

    html: str
