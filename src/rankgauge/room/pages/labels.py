"""The labels of a campaign: to look through and filter, as files, and where assessors disagree.

The calls for programs hand out documents, take labels, and say how well assessors agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

import polars as pl
from fastapi import Form, HTTPException, Query, Response
from pydantic import BaseModel, FailFast, Field

from rankgauge.judgments.coefficient import COEFFICIENTS
from rankgauge.labelling.label_format import LABEL_FORMATS
from rankgauge.labelling.labels import LabelKind, LabelOrigin
from rankgauge.labelling.reports.campaign import RECORDED, unread_words
from rankgauge.render.numbers import percent
from rankgauge.render.table import Column, ReportTable
from rankgauge.room.answers import SentLabel, Settlement
from rankgauge.room.auth import Importer, Judge, Manager, TheVisit, Viewer, Visit
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.desk import Desk
from rankgauge.room.filters import decimals
from rankgauge.room.forms import Fields, Upload, shows_again
from rankgauge.room.labels import EXPORTS, LABEL_FILES, WantedLabels, export, filter_labels, write_labels
from rankgauge.room.people import Permission
from rankgauge.room.route import PageNumber, api, finite, json_body, pages
from rankgauge.room.uploads import read_label_file

router = pages("labels", place=85, tab="Labels")
file_router = pages("files", place=90, tab="Files")
dispute_router = pages("disagreements", place=70, tab="Disagreements")
calls = api("api_labels", place=210, tag="labels")

PAGE, DISPUTES = 50, 20
"""How many labels a page shows, and how many documents a page of disagreements."""

KINDS: Mapping[LabelKind, str] = {
    LabelKind.GRADE: "gives a grade",
    LabelKind.SKIP: "cannot be judged",
    LabelKind.SETTLED: "settles a disagreement",
}
"""What a label may say, in words."""


@router.get("/campaigns/{campaign}/labels")
def show(visit: TheVisit, person: Viewer, wanted: WantedLabels, page: PageNumber = 1) -> Response:
    """Return a page of the labels that pass the filter, the last first."""
    opened = visit.opened
    labels, choices = filter_labels(opened, wanted), opened.choices()
    some = labels[(page - 1) * PAGE : page * PAGE]
    facts = {"wanted": wanted, "address": urlencode(wanted.chosen), "choices": choices, "kinds": KINDS}
    return visit.page(
        "labels.html",
        rows=some.rows(named=True),
        titles=opened.campaign.texts.titles(some.select("query", "document").iter_rows()),
        names={float(choice.grade): choice.name for choice in choices},
        found=len(labels),
        page=page,
        pages=max(-(-len(labels) // PAGE), 1),
        assessors=sorted(set(opened.review.assessors().values())),
        origins=[origin.value for origin in LabelOrigin],
        **facts,
    )


@router.get("/campaigns/{campaign}/labels/{name}")
def download(visit: TheVisit, person: Viewer, wanted: WantedLabels, name: str, raw: bool = False) -> Response:
    """Return the labels that pass the filter, as a file; `raw` as for all labels."""
    if name not in LABEL_FILES:
        raise HTTPException(404, f"no such file; there are {', '.join(LABEL_FILES)}")
    content = write_labels(filter_labels(visit.opened, wanted), name, raw=raw)
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=EXPORTS[name].media, headers=headers)


def _file_page(visit: Visit, *, done: str = "", problem: str = "") -> Response:
    return visit.page("files.html", exports=EXPORTS, formats=LABEL_FORMATS.titles(), done=done, problem=problem)


@file_router.get("/campaigns/{campaign}/files")
def show_files(visit: TheVisit, person: Viewer) -> Response:
    """Return the downloads, and the form to upload labels."""
    return _file_page(visit)


@file_router.get("/campaigns/{campaign}/files/{name}")
def download_file(visit: TheVisit, person: Viewer, name: str, raw: bool = False) -> Response:
    """One of the downloads; in CSV, what a spreadsheet would compute begins with an apostrophe, unless it is `raw`."""
    content, media = export(visit.room.campaigns, visit.campaign, name, raw=raw)
    # A file name that neither a header nor a file system misreads.
    full = f"{visit.opened.campaign.name} {name}"
    safe = re.sub(r"[^\w.-]+", "-", full, flags=re.ASCII).strip("-.") or "file"
    return Response(content, media_type=media, headers={"content-disposition": f'attachment; filename="{safe}"'})


@file_router.post("/campaigns/{campaign}/labels")
@shows_again(_file_page)
def upload_labels(visit: TheVisit, person: Importer, labels: Upload, fields: Fields) -> Response:
    """Record the labels of a file, in any format of labels, and say what became of them and what was not read."""
    answers = visit.room.campaigns.find_unarchived(visit.campaign).answers
    read = read_label_file(labels.content, "labels", person.name)
    sent = [replace(label, sender=person.id) for label in read.labels]
    count = answers.record(sent, replace=fields.get("replace") == "true", leased=False).with_more(
        blank=read.blank, unread=read.unread
    )
    said = [f"{count.new} new labels, marked as imported", f"{count.same} known already"]
    said.append(f"{count.unasked} for documents not handed out")
    rest = {name: words for name, words in RECORDED.items() if name not in ("new", "same", "unasked")}
    said += [words.format(getattr(count, name)) for name, words in rest.items() if getattr(count, name)]
    if read.labels:
        said.append(f"by {', '.join(sorted({label.assessor for label in read.labels}))}")
    if count.unread:
        said.append(unread_words(count))
    return _file_page(visit, done="; ".join(said))


@dispute_router.get("/campaigns/{campaign}/disagreements")
def show_disputes(visit: TheVisit, person: Viewer, page: PageNumber = 1) -> Response:
    """A page of the documents that assessors disagree on, those that are open first; the first page also says how well
    they agree overall."""
    opened = visit.opened
    disputed, _ = opened.review.count_disputes()
    return visit.page(
        "disagreements.html",
        found=opened.review.disagreements((page - 1) * DISPUTES, page * DISPUTES),
        tables=_agreement_tables(opened) if page == 1 else [],
        choices=opened.choices(),
        page=page,
        pages=max(-(-disputed // DISPUTES), 1),
    )


@dispute_router.post("/campaigns/{campaign}/disagreements")
def settle_on_page(
    visit: TheVisit, person: Manager, settled: Annotated[Settlement, Form()], page: PageNumber = 1
) -> Response:
    """Record the grade that replaces those of the assessors, and show the page again that it was sent from."""
    visit.opened.answers.record([settled.label(person)], leased=False)
    return visit.done(f"/disagreements?page={page}")


def _agreement_tables(opened: OpenCampaign) -> list[ReportTable]:
    """Return the coefficients, pairs of assessors, and how often they gave which different grades."""
    agreement, level = opened.review.agreement(), opened.level_name
    if agreement is None:
        return []
    documents, two = Column("Documents", "items", str), partial(decimals, digits=2)
    values = [
        (COEFFICIENTS[name].title, value) for name, value in agreement.coefficients["coefficient", "value"].rows()
    ]
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
    apart = agreement.confusion.filter((pl.col("grade") != pl.col("other_grade")) & (pl.col("items") != 0))
    coefficients = ("Coefficient", Column("Value", format=two))
    return [
        ReportTable(columns=coefficients, rows=values, title="How well assessors agree"),
        ReportTable(columns=pairs, rows=agreement.pairs.rows(named=True), title="Pairs of assessors"),
        ReportTable(columns=confusion, rows=apart.rows(named=True), title="Confusion"),
    ]


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
def lease_tasks(visit: TheVisit, person: Judge, n: Annotated[int, Query(ge=1, le=1000)] = 1) -> list[LeasedTask]:
    """Lease documents to the caller, beginning with those that the caller holds already.

    Nobody holds more than RANKGAUGE_DESK_DOCUMENTS (20) at a time, however many are asked for. Until a lease ends, no
    other assessor gets the document. A paused campaign hands out nothing, but still accepts labels for documents that
    it handed out before.
    """
    tasks = Desk(room=visit.room, opened=visit.opened, person=person).tasks(n)
    return [LeasedTask(query=t.query, document=t.document, until=t.until, texts=dict(t.texts)) for t in tasks]


LABELS, LabelsBody = json_body(SentLabels)


@calls.post("/campaigns/{campaign}/labels", openapi_extra=LABELS)
def record_labels(visit: TheVisit, person: Judge, sent: Annotated[SentLabels, LabelsBody]) -> dict[str, int]:
    """Record labels. When the response arrives, they are on disk.

    Assessors may answer documents that were handed to them, and change their answers, up to 1,000 at once. What
    managers send beyond that is imported, and marked as such.
    """
    labels, opened = [label.label(person) for label in sent.labels], visit.opened
    if person.may(Permission.IMPORT):
        return opened.answers.record(labels, replace=sent.replace, leased=False).counts
    return Desk(room=visit.room, opened=opened, person=person).record(labels, again=sent.replace).counts


@calls.get("/campaigns/{campaign}/labels")
def list_labels(visit: TheVisit, person: Viewer, wanted: WantedLabels) -> list[dict[str, Any]]:
    """Return the current labels that pass the filter, or with `history` also those that were replaced."""
    return list(filter_labels(visit.opened, wanted).reverse().drop("query_text").iter_rows(named=True))


@calls.get("/campaigns/{campaign}/judgments")
def list_judgments(visit: TheVisit, person: Viewer) -> list[dict[str, Any]]:
    """Return one grade for each fully judged document."""
    return list(visit.opened.campaign.judgments().iter_rows(named=True))


@calls.get("/campaigns/{campaign}/agreement")
def show_agreement(visit: TheVisit, person: Viewer) -> dict[str, list[dict[str, Any]]] | None:
    """How well assessors agree: coefficients, pairs and confusion; null if no two have judged the same document."""
    agreement = visit.opened.review.agreement()
    if agreement is None:
        return None
    tables = {"coefficients": agreement.coefficients, "pairs": agreement.pairs, "confusion": agreement.confusion}
    return {name: [finite(row) for row in table.iter_rows(named=True)] for name, table in tables.items()}


@calls.get("/campaigns/{campaign}/disagreements")
def list_disagreements(visit: TheVisit, person: Viewer) -> list[dict[str, Any]]:
    """Return the documents that assessors disagree on."""
    return [asdict(disagreement) for disagreement in visit.opened.review.disagreements()]


@calls.post("/campaigns/{campaign}/disagreements")
def settle(visit: TheVisit, person: Manager, settled: Settlement) -> dict[str, int]:
    """Record the grade that replaces those of the assessors."""
    return visit.opened.answers.record([settled.label(person)], leased=False).counts
