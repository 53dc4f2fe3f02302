"""Responses of search engines: runs, of which hardly any says which query it answers.

A file holds one response, several in a row (one per line, or in a list), several that the engine gave at once, or
{query: response}. Where they do not name their queries, a list does: the one that was given (`Source.queries`), or
queries.txt beside the file. Without it a response that is alone is named for its file, and each of several for its
position, from 1. The order of the hits is the ranking: an engine may sort by another field than the score, and users
see equal scores in that order, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rankgauge.errors import InputError
from rankgauge.input_notes import note
from rankgauge.io.format import Format, Kind, SampleFile
from rankgauge.io.json_document import JsonShape, Row, has, json_format
from rankgauge.io.queries import list_beside, listed_queries
from rankgauge.io.source import Source

LIST = "the list of queries"
"""What a list that was given is called."""


@dataclass(frozen=True, kw_only=True)
class Responses:
    """How the responses of an engine look."""

    fits: Callable[[Any], bool]
    """Whether a value is one response."""
    hits: Callable[[Any], list[Any]]
    """The hits of a response in their order."""
    document: Callable[[Any], Any]
    """The id of a hit's document."""
    fields: Callable[[Any], list[Any]] = lambda hit: [hit]
    """The objects in a hit that hold fields of its document, of which a user may name one as the id."""
    query: Callable[[Any], Any] = lambda response: None
    """The text of the query, if the response says it."""
    together: str = ""
    """The key of the list in which the engine gives several responses at once."""
    failed: Callable[[Any], str | None] = lambda response: None
    """What went wrong, if the value is an error in the place of a response."""
    lacks: Callable[[Any], str | None] = lambda response: None
    """Why documents may be missing, if the engine says that its answer is not complete."""

    def format(self, *samples: SampleFile, **facts: Any) -> Format:
        """The format of files with such responses."""
        shapes = [
            JsonShape(title=one.title, kind=Kind.RUN, fits=self._fits, rows=self._rows, example=one.text)
            for one in samples
        ]
        return json_format(shapes=tuple(shapes), names_queries=False, **facts)

    def _fits(self, document: Any) -> bool:
        if self.fits(document):
            return True
        if self._is_several(document):
            document = document[self.together]
        inner = list(document.values()) if isinstance(document, dict) else document
        if not isinstance(inner, list) or not any(map(self.fits, inner)):
            return False
        return all(self.fits(one) or self.failed(one) is not None for one in inner)

    def _is_several(self, document: Any) -> bool:
        return isinstance(document, dict) and bool(self.together) and isinstance(document.get(self.together), list)

    def _rows(self, documents: list[Any], source: Source) -> Iterator[Row]:
        found = list(self._found(documents))
        for name, response in zip(self._names(found, source), (one for _, one in found), strict=True):
            if not self.fits(response):
                raise InputError(
                    f"the response for query {name} is an error: {self.failed(response) or 'it has no hits'}",
                    path=source.name,
                    hint="Search again, or leave the query out.",
                )
            if why := self.lacks(response):
                note(f"the response for query {name} is not complete: {why}", source.name)
            ids = self._documents(self.hits(response), source)
            yield from ((name, document, -place) for place, document in enumerate(ids, start=1))

    def _documents(self, hits: list[Any], source: Source) -> list[Any]:
        """The ids of the documents: those in the field that a user names, if there is such a field."""
        name = source.said.get("document")
        if name is None:
            return [self.document(hit) for hit in hits]
        found = [[part[name] for part in self.fields(hit) if has(part, name)] for hit in hits]
        lacking = [hit for hit, values in zip(hits, found, strict=True) if not values]
        if len(lacking) == len(hits):
            if hits:
                note(f"no document has a field {name}; its own id is taken", source.name)
            return [self.document(hit) for hit in hits]
        if lacking:
            raise InputError(f"document {self.document(lacking[0])} has no field {name}", path=source.name)
        return [only(values[0]) for values in found]

    def _found(self, documents: list[Any]) -> Iterator[tuple[str | None, Any]]:
        """Each response, with the name that the file gives it."""
        for document in documents:
            if self.fits(document):
                yield None, document
            elif self._is_several(document):
                yield from ((None, one) for one in document[self.together])
            elif isinstance(document, dict) and self.failed(document) is None:
                yield from document.items()
            else:
                yield from ((None, one) for one in (document if isinstance(document, list) else [document]))

    def _names(self, found: list[tuple[str | None, Any]], source: Source) -> list[str]:
        """The query that each of the responses answers."""
        own = [name or str(self.query(response) or "") for name, response in found]
        alone = len(found) == 1 and source.stem
        if all(name for name, _ in found):
            return self._renamed([str(name) for name, _ in found], source)
        if not source.queries and (all(own) or alone):
            return [name or str(alone) for name in own]
        listed, where = source.queries, LIST
        if not listed and (beside := list_beside(source)):
            listed, where = listed_queries(beside), str(beside)
        if listed:
            _fitting(listed, len(found), where, source)
        if listed and not source.queries:
            note(f"{where} names the queries of its responses, in their order", source.name)
        return list(listed) or [name or str(place) for place, name in enumerate(own, start=1)]

    def _renamed(self, names: list[str], source: Source) -> list[str]:
        """What responses with names answer: the list goes by position, unless it lists these names themselves."""
        if not source.queries or set(names) <= set(source.queries):
            return names
        _fitting(source.queries, len(names), LIST, source)
        order = sorted(range(len(names)), key=lambda at: _natural(names[at]))
        called = dict(zip(order, source.queries, strict=True))
        note(f"{LIST} names its responses in the order of their names, {names[order[0]]} first", source.name)
        return [called[at] for at in range(len(names))]


def only(value: Any) -> Any:
    """The value, or the one in a list of one: engines return single values of a field either way."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _fitting(listed: Sequence[str], responses: int, where: str, source: Source) -> None:
    """An error unless there is one query for each of the responses."""
    if len(listed) != responses:
        raise InputError(
            f"there are {responses} responses in it, and {len(listed)} queries in {where}",
            path=source.name,
            hint="List one query per response, in the order of the requests.",
        )
    if twice := next((query for at, query in enumerate(listed) if query in listed[:at]), None):
        raise InputError(f"the query {twice} is listed twice in {where}", path=source.name)


def _natural(name: str) -> list[tuple[int, str]]:
    """A key by which 2 comes before 10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]
