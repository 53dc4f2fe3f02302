"""Responses of search engines: runs, of which hardly any says which query it answers.

A file holds one response, several in a row (one per line, or in a list), several that the engine gave at once, or
{query: response}. Where they do not name their queries, a list does: the one that was given (`Source.queries`), or
queries.txt beside the file. Without it a response that is alone is named for its file, and each of several for its
position, from 1. The order of the hits is the ranking: an engine may sort by another field than the score, and users
see equal scores in that order, too.

A response may be an error, or have no hits. The two are different: an empty list is what the engine retrieves, and it
counts; of a search that failed nobody knows what it would retrieve (`Source.on_failure`). A search that the engine did
not complete (it timed out, or shards failed) is a failed one, unless failed searches count: then its hits do.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rankgauge.errors import InputError
from rankgauge.files.format import Format, Kind, SampleFile
from rankgauge.files.json_document import JsonShape, Row, has, json_format
from rankgauge.files.json_text import values
from rankgauge.files.queries import list_beside, listed_queries
from rankgauge.files.source import Source
from rankgauge.input_notes import listening_failures, note
from rankgauge.lazy_polars import pl
from rankgauge.policies import FailedResponse

LIST = "the list of queries"
"""What a list that was given is called."""

TITLES = ("title", "name", "product_title", "product_name", "headline", "heading", "subject", "label")
"""The fields that may say what a document is called, the likeliest first."""

NAMED = 5
"""How many queries a note names."""


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

    def register(self, *samples: SampleFile, **facts: Any) -> Format:
        """Register the format of files with such responses."""
        shapes = [
            JsonShape(title=sample.title, kind=Kind.RUN, fits=self._fits, rows=self._rows, example=sample.text)
            for sample in samples
        ]
        return json_format(shapes=tuple(shapes), names_queries=False, words=self._words, **facts).register()

    def _words(self, source: Source) -> tuple[dict[str, str], dict[str, str]]:
        """Return what people typed, by query, and what documents are called, by id, as far as the responses say it."""
        responses = list(self._find_responses(values(source)))
        texts, titles = {}, dict[str, str]()
        for name, (_, response) in zip(self._names(responses, source), responses, strict=True):
            if self.fits(response):
                texts[name] = str(self.query(response) or "")
                hits = self.hits(response)
                titles |= dict(zip(map(str, self._documents(hits, source)), map(self._title, hits), strict=True))
        typed = {name: text for name, text in texts.items() if text and text != name}
        return typed, {document: title for document, title in titles.items() if title}

    def _title(self, hit: Any) -> str:
        """Return what the hit's document is called; empty if no field says it."""
        parts = [part for part in self.fields(hit) if isinstance(part, dict)]
        named = (only(part[name]) for name in TITLES for part in parts if name in part)
        return next((title for title in named if isinstance(title, str) and title.strip()), "")

    def _fits(self, document: Any) -> bool:
        if self.fits(document):
            return True
        if self._is_several(document):
            document = document[self.together]
        if self.failed(document) is not None:
            return True
        inner = list(document.values()) if isinstance(document, dict) else document
        if not isinstance(inner, list) or not inner:
            return False
        return all(self.fits(one) or self.failed(one) is not None for one in inner)

    def _is_several(self, document: Any) -> bool:
        return isinstance(document, dict) and bool(self.together) and isinstance(document.get(self.together), list)

    def _rows(self, documents: list[Any], source: Source) -> Iterator[Row]:
        responses = list(self._find_responses(documents))
        named = list(zip(self._names(responses, source), (one for _, one in responses), strict=True))
        _refuse_repeated([name for name, _ in named], source)
        failed = [(name, self.failed(one) or "it has no hits") for name, one in named if not self.fits(one)]
        answers = [(name, one) for name, one in named if self.fits(one)]
        partial = [(name, why) for name, answer in answers if (why := self.lacks(answer))]
        if source.on_failure is FailedResponse.EMPTY:
            _tell_partial(partial, len(named), source)
        else:
            failed += [(name, f"not complete: {why}") for name, why in partial]
            answers = [(name, answer) for name, answer in answers if not self.lacks(answer)]
        _tell_failures(failed, len(named), source)
        tell_empty([name for name, answer in answers if not self.hits(answer)], len(named), source)
        for name, response in answers:
            ids = self._documents(self.hits(response), source)
            yield from ((name, document, -place) for place, document in enumerate(ids, start=1))

    def _documents(self, hits: list[Any], source: Source) -> list[Any]:
        """Return the ids of the documents: those in the field that a user names, if there is such a field."""
        name = source.said.get("document")
        if name is None:
            return [self.document(hit) for hit in hits]
        columns = [[part[name] for part in self.fields(hit) if has(part, name)] for hit in hits]
        lacking = [hit for hit, values in zip(hits, columns, strict=True) if not values]
        if len(lacking) == len(hits):
            if hits:
                note(f"no document has a field {name}; its own id is taken", source.name)
            return [self.document(hit) for hit in hits]
        if lacking:
            raise InputError(f"document {self.document(lacking[0])} has no field {name}", path=source.name)
        return [only(values[0]) for values in columns]

    def _find_responses(self, documents: list[Any]) -> Iterator[tuple[str | None, Any]]:
        """Yield each response, with the name that the file gives it."""
        for document in documents:
            if self.fits(document):
                yield None, document
            elif self._is_several(document):
                yield from ((None, one) for one in document[self.together])
            elif isinstance(document, dict) and self.failed(document) is None:
                yield from document.items()
            else:
                yield from ((None, one) for one in (document if isinstance(document, list) else [document]))

    def _names(self, responses: list[tuple[str | None, Any]], source: Source) -> list[str]:
        """Return the query that each of the responses answers."""
        if all(name for name, _ in responses):
            return self._rename([str(name) for name, _ in responses], source)
        own = [name or str(self.query(response) or "") for name, response in responses]
        named = own if all(own) else [source.stem] if len(responses) == 1 and source.stem else []
        listed, where = source.queries, LIST
        if not listed and (beside := list_beside(source)):
            listed, where = listed_queries(beside), str(beside)
            if named and len(listed) != len(named) and beside.stem == "queries":
                listed = ()  # it is about other files of the folder
        if named and set(named) <= set(listed or named):
            return named
        if listed:
            _fitting(listed, len(responses), where, source)
        if listed and not source.queries:
            note(f"{where} names the queries of its responses, in their order", source.name)
        if not listed:
            note("its responses do not name their queries: numbered 1, 2, 3, … in their order (--queries)", source.name)
        return list(listed) or [name or str(place) for place, name in enumerate(own, start=1)]

    def _rename(self, names: list[str], source: Source) -> list[str]:
        """What responses with names answer: the list goes by position, unless it lists these names themselves."""
        if not source.queries or set(names) <= set(source.queries):
            return names
        _fitting(source.queries, len(names), LIST, source)
        order = sorted(range(len(names)), key=lambda at: _natural(names[at]))
        called = dict(zip(order, source.queries, strict=True))
        note(f"{LIST} names its responses in the order of their names, {names[order[0]]} first", source.name)
        return [called[at] for at in range(len(names))]


