"""The description of the API, for everybody of the room: all may have tokens."""

from __future__ import annotations

from fastapi import Request, Response
from starlette.responses import JSONResponse

from rankgauge.room.auth import SignedIn
from rankgauge.room.route import pages

router = pages("api_description", place=190)


@router.get("/api/openapi.json")
def show(request: Request, person: SignedIn) -> Response:
    """Every call of the API with its parameters, as OpenAPI."""
    return JSONResponse(request.app.openapi())
