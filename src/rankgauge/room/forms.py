"""The fields and files of a form as they were typed, for pages that show a form again and say what is wrong."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Request
from pydantic import ValidationError
from starlette.datastructures import UploadFile

from rankgauge.room.draft_contents import DraftPart
from rankgauge.room.drafts import SentFile, safe_name


async def _fields(request: Request) -> dict[str, str]:
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


async def _files(request: Request) -> list[SentFile]:
    form = await request.form()
    sent = [(part, file) for part in DraftPart for file in form.getlist(part.value) if isinstance(file, UploadFile)]
    return [
        SentFile(part=part, name=safe_name(file.filename), content=await file.read())
        for part, file in sent
        if file.filename
    ]


Fields: TypeAlias = Annotated[dict[str, str], Depends(_fields)]
"""What was typed into a form, by field."""

Files: TypeAlias = Annotated[list[SentFile], Depends(_files)]
"""The files of a form."""


def problems(error: ValidationError) -> str:
    """What is wrong with fields, in one line."""
    told = [(".".join(map(str, one["loc"])).replace("_", " "), one["msg"]) for one in error.errors()]
    return "; ".join(f"{name}: {words.removeprefix('Value error, ')}" for name, words in told)
