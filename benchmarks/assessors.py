"""Assessors as a load: each has a session and a connection, reads for a while, answers, and gets the next document."""

from __future__ import annotations

import asyncio
import html
import random
import re
import time
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

__all__ = ["Answered", "Assessor"]

FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
PATIENCE = 0.5
"""Seconds until somebody for whom there was nothing looks again."""


@dataclass(frozen=True, kw_only=True)
class Answered:
    """An answer that was acknowledged, and the seconds until the next document was there."""

    assessor: str
    query: str
    document: str
    grade: str
    key: str
    seconds: float


@dataclass(kw_only=True, eq=False)
class Assessor:
    """Somebody who judges in a campaign. A plain client of HTTP/1.1: a fuller one would itself take time."""

    name: str
    link: str
    campaign: int
    rng: random.Random
    think: float
    """The mean of the seconds between a document and its answer, which are exponential."""
    answered: list[Answered] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    waited: int = 0
    """How often there was nothing to judge."""
    over: bool = False
    """Whether the room said that all is done."""
    _cookie: str = ""
    _reader: asyncio.StreamReader = field(init=False)
    _writer: asyncio.StreamWriter | None = None

    async def judge(self, until: float) -> None:
        """Comes in and judges until that moment of the clock, or until all is done."""
        if not await self._enter():
            return
        page = await self._call("GET", self._path)
        while time.perf_counter() < until and not self.over:
            fields = {name: html.unescape(value) for name, value in FIELD.findall(page)}
            if "key" in fields:
                if not await self._read(until):
                    break
                page = await self._answer(fields)
            elif "All done" in page or "paused" in page:
                self.over = True
            else:
                self.waited += 1
                await asyncio.sleep(PATIENCE)
                page = await self._call("GET", self._path)
        if self._writer is not None:
            self._writer.close()

    @property
    def _path(self) -> str:
        return f"/campaigns/{self.campaign}/judge"

    async def _read(self, until: float) -> bool:
        """Whether the document was read in time; who was not done leaves without an answer.

        Were everybody to answer when the time is up, that one moment would be a crowd that no room ever sees, and in a
        short run the slowest answers would be those alone.
        """
        seconds = self.rng.expovariate(1 / self.think) if self.think else 0.0
        in_time = seconds < until - time.perf_counter()
        if in_time and seconds:
            await asyncio.sleep(seconds)
        return in_time

    async def _answer(self, fields: dict[str, str]) -> str:
        """The answer sent, and the page that came back."""
        grade = str(self.rng.randrange(3))
        started = time.perf_counter()
        page = await self._call("POST", self._path, urlencode({**fields, "grade": grade, "comment": ""}))
        if page:
            told = {name: fields[name] for name in ("query", "document", "key")}
            seconds = time.perf_counter() - started
            self.answered.append(Answered(assessor=self.name, grade=grade, seconds=seconds, **told))
        return page or await self._call("GET", self._path)

    async def _enter(self) -> bool:
        """Whether the room let them in; an error is kept."""
        status, headers, text = await self._exchange("POST", "/enter", urlencode({"link": self.link}))
        self._cookie = headers.get("set-cookie", "").partition(";")[0]
        if not self._cookie:
            self.errors.append(f"not let in: {status} {text[-300:]}")
        return bool(self._cookie)

    async def _connect(self) -> None:
        """A connection; another one where the room has closed the last."""
        if self._writer is None or self._reader.at_eof():
            at = urlsplit(self.link)
            self._reader, self._writer = await asyncio.open_connection(at.hostname, at.port)

    async def _call(self, method: str, path: str, body: str = "") -> str:
        """The page; nothing where it is an error, which is kept."""
        status, _, text = await self._exchange(method, path, body)
        if status == 200:
            return text
        self.errors.append(f"{method} {path}: {status} {text[-300:]}")
        return ""

    async def _exchange(self, method: str, path: str, body: str) -> tuple[int, dict[str, str], str]:
        lines = [
            f"{method} {path} HTTP/1.1",
            f"host: {urlsplit(self.link).netloc}",
            f"cookie: {self._cookie}",
            "x-fragment: 1",
            "content-type: application/x-www-form-urlencoded",
            f"content-length: {len(body)}",
        ]
        await self._connect()
        assert self._writer is not None
        self._writer.write("\r\n".join([*lines, "", body]).encode())
        await self._writer.drain()
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        content = await self._reader.readexactly(int(headers.get("content-length", 0)))
        return int(head[0].split()[1]), headers, content.decode()
