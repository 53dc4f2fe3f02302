"""The SQL of a campaign, all of it. It says nothing that only one kind of database understands."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row

from rankgauge.active.campaign import tables as t
from rankgauge.errors import InputError, UnknownNameError

__all__ = ["Store", "make", "names"]

CHUNK = 5_000
"""So many rows go to the database at a time."""


def _later(table: sa.Table, after: str) -> sa.Select[Any]:
    chosen = sa.select(sa.func.max(table.c.id)).where(table.c.campaign == _CAMPAIGN)
    return chosen.where(table.c.id > sa.bindparam(after, type_=sa.BigInteger))


_CAMPAIGN = sa.bindparam("campaign", type_=sa.Integer)
_STAGES = sa.select(sa.func.count()).select_from(t.stages).where(t.stages.c.campaign == _CAMPAIGN)

# What each answer asks is put together once: that takes as long as the database takes to reply.
_LOCK = sa.select(t.campaigns.c.paused).where(t.campaigns.c.id == _CAMPAIGN).with_for_update()
_NEWS = sa.select(
    _STAGES.scalar_subquery().label("stages"),
    _STAGES.where(t.stages.c.draws.is_not(None)).scalar_subquery().label("over"),
    _later(t.tasks, "last_task").scalar_subquery().label("task"),
    _later(t.labels, "last_label").scalar_subquery().label("label"),
)

_TEXTS = sa.select(t.texts.c.place, t.texts.c.content).where(
    t.texts.c.campaign == _CAMPAIGN, t.texts.c.place.in_(sa.bindparam("places", expanding=True))
)
_LEASES = (
    sa.select(t.leases.c.id, t.leases.c.place, t.leases.c.assessor)
    .where(t.leases.c.campaign == _CAMPAIGN, t.leases.c.until > sa.bindparam("now", type_=sa.Double))
    .order_by(t.leases.c.id)
)
_TASKS, _LABELS = (
    sa.select(table)
    .where(table.c.campaign == _CAMPAIGN, table.c.id > sa.bindparam("after", type_=sa.BigInteger))
    .order_by(table.c.id)
    for table in (t.tasks, t.labels)
)
_ADD_TASKS, _ADD_LABELS = (
    sa.insert(table).returning(table.c.id, sort_by_parameter_order=True) for table in (t.tasks, t.labels)
)


def names(connection: Connection) -> list[str]:
    """The campaigns of a database, in the order in which they were made."""
    if not sa.inspect(connection).has_table(t.campaigns.name):
        return []
    return list(connection.execute(sa.select(t.campaigns.c.name).order_by(t.campaigns.c.id)).scalars())


def make(connection: Connection, **columns: Any) -> Store:
    """A new campaign; the tables are made where the database has none."""
    t.metadata.create_all(connection)
    if columns["name"] in names(connection):
        raise InputError(f"there is a campaign called {columns['name']!r} already", hint="Choose another name.")
    done = connection.execute(sa.insert(t.campaigns).values(format=t.FORMAT, paused=False, **columns))
    assert done.inserted_primary_key is not None
    return Store(campaign=done.inserted_primary_key[0])


@dataclass(frozen=True, kw_only=True)
class Store:
    """The rows of one campaign."""

    campaign: int

    @classmethod
    def find(cls, connection: Connection, name: str | None) -> Store:
        """The campaign of that name, or the only one that there is."""
        known = names(connection)
        if not known:
            raise InputError("there is no campaign in it", hint="rankgauge active plan makes one.")
        if name is None and len(known) > 1:
            raise InputError(
                f"there are {len(known)} campaigns in it: {', '.join(known)}", hint="Name one after the URL: …#name"
            )
        if name is not None and name not in known:
            raise UnknownNameError("campaign", name, known)
        chosen = sa.select(t.campaigns.c.id).where(t.campaigns.c.name == (name or known[0]))
        return cls(campaign=connection.execute(chosen).scalar_one())

    def row(self, connection: Connection) -> Row[Any]:
        """The campaign's own row."""
        found = connection.execute(sa.select(t.campaigns).where(t.campaigns.c.id == self.campaign)).one()
        if found.format > t.FORMAT:
            raise InputError(
                f"the campaign has format {found.format}, and this version knows {t.FORMAT}",
                hint="Install a newer RankGauge.",
            )
        return found

    def lock(self, connection: Connection) -> bool:
        """Nobody else changes the campaign before this transaction ends; gives whether it is paused.

        SQLite has locked its file when the transaction began; a server locks the row.
        """
        return bool(connection.execute(_LOCK, {"campaign": self.campaign}).scalar_one())

    def news(self, connection: Connection, task: int, label: int) -> Row[Any, Any, Any, Any]:
        """In one question whether there is more than is known: how many stages there are and are over, and the last
        task and label after those numbers, none where there is none."""
        return connection.execute(_NEWS, {"campaign": self.campaign, "last_task": task, "last_label": label}).one()

    def is_paused(self, connection: Connection) -> bool:
        """Whether nothing is to be handed out."""
        row = sa.select(t.campaigns.c.paused).where(t.campaigns.c.id == self.campaign)
        return bool(connection.execute(row).scalar_one())

    def set_paused(self, connection: Connection, paused: bool) -> None:
        """Whether something is handed out from now on."""
        connection.execute(sa.update(t.campaigns).where(t.campaigns.c.id == self.campaign).values(paused=paused))

    # pool

    def add_pool(self, connection: Connection, content: bytes, texts: Iterable[Mapping[str, Any] | None]) -> None:
        """The pool, and what there is to read of each document."""
        connection.execute(sa.insert(t.pools).values(campaign=self.campaign, content=content))
        rows = [
            {"place": place, "content": json.dumps(dict(text), ensure_ascii=False)}
            for place, text in enumerate(texts)
            if text
        ]
        self._insert(connection, t.texts, rows)

    def pool(self, connection: Connection) -> bytes:
        """The pool as it was packed."""
        found = connection.execute(sa.select(t.pools.c.content).where(t.pools.c.campaign == self.campaign))
        return bytes(found.scalar_one())

    def texts(self, connection: Connection, places: Sequence[int]) -> dict[int, dict[str, str]]:
        """What there is to read of those documents."""
        wanted = {"campaign": self.campaign, "places": [int(place) for place in places]}
        return {place: json.loads(content) for place, content in connection.execute(_TEXTS, wanted)}

    # stages and draws

    def stages(self, connection: Connection) -> Sequence[Row[Any]]:
        """Every stage, the first one first: number, settings, draws."""
        wanted = sa.select(*(t.stages.c[name] for name in ("number", "settings", "draws")))
        return connection.execute(wanted.where(t.stages.c.campaign == self.campaign).order_by("number")).all()

    def beliefs(self, connection: Connection, stage: int) -> bytes | None:
        """The beliefs that a stage was refitted to; None where they are the pool's own."""
        chosen = sa.select(t.stages.c.beliefs).where(t.stages.c.campaign == self.campaign, t.stages.c.number == stage)
        found = connection.execute(chosen).scalar_one()
        return None if found is None else bytes(found)

    def add_stage(self, connection: Connection, **columns: Any) -> None:
        """The next stage."""
        self._insert(connection, t.stages, [columns])

    def end_stage(self, connection: Connection, number: int, draws: int) -> None:
        """The stage is over, and its first so many draws count."""
        chosen = sa.update(t.stages).where(t.stages.c.campaign == self.campaign, t.stages.c.number == number)
        connection.execute(chosen.values(draws=draws))

    def draws(self, connection: Connection, stage: int) -> list[int]:
        """The queries of the draws that were begun in a stage."""
        chosen = sa.select(t.draws.c.query).where(t.draws.c.campaign == self.campaign, t.draws.c.stage == stage)
        return list(connection.execute(chosen.order_by(t.draws.c.number)).scalars())

    def add_draws(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Draws that begin."""
        self._insert(connection, t.draws, rows)

    # tasks, leases, labels

    def tasks(self, connection: Connection, after: int) -> Sequence[Row[Any]]:
        """The tasks that came after the one of that number."""
        return connection.execute(_TASKS, {"campaign": self.campaign, "after": after}).all()

    def add_tasks(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[SimpleNamespace]:
        """Documents that a draw asks for, with their numbers."""
        return self._numbered(connection, _ADD_TASKS, rows)

    def leases(self, connection: Connection, now: float) -> Sequence[Row[Any, Any, Any]]:
        """The leases that have not run out, the oldest first: id, place, assessor."""
        return connection.execute(_LEASES, {"campaign": self.campaign, "now": now}).all()

    def add_leases(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Documents in the hands of an assessor."""
        self._insert(connection, t.leases, rows)

    def end_leases(self, connection: Connection, held: Sequence[tuple[str, int]], now: float) -> None:
        """The leases of those assessors on those documents, run out as of now."""
        live = (t.leases.c.campaign == self.campaign, t.leases.c.until > now)
        for start in range(0, len(held), CHUNK):
            pairs = [(assessor, int(place)) for assessor, place in held[start : start + CHUNK]]
            some = sa.tuple_(t.leases.c.assessor, t.leases.c.place).in_(pairs)
            connection.execute(sa.update(t.leases).where(*live, some).values(until=now))

    def drop_leases(self, connection: Connection, numbers: Sequence[int], now: float) -> None:
        """The leases of those numbers, run out as of now."""
        for start in range(0, len(numbers), CHUNK):
            some = t.leases.c.id.in_(numbers[start : start + CHUNK])
            connection.execute(sa.update(t.leases).where(some).values(until=now))

    def labels(self, connection: Connection, after: int = 0) -> Sequence[Row[Any]]:
        """The labels that came after the one of that number, in the order in which they came."""
        return connection.execute(_LABELS, {"campaign": self.campaign, "after": after}).all()

    def add_labels(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> list[SimpleNamespace]:
        """Labels that came in, with their numbers."""
        return self._numbered(connection, _ADD_LABELS, rows)

    def _numbered(
        self, connection: Connection, statement: sa.Executable, rows: Sequence[Mapping[str, Any]]
    ) -> list[SimpleNamespace]:
        """The rows as they now stand, without a second question."""
        made: list[SimpleNamespace] = []
        for start in range(0, len(rows), CHUNK):
            some = [{"campaign": self.campaign, **row} for row in rows[start : start + CHUNK]]
            numbers = connection.execute(statement, some).scalars()
            made += [SimpleNamespace(id=number, **row) for number, row in zip(numbers, some, strict=True)]
        return made

    def _insert(self, connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
        for start in range(0, len(rows), CHUNK):
            some = [{"campaign": self.campaign, **row} for row in rows[start : start + CHUNK]]
            connection.execute(sa.insert(table), some)
