"""Downloads of a campaign, and the upload of labels."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Annotated

from fastapi import Form, Request, Response, UploadFile

from rankgauge.errors import InputError
from rankgauge.labelling.label_format import LABEL_FORMATS, LabelFile
from rankgauge.labelling.labels import Recorded
from rankgauge.labelling.reports.campaign import RECORDED, unread_words
from rankgauge.room.auth import Importer, TheRoom, Viewer
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.exports import EXPORTS, export
from rankgauge.room.room import Room
from rankgauge.room.route import pages
from rankgauge.room.uploads import read_label_file

router = pages("files", place=90, tab="Files")


@router.get("/campaigns/{campaign}/files")
def show(request: Request, room: TheRoom, person: Viewer, campaign: int) -> Response:
    """The downloads, and the form to upload labels."""
    return _page(request, room, room.campaigns.get(campaign))


@router.get("/campaigns/{campaign}/files/{name}")
def download(room: TheRoom, person: Viewer, campaign: int, name: str, raw: bool = False) -> Response:
    """One of the downloads; in CSV, what a spreadsheet would compute begins with an apostrophe, unless it is `raw`."""
    content, media = export(room.campaigns, campaign, name, raw=raw)
    # A file name that neither a header nor a file system misreads.
    full = f"{room.campaigns.get(campaign).campaign.name} {name}"
    safe = re.sub(r"[^\w.-]+", "-", full, flags=re.ASCII).strip("-.") or "file"
    return Response(content, media_type=media, headers={"content-disposition": f'attachment; filename="{safe}"'})


@router.post("/campaigns/{campaign}/labels")
def upload(
    request: Request,
    room: TheRoom,
    person: Importer,
    campaign: int,
    labels: UploadFile,
    replace: Annotated[bool, Form()] = False,
) -> Response:
    """Records the labels of a file, in any format of labels."""
    opened = room.campaigns.unarchived(campaign)
    done, problem = "", ""
    try:
        read = read_label_file(labels.file.read(), "labels", person.name)
        sent = [dataclasses.replace(label, sender=person.id) for label in read.labels]
        count = opened.answers.record(sent, replace=replace, leased=False).added(blank=read.blank, unread=read.unread)
        done = "; ".join(_describe_upload(count, read))
    except InputError as error:  # without the path, which the sender does not know
        problem = str(InputError(error.problem, line=error.line, text=error.text, hint=error.hint))
    return _page(request, room, opened, done=done, problem=problem)


def _describe_upload(count: Recorded, read: LabelFile) -> Iterator[str]:
    """What became of the labels of a file, and what in it was not read."""
    yield f"{count.new} new labels, marked as imported"
    yield f"{count.same} known already"
    yield f"{count.unasked} for documents not handed out"
    rest = {name: words for name, words in RECORDED.items() if name not in ("new", "same", "unasked")}
    yield from (words.format(getattr(count, name)) for name, words in rest.items() if getattr(count, name))
    if read.labels:
        yield f"by {', '.join(sorted({label.assessor for label in read.labels}))}"
    if count.unread:
        yield unread_words(count)


def _page(request: Request, room: Room, opened: OpenCampaign, *, done: str = "", problem: str = "") -> Response:
    return room.page(
        request,
        "files.html",
        status=400 if problem else 200,
        opened=opened,
        exports=EXPORTS,
        formats=LABEL_FORMATS.titles(),
        done=done,
        problem=problem,
    )
