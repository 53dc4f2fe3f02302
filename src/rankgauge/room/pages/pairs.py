"""Pairs: the page on which assessors say which of two documents is better, and what their answers come to."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import polars as pl
from fastapi import Form, HTTPException, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.responses import RedirectResponse

from rankgauge.errors import InputError
from rankgauge.judgments.pairwise import FittedPreferences
from rankgauge.render.numbers import interval, percent
from rankgauge.render.table import Column, ReportTable
from rankgauge.room.answers import Text
from rankgauge.room.auth import Judge, Manager, TheRoom, Viewer
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.desk import Desk
from rankgauge.room.forms import read_number, shows_again
from rankgauge.room.gold import BLOCKED
from rankgauge.room.pages.judge import FRAGMENT
from rankgauge.room.pairs import MOST, TWICE, Pair, PairDesk
from rankgauge.room.people import Person
from rankgauge.room.room import Room
from rankgauge.room.route import pages

router = pages("pairs", place=72, tab="Pairs")

FEWEST = 20
"""From how many comparisons on the page says what they come to."""

SHOWN = 200
"""How many documents the page lists."""


class Better(StrEnum):
    """Which of two documents is better."""

    FIRST = "first"
    SECOND = "second"
    EQUAL = "equal"
    NOBODY = "nobody can say"


VALUES = {Better.FIRST: 1, Better.EQUAL: 0, Better.SECOND: -1, Better.NOBODY: None}


class PairAnswer(BaseModel):
    """The answer of the form, with the documents as they were shown."""

    query: Text
    first: Text
    second: Text
    better: Annotated[Better, Field(alias="grade")]


def _page(request: Request, room: Room, campaign: int, *, problem: str = "") -> Response:
    """Return the form of whoever runs the campaign, and what the answers come to."""
    opened = room.campaigns.get(campaign)
    desk = PairDesk(opened=opened)
    choices, documents = desk.choices(), desk.documents()
    fitted = FittedPreferences.fit(choices) if len(choices.query) >= FEWEST else None
    facts = {
        "documents": documents,
        "most": MOST,
        "fewest": FEWEST,
        "choices": len(choices.query),
        "wanted": len(desk.wanted()) * TWICE,
    }
    shown = {} if fitted is None else {"fitted": _facts(fitted), "table": _table(opened, fitted)}
    return room.page(request, "pairs.html", opened=opened, problem=problem, **facts, **shown)


def _facts(fitted: FittedPreferences) -> dict[str, str]:
    value, low, high = fitted.first_share()
    agreed = fitted.swap_share()
    return {
        "first": f"{percent(value)} {interval(low, high, percent)}",
        "agreed": percent(agreed) if agreed == agreed else "",
        "documents": f"{len(fitted.frame):,}",
    }


def _table(opened: OpenCampaign, fitted: FittedPreferences) -> ReportTable:
    queries = fitted.frame.partition_by("query", maintain_order=True)
    frame = pl.concat([documents.sort("rank") for documents in queries]).head(SHOWN)
    titles = opened.texts.titles(frame.select("query", "document").iter_rows())
    rows = [
        {**row, "query": opened.texts.queries[row["query"]], "document": titles[row["query"], row["document"]]}
        for row in frame.iter_rows(named=True)
    ]
    columns = (
        Column("Query", "query", once=True),
        Column("Document", "document"),
        Column("Preferred to", "grade", percent),
        Column("95 % interval", ("low", "high"), lambda low, high: interval(low, high, percent), left=True),
        Column("Rank", ("rank", "rank_low", "rank_high"), "{} [{}, {}]".format),
        Column("Comparisons", "comparisons", str),
    )
    return ReportTable(columns=columns, rows=rows, title="What the answers come to")


@router.get("/campaigns/{campaign}/pairs")
def show(request: Request, room: TheRoom, person: Viewer, campaign: int) -> Response:
    """Return how many pairs were compared, and the documents in the order that follows."""
    return _page(request, room, campaign)


@router.post("/campaigns/{campaign}/pairs")
@shows_again(_page)
def ask(
    request: Request, room: TheRoom, person: Manager, campaign: int, documents: Annotated[str, Form()] = ""
) -> Response:
    """Asks assessors to compare so many documents of each query; an empty field ends it."""
    number = int(read_number(documents)) if documents.strip() else None
    if number is not None and not 2 <= number <= MOST:
        raise InputError(f"of each query 2 to {MOST} documents can be compared")
    PairDesk(opened=room.campaigns.unarchived(campaign)).ask_for(number)
    return RedirectResponse(f"/campaigns/{campaign}/pairs", status_code=303)


@router.get("/campaigns/{campaign}/pairs/compare")
def compare(
    request: Request, room: TheRoom, person: Judge, campaign: int, again: Annotated[bool, Query()] = False
) -> Response:
    """Return the next pair, or the last one that the person answered, to change the answer."""
    return _task(request, room, room.campaigns.get(campaign), person, again=again)


@router.post("/campaigns/{campaign}/pairs/compare")
def answer(
    request: Request, room: TheRoom, person: Judge, campaign: int, said: Annotated[PairAnswer, Form()]
) -> Response:
    """Records which document is better, and shows the next pair."""
    opened = room.campaigns.unarchived(campaign)
    if Desk(room=room, opened=opened, person=person).is_blocked:
        raise HTTPException(403, BLOCKED)
    pair = Pair(query=said.query, first=said.first, second=said.second)
    if said.first == said.second or None in opened.review.texts([(said.query, said.first), (said.query, said.second)]):
        raise HTTPException(409, "the pool has no such pair of documents")
    PairDesk(opened=opened).record(person.id, pair, VALUES[said.better])
    if FRAGMENT in request.headers:
        return _task(request, room, opened, person)
    return RedirectResponse(f"/campaigns/{campaign}/pairs/compare", status_code=303)


def _task(request: Request, room: Room, opened: OpenCampaign, person: Person, *, again: bool = False) -> Response:
    """Show two documents, or say why there are none."""
    desk = PairDesk(opened=opened)
    pair, reason = None, "There is nothing to compare at the moment."
    if Desk(room=room, opened=opened, person=person).is_blocked:
        reason = BLOCKED
    elif desk.documents() is not None:
        pair = desk.last(person.id) if again else desk.next(person.id)
    names = [] if pair is None else [pair.first, pair.second]
    texts = opened.review.texts([(pair.query, name) for name in names]) if pair is not None else []
    facts: dict[str, Any] = {
        "pair": pair,
        "documents": list(zip(names, texts, strict=True)),
        "reason": reason,
        "again": again,
    }
    facts |= {"query": "" if pair is None else opened.texts.queries[pair.query], "done": desk.answered(person.id)}
    template = "compare_task.html" if FRAGMENT in request.headers else "compare.html"
    page = room.page(request, template, opened=opened, pairs=True, **facts)
    if FRAGMENT in request.headers:
        page.headers[FRAGMENT] = "1"
    return page


@router.get("/campaigns/{campaign}/pairs/{name}")
def download(room: TheRoom, person: Viewer, campaign: int, name: str) -> Response:
    """Return what people said, as `rankgauge judgments pairwise` reads it, or what it comes to."""
    if name not in ("choices.csv", "worths.csv"):
        raise HTTPException(404, "no such file; there are choices.csv, worths.csv")
    choices = PairDesk(opened=room.campaigns.get(campaign)).choices()
    if name == "choices.csv":
        rows = choices.to_table()
    elif not choices.query:
        raise HTTPException(404, "nothing was compared yet")
    else:
        rows = FittedPreferences.fit(choices).frame
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(rows.write_csv().encode(), media_type="text/csv", headers=headers)
