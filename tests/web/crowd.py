"""Assessors who judge at once and do not give up: an answer without an acknowledgement is sent again as it was."""

from __future__ import annotations

import html
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

import httpx
import sqlalchemy as sa

from rankgauge.labelling.campaign import Campaign
from rankgauge.labelling.campaign import tables as t
from rankgauge.labelling.campaign.database import Location, connect, reading
from tests.web.house import House, fields

Said: TypeAlias = tuple[str, str, str, float]
"""Assessor, query, document, grade."""

FRAGMENT = {"x-fragment": "1"}


@dataclass(kw_only=True, eq=False)
class Judge:
    """An assessor with a session, who judges in a thread."""

    name: str
    client: httpx.Client
    campaign: int
    stop: threading.Event
    acknowledged: dict[str, Said] = field(default_factory=dict)
    """By key, the answers that the room has acknowledged."""
    statuses: Counter[int] = field(default_factory=Counter)
    """How often each status was the answer; 0 where there was none."""
    refusals: set[str] = field(default_factory=set)
    """What the room said where it could not take an answer."""

    def work(self) -> None:
        """Judges until it is told to stop, and has then no answer that is open; or until all is done."""
        page = self._send("GET", {})
        while not self.stop.is_set() and "All done" not in page:
            given = {name: html.unescape(value) for name, value in fields(page).items()}
            if "key" in given:
                page = self.answer(given)
            else:
                time.sleep(0.02)
                page = self._send("GET", {})

    def answer(self, given: Mapping[str, str]) -> str:
        """Sends the answer until it is acknowledged; gives the next page."""
        grade = sum(map(ord, given["document"] + self.name)) % 3
        page = self._send("POST", {**given, "grade": str(grade)})
        self.acknowledged[given["key"]] = (self.name, given["query"], given["document"], float(grade))
        return page

    def _send(self, method: str, body: Mapping[str, str]) -> str:
        while True:
            try:
                answer = self.client.request(method, f"/campaigns/{self.campaign}/judge", data=body, headers=FRAGMENT)
            except httpx.TransportError:
                self.statuses[0] += 1
                continue
            self.statuses[answer.status_code] += 1
            if answer.status_code == 200:
                return answer.text
            assert answer.status_code >= 500, answer.text
            self.refusals.add(answer.text)
            time.sleep(0.02)


@dataclass(kw_only=True, eq=False)
class Crowd:
    """Assessors at work."""

    judges: list[Judge]
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def acknowledged(self) -> dict[str, Said]:
        """Every answer that was acknowledged so far, by its key."""
        return {key: said for judge in self.judges for key, said in list(judge.acknowledged.items())}

    def statuses(self) -> Counter[int]:
        """How often each status was the answer."""
        return sum((judge.statuses for judge in self.judges), Counter())

    def wait_for(self, more: int, *, seconds: float = 60.0) -> None:
        """Waits until so many more answers were acknowledged, or until nobody works any more."""
        goal, end = len(self.acknowledged) + more, time.monotonic() + seconds
        while len(self.acknowledged) < goal and any(thread.is_alive() for thread in self.threads):
            assert time.monotonic() < end, f"{self.statuses()}: nobody answers"
            time.sleep(0.002)

    def wait_for_status(self, status: int, count: int, *, seconds: float = 60.0) -> None:
        """Waits until so many answers had that status."""
        end = time.monotonic() + seconds
        while self.statuses()[status] < count:
            assert time.monotonic() < end, f"{self.statuses()}: no {status}"
            time.sleep(0.005)

    threads: list[threading.Thread] = field(default_factory=list)


def crowd(house: House, campaign: int, people: int, base: str | None = None) -> Crowd:
    """So many assessors who have come in; at `base` they go on, where that is another room on the same database."""
    found = Crowd(judges=[])
    for n in range(people):
        entered = house.assessor(campaign, f"judge {n}")
        client = entered if base is None else httpx.Client(base_url=base, cookies=entered.cookies, timeout=60)
        found.judges.append(Judge(name=f"judge {n}", client=client, campaign=campaign, stop=found.stop))
    return found


@contextmanager
def at_work(team: Crowd) -> Iterator[None]:
    """Everybody judges; afterwards everybody has ended, without an answer that is open."""
    team.threads = [threading.Thread(target=judge.work, daemon=True) for judge in team.judges]
    for thread in team.threads:
        thread.start()
    try:
        yield
    finally:
        team.stop.set()
        for thread in team.threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in team.threads)


def check(database: str, campaign: int, team: Crowd, *, people: int) -> None:
    """Every acknowledged answer is there once, in the name of who gave it; nothing else is; the budget is kept."""
    engine = connect(Location(database), existing=True)
    with reading(engine) as connection:
        rows = connection.execute(sa.select(t.labels).where(t.labels.c.campaign == campaign)).all()
        tasks = connection.execute(sa.select(t.tasks.c.cost).where(t.tasks.c.campaign == campaign)).scalars().all()
        name = connection.execute(sa.select(t.campaigns.c.name).where(t.campaigns.c.id == campaign)).scalar_one()
    engine.dispose()
    kept = {row.key.partition(":")[2]: (row.assessor, row.query, row.document, row.grade) for row in rows}
    assert kept == team.acknowledged
    assert len({(row.place, row.assessor) for row in rows}) == len(rows) == len(kept)
    assert max(Counter(row.place for row in rows).values()) <= people
    with Campaign.open(f"{database}#{name}") as opened:
        assert sum(tasks) * people == opened.progress().spent <= opened.settings.budget + 1e-9
