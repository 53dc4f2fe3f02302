"""The labels of a campaign, filtered: whose they are, of which query, which grade, where they came from."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import polars as pl
from fastapi import Query
from pydantic import BaseModel, Field, field_validator
from sqlalchemy import Engine, select

from rankgauge.labelling.campaign.database import reading
from rankgauge.labelling.labels import LabelKind, LabelOrigin
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.database import PEOPLE


def with_senders(labels: pl.DataFrame, engine: Engine) -> pl.DataFrame:
    """The labels with the names of those who sent them (`sender_name`); a label of a file has no sender."""
    numbers = [int(number) for number in labels["sender"].drop_nulls().unique()]
    with reading(engine) as connection:
        rows = connection.execute(select(PEOPLE.c.id, PEOPLE.c.name).where(PEOPLE.c.id.in_(numbers)))
        names = {row.id: row.name for row in rows}
    shown = [None if number is None else names.get(number) for number in labels["sender"]]
    return labels.with_columns(sender_name=pl.Series(shown, dtype=pl.String))


Words: TypeAlias = Annotated[str, Field(max_length=200)]


class LabelFilter(BaseModel):
    """Which labels are wanted; what is empty does not restrict them."""

    assessor: Words = Field("", description="The name of the assessor, as the pages show it.")
    query: Words = Field("", description="A part of the query's text or id.")
    grade: Words = Field("", description="A grade, such as 2.")
    kind: LabelKind | None = Field(None, description="What the labels say: a grade, that it cannot be judged …")
    origin: LabelOrigin | None = Field(None, description="How they came into the campaign.")
    commented: bool = Field(False, description="Only those with a comment.")
    search: Words = Field("", description="Words in the comment, the document's id, its title or its text.")
    history: bool = Field(False, description="Also those that were replaced.")

    @field_validator("kind", "origin", mode="before")
    @classmethod
    def _any(cls, value: object) -> object:
        """An empty choice of a form is none."""
        return value or None

    @property
    def chosen(self) -> dict[str, str]:
        """The parts that restrict, as they are written in an address."""
        found = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: "true" if value is True else str(value) for name, value in found.items() if value}


WantedLabels: TypeAlias = Annotated[LabelFilter, Query()]
"""A filter in the address of a page or a call."""


def filtered(opened: OpenCampaign, wanted: LabelFilter) -> pl.DataFrame:
    """The labels of a campaign that pass, the last first, with the texts of their queries and the senders' names.

    The column `assessor` is the name that pages show, which differs where two people have one name.
    """
    found = with_senders(opened.campaign.labels(history=wanted.history).reverse(), opened.campaign.engine)
    names, queries = opened.review.signatures(), opened.texts.queries
    known = [names.get(name if person is None else person, name) for name, person in found["assessor", "person"].rows()]
    shown = found.with_columns(
        assessor=pl.Series(known, dtype=pl.String),
        query_text=pl.Series([queries.get(query, query) for query in found["query"]], dtype=pl.String),
    )
    for condition in _conditions(wanted):
        shown = shown.filter(condition)
    return _containing(opened, shown, wanted.search.strip()) if wanted.search.strip() else shown


def _conditions(wanted: LabelFilter) -> list[pl.Expr]:
    found = []
    if wanted.assessor:
        found.append(pl.col("assessor") == wanted.assessor)
    if part := wanted.query.strip().lower():
        found.append(_has("query_text", part) | _has("query", part))
    if wanted.grade:
        found.append(pl.col("grade").map_elements(lambda grade: f"{grade:g}", return_dtype=pl.String) == wanted.grade)
    if wanted.kind is not None:
        found.append(pl.col("kind") == wanted.kind.value)
    if wanted.origin is not None:
        found.append(pl.col("origin") == wanted.origin.value)
    if wanted.commented:
        found.append(pl.col("comment").is_not_null())
    return found


def _containing(opened: OpenCampaign, labels: pl.DataFrame, words: str) -> pl.DataFrame:
    """The labels with the words in the comment, the document's id or what there is to read of it."""
    pairs = list(labels.select("query", "document").unique().iter_rows())
    read = opened.texts.containing(words, pairs)
    inside = pl.Series([pair in read for pair in labels.select("query", "document").iter_rows()], dtype=pl.Boolean)
    part = words.lower()
    return labels.filter(_has("comment", part) | _has("document", part) | inside)


def _has(column: str, part: str) -> pl.Expr:
    return pl.col(column).fill_null("").str.to_lowercase().str.contains(part, literal=True)
