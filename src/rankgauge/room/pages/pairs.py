"""Pairs: the page on which assessors say which of two documents is better, and what their answers come to."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import polars as pl
from fastapi import Form, HTTPException, Query, Response
from pydantic import BaseModel, Field

from rankgauge.errors import InputError
from rankgauge.judgments.pairwise import FittedPreferences
from rankgauge.render.numbers import interval, percent
from rankgauge.render.table import Column, ReportTable
from rankgauge.room.answers import Text
from rankgauge.room.auth import FRAGMENT, Judge, Manager, TheVisit, Viewer, Visit
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.desk import Desk
from rankgauge.room.forms import read_number, shows_again
from rankgauge.room.gold import BLOCKED
from rankgauge.room.pairs import MOST, TWICE, Pair, PairDesk
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


def _page(visit: Visit, *, problem: str = "") -> Response:
    """Return the form of whoever runs the campaign, and what the answers come to."""
    opened = visit.opened
    desk = PairDesk(opened=opened)
    choices = desk.choices()
    facts: dict[str, Any] = {"documents": desk.documents(), "most": MOST, "fewest": FEWEST}
    facts |= {"choices": len(choices.query), "wanted": len(desk.list_wanted()) * TWICE}
    if len(choices.query) >= FEWEST:
        fitted = FittedPreferences.fit(choices)
        (value, low, high), agreed = fitted.first_share(), fitted.swap_share()
        facts["table"] = _table(opened, fitted)
        facts["fitted"] = {
            "first": f"{percent(value)} {interval(low, high, percent)}",
            "agreed": percent(agreed) if agreed == agreed else "",
            "documents": f"{len(fitted.frame):,}",
        }
    return visit.page("pairs.html", problem=problem, **facts)


def _table(opened: OpenCampaign, fitted: FittedPreferences) -> ReportTable:
    queries, texts = fitted.frame.partition_by("query", maintain_order=True), opened.campaign.texts
    frame = pl.concat([documents.sort("rank") for documents in queries]).head(SHOWN)
    titles = texts.titles(frame.select("query", "document").iter_rows())
    rows = [
        {**row, "query": texts.queries[row["query"]], "document": titles[row["query"], row["document"]]}
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
def show(visit: TheVisit, person: Viewer) -> Response:
    """Return how many pairs were compared, and the documents in the order that follows."""
    return _page(visit)


@router.post("/campaigns/{campaign}/pairs")
@shows_again(_page)
def ask(visit: TheVisit, person: Manager, documents: Annotated[str, Form()] = "") -> Response:
    """Ask assessors to compare so many documents of each query; an empty field ends it."""
    number = int(read_number(documents)) if documents.strip() else None
    if number is not None and not 2 <= number <= MOST:
        raise InputError(f"of each query 2 to {MOST} documents can be compared")
    PairDesk(opened=visit.room.campaigns.find_unarchived(visit.campaign)).ask_for(number)
    return visit.done("/pairs")


@router.get("/campaigns/{campaign}/pairs/compare")
def compare(visit: TheVisit, person: Judge, again: Annotated[bool, Query()] = False) -> Response:
    """Return the next pair, or the last one that the person answered, to change the answer."""
    opened, pair, reason = visit.opened, None, "There is nothing to compare at the moment."
    desk = PairDesk(opened=opened)
    if Desk(room=visit.room, opened=opened, person=person).is_blocked:
        reason = BLOCKED
    elif desk.documents() is not None:
        pair = desk.last(person.id) if again else desk.next(person.id)
    facts: dict[str, Any] = {"pair": pair, "reason": reason, "again": again, "done": desk.count_answers(person.id)}
    if pair is not None:
        names = (pair.first, pair.second)
        texts = opened.review.texts([(pair.query, name) for name in names])
        facts |= {"query": opened.campaign.texts.queries[pair.query], "documents": list(zip(names, texts, strict=True))}
    return visit.task_page("compare_task.html", "compare.html", pairs=True, **facts)


@router.post("/campaigns/{campaign}/pairs/compare")
def answer(visit: TheVisit, person: Judge, said: Annotated[PairAnswer, Form()]) -> Response:
    """Record which document is better, and show the next pair."""
    opened = visit.room.campaigns.find_unarchived(visit.campaign)
    if Desk(room=visit.room, opened=opened, person=person).is_blocked:
        raise HTTPException(403, BLOCKED)
    if said.first == said.second or None in opened.review.texts([(said.query, said.first), (said.query, said.second)]):
        raise HTTPException(409, "the pool has no such pair of documents")
    pair = Pair(query=said.query, first=said.first, second=said.second)
    PairDesk(opened=opened).record(person.id, pair, VALUES[said.better])
    return compare(visit, person) if FRAGMENT in visit.request.headers else visit.done("/pairs/compare")


@router.get("/campaigns/{campaign}/pairs/{name}")
def download(visit: TheVisit, person: Viewer, name: str) -> Response:
    """Return what people said, as `rankgauge judgments pairwise` reads it, or what it comes to."""
    if name not in ("choices.csv", "worths.csv"):
        raise HTTPException(404, "no such file; there are choices.csv, worths.csv")
    choices = PairDesk(opened=visit.opened).choices()
    if name == "worths.csv" and not choices.query:
        raise HTTPException(404, "nothing was compared yet")
    rows = choices.to_table() if name == "choices.csv" else FittedPreferences.fit(choices).frame
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(rows.write_csv().encode(), media_type="text/csv", headers=headers)
