"""The contract of reports and of the formats that they are written in.

A format is one constant in one file of `formats/`; dropping the file in registers it. A report offers what formats are
made from (`document`, `data`, `frame`, `picture`), and so every format that needs no more than that. It makes its
document for a medium: terminal, Markdown and LaTeX show the text and leave out what only a page can show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

from rankgauge.errors import InputError, UnknownNameError
from rankgauge.records import record
from rankgauge.registry import Registered, Registry

if TYPE_CHECKING:
    import polars as pl

    from rankgauge.render.passages import Passage
    from rankgauge.render.svg import Drawing

FORMATS: Registry[ReportFormat] = Registry("output format", "rankgauge.render.formats", "rankgauge.evaluation.formats")


class Medium(Enum):
    """Where a document is read."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    LATEX = "latex"
    PAGE = "page"


@record
class ReportDocument:
    """A whole document: its passages, and for a page what is above and below them."""

    title: str = ""
    headline: str = ""
    facts: Sequence[str] = ()
    """What it is about, in a line above the headline."""
    lead: str = ""
    passages: Sequence[Passage] = ()
    contents: str = ""
    """What a list of the sections is called, where a page begins with one."""
    footer: str = ""
    sortable: bool = False
    """Whether a reader of a page can sort its tables."""
    script: str = ""
    language: str = "en"


class Report:
    """What a command has to say. A kind of report defines what it can give of these."""

    command: ClassVar[str]
    """The command that writes it."""

    def document(self, medium: Medium) -> ReportDocument:
        """Return what people read, for the place where they read it."""
        raise NotImplementedError

    def data(self) -> dict[str, Any]:
        """Return everything, for programs: words, numbers, frames, and lists and mappings of these."""
        raise NotImplementedError

    def frame(self) -> pl.DataFrame:
        """Return the main table, for spreadsheets."""
        raise NotImplementedError

    def picture(self) -> Drawing:
        """Return the main point as a picture."""
        raise NotImplementedError

    def warnings(self) -> Sequence[tuple[str, str]]:
        """Return what has to be said beside values that are written without notes: pairs of a subject and words."""
        return ()

    def paragraph(self) -> str:
        """Return what may be published, in whole sentences."""
        raise NotImplementedError

    def show(self, stream: TextIO) -> None:
        """Show the report as text for people."""
        FORMATS["table"].write(self, stream)

    def text(self, format: str) -> str:
        """Return the report as text: "table", "md", "json" …; "latex" is "tex"."""
        written, _ = self.find({"latex": "tex"}.get(format, format))
        stream = StringIO()
        written.write(self, stream)
        return stream.getvalue()

    @classmethod
    def formats(cls) -> dict[str, ReportFormat]:
        """Return the formats that this kind of report has, by name."""
        return {name: known for name, known in FORMATS.items() if known.takes(cls)}

    @classmethod
    def find(cls, target: str) -> tuple[ReportFormat, Path | None]:
        """Return the format that an output names: `json` is a format, `report.html` a file whose ending names one."""
        if target in FORMATS and FORMATS[target].takes(cls):
            return FORMATS[target], None
        path, known = Path(target), cls.formats()
        by_ending = {ending: format_ for format_ in known.values() for ending in format_.endings}
        if path.suffix in by_ending:
            return by_ending[path.suffix], path
        elsewhere = {ending for format_ in FORMATS.values() for ending in format_.endings}
        if target in FORMATS or path.suffix in elsewhere:
            raise InputError(f"{cls.command} does not write {target}", hint=f"It writes {', '.join(known)}.")
        if path.suffix:
            raise InputError(
                f"no output format belongs to the ending {path.suffix}",
                path=path,
                hint=f"Known endings: {', '.join(sorted(by_ending))}.",
            )
        raise UnknownNameError("output format", target, known)


@record
class ReportFormat(Registered):
    """How a report is written: the format's name, what it is, the endings of files that hold it."""

    registry = FORMATS

    name: str
    title: str
    endings: tuple[str, ...] = ()
    needs: str
    """The method of a report that it is made from."""
    write: Callable[[Any, TextIO], object]
    bare: bool = False
    """Whether it has values only, and no place for notes."""

    def takes(self, kind: type[Report]) -> bool:
        """Say whether that kind of report can be written so."""
        return getattr(kind, self.needs, None) is not getattr(Report, self.needs, None)
