"""JSON text: the value that a file begins with, even if only its beginning is known, and all the values in it."""

from __future__ import annotations

import json
import re
from typing import Any

from rankgauge.errors import InputError
from rankgauge.io.source import Source

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*("|\Z)|[{}\[\],]', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
_BLANK = re.compile(r"\s*")


def beginning(text: str) -> Any:
    """The first JSON value of a text; of one that is cut off, what came before the cut; None if it is no JSON."""
    text = text.lstrip()
    if not text.startswith(("{", "[")):
        return None
    for attempt in (text, _closed(text)):
        try:
            return json.JSONDecoder().raw_decode(attempt)[0]
        except (ValueError, RecursionError):
            continue
    return None


def values(source: Source) -> list[Any]:
    """The JSON values of a file: usually one, but there may be one per line or several in a row."""
    text = source.text()
    decoder, found, at = json.JSONDecoder(), [], _after(text, 0)
    while at < len(text):
        try:
            value, at = decoder.raw_decode(text, at)
        except RecursionError:
            raise InputError("is JSON that is nested too deeply", path=source.name) from None
        except json.JSONDecodeError as error:
            line = text.split("\n", error.lineno)[error.lineno - 1]
            raise InputError(
                f"is not valid JSON: {error.msg}",
                path=source.name,
                line=error.lineno,
                text=line,
                hint="The file seems cut off." if _is_cut(error, text) else None,
            ) from None
        except ValueError as error:  # a number of thousands of digits
            raise InputError(f"is not valid JSON: {error}", path=source.name) from None
        found.append(value)
        at = _after(text, at)
    return found


def as_text(value: Any) -> str | None:
    """A JSON value as it may stand in a cell: ids and numbers as text, the rest as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _is_cut(error: json.JSONDecodeError, text: str) -> bool:
    return error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")


def _after(text: str, at: int) -> int:
    """The position of what follows the blanks."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _closed(text: str) -> str:
    """The text up to its last comma, with every bracket closed that was open there."""
    tokens = [token for token in _TOKEN.finditer(text) if token[1] != '"']  # without whole texts
    if tokens and tokens[-1][1] == "":
        tokens.pop()  # a text that does not end
    commas = [at for at, token in enumerate(tokens) if token[0] == ","]
    if not commas:
        return text
    opened: list[str] = []
    for token in tokens[: commas[-1]]:
        if token[0] in _CLOSING:
            opened.append(_CLOSING[token[0]])
        elif token[0] != "," and opened:
            opened.pop()
    return text[: tokens[commas[-1]].start()] + "".join(reversed(opened))
