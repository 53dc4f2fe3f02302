"""JSON text: the value that a file begins with, and all the values in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from rankgauge.errors import InputError
from rankgauge.files.source import Source

_BLANK = re.compile(r"\s*")

GROWTH = 16
"""How many times as many bytes are tried next, if the first value is longer than those that were tried."""

CUT = "The file seems cut off."
SPOILT = "Correct this place, or export the file again."

LITERAL = len("-Infinity")
"""The longest word of JSON that a cut may leave without its end."""


def first_value(source: Source, size: int) -> Any:
    """Parse the first JSON value of a file, an object or a list; return None if the file does not begin with one.

    The first `size` bytes are tried, then more and more: what a file holds never depends on where a buffer ends.
    """
    while True:
        raw = source.read(size)
        text = raw.decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
        whole = len(raw) < size
        if not text.startswith(("{", "[")) and (text or whole):
            return None
        try:
            return json.JSONDecoder().raw_decode(text)[0]
        except json.JSONDecodeError as error:
            if whole or not _is_cut(error, text, LITERAL):
                return None
        except (ValueError, RecursionError):
            return None
        size *= GROWTH


def values(source: Source) -> list[Any]:
    """Return the JSON values of a file: usually one, but there may be one per line or several in a row."""
    text = source.text()
    return [value for _, value in _decode(text, source, _after(text, 0))]


def elements(source: Source) -> Iterator[tuple[int, Any]]:
    """Yield the JSON values of a file, each with its line; of a list that is the whole file, its elements."""
    text = source.text()
    start = _after(text, 0)
    listed = text.startswith("[", start)
    line, seen = 1, 0
    for at, value in _decode(text, source, _after(text, start + 1) if listed else start, listed=listed):
        line, seen = line + text.count("\n", seen, at), at
        yield line, value


def _decode(text: str, source: Source, at: int, *, listed: bool = False) -> Iterator[tuple[int, Any]]:
    """Yield each value from there on with its position, up to the end of the text or of the list."""
    decoder = json.JSONDecoder()
    while at < len(text) and not (listed and text[at] == "]"):
        try:
            value, end = decoder.raw_decode(text, at)
        except RecursionError:
            raise InputError("is JSON that is nested too deeply", path=source.name) from None
        except json.JSONDecodeError as error:
            line = text.split("\n", error.lineno)[error.lineno - 1]
            raise InputError(
                f"is not valid JSON: {error.msg}",
                path=source.name,
                line=error.lineno,
                text=line,
                hint=CUT if _is_cut(error, text) else SPOILT,
            ) from None
        except ValueError as error:  # a number of thousands of digits
            raise InputError(f"is not valid JSON: {error}", path=source.name, hint=SPOILT) from None
        yield at, value
        at = _after(text, end)
        if listed and text.startswith(",", at):
            at = _after(text, at + 1)
    if listed and at >= len(text):
        raise InputError("is not valid JSON: the list does not end", path=source.name, hint=CUT)


def as_text(value: Any) -> str | None:
    """Return a JSON value as it may stand in a cell: ids and numbers as text, the rest as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _is_cut(error: json.JSONDecodeError, text: str, word: int = 1) -> bool:
    """Tell whether the parser stopped because the text ends, at most `word` characters from there."""
    return error.pos > len(text.rstrip()) - word or error.msg.startswith("Unterminated string")


def _after(text: str, at: int) -> int:
    """Return the position of what follows the blanks."""
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at
