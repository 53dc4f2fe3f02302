"""Exports of a campaign: labels, qrels, and the campaign itself."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from starlette.exceptions import HTTPException

from rankgauge.files.format import refuse_words
from rankgauge.files.output import text_columns
from rankgauge.labelling.campaign.database import Location
from rankgauge.labelling.campaign.store import Store
from rankgauge.labelling.campaign.transfer import transfer
from rankgauge.room import database
from rankgauge.room.campaigns import Campaigns, OpenCampaign
from rankgauge.room.label_browser import with_senders

COLUMNS = (
    *("query", "document", "grade", "assessor", "person", "kind", "origin", "sender", "sender_name"),
    *("comment", "time", "asked"),
)


@dataclass(frozen=True, kw_only=True)
class Export:
    """A file to download: what it contains, its media type, and how it is made."""

    words: str
    media: str
    content: Callable[[Campaigns, OpenCampaign], bytes]
    raw: Callable[[Campaigns, OpenCampaign], bytes] | None = None
    """How it is made for programs alone, if a spreadsheet would compute some of it."""


def export(campaigns: Campaigns, number: int, name: str, *, raw: bool = False) -> tuple[bytes, str]:
    """The content and the media type of the export with that name; `raw` as it is, for programs alone."""
    opened = campaigns.get(number)
    if name not in EXPORTS:
        raise HTTPException(404, f"no such file; there are {', '.join(EXPORTS)}")
    found = EXPORTS[name]
    make = found.raw if raw and found.raw else found.content
    return make(campaigns, opened), found.media


def _labels(labels: pl.DataFrame) -> pl.DataFrame:
    time = pl.from_epoch((pl.col("made") * 1e6).cast(pl.Int64), time_unit="us").dt.to_string("%Y-%m-%dT%H:%M:%S%.3fZ")
    return labels.with_columns(time=time).select(COLUMNS)


def _csv(labels: pl.DataFrame) -> bytes:
    return text_columns(_labels(labels)).write_csv().encode()


def _raw_csv(labels: pl.DataFrame) -> bytes:
    return _labels(labels).write_csv().encode()


def _jsonl(labels: pl.DataFrame) -> bytes:
    rows = _labels(labels).iter_rows(named=True)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


@dataclass(frozen=True, kw_only=True)
class LabelExport:
    """A file of labels: what it contains, its media type, and how labels with their senders are written."""

    words: str
    media: str
    written: Callable[[pl.DataFrame], bytes]
    raw: Callable[[pl.DataFrame], bytes]
    """The same for programs alone, where a spreadsheet would compute some of it."""

    @property
    def export(self) -> Export:
        """The file with all labels of a campaign."""
        return Export(
            words=self.words,
            media=self.media,
            content=lambda campaigns, opened: self.written(with_senders(opened.campaign.labels(), campaigns.engine)),
            raw=lambda campaigns, opened: self.raw(with_senders(opened.campaign.labels(), campaigns.engine)),
        )


LABEL_FILES: Mapping[str, LabelExport] = {
    "labels.csv": LabelExport(
        words="all labels with assessor, sender, comment and time", media="text/csv", written=_csv, raw=_raw_csv
    ),
    "labels.jsonl": LabelExport(words="the same as JSON lines", media="application/jsonl", written=_jsonl, raw=_jsonl),
}
"""The files that labels are written to."""


def _assessors(_: Campaigns, opened: OpenCampaign) -> bytes:
    """Qrels with the assessor in the second field, which TREC leaves at 0. Blanks would end the field."""
    graded = opened.review.judgments().with_columns(pl.col("assessor").str.replace_all(r"\s+", "_"))
    return _qrels(graded.select("query", "assessor", "document", "grade"))


def _judgments(_: Campaigns, opened: OpenCampaign) -> bytes:
    return _qrels(opened.campaign.judgments().select("query", pl.lit("0"), "document", "grade"))


def _qrels(rows: pl.DataFrame) -> bytes:
    refuse_words(rows, r"\s", "holds white space, which separates fields in a TREC file", "Take labels.csv.")
    lines = (f"{query} {second} {document} {grade:g}\n" for query, second, document, grade in rows.iter_rows())
    return "".join(lines).encode()


def _campaign(campaigns: Campaigns, opened: OpenCampaign) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "campaign.rg"
        with database.opened(Location(path), existing=False) as target:
            transfer(campaigns.engine, Store(campaign=opened.id), target)
        return path.read_bytes()


EXPORTS: Mapping[str, Export] = {
    "judgments.txt": Export(words="TREC qrels, one grade per document", media="text/plain", content=_judgments),
    "assessors.txt": Export(words="TREC qrels, one line per assessor", media="text/plain", content=_assessors),
    **{name: file.export for name, file in LABEL_FILES.items()},
    "campaign.rg": Export(
        words="the campaign itself, for rankgauge active", media="application/vnd.sqlite3", content=_campaign
    ),
}
