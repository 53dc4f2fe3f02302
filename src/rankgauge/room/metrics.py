"""What the room counts, in the format of Prometheus: requests and their times, labels, leases, the database."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import sqlalchemy as sa
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

from rankgauge.errors import UnavailableError
from rankgauge.labelling.campaign import tables as t
from rankgauge.labelling.campaign.database import lasting_outages, reading
from rankgauge.room.database import DRAFTS, PEOPLE, SESSIONS

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

REQUESTS = Counter("rankgauge_requests", "Requests by method, route and status", ("method", "route", "status"))
SECONDS = Histogram("rankgauge_request_seconds", "Seconds that requests took, by route", ("route",), buckets=BUCKETS)
CONNECTIONS_REFUSED = Counter("rankgauge_connections_refused", "Connections refused, by status", ("status",))


def count_request(method: str, route: str, status: int, seconds: float) -> None:
    """Count a request that was answered."""
    REQUESTS.labels(method, route, status).inc()
    SECONDS.labels(route).observe(seconds)


def exposition(room: Any) -> bytes:
    """Return everything that is counted, of all processes, with what the database holds now."""
    registry = CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    else:
        registry.register(REGISTRY)
    registry.register(_RoomState(room))
    return generate_latest(registry)


class _RoomState:
    """What is looked up when somebody asks."""

    def __init__(self, room: Any) -> None:
        self._room = room

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield how much there is of everything; only how the database does if it does not answer."""
        begun, counts, is_up = time.perf_counter(), list[GaugeMetricFamily](), 0.0
        now, counted = time.time(), sa.func.count()
        leased, answered = (
            (row.c.campaign, row.c.place, row.c.assessor, sa.func.coalesce(row.c.person, 0))
            for row in (t.leases, t.labels)
        )
        live = {
            # Leases that a label has ended are struck off later, many together.
            t.leases: (t.leases.c.until > now) & sa.tuple_(*leased).not_in(sa.select(*answered)),
            PEOPLE: PEOPLE.c.revoked.is_(None),
            SESSIONS: SESSIONS.c.expires > now,
        }
        with suppress(UnavailableError), reading(self._room.engine) as connection:
            for table in (t.labels, t.tasks, t.leases):
                rows = sa.select(table.c.campaign, counted).where(live.get(table, sa.true())).group_by(table.c.campaign)
                numbers = {str(campaign): number for campaign, number in connection.execute(rows)}
                counts.append(_gauge(table.name, f"{table.name.capitalize()} by campaign", numbers, "campaign"))
            for table in (t.campaigns, PEOPLE, SESSIONS, DRAFTS):
                number = connection.scalar(sa.select(counted).select_from(table).where(live.get(table, sa.true())))
                counts.append(_gauge(table.name, f"{table.name.capitalize()} of the room", {"": number or 0}))
            is_up = float(not lasting_outages(self._room.engine))
        waiting = self._room.campaigns.waiting()
        yield _gauge("answers_waiting", "Answers that wait for a transaction of this process", {"": waiting})
        yield _gauge("database_up", "Whether the database answers", {"": is_up})
        yield _gauge("database_seconds", "Seconds that these look-ups took", {"": time.perf_counter() - begun})
        yield from counts


def _gauge(name: str, words: str, numbers: Mapping[str, float], label: str = "") -> GaugeMetricFamily:
    """Make a gauge of numbers by the value of its label, if it has one."""
    family = GaugeMetricFamily(f"rankgauge_{name}", words, labels=(label,) if label else ())
    for value, number in numbers.items():
        family.add_metric([value] if label else [], number)
    return family
