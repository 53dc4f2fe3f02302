"""API: documents to judge, labels, and how well assessors agree."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from pydantic import BaseModel, FailFast, Field, TypeAdapter

from rankgauge.room.answers import SentLabel, Settlement
from rankgauge.room.auth import Judge, Manager, TheRoom, Viewer
from rankgauge.room.desk import Desk
from rankgauge.room.label_browser import WantedLabels, filtered
from rankgauge.room.people import Permission
from rankgauge.room.route import CampaignNumber, api, body_of, finite, read_json

router = api("api_labels", place=210, tag="labels")


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


@router.post("/campaigns/{campaign}/tasks")
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


LABELS = TypeAdapter(SentLabels)


async def _read_labels(request: Request) -> SentLabels:
    return await read_json(request, LABELS)


@router.post("/campaigns/{campaign}/labels", openapi_extra=body_of(LABELS))
def record_labels(
    room: TheRoom, person: Judge, campaign: CampaignNumber, sent: Annotated[SentLabels, Depends(_read_labels)]
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


@router.get("/campaigns/{campaign}/labels")
def list_labels(room: TheRoom, person: Viewer, campaign: CampaignNumber, wanted: WantedLabels) -> list[dict[str, Any]]:
    """The current labels that pass the filter, or with `history` also those that were replaced."""
    found = filtered(room.campaigns.get(campaign), wanted).reverse().drop("query_text")
    return list(found.iter_rows(named=True))


@router.get("/campaigns/{campaign}/judgments")
def list_judgments(room: TheRoom, person: Viewer, campaign: CampaignNumber) -> list[dict[str, Any]]:
    """One grade for each fully judged document."""
    return list(room.campaigns.get(campaign).campaign.judgments().iter_rows(named=True))


@router.get("/campaigns/{campaign}/agreement")
def show_agreement(room: TheRoom, person: Viewer, campaign: CampaignNumber) -> dict[str, list[dict[str, Any]]] | None:
    """How well assessors agree: coefficients, pairs and confusion; null if no two have judged the same document."""
    found = room.campaigns.get(campaign).review.agreement()
    if found is None:
        return None
    tables = {"coefficients": found.coefficients, "pairs": found.pairs, "confusion": found.confusion}
    return {name: [finite(row) for row in table.iter_rows(named=True)] for name, table in tables.items()}


@router.get("/campaigns/{campaign}/disagreements")
def list_disagreements(room: TheRoom, person: Viewer, campaign: CampaignNumber) -> list[dict[str, Any]]:
    """The documents that assessors disagree on."""
    return [asdict(one) for one in room.campaigns.get(campaign).review.disagreements()]


@router.post("/campaigns/{campaign}/disagreements")
def settle(room: TheRoom, person: Manager, campaign: CampaignNumber, settled: Settlement) -> dict[str, int]:
    """Records the grade that replaces those of the assessors."""
    return room.campaigns.get(campaign).answers.record([settled.label(person)], leased=False).counts
