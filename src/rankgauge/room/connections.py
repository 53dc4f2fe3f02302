"""Connections: how long a request may take to arrive, how large its headers may be, how many one address may open."""

from __future__ import annotations

import asyncio
import resource
from collections import Counter
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from rankgauge.room.addresses import is_in, networks
from rankgauge.room.settings import RoomSettings

HEADERS_WITHIN = 10.0
"""Seconds after which the headers of a request have to be there."""

BODY_WITHIN, BYTES_A_SECOND = 30.0, 50_000
"""Seconds in which a body has to be there, and the pace at which a longer one has to come."""

LARGEST_HEADERS = 1 << 16
"""How many bytes the headers and the address of a request may have."""

RESERVED = 100
"""File descriptors that are kept for the database, files and processes."""

REFUSALS = {
    408: b"HTTP/1.1 408 Request Timeout\r\n",
    429: b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 10\r\n",
    431: b"HTTP/1.1 431 Request Header Fields Too Large\r\n",
    503: b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\n",
}


class GuardedProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, with limits on connections that keep others waiting."""

    per_address: int
    proxies: Any
    most: int
    open_by_address: Counter[str]
    refused: Counter[int]

    _timer: asyncio.TimerHandle | None = None
    _address: str | None = None
    _read = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection; refuse one too many of its address, or of all."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else "unknown"
        self.open_by_address[self._address] += 1
        self._expect(HEADERS_WITHIN)
        if self.open_by_address.total() > self.most:
            self._refuse(503)
        elif self.open_by_address[self._address] > self.per_address and not is_in(self._address, self.proxies):
            self._refuse(429)

    def connection_lost(self, exc: Exception | None) -> None:
        """Count the connection no more."""
        self._unexpect()
        if self._address is not None:
            self.open_by_address[self._address] -= 1
            if not self.open_by_address[self._address]:
                del self.open_by_address[self._address]
            self._address = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless the connection was refused."""
        if not self.transport.is_closing():
            super().data_received(data)

    def on_message_begin(self) -> None:
        """Expect the headers soon."""
        self._expect(HEADERS_WITHIN)
        self._read = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Read a piece of the address."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Read a header."""
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Expect the body in as much time as it may need."""
        length = next((value for name, value in self.headers if name == b"content-length"), b"0")
        size = int(length) if length.isdigit() and len(length) < 12 else 0
        self._expect(BODY_WITHIN + size / BYTES_A_SECOND)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Expect nothing more."""
        self._unexpect()
        super().on_message_complete()

    def _count(self, size: int) -> None:
        self._read += size
        if self._read > LARGEST_HEADERS:
            self._refuse(431)

    def _expect(self, seconds: float) -> None:
        self._unexpect()
        self._timer = self.loop.call_later(seconds, self._refuse, 408)

    def _unexpect(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, status: int) -> None:
        """Say why, and close the connection."""
        if self.transport.is_closing():
            return
        self.refused[status] += 1
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(REFUSALS[status] + b"connection: close\r\ncontent-length: 0\r\n\r\n")
        self.transport.close()


def guarded(settings: RoomSettings) -> type[GuardedProtocol]:
    """Return the protocol for a room, which may use as many file descriptors as the system allows."""
    facts = {
        "per_address": settings.address_connections,
        "proxies": networks(settings.proxies),
        "most": max(_descriptors() - RESERVED, RESERVED),
        "open_by_address": Counter[str](),
        "refused": Counter[int](),
    }
    return cast(type[GuardedProtocol], type("RoomProtocol", (GuardedProtocol,), facts))


def _descriptors() -> int:
    """Raise the limit of file descriptors to what is allowed, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(soft, wanted)