def only(value: Any) -> Any:
    """Return the value, or the one in a list of one: engines return single values of a field either way."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _fitting(listed: Sequence[str], responses: int, where: str, source: Source) -> None:
    """Raise an error unless there is one query for each of the responses."""
    if len(listed) != responses:
        raise InputError(
            f"there are {responses} responses in it, and {len(listed)} queries in {where}",
            path=source.name,
            hint="List one query per response, in the order of the requests; keep the responses that are errors.",
        )
    if twice := next((query for at, query in enumerate(listed) if query in listed[:at]), None):
        raise InputError(f"the query {twice} is listed twice in {where}", path=source.name)


def _refuse_repeated(names: list[str], source: Source) -> None:
    """Raise an error if two responses answer one query: their ranks would be mixed."""
    if twice := next((name for name, times in Counter(names).items() if times > 1), None):
        raise InputError(
            f"{names.count(twice)} responses answer the query {twice}",
            path=source.name,
            hint="Pages of one list: ask for all of its documents at once. Queries with the same text, but other "
            "filters: name them (--queries FILE, an id for each response in the order of the requests).",
        )


def _tell_failures(failed: list[tuple[str, str]], responses: int, source: Source) -> None:
    """Say which searches failed, and remember the queries that are left out.

    Raise an error if no search succeeded, or if a user wants it so.
    """
    if not failed:
        return
    which = _some([f"{query} ({reason})" for query, reason in failed])
    number = "1 search" if len(failed) == 1 else f"{len(failed)} searches"
    if source.on_failure is FailedResponse.STOP or len(failed) == responses:
        hint = "Search again." if len(failed) == responses else "Search again, or go on without: --on-failure leave-out"
        if any("not complete" in reason for _, reason in failed):
            hint = f"{hint.rstrip('.')}, or count the hits that are there: --on-failure empty"
        raise InputError(f"{number} of {responses} failed: {which}", path=source.name, hint=hint)
    remembered = listening_failures() if source.on_failure is FailedResponse.LEAVE_OUT else None
    become = "counted as an empty list" if remembered is None else "left out of this run's means, not scored 0"
    if remembered is None and source.on_failure is FailedResponse.LEAVE_OUT:
        become = "left out of the run"
    note(f"{number} of {responses} failed, {become}: {which}", source.name)
    if remembered is not None:
        queries = pl.DataFrame({"query": [query for query, _ in failed]})
        same = pl.col("query") if source.spelling is None else source.spelling.same("query")
        remembered.extend(queries.select(same)["query"])


def _tell_partial(partial: list[tuple[str, str]], responses: int, source: Source) -> None:
    if partial:
        number = "1 response" if len(partial) == 1 else f"{len(partial)} responses"
        which = _some([f"{query} ({why})" for query, why in partial])
        note(f"{number} of {responses} not complete, counted with the hits that are there: {which}", source.name)


WITHOUT_HITS = "without hits, counted as an empty list"


def tell_empty(
    queries: list[str], total: int, source: Source, *, noun: str = "response", what: str = WITHOUT_HITS
) -> None:
    """Say which queries have an empty list."""
    if queries:
        number = f"{len(queries)} {noun}{'s' * (len(queries) > 1)}"
        note(f"{number} of {total} {what}: {_some(queries)}", source.name)


def _some(names: list[str]) -> str:
    """Name the first ones, and count the rest."""
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key by which 2 comes before 10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]
