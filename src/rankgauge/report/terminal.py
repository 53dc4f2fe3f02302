"""Text for a terminal: tables without lines, notes beside their subjects; colours only where a terminal shows them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from typing import TextIO, cast

from rich.console import Console
from rich.table import Table

from rankgauge.report.passages import Bullets, Heading, Notes, Paragraph, Passage, Recommendations, ReportTable

WIDTH, ENDLESS = 80, 10_000


def console(stream: TextIO) -> Console:
    """A console that cuts no table short: lines that are too long for a terminal are wrapped by it."""
    if stream.isatty():
        return Console(file=stream, highlight=False, width=ENDLESS)
    return Console(file=cast(TextIO, _Trimmed(stream)), highlight=False, width=ENDLESS, color_system=None)


def text_width() -> int:
    """How wide a paragraph may be: 80 columns, or as many as the terminal has."""
    return min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)


class _Trimmed:
    """A stream without the blanks that fill a table's cells up at the end of its lines."""

    def __init__(self, stream: TextIO) -> None:
        self.stream, self.encoding = stream, stream.encoding

    def write(self, text: str) -> int:
        return self.stream.write("\n".join(line.rstrip(" ") for line in text.split("\n")))

    def flush(self) -> None:
        self.stream.flush()

    def isatty(self) -> bool:
        return False


def show(passages: Iterable[Passage], stream: TextIO) -> None:
    """The passages, with a blank line between them, but for one after a heading or between two paragraphs."""
    out, last = console(stream), None
    for passage in passages:
        together = isinstance(last, Heading) and not isinstance(passage, Heading)
        together |= isinstance(last, Paragraph) and isinstance(passage, Paragraph)
        if last is not None and not together:
            out.print()
        _show(passage, out)
        last = passage


def _show(passage: Passage, out: Console) -> None:
    if isinstance(passage, Heading):
        out.print(f"[bold]{escaped(passage.title)}[/bold]{escaped(passage.words)}")
    elif isinstance(passage, Paragraph):
        words = escaped(passage.words)
        out.print(f"[bold]{words}[/bold]" if passage.strong else words, width=text_width())
    elif isinstance(passage, Bullets):
        for line in passage.lines:
            out.print(escaped(line), width=text_width())
    elif isinstance(passage, Recommendations):
        for title, words in passage.rows:
            out.print(f"[cyan]{escaped(title)}.[/cyan] {escaped(words)}", width=text_width())
    elif isinstance(passage, Notes):
        pairs(passage.rows, out)
    elif isinstance(passage, ReportTable):
        out.print(_table(passage))


def _table(shown: ReportTable) -> Table:
    drawn = ruled(*map(escaped, shown.header), numbers=tuple(map(escaped, shown.numbers)))
    for line, row in enumerate(shown.rows):
        cells = [escaped(str(cell)) for cell in row]
        drawn.add_row(*(f"[bold]{cell}[/bold]" if (line, n) in shown.strong else cell for n, cell in enumerate(cells)))
    return drawn


def ruled(*columns: str, numbers: tuple[str, ...] = ()) -> Table:
    """An empty table without lines, with numbers aligned to the right."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in numbers else "left", no_wrap=True)
    return table


def pairs(rows: Iterable[tuple[str, str]], out: Console) -> None:
    """Subjects and their notes, side by side, with the notes wrapped."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="cyan")
    table.add_column(overflow="fold")
    for subject, words in rows:
        table.add_row(escaped(subject), escaped(words))
    out.print(table, width=text_width())


def escaped(text: str) -> str:
    """Brackets as they are, not as rich's markup."""
    return text.replace("[", r"\[")
