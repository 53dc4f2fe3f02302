"""Text for a terminal: tables without lines, notes beside their subjects; colours only where a terminal shows them.

Styles are written into the text as a terminal reads them, and taken out where nobody would see them. Plain Python does
for this: importing a library for it takes as long as evaluating a small run.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TextIO

from rankgauge.errors import printable
from rankgauge.render.passages import Bullets, Heading, Notes, Paragraph, Passage, Recommendations
from rankgauge.render.table import ReportTable

WIDTH = 80
GAP = "  "
"""What is between two columns."""

STYLES = {"bold": 1, "red": 31, "green": 32, "yellow": 33, "cyan": 36, "dim": 2}

_STYLE = re.compile(r"\x1b\[\d+m")
_WORD = re.compile(r"\s*\S+\s*")


class Screen:
    """A stream to show text on, which cuts nothing short: lines that are too long for a terminal are wrapped by it."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.styled = stream.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")

    def show(self, text: str = "", width: int | None = None) -> None:
        """The text, in lines of at most that width."""
        text = text if self.styled else _STYLE.sub("", text)
        for line in text.split("\n"):
            for part in [line] if width is None else wrap(line, width):
                self.stream.write(part.rstrip(" ") + "\n")

    def table(self, shown: ReportTable) -> None:
        """Show a table without lines, with columns of numbers aligned to the right."""
        rows = [[printable(str(cell)) for cell in row] for row in shown.cells]
        for line, n in shown.strong:
            rows[line][n] = bold(rows[line][n])
        names, right = [printable(column.name) for column in shown.heads], [column.right for column in shown.heads]
        table = [list(map(bold, names)), *rows]
        widths = [max(map(cells, column)) for column in zip(*table, strict=True)]
        for row in table:
            self.show(GAP.join(map(_pad, row, widths, right)))

    def pairs(self, rows: Iterable[tuple[str, str]]) -> None:
        """Subjects and their notes, side by side, with the notes wrapped."""
        listed = list(rows)
        left = max((cells(subject) for subject, _ in listed), default=0)
        for subject, words in listed:
            room = max(text_width() - left - len(GAP), 1)
            lines = [part for line in words.split("\n") for part in wrap(line, room)]
            for place, line in enumerate(lines):
                self.show(_pad("" if place else apply_style(subject, "cyan"), left) + GAP + line)


def apply_style(text: str, style: str) -> str:
    """Return the text in one of the styles, if the terminal has it."""
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if text else text


def bold(text: str) -> str:
    """Return the text in bold letters."""
    return apply_style(text, "bold")


def text_width() -> int:
    """Return how wide a paragraph may be: 80 columns, or as many as the terminal has."""
    import shutil  # here: help and versions are shown without it

    return min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns)


def cells(text: str) -> int:
    """How many columns of a terminal the text takes: wide characters of East Asia two, marks on a letter none."""
    plain = _STYLE.sub("", text)
    return len(plain) if plain.isascii() else sum(map(_cell, plain))


def _cell(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _pad(text: str, width: int, right: bool = False) -> str:
    text = text.rstrip(" ") if right else text
    blanks = " " * (width - cells(text))
    return blanks + text if right else text + blanks


def wrap(line: str, width: int) -> Iterator[str]:
    """The line in parts of at most that width, broken between words; a longer word is broken where it has to be."""
    part = ""
    for word in _WORD.findall(line):
        if part and cells(part + word.rstrip()) > width:
            yield part
            part = ""
        *full, word = _fold(word, width)
        yield from full
        part += word
    yield part


def _fold(word: str, width: int) -> list[str]:
    """Return the word in pieces of at most that width, but for the blanks after it."""
    pieces, room = [""], width
    for character in word:
        taken = 0 if character.isspace() else _cell(character)
        if taken > room and _STYLE.search(word) is None:
            pieces, room = [*pieces, ""], width
        pieces[-1] += character
        room -= taken
    return pieces


def show(passages: Iterable[Passage], stream: TextIO) -> None:
    """The passages, with a blank line between them, but for one after a heading or between two paragraphs."""
    out, last = Screen(stream), None
    for passage in passages:
        together = isinstance(last, Heading) and not isinstance(passage, Heading)
        together |= isinstance(last, Paragraph) and isinstance(passage, Paragraph)
        if last is not None and not together:
            out.show()
        _show(passage, out)
        last = passage


def _show(passage: Passage, out: Screen) -> None:
    """Show a passage. Ids and names come from files: their control characters are spelled out."""
    if isinstance(passage, Heading):
        out.show(bold(printable(passage.title)) + printable(passage.words))
    elif isinstance(passage, Paragraph):
        words = printable(passage.words)
        out.show(bold(words) if passage.strong else words, text_width())
    elif isinstance(passage, Bullets):
        for line in passage.lines:
            out.show(printable(line), text_width())
    elif isinstance(passage, Recommendations):
        for title, words in passage.rows:
            out.show(f"{apply_style(printable(title) + '.', 'cyan')} {printable(words)}", text_width())
    elif isinstance(passage, Notes):
        out.pairs((printable(subject), printable(words)) for subject, words in passage.rows)
    elif isinstance(passage, ReportTable):
        out.table(passage)
