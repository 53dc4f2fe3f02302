"""What there is to read in a campaign: queries by their text, documents by their title, where the pool has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from rankgauge.errors import InputError
from rankgauge.labelling.campaign.state import CampaignState
from rankgauge.labelling.labels import Label

CHUNK = 5_000
"""How many texts are looked up at a time."""


class PoolTexts:
    """The texts of a campaign's pool, which never change."""

    def __init__(self, state: CampaignState) -> None:
        self._state = state

    @cached_property
    def queries(self) -> Mapping[str, str]:
        """By query its text; a query without one is called by its id."""
        pool = self._state.pool
        found = dict(self._of(pool.starts.tolist()))
        return {
            query: found.get(start, {}).get("query_text") or query
            for query, start in zip(pool.queries, pool.starts.tolist(), strict=True)
        }

    @cached_property
    def _called(self) -> Mapping[str, Sequence[str]]:
        """By text the queries that have it."""
        found: dict[str, list[str]] = {}
        for query, text in self.queries.items():
            found.setdefault(text.strip(), []).append(query)
        return found

    def identified(self, labels: Sequence[Label]) -> tuple[list[Label], int]:
        """The labels with the ids of their queries where they name them by their texts, as Quepid does, and how many
        did. A text that several queries have is an error."""
        known = self._state.pool.positions
        found = [label if label.query in known else replace(label, query=self._id(label)) for label in labels]
        return found, sum(one.query != label.query for one, label in zip(found, labels, strict=True))

    def _id(self, label: Label) -> str:
        """The query that has the text of the label's query; if none has, what the label says."""
        queries = self._called.get(label.query.strip(), [label.query])
        if len(queries) > 1:
            problem = f"{len(queries)} queries of the pool have the text {label.query!r}: {', '.join(queries[:5])}"
            raise InputError(problem, line=label.line, text=label.text, hint="Name the query by its id.")
        return queries[0]

    def titles(self, documents: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """By query and document the title; a document without one is called by its id."""
        places = {pair: self._state.pool.positions[pair[0]][pair[1]] for pair in documents}
        found = dict(self._of(list(places.values())))
        return {pair: found.get(place, {}).get("title") or pair[1] for pair, place in places.items()}

    def containing(self, words: str, documents: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        """The documents of these in whose title, text or query's text the words stand, in any case."""
        wanted = words.casefold()
        places = {self._state.pool.positions[query][document]: (query, document) for query, document in documents}
        return {
            places[place]
            for place, texts in self._of(list(places))
            if any(wanted in text.casefold() for text in texts.values())
        }

    def _of(self, places: Sequence[int]) -> Iterator[tuple[int, dict[str, str]]]:
        with self._state.looking() as connection:
            for start in range(0, len(places), CHUNK):
                yield from self._state.store.texts(connection, places[start : start + CHUNK]).items()
