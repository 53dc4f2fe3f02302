"""The labels of a campaign: to look through and filter, as files, and where assessors disagree.

The calls for programs hand out documents, take labels, and say how well assessors agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

import polars as pl
from fastapi import Form, HTTPException, Query, Request, Response, UploadFile
from pydantic import BaseModel, FailFast, Field
from starlette.responses import RedirectResponse

from rankgauge.judgments.coefficient import COEFFICIENTS
from rankgauge.labelling.label_format import LABEL_FORMATS, LabelFile
from rankgauge.labelling.labels import LabelKind, LabelOrigin, Recorded
from rankgauge.labelling.reports.campaign import RECORDED, unread_words
from rankgauge.render.numbers import percent
from rankgauge.render.table import Column, ReportTable
from rankgauge.room.answers import SentLabel, Settlement
from rankgauge.room.auth import Importer, Judge, Manager, TheRoom, Viewer
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.desk import Desk
from rankgauge.room.filters import decimals
from rankgauge.room.forms import shows_again
from rankgauge.room.labels import EXPORTS, LABEL_FILES, WantedLabels, export, filter_labels, write_labels
from rankgauge.room.people import Permission
from rankgauge.room.room import Room
from rankgauge.room.route import CampaignNumber, PageNumber, api, finite, json_body, pages
from rankgauge.room.uploads import read_label_file

router = pages("labels", place=85, tab="Labels")

PAGE = 50
"""How many labels a page shows."""

KINDS: Mapping[LabelKind, str] = {
    LabelKind.GRADE: "gives a grade",
    LabelKind.SKIP: "cannot be judged",
    LabelKind.SETTLED: "settles a disagreement",
}
"""What a label may say, in words."""


@router.get("/campaigns/{campaign}/labels")
def show(
    request: Request,
    room: TheRoom,
    person: Viewer,
    campaign: int,
    wanted: WantedLabels,
    page: PageNumber = 1,
) -> Response:
    """Return a page of the labels that pass the filter, the last first."""
    opened = room.campaigns.get(campaign)
    labels = filter_labels(opened, wanted)
    some = labels[(page - 1) * PAGE : page * PAGE]
    return room.page(
        request,
        "labels.html",
        opened=opened,
        wanted=wanted,
        rows=some.rows(named=True),
        titles=opened.texts.titles(some.select("query", "document").iter_rows()),
        names={float(choice.grade): choice.name for choice in opened.choices()},
        found=len(labels),
        page=page,
        pages=max(-(-len(labels) // PAGE), 1),
        address=urlencode(wanted.chosen),
        assessors=sorted(set(opened.review.assessors().values())),
        choices=opened.choices(),
        kinds=KINDS,
        origins=[origin.value for origin in LabelOrigin],
    )


@router.get("/campaigns/{campaign}/labels/{name}")
def download(
    room: TheRoom, person: Viewer, campaign: int, wanted: WantedLabels, name: str, raw: bool = False
) -> Response:
    """Return the labels that pass the filter, as a file; `raw` as for all labels."""
    if name not in LABEL_FILES:
        raise HTTPException(404, f"no such file; there are {', '.join(LABEL_FILES)}")
    content = write_labels(filter_labels(room.campaigns.get(campaign), wanted), name, raw=raw)
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=EXPORTS[name].media, headers=headers)


file_router = pages("files", place=90, tab="Files")


def _file_page(request: Request, room: Room, campaign: int, *, done: str = "", problem: str = "") -> Response:
    facts = {"exports": EXPORTS, "formats": LABEL_FORMATS.titles(), "done": done, "problem": problem}
    return room.page(request, "files.html", opened=room.campaigns.get(campaign), **facts)


@file_router.get("/campaigns/{campaign}/files")
def show_files(request: Request, room: TheRoom, person: Viewer, campaign: int) -> Response:
    """Return the downloads, and the form to upload labels."""
    return _file_page(request, room, campaign)


@file_router.get("/campaigns/{campaign}/files/{name}")
def download_file(room: TheRoom, person: Viewer, campaign: int, name: str, raw: bool = False) -> Response:
    """One of the downloads; in CSV, what a spreadsheet would compute begins with an apostrophe, unless it is `raw`."""
    content, media = export(room.campaigns, campaign, name, raw=raw)
    # A file name that neither a header nor a file system misreads.
    full = f"{room.campaigns.get(campaign).campaign.name} {name}"
    safe = re.sub(r"[^\w.-]+", "-", full, flags=re.ASCII).strip("-.") or "file"
    return Response(content, media_type=media, headers={"content-disposition": f'attachment; filename="{safe}"'})


@file_router.post("/campaigns/{campaign}/labels")
@shows_again(_file_page)
def upload_labels(
    request: Request,
    room: TheRoom,
    person: Importer,
    campaign: int,
    labels: UploadFile,
    again: Annotated[bool, Form(alias="replace")] = False,
) -> Response:
    """Records the labels of a file, in any format of labels."""
    answers = room.campaigns.unarchived(campaign).answers
    read = read_label_file(labels.file.read(), "labels", person.name)
    sent = [replace(label, sender=person.id) for label in read.labels]
    count = answers.record(sent, replace=again, leased=False).added(blank=read.blank, unread=read.unread)
    return _file_page(request, room, campaign, done="; ".join(_describe_upload(count, read)))


def _describe_upload(count: Recorded, read: LabelFile) -> Iterator[str]:
    """Yield what became of the labels of a file, and what in it was not read."""
    yield f"{count.new} new labels, marked as imported"
    yield f"{count.same} known already"
    yield f"{count.unasked} for documents not handed out"
    rest = {name: words for name, words in RECORDED.items() if name not in ("new", "same", "unasked")}
    yield from (words.format(getattr(count, name)) for name, words in rest.items() if getattr(count, name))
    if read.labels:
        yield f"by {', '.join(sorted({label.assessor for label in read.labels}))}"
    if count.unread:
        yield unread_words(count)


dispute_router = pages("disagreements", place=70, tab="Disagreements")

DISPUTES = 20
"""How many documents a page of disagreements shows."""


@dispute_router.get("/campaigns/{campaign}/disagreements")
def show_disputes(request: Request, room: TheRoom, person: Viewer, campaign: int, page: PageNumber = 1) -> Response:
    """A page of the documents that assessors disagree on, those that are open first; the first page also says how well
    they agree overall."""
    opened = room.campaigns.get(campaign)
    disputed, _ = opened.review.disputed()
    return room.page(
        request,
        "disagreements.html",
        opened=opened,
        found=opened.review.disagreements((page - 1) * DISPUTES, page * DISPUTES),
        tables=_agreement_tables(opened) if page == 1 else [],
        choices=opened.choices(),
        page=page,
        pages=max(-(-disputed // DISPUTES), 1),
    )


@dispute_router.post("/campaigns/{campaign}/disagreements")
def settle_on_page(
    room: TheRoom, person: Manager, campaign: int, settled: Annotated[Settlement, Form()], page: PageNumber = 1
) -> Response:
    """Records the grade that replaces those of the assessors, and shows the page again that it was sent from."""
    room.campaigns.get(campaign).answers.record([settled.label(person)], leased=False)
    return RedirectResponse(f"/campaigns/{campaign}/disagreements?page={page}", status_code=303)


def _agreement_tables(opened: OpenCampaign) -> list[ReportTable]:
    """Return the coefficients, pairs of assessors, and how often they gave which different grades."""
    found, level = opened.review.agreement(), opened.level_name
    if found is None:
        return []
    documents, two = Column("Documents", "items", str), partial(decimals, digits=2)
    values = found.coefficients.select("coefficient", "value").rows()
    coefficients = [(COEFFICIENTS[name].title, value) for name, value in values]
    pairs = (
        Column("Assessors", ("assessor", "other"), "{} and {}".format, left=True),
        documents,
        Column("Agree", "observed", percent),
        Column("Kappa", "kappa", two),
    )
    confusion = (
        Column("Assessors", ("assessor", "other"), "{}, {}".format, left=True),
        Column("Grades", ("grade", "other_grade"), lambda own, other: f"{level(own)}, {level(other)}", left=True),
        documents,
    )
    apart = found.confusion.filter((pl.col("grade") != pl.col("other_grade")) & (pl.col("items") != 0))
    return [
        ReportTable(
            columns=("Coefficient", Column("Value", format=two)), rows=coefficients, title="How well assessors agree"
        ),
        ReportTable(columns=pairs, rows=found.pairs.rows(named=True), title="Pairs of assessors"),
        ReportTable(columns=confusion, rows=apart.rows(named=True), title="Confusion"),
    ]


calls = api("api_labels", place=210, tag="labels")


class LeasedTask(BaseModel):
    """A document to judge."""

    query: str
    document: str
    until: float = Field(description="When the lease ends, in seconds since 1970.")
    texts: dict[str, str]


class SentLabels(BaseModel):
    """Labels to record, all or none."""

    labels: Annotated[list[SentLabel], Field(max_length=100_000), FailFast()]
    replace: bool = Field(False, description="Whether a label may replace an earlier one of the same assessor.")


@calls.post("/campaigns/{campaign}/tasks")
def lease_tasks(
    room: TheRoom, person: Judge, campaign: CampaignNumber, n: Annotated[int, Query(ge=1, le=1000)] = 1
) -> list[LeasedTask]:
    """Leases documents to the caller, beginning with those that the caller holds already.

    Nobody holds more than RANKGAUGE_DESK_DOCUMENTS (20) at a time, however many are asked for. Until a lease ends, no
    other assessor gets the document. A paused campaign hands out nothing, but still accepts labels for documents that
    it handed out before.
    """
    tasks = Desk(room=room, opened=room.campaigns.get(campaign), person=person).tasks(n)
    return [LeasedTask(query=t.query, document=t.document, until=t.until, texts=dict(t.texts)) for t in tasks]


LABELS, LabelsBody = json_body(SentLabels)


@calls.post("/campaigns/{campaign}/labels", openapi_extra=LABELS)
def record_labels(
    room: TheRoom, person: Judge, campaign: CampaignNumber, sent: Annotated[SentLabels, LabelsBody]
) -> dict[str, int]:
    """Records labels. When the response arrives, they are on disk.

    Assessors may answer documents that were handed to them, and change their answers, up to 1,000 at once. What
    managers send beyond that is imported, and marked as such.
    """
    labels = [one.label(person) for one in sent.labels]
    opened = room.campaigns.get(campaign)
    if person.may(Permission.IMPORT):
        return opened.answers.record(labels, replace=sent.replace, leased=False).counts
    return Desk(room=room, opened=opened, person=person).record(labels, again=sent.replace).counts


@calls.get("/campaigns/{campaign}/labels")
def list_labels(room: TheRoom, person: Viewer, campaign: CampaignNumber, wanted: WantedLabels) -> list[dict[str, Any]]:
    """Return the current labels that pass the filter, or with `history` also those that were replaced."""
    found = filter_labels(room.campaigns.get(campaign), wanted).reverse().drop("query_text")
    return list(found.iter_rows(named=True))


@calls.get("/campaigns/{campaign}/judgments")
def list_judgments(room: TheRoom, person: Viewer, campaign: CampaignNumber) -> list[dict[str, Any]]:
    """Return one grade for each fully judged document."""
    return list(room.campaigns.get(campaign).campaign.judgments().iter_rows(named=True))


@calls.get("/campaigns/{campaign}/agreement")
def show_agreement(room: TheRoom, person: Viewer, campaign: CampaignNumber) -> dict[str, list[dict[str, Any]]] | None:
    """How well assessors agree: coefficients, pairs and confusion; null if no two have judged the same document."""
    found = room.campaigns.get(campaign).review.agreement()
    if found is None:
        return None
    tables = {"coefficients": found.coefficients, "pairs": found.pairs, "confusion": found.confusion}
    return {name: [finite(row) for row in table.iter_rows(named=True)] for name, table in tables.items()}


@calls.get("/campaigns/{campaign}/disagreements")
def list_disagreements(room: TheRoom, person: Viewer, campaign: CampaignNumber) -> list[dict[str, Any]]:
    """Return the documents that assessors disagree on."""
    return [asdict(one) for one in room.campaigns.get(campaign).review.disagreements()]


@calls.post("/campaigns/{campaign}/disagreements")
def settle(room: TheRoom, person: Manager, campaign: CampaignNumber, settled: Settlement) -> dict[str, int]:
    """Records the grade that replaces those of the assessors."""
    return room.campaigns.get(campaign).answers.record([settled.label(person)], leased=False).counts
