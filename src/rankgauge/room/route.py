"""Routes: what a file in `pages/` contains, and the registry that finds them.

A file in `pages/` makes a router, registers it and adds its pages or calls:

    router = pages("queries", tab="Queries", place=60)

    @router.get("/campaigns/{campaign}/queries")
    def show(request: Request, room: TheRoom, person: Viewer, campaign: int) -> Response: ...

The application includes every router of the registry; the navigation of a campaign shows every router with a tab.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import getitem
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json
from starlette.concurrency import run_in_threadpool

from rankgauge.registry import Registry
from rankgauge.room.people import Permission

API = "/api/v1"

ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "The request makes no sense; `detail` says why."},
    401: {"description": "The token is missing or does not work."},
    403: {"description": "Your role may not do this."},
    404: {"description": "No such campaign, or not yours."},
    409: {"description": "As things are, the campaign does not take this; `detail` says why."},
    413: {"description": "The request is too large."},
    429: {"description": "Too many tries from this address."},
}

LARGEST, DIGITS = 2**31 - 1, 10
"""The largest number of anything in the database, and how many digits it has."""

ZERO_BYTE = "a text has a zero byte, which no database can store; leave it out"

CampaignNumber: TypeAlias = Annotated[int, Path(ge=1, le=LARGEST, description="The campaign's number.")]
Number: TypeAlias = Annotated[int, Path(ge=1, le=LARGEST)]

PageNumber: TypeAlias = Annotated[int, Query(ge=1, le=10**6, description="Which page of a long list.")]


async def _sound(request: Request) -> None:
    """Refuse addresses that no database has anything for: with numbers that no row could have, or with a zero byte."""
    for part in request.path_params.values():
        try:
            known = 1 <= float(part) <= LARGEST and part.isascii() and part.isdecimal() and len(part) <= DIGITS
        except ValueError:
            known = "\0" not in part
        if not known:
            raise HTTPException(404, "there is nothing with that number or name")
    if any("\0" in text for text in request.query_params.values()):
        raise HTTPException(400, ZERO_BYTE)


class RoomRouter(APIRouter):
    """A router with a name, the tab that leads to it in a campaign's navigation, and its place among the others.

    Starlette takes the first route that matches, so `/campaigns/new` needs a lower place than `/campaigns/{campaign}`.
    """

    def __init__(
        self,
        name: str,
        *,
        place: int,
        tab: str = "",
        permission: Permission = Permission.WATCH,
        dependencies: Sequence[Any] = (),
        **options: Any,
    ) -> None:
        """`permission` is what somebody needs to see the tab; each route checks by itself who may use it."""
        super().__init__(dependencies=[Depends(_sound), *dependencies], **options)
        self.name, self.place, self.tab, self.permission = name, place, tab, permission


ROUTES: Registry[RoomRouter] = Registry("route", "rankgauge.room.pages", order=lambda router: router.place)
"""The routers of the room, in the order in which a request is matched."""


def pages(name: str, *, place: int, tab: str = "", permission: Permission = Permission.WATCH) -> RoomRouter:
    """Return a registered router for pages; its tab is shown to people who have the permission."""
    return ROUTES.add(RoomRouter(name, place=place, tab=tab, permission=permission, include_in_schema=False))


def api(name: str, *, place: int, tag: str) -> RoomRouter:
    """Return a registered router for API calls under `/api/v1`, which the OpenAPI schema lists under the tag."""
    token = Security(HTTPBearer(auto_error=False, description="A token made on the page Tokens."))
    return ROUTES.add(RoomRouter(name, place=place, prefix=API, tags=[tag], dependencies=[token], responses=ERRORS))


MOST_VALUES = 2_000_000
"""How many values the JSON of a request may have: a value of a few bytes takes a hundred in memory."""

LISTED = 20
"""How many errors are listed; the rest is counted."""


def json_body(wanted: Any) -> tuple[dict[str, Any], Any]:
    """Return the description of a JSON body for the OpenAPI schema, and the dependency that reads such a body.

    A body may be long: the room does not wait while it is read. Lists of the type that is wanted have to stop at their
    first error (`FailFast`); then the first errors are listed.
    """
    adapter = TypeAdapter[Any](wanted)

    async def read(request: Request) -> Any:
        body = await request.body()
        if body.count(b",") + body.count(b"[") + body.count(b"{") > MOST_VALUES:
            raise HTTPException(413, f"the request has more than {MOST_VALUES:,} values")
        return await run_in_threadpool(_validate, body, adapter)

    schema = adapter.json_schema()
    whole = _whole(schema, schema.pop("$defs", {}))
    return {"requestBody": {"content": {"application/json": {"schema": whole}}, "required": True}}, Depends(read)


def _validate(body: bytes, wanted: TypeAdapter[Any]) -> Any:
    """Return what the body holds, or raise its first errors: a row that has some is set aside, and the rest is read
    again."""
    try:
        return wanted.validate_json(body)
    except ValidationError as error:
        errors_, errors, rows = _list_errors(error), list[dict[str, Any]](), 0
    said = None if errors_[0]["type"] == "json_invalid" else from_json(body)
    while errors_ and len(errors) < LISTED:
        place = next((n for n, step in enumerate(errors_[0]["loc"]) if isinstance(step, int)), None)
        if said is None or place is None:
            errors += errors_
            break
        path, row = errors_[0]["loc"][:place], errors_[0]["loc"][place]
        # Rows that were set aside before are counted; what is wrong besides the rows is said at the end, once.
        of_row = [one for one in errors_ if one["loc"][: place + 1] == (*path, row)]
        errors += [{**one, "loc": (*path, row + rows, *one["loc"][place + 1 :])} for one in of_row]
        del reduce(getitem, path, said)[row]
        rows += 1
        try:
            wanted.validate_python(said)
            errors_ = []
        except ValidationError as error:
            errors_ = _list_errors(error)
    raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in errors[:LISTED]])


def _list_errors(error: ValidationError) -> list[dict[str, Any]]:
    return [dict(one) for one in error.errors(include_input=False, include_url=False)]


def _whole(schema: Any, known: dict[str, Any]) -> Any:
    """Return the schema with what its references name: in OpenAPI they would lead elsewhere."""
    if isinstance(schema, list):
        return [_whole(one, known) for one in schema]
    if not isinstance(schema, dict):
        return schema
    schema_ = known[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    return {name: _whole(value, known) for name, value in schema_.items()}


def finite(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row with None for infinite and undefined numbers, which JSON cannot express."""
    return {name: None if isinstance(value, float) and value - value != 0 else value for name, value in row.items()}
