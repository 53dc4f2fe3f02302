"""API: drafts of campaigns: several runs, a judge's grades and texts, and then the campaign that they make."""

from __future__ import annotations

from math import isnan
from typing import Annotated, Any

from fastapi import Path, Query, Request
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from rankgauge.room.auth import Admin, TheRoom
from rankgauge.room.draft_contents import DraftContents, DraftPart
from rankgauge.room.drafts import SentFile, safe_name
from rankgauge.room.new_campaign import DraftOutlook, NewCampaign, create, is_board
from rankgauge.room.pages.api_campaigns import BINARY, CampaignSummary, summary
from rankgauge.room.people import Person
from rankgauge.room.room import Room
from rankgauge.room.route import api

router = api("api_drafts", place=195, tag="campaigns")

DraftNumber = Annotated[int, Path(ge=1, le=2**31 - 1, description="The draft's number.")]
FileName = Annotated[str, Query(max_length=255, description="The file's name; a run or a judge is called by it.")]
FilePart = Annotated[DraftPart, Query(description="What the file is for.")]


class DraftSummary(BaseModel):
    """A draft as its files were understood."""

    id: int
    queries: int
    documents: int
    runs: list[str]
    judges: list[dict[str, Any]] = Field(description="Name, documents graded, and grades of each judge.")
    grades: list[float] = Field(description="The grades that the files speak of.")
    columns: dict[str, dict[str, str]] = Field(description="By file, what each column was taken for; empty: ignored.")
    notes: list[str]


class Expectation(BaseModel):
    """What to expect of a campaign: half the width of the interval at each budget."""

    board: bool
    cost: float = Field(description="What judging everything would cost.")
    budgets: list[float]
    half_widths: dict[str, list[float | None]] = Field(description="By method, or by measure of a board.")


@router.post("/drafts", status_code=201, openapi_extra=BINARY)
async def begin_draft(
    request: Request, room: TheRoom, person: Admin, filename: FileName, part: FilePart = DraftPart.LISTS
) -> DraftSummary:
    """Begins a draft with the file in the body."""
    sent = SentFile(part=part, name=safe_name(filename), content=await request.body())
    number = await run_in_threadpool(room.drafts.begin, person.id, [sent])
    return await run_in_threadpool(_summary, room, person, number)


@router.post("/drafts/{draft}/files", status_code=201, openapi_extra=BINARY)
async def add_file(
    request: Request,
    room: TheRoom,
    person: Admin,
    draft: DraftNumber,
    filename: FileName,
    part: FilePart = DraftPart.LISTS,
) -> DraftSummary:
    """Adds the file in the body to a draft: a further run, a judge's grades, documents, earlier judgments."""
    sent = SentFile(part=part, name=safe_name(filename), content=await request.body())
    known = await run_in_threadpool(room.drafts.get, draft, person.id)
    await run_in_threadpool(room.drafts.add, known, [sent])
    return await run_in_threadpool(_summary, room, person, draft)


@router.get("/drafts/{draft}")
def show_draft(room: TheRoom, person: Admin, draft: DraftNumber) -> DraftSummary:
    """How the files of a draft were understood."""
    return _summary(room, person, draft)


@router.get("/drafts/{draft}/outlook")
def show_outlook(
    room: TheRoom, person: Admin, draft: DraftNumber, wanted: Annotated[NewCampaign, Query()]
) -> Expectation:
    """What to expect of a campaign of these files with these settings."""
    contents = room.drafts.contents(room.drafts.get(draft, person.id))
    found = DraftOutlook.of(wanted, contents)
    widths = {line: [None if isnan(width) else float(width) for width in row] for line, row in found.lines.items()}
    budgets = [float(budget) for budget in found.budgets]
    return Expectation(board=is_board(wanted, contents), cost=found.cost, budgets=budgets, half_widths=widths)


@router.post("/drafts/{draft}/campaign", status_code=201)
def make_campaign(room: TheRoom, person: Admin, draft: DraftNumber, wanted: NewCampaign) -> CampaignSummary:
    """Makes the campaign of a draft; the draft is no longer needed."""
    known = room.drafts.get(draft, person.id)
    number = create(room.campaigns, wanted, room.drafts.contents(known))
    room.drafts.discard(known)
    return summary(room, number)


@router.delete("/drafts/{draft}", status_code=204)
def discard_draft(room: TheRoom, person: Admin, draft: DraftNumber) -> None:
    """Drops a draft and its files."""
    room.drafts.discard(room.drafts.get(draft, person.id))


def _summary(room: Room, person: Person, number: int) -> DraftSummary:
    contents = room.drafts.contents(room.drafts.get(number, person.id))
    if contents.campaign is not None:
        contents = DraftContents(campaign=contents.campaign)
    sizes = (0, 0) if contents.campaign is not None else contents.size
    return DraftSummary(
        id=number,
        queries=sizes[0],
        documents=sizes[1],
        runs=list(contents.names),
        judges=[] if contents.campaign is not None else _judges(contents),
        grades=[] if contents.campaign is not None else list(contents.usual_grades[0]),
        columns={file: {role.name: role.words for role in roles} for file, roles in contents.roles.items()},
        notes=list(contents.notes),
    )


def _judges(contents: DraftContents) -> list[dict[str, Any]]:
    return [{"name": name, "graded": graded, "grades": grades} for name, graded, grades in contents.read_judges()]
