"""The labels of a campaign: filtered by whose they are and what they say, and as files to download."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

import polars as pl
from fastapi import Query
from pydantic import BaseModel, Field, field_validator
from sqlalchemy import Engine, select
from starlette.exceptions import HTTPException

from rankgauge.files.format import refuse_words
from rankgauge.files.output import text_columns
from rankgauge.labelling.campaign.database import Location, reading
from rankgauge.labelling.campaign.store import Store, transfer
from rankgauge.labelling.labels import LabelKind, LabelOrigin
from rankgauge.room import database
from rankgauge.room.campaigns import Campaigns, OpenCampaign
from rankgauge.room.database import PEOPLE

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
        """Read an empty choice of a form as none."""
        return value or None

    @property
    def chosen(self) -> dict[str, str]:
        """The parts that restrict, as they are written in an address."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: "true" if value is True else str(value) for name, value in values.items() if value}


WantedLabels: TypeAlias = Annotated[LabelFilter, Query()]
"""A filter in the address of a page or a call."""


def filter_labels(opened: OpenCampaign, wanted: LabelFilter) -> pl.DataFrame:
    """Return the labels of a campaign that pass, the last first, with their queries' texts and their senders' names.

    The column `assessor` is the name that pages show, which differs where two people have one name.
    """
    labels = _with_senders(opened.campaign.labels(history=wanted.history).reverse(), opened.campaign.engine)
    names, queries = opened.review.signatures(), opened.campaign.texts.queries
    signed = [names.get(name if who is None else who, name) for name, who in labels["assessor", "person"].rows()]
    labels = labels.with_columns(
        assessor=pl.Series(signed, dtype=pl.String),
        query_text=pl.Series([queries.get(query, query) for query in labels["query"]], dtype=pl.String),
    )
    equal = {"assessor": wanted.assessor, "kind": wanted.kind, "origin": wanted.origin}
    conditions = [pl.col(name) == str(value) for name, value in equal.items() if value]
    if part := wanted.query.strip().lower():
        conditions.append(_has("query_text", part) | _has("query", part))
    if wanted.grade:
        grade = pl.col("grade").map_elements(lambda grade: f"{grade:g}", return_dtype=pl.String)
        conditions.append(grade == wanted.grade)
    if wanted.commented:
        conditions.append(pl.col("comment").is_not_null())
    labels = labels.filter(conditions) if conditions else labels
    if words := wanted.search.strip():  # in the comment, the document's id or what there is to read of it
        pairs = labels.select("query", "document")
        read = opened.campaign.texts.containing(words, list(pairs.unique().iter_rows()))
        inside = pl.Series([pair in read for pair in pairs.iter_rows()], dtype=pl.Boolean)
        labels = labels.filter(_has("comment", words.lower()) | _has("document", words.lower()) | inside)
    return labels


def _has(column: str, part: str) -> pl.Expr:
    return pl.col(column).fill_null("").str.to_lowercase().str.contains(part, literal=True)


def _with_senders(labels: pl.DataFrame, engine: Engine) -> pl.DataFrame:
    """Add the names of those who sent the labels (`sender_name`); a label of a file has no sender."""
    numbers = [int(number) for number in labels["sender"].drop_nulls().unique()]
    with reading(engine) as connection:
        rows = connection.execute(select(PEOPLE.c.id, PEOPLE.c.name).where(PEOPLE.c.id.in_(numbers)))
        names = {row.id: row.name for row in rows}
    return labels.with_columns(sender_name=pl.Series([names.get(n) for n in labels["sender"]], dtype=pl.String))


COLUMNS = (
    *("query", "document", "grade", "assessor", "person", "kind", "origin", "sender", "sender_name"),
    *("comment", "time", "asked"),
)
"""The columns of files of labels."""


def write_labels(labels: pl.DataFrame, name: str, *, raw: bool) -> bytes:
    """Write labels as CSV or as JSON lines; `raw` for programs alone, as a spreadsheet would compute some cells."""
    time = pl.from_epoch((pl.col("made") * 1e6).cast(pl.Int64), time_unit="us").dt.to_string("%Y-%m-%dT%H:%M:%S%.3fZ")
    rows = labels.with_columns(time=time).select(COLUMNS)
    if name.endswith(".jsonl"):
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows.iter_rows(named=True)).encode()
    return (rows if raw else text_columns(rows)).write_csv().encode()


LABEL_FILES = ("labels.csv", "labels.jsonl")
"""The exports that are files of labels."""


@dataclass(frozen=True, kw_only=True)
class Export:
    """A file to download: what it contains, its media type, and how it is made, unless it is a file of labels."""

    words: str
    media: str
    make: Callable[[OpenCampaign], bytes] | None = None


def export(campaigns: Campaigns, number: int, name: str, *, raw: bool = False) -> tuple[bytes, str]:
    """Return the content and the media type of the export with that name; `raw` as it is, for programs alone."""
    opened = campaigns.get(number)
    if name not in EXPORTS:
        raise HTTPException(404, f"no such file; there are {', '.join(EXPORTS)}")
    if make := EXPORTS[name].make:
        return make(opened), EXPORTS[name].media
    labels = _with_senders(opened.campaign.labels(), campaigns.engine)
    return write_labels(labels, name, raw=raw), EXPORTS[name].media


def _judgments(opened: OpenCampaign) -> bytes:
    return _qrels(opened.campaign.judgments().select("query", pl.lit("0"), "document", "grade"))


def _assessors(opened: OpenCampaign) -> bytes:
    """Write qrels with the assessor in the second field, which TREC leaves at 0. Blanks would end the field."""
    graded = opened.review.judgments().with_columns(pl.col("assessor").str.replace_all(r"\s+", "_"))
    return _qrels(graded.select("query", "assessor", "document", "grade"))


def _qrels(rows: pl.DataFrame) -> bytes:
    refuse_words(rows, r"\s", "holds white space, which separates fields in a TREC file", "Take labels.csv.")
    lines = (f"{query} {second} {document} {grade:g}\n" for query, second, document, grade in rows.iter_rows())
    return "".join(lines).encode()


def _campaign(opened: OpenCampaign) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "campaign.rg"
        with database.open_engine(Location(path), existing=False) as target:
            transfer(opened.campaign.engine, Store(campaign=opened.id), target)
        return path.read_bytes()


EXPORTS: Mapping[str, Export] = {
    "judgments.txt": Export(words="TREC qrels, one grade per document", media="text/plain", make=_judgments),
    "assessors.txt": Export(words="TREC qrels, one line per assessor", media="text/plain", make=_assessors),
    "labels.csv": Export(words="all labels with assessor, sender, comment and time", media="text/csv"),
    "labels.jsonl": Export(words="the same as JSON lines", media="application/jsonl"),
    "campaign.rg": Export(
        words="the campaign itself, for rankgauge active", media="application/vnd.sqlite3", make=_campaign
    ),
}
