"""What leaves the room as a file: labels of every assessor, the judgments that they make, the campaign itself."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from starlette.exceptions import HTTPException

from rankgauge.active.campaign.database import Location, connect
from rankgauge.active.campaign.store import Store
from rankgauge.active.campaign.transfer import transfer
from rankgauge.web.campaigns import Campaigns, Opened

__all__ = ["CAMPAIGN", "FILES", "File", "made"]

CAMPAIGN = "campaign.rg"

COLUMNS = ("query", "document", "grade", "assessor", "kind", "comment", "time", "asked")


@dataclass(frozen=True, kw_only=True)
class File:
    """A kind of file: what it is, and how it is made."""

    words: str
    media: str
    content: Callable[[Opened], bytes]


def _labels(opened: Opened) -> pl.DataFrame:
    time = pl.from_epoch((pl.col("made") * 1e6).cast(pl.Int64), time_unit="us").dt.to_string("%Y-%m-%dT%H:%M:%S%.3fZ")
    return opened.campaign.labels().with_columns(time=time).select(COLUMNS)


def _csv(opened: Opened) -> bytes:
    return _labels(opened).write_csv().encode()


def _jsonl(opened: Opened) -> bytes:
    rows = _labels(opened).iter_rows(named=True)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _qrels(opened: Opened) -> bytes:
    """The second field, which TREC leaves at 0, is the assessor; blanks would end it."""
    graded = opened.review.judgments().with_columns(pl.col("assessor").str.replace_all(r"\s+", "_"))
    rows = graded.select("query", "assessor", "document", "grade").iter_rows()
    return "".join(f"{query} {who} {document} {grade:g}\n" for query, who, document, grade in rows).encode()


def _judgments(opened: Opened) -> bytes:
    rows = opened.campaign.judgments().select("query", "document", "grade").iter_rows()
    return "".join(f"{query} 0 {document} {grade:g}\n" for query, document, grade in rows).encode()


FILES: Mapping[str, File] = {
    "judgments.txt": File(words="TREC qrels, one grade for each document", media="text/plain", content=_judgments),
    "assessors.txt": File(words="TREC qrels with every assessor", media="text/plain", content=_qrels),
    "labels.csv": File(words="every label with assessor, comment and time", media="text/csv", content=_csv),
    "labels.jsonl": File(words="the same, a JSON object a line", media="application/jsonl", content=_jsonl),
}


def made(campaigns: Campaigns, number: int, name: str) -> tuple[bytes, str]:
    """The file of that name, and what it is to a browser."""
    opened = campaigns.get(number)
    if name == CAMPAIGN:
        return _campaign(campaigns, number), "application/vnd.sqlite3"
    if name not in FILES:
        raise HTTPException(404, f"no such file; there are {', '.join((*FILES, CAMPAIGN))}")
    return FILES[name].content(opened), FILES[name].media


def _campaign(campaigns: Campaigns, number: int) -> bytes:
    """The campaign as a file that `rankgauge active` works on."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "campaign.rg"
        target = connect(Location(path), existing=False)
        try:
            transfer(campaigns.engine, Store(campaign=number), target)
        finally:
            target.dispose()
        return path.read_bytes()
