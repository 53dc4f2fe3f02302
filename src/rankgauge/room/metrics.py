"""What the room counts, in the format of Prometheus: requests and their times, labels, leases, the database."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

from rankgauge.errors import UnavailableError
from rankgauge.labelling.campaign import tables as t
from rankgauge.labelling.campaign.database import outages, reading
from rankgauge.room.database import DRAFTS, PEOPLE, SESSIONS

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

REQUESTS = Counter("rankgauge_requests", "Requests by method, route and status", ("method", "route", "status"))
SECONDS = Histogram("rankgauge_request_seconds", "Seconds that requests took, by route", ("route",), buckets=BUCKETS)


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
        waiting = GaugeMetricFamily("rankgauge_answers_waiting", "Answers that wait for a transaction of this process")
        waiting.add_metric([], self._room.campaigns.waiting())
        yield waiting
        up = GaugeMetricFamily("rankgauge_database_up", "Whether the database answers")
        begun = time.perf_counter()
        try:
            families = list(self._of_database())
            up.add_metric([], float(not outages(self._room.engine).now()))
        except UnavailableError:
            families = []
            up.add_metric([], 0.0)
        took = GaugeMetricFamily("rankgauge_database_seconds", "Seconds that these look-ups took")
        took.add_metric([], time.perf_counter() - begun)
        yield from (up, took, *families)

    def _of_database(self) -> Iterator[GaugeMetricFamily]:
        now = time.time()
        counted = {
            "labels": (t.labels, ()),
            "tasks": (t.tasks, ()),
            "leases": (t.leases, (t.leases.c.until > now,)),
        }
        with reading(self._room.engine) as connection:
            for name, (table, chosen) in counted.items():
                family = GaugeMetricFamily(
                    f"rankgauge_{name}", f"{name.capitalize()} by campaign", labels=("campaign",)
                )
                rows = sa.select(table.c.campaign, sa.func.count()).where(*chosen).group_by(table.c.campaign)
                for campaign, number in connection.execute(rows):
                    family.add_metric([str(campaign)], number)
                yield family
            for name, alone, where in (
                ("campaigns", t.campaigns, ()),
                ("people", PEOPLE, (PEOPLE.c.revoked.is_(None),)),
                ("sessions", SESSIONS, (SESSIONS.c.expires > now,)),
                ("drafts", DRAFTS, ()),
            ):
                family = GaugeMetricFamily(f"rankgauge_{name}", f"{name.capitalize()} of the room")
                family.add_metric(
                    [], connection.scalar(sa.select(sa.func.count()).select_from(alone).where(*where)) or 0
                )
                yield family
