"""Files that leave the room, and labels that come in as one."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response, UploadFile

from rankgauge.errors import InputError
from rankgauge.web.files import FILES, made
from rankgauge.web.auth import Admin, TheRoom

__all__ = ["attachment", "router"]

router = APIRouter(include_in_schema=False)


@router.get("/campaigns/{campaign}/files")
def show(request: Request, room: TheRoom, person: Admin, campaign: int) -> Response:
    """What can be taken out and brought in."""
    return room.page(request, "files.html", opened=room.campaigns.get(campaign), files=FILES, told="", problem="")


@router.get("/campaigns/{campaign}/files/{name}")
def export(room: TheRoom, person: Admin, campaign: int, name: str) -> Response:
    """One of the files."""
    content, media = made(room.campaigns, campaign, name)
    return attachment(content, media, f"{room.campaigns.get(campaign).campaign.name} {name}")


@router.post("/campaigns/{campaign}/labels")
def bring(
    request: Request,
    room: TheRoom,
    person: Admin,
    campaign: int,
    labels: UploadFile,
    replace: Annotated[bool, Form()] = False,
) -> Response:
    """Labels from a file: CSV, JSON lines, Label Studio's export or qrels."""
    opened = room.campaigns.get(campaign)
    told, problem = "", ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels"
        path.write_bytes(labels.file.read())
        try:
            count = opened.campaign.record(path, assessor=person.name, replace=replace)
            told = f"{count.new} new labels, {count.same} that were known, {count.unasked} that nobody asked for"
        except InputError as error:
            problem = str(InputError(error.problem, line=error.line, text=error.text, hint=error.hint))
    opened.stop_if_enough()
    return room.page(
        request, "files.html", status=400 if problem else 200, opened=opened, files=FILES, told=told, problem=problem
    )


def attachment(content: bytes, media: str, name: str) -> Response:
    """A file to keep; its name holds nothing that a header or a file system could mistake."""
    safe = re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.") or "file"
    return Response(content, media_type=media, headers={"content-disposition": f'attachment; filename="{safe}"'})
