"""XML, read safely: no document type, no entities, nothing from elsewhere; namespaces may be missing.

A file that declares no encoding and is not UTF-8 is taken for windows-1251.
"""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Mapping
from typing import Any
from xml.parsers import expat

from rankgauge.errors import InputError
from rankgauge.io.source import Source

__all__ = ["Walker"]


class Walker:
    """Walks through a file; a subclass says what to do where an element opens and closes, by its local name."""

    OPENS: Mapping[str, Callable[[Any, Mapping[str, str]], None]] = {}
    CLOSES: Mapping[str, Callable[[Any, str], None]] = {}

    def __init__(self, source: Source) -> None:
        self.source, self.text = source, ""
        self.content = source.read()
        self.parser = expat.ParserCreate(_assumed(self.content))
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._collect
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse

    @property
    def line(self) -> int:
        """The line at which the parser stands."""
        return int(self.parser.CurrentLineNumber)

    def walk(self) -> None:
        """Every element of the file, in its order."""
        try:
            self.parser.Parse(self.content, True)
        except expat.ExpatError as error:
            problem = f"is not well-formed XML: {expat.ErrorString(error.code)}"
            raise InputError(problem, path=self.source.name, line=error.lineno) from None
        except (LookupError, ValueError) as error:
            raise InputError(f"cannot be decoded: {error}", path=self.source.name) from None

    def _refuse(self, *_: object) -> None:
        raise InputError("has a document type or entities, which are not read", path=self.source.name, line=self.line)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.text = ""
        opens = self.OPENS.get(_local(name))
        if opens is not None:
            opens(self, {_local(key): value for key, value in attributes.items()})

    def _end(self, name: str) -> None:
        closes = self.CLOSES.get(_local(name))
        if closes is not None:
            closes(self, self.text.strip())
        self.text = ""

    def _collect(self, text: str) -> None:
        self.text += text


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()


def _assumed(content: bytes) -> str | None:
    """The encoding to read in, where the file does not say it and the standard's would fail."""
    declaration = content[:200].partition(b"?>")[0]
    if b"encoding" in declaration or content.startswith((BOM_UTF16_BE, BOM_UTF16_LE)):
        return None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "windows-1251"
    return None
