"""The labels of a campaign as a table, those that a file brings back, and what people read of documents."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import polars as pl
from sqlalchemy.engine import Engine, Row

from rankgauge.errors import InputError
from rankgauge.labelling.campaign.database import reading
from rankgauge.labelling.campaign.labels import grade_of
from rankgauge.labelling.campaign.settings import CampaignSettings
from rankgauge.labelling.campaign.state import CampaignState
from rankgauge.labelling.campaign.store import Store
from rankgauge.labelling.labels import Identity, Label, LabelKind

COLUMNS = {
    "query": pl.String(),
    "document": pl.String(),
    "assessor": pl.String(),
    "person": pl.Int64(),
    "kind": pl.String(),
    "grade": pl.Float64(),
    "comment": pl.String(),
    "made": pl.Float64(),
    "origin": pl.String(),
    "sender": pl.Int64(),
}
"""What people see of a label."""

_KEPT = {"id": pl.Int64(), "place": pl.Int64(), **COLUMNS}


class LabelTable:
    """The labels of one campaign."""

    def __init__(self, engine: Engine, store: Store) -> None:
        self._engine, self._store, self._turn = engine, store, threading.Lock()
        self._rows, self._last = pl.DataFrame(schema=_KEPT), 0

    def rows(self) -> pl.DataFrame:
        """Every label that came in, in the order in which they came, with the position of its document (`place`).

        To read many takes a second, during which nobody waits who judges.
        """
        with self._turn, reading(self._engine) as connection:
            fresh = self._store.labels(connection, self._last)
            if fresh:
                self._rows, self._last = pl.concat([self._rows, _frame(fresh)]), fresh[-1].id
            return self._rows

    def current(self) -> pl.DataFrame:
        """Those that count: an assessor's last label of a document, and the last grade that settled a disagreement."""
        person, name = pl.format("#{}", "person"), pl.format("={}", "assessor")
        who = pl.when(pl.col("kind") == LabelKind.SETTLED.value).then(pl.lit("")).otherwise(pl.coalesce(person, name))
        said = self.rows().with_columns(who=who)
        return said.unique(["place", "who"], keep="last", maintain_order=True).drop("who")


def _frame(rows: Sequence[Row[Any]]) -> pl.DataFrame:
    return pl.DataFrame({name: [getattr(row, name) for row in rows] for name in _KEPT}, schema=_KEPT)


class Copies:
    """Tells labels of a room's file that a campaign has, or had before they were replaced, from others.

    Times are not compared: spreadsheets write them in other ways.
    """

    def __init__(self, labels: pl.DataFrame, shown: Mapping[Identity, str], settings: CampaignSettings) -> None:
        """Of all labels of the campaign; `shown` are its assessors' names on pages, which some files have."""
        rows = labels.select("query", "document", "kind", "grade", "person", "assessor").rows()
        self._settings = settings
        self._known = {(*said, name if person is None else person) for *said, person, name in rows}
        self._called: dict[tuple[int | None, str], Identity] = {
            (who if isinstance(who, int) else None, name): who for who, name in shown.items()
        }
        self._shown = {re.sub(r"\s+", "_", name): who for who, name in shown.items()}
        self._called |= {(person, name): name if person is None else person for *_, person, name in rows}

    def has(self, label: Label) -> bool:
        """Whether the campaign has the label that this is a copy of: the same assessor, document and grade."""
        if label.exported is None:
            return False
        if label.exported.shown:
            who = self._shown.get(label.assessor)
        else:
            who = self._called.get((label.exported.person, label.assessor))
        return (label.query, label.document, label.kind.value, grade_of(label, self._settings), who) in self._known


def told_apart(labels: Sequence[Label], file: Sequence[Label]) -> list[Label]:
    """The labels, with the numbers of people added to names that several people in their file have."""
    people = {(label.assessor, label.exported and label.exported.person) for label in file}
    often = Counter(name for name, _ in people)
    return [replace(label, assessor=_name(label, often[label.assessor])) for label in labels]


def _name(label: Label, often: int) -> str:
    person = label.exported and label.exported.person
    return label.assessor if person is None or often == 1 else f"{label.assessor} (#{person})"


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
