"""The size of what is sent: a request past the limit ends with 413 before it is read whole."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["BoundedBody"]

SMALL = 1 << 16
"""What a form or a JSON call without a file may take."""


class BoundedBody:
    """Requests of at most so many bytes: `largest` where files are sent, little elsewhere."""

    def __init__(self, app: ASGIApp, *, largest: int, files: tuple[str, ...]) -> None:
        self._app, self._largest, self._files = app, largest, files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._largest if scope["path"].endswith(self._files) else SMALL
        read = 0

        async def received() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > limit:
                raise HTTPException(413, f"more than the {limit:,} bytes that are allowed here")
            return message

        await self._app(scope, received, send)
