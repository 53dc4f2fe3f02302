"""The fields and files of a form as they were typed, and pages that show a form again and say what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, TypeAlias, TypeVar

from fastapi import Depends, Request, Response
from pydantic import ValidationError
from starlette.datastructures import UploadFile

from rankgauge.errors import InputError, RankGaugeError
from rankgauge.room.auth import Visit
from rankgauge.room.draft_contents import DraftFile, DraftPart
from rankgauge.room.drafts import safe_name
from rankgauge.room.room import Room

Route = TypeVar("Route", bound=Callable[..., Response])


async def _fields(request: Request) -> dict[str, str]:
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


async def _files(request: Request) -> list[DraftFile]:
    form = await request.form()
    return [
        DraftFile(part=part, name=safe_name(file.filename), content=await file.read())
        for part in DraftPart
        for file in form.getlist(part.value)
        if isinstance(file, UploadFile) and file.filename
    ]


async def _body(request: Request) -> bytes:
    return await request.body()


async def _upload(request: Request) -> DraftFile:
    for file in (await request.form()).values():
        if isinstance(file, UploadFile):
            return DraftFile(part=DraftPart.LISTS, name=file.filename or "", content=await file.read())
    raise InputError("no file was chosen")


Fields: TypeAlias = Annotated[dict[str, str], Depends(_fields)]
"""What was typed into a form, by field."""

Files: TypeAlias = Annotated[list[DraftFile], Depends(_files)]
"""The files of a form."""

Upload: TypeAlias = Annotated[DraftFile, Depends(_upload)]
"""The one file of a form. FastAPI would read its own `UploadFile` before it is known whether the sender may."""

Body: TypeAlias = Annotated[bytes, Depends(_body)]
"""The file that is the body of a call."""

BINARY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
"""In the OpenAPI schema: the body is a file."""


def read_number(text: str) -> float:
    """Read a number that somebody typed, perhaps as 1,000."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        raise InputError(f"'{text}' is not a number") from None


def problem_words(room: Room, error: RankGaugeError | ValidationError) -> str:
    """Say what is wrong with what was typed; the fields that do not fit are told in one line."""
    if isinstance(error, RankGaugeError):
        return room.describe_error(error)
    told = [(".".join(map(str, one["loc"])).replace("_", " "), one["msg"]) for one in error.errors()]
    return "; ".join(f"{name}: {words.removeprefix('Value error, ')}" for name, words in told)


def shows_again(page: Callable[..., Response]) -> Callable[[Route], Route]:
    """Decorate a route of a campaign's form: where it raises the sender's mistake, the page says what is wrong."""

    def decorate(route: Route) -> Route:
        @wraps(route)
        def run(visit: Visit, **sent: Any) -> Response:
            try:
                return route(visit=visit, **sent)
            except (RankGaugeError, ValidationError) as error:
                return page(visit, problem=problem_words(visit.room, error))

        return run  # type: ignore[return-value]

    return decorate
