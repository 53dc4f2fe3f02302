"""What there is to read in a campaign: queries by their text, documents by their title, where the pool has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from rankgauge.active.campaign.label_campaign import LabelCampaign

CHUNK = 5_000
"""How many texts are looked up at a time."""


class PoolTexts:
    """The texts of a campaign's pool, which never change."""

    def __init__(self, campaign: LabelCampaign) -> None:
        self._state = campaign._state

    @cached_property
    def queries(self) -> Mapping[str, str]:
        """By query its text; a query without one is called by its id."""
        pool = self._state.pool
        found = dict(self._of(pool.starts.tolist()))
        return {
            query: found.get(start, {}).get("query_text") or query
            for query, start in zip(pool.queries, pool.starts.tolist(), strict=True)
        }

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
