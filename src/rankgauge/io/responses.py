"""Responses of search engines: runs, of which hardly any says which query it answers.

A file holds one response, several in a row (one per line, or in a list), several that the engine gave at once, or
{query: response}. Where they do not name their queries, a list does: the one that was given (`Source.queries`), or
queries.txt beside the file. Without it a response that is alone is named for its file, and each of several for its
position, from 1. The order of the hits is the ranking: an engine may sort by another field than the score, and users
see equal scores in that order, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rankgauge.errors import InputError
from rankgauge.input_notes import note
from rankgauge.io.format import Format, Kind, SampleFile
from rankgauge.io.json_document import JsonShape, Row, json_format
from rankgauge.io.queries import list_beside, listed_queries
from rankgauge.io.source import Source


@dataclass(frozen=True, kw_only=True)
class Responses:
    """How the responses of an engine look."""

    fits: Callable[[Any], bool]
    """Whether a value is one response."""
    documents: Callable[[Any], list[Any]]
    """The ids of a response's documents in their order."""
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
            ids = self.documents(response)
            yield from ((name, document, -place) for place, document in enumerate(ids, start=1))

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
        if all(name for name, _ in found) or (not source.queries and (all(own) or alone)):
            return [name or str(alone) for name in own]
        listed, where = source.queries, "the list of queries"
        if not listed and (beside := list_beside(source)):
            listed, where = listed_queries(beside), str(beside)
        if listed and len(listed) != len(found):
            raise InputError(
                f"there are {len(found)} responses in it, and {len(listed)} queries in {where}",
                path=source.name,
                hint="List one query per response, in the order of the requests.",
            )
        if twice := next((query for at, query in enumerate(listed) if query in listed[:at]), None):
            raise InputError(f"the query {twice} is listed twice in {where}", path=source.name)
        if listed and not source.queries:
            note(f"{where} names the queries of its responses, in their order", source.name)
        return list(listed) or [name or str(place) for place, name in enumerate(own, start=1)]
