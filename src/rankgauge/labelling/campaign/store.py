"""The rows of a campaign: all of its SQL, which every database understands, and copies in other databases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import polars as pl
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, Row

from rankgauge.errors import GoneError, InputError, UnknownNameError
from rankgauge.labelling.campaign import parquet
from rankgauge.labelling.campaign import tables as t
from rankgauge.labelling.campaign.database import reading, writing
from rankgauge.labelling.campaign.ledger import shown_names
from rankgauge.labelling.labels import Assessor, Identity, identity_of
from rankgauge.numeric import FloatArray

CHUNK = 5_000
"""How many rows go to the database at a time."""


def _later(table: sa.Table, after: str) -> sa.Select[Any]:
    chosen = sa.select(sa.func.max(table.c.id)).where(table.c.campaign == _CAMPAIGN)
    return chosen.where(table.c.id > sa.bindparam(after, type_=sa.BigInteger))


_CAMPAIGN = sa.bindparam("campaign", type_=sa.Integer)
_STAGES = sa.select(sa.func.count()).select_from(t.stages).where(t.stages.c.campaign == _CAMPAIGN)

# Statements that every answer needs are built once: building one takes as long as the database takes to reply.
_LOCK = sa.select(t.campaigns.c.paused).where(t.campaigns.c.id == _CAMPAIGN).with_for_update()
_OWN = t.campaigns.c.id == _CAMPAIGN
_NEWS = sa.select(
    sa.select(t.campaigns.c.name).where(_OWN).scalar_subquery().label("name"),
    sa.select(t.campaigns.c.settings).where(_OWN).scalar_subquery().label("settings"),
    _STAGES.scalar_subquery().label("stages"),
    _STAGES.where(t.stages.c.draws.is_not(None)).scalar_subquery().label("over"),
    _later(t.tasks, "last_task").scalar_subquery().label("task"),
    _later(t.labels, "last_label").scalar_subquery().label("label"),
)

_TEXTS = sa.select(t.texts.c.place, t.texts.c.content).where(
    t.texts.c.campaign == _CAMPAIGN, t.texts.c.place.in_(sa.bindparam("places", expanding=True))
)
_LEASES = (
    sa.select(*(t.leases.c[name] for name in ("id", "place", "assessor", "person", "made", "until")))
    .where(t.leases.c.campaign == _CAMPAIGN, t.leases.c.until > sa.bindparam("since", type_=sa.Double))
    .where(t.leases.c.until > t.leases.c.made)
    .order_by(t.leases.c.id)
)
_HAD = (
    sa.select(t.leases.c.place, t.leases.c.assessor, t.leases.c.person)
    .where(t.leases.c.campaign == _CAMPAIGN, t.leases.c.place.in_(sa.bindparam("places", expanding=True)))
    .distinct()
)
_TASKS, _LABELS = (
    sa.select(table)
    .where(table.c.campaign == _CAMPAIGN, table.c.id > sa.bindparam("after", type_=sa.BigInteger))
    .order_by(table.c.id)
    for table in (t.tasks, t.labels)
)
_ADD = {table: sa.insert(table).returning(table.c.id, sort_by_parameter_order=True) for table in (t.tasks, t.labels)}


def names(connection: Connection) -> list[str]:
    """Return the campaigns of a database, in the order in which they were made."""
    if not sa.inspect(connection).has_table(t.campaigns.name):
        return []
    return list(connection.execute(sa.select(t.campaigns.c.name).order_by(t.campaigns.c.id)).scalars())


def make(connection: Connection, **columns: Any) -> Store:
    """Make a new campaign, and the tables if the database has none."""
    t.metadata.create_all(connection)
    if columns["name"] in names(connection):
        taken = f"there is a campaign called {columns['name']!r} already"
        raise InputError(taken, hint="Choose another file, or another name.")
    done = connection.execute(sa.insert(t.campaigns).values(format=t.FORMAT, paused=False, **columns))
    assert done.inserted_primary_key is not None
    return Store(campaign=done.inserted_primary_key[0])


@dataclass(frozen=True, kw_only=True)
class Store:
    """The rows of one campaign."""

    campaign: int

    @classmethod
    def find(cls, connection: Connection, name: str | None) -> Store:
        """Return the campaign of that name, or the only one that there is."""
        known = names(connection)
        if not known:
            raise InputError("there is no campaign in it", hint="rankgauge active plan makes one.")
        if name is None and len(known) > 1:
            several = f"there are {len(known)} campaigns in it: {', '.join(known)}"
            raise InputError(several, hint="Name one after the URL: …#name")
        if name is not None and name not in known:
            raise UnknownNameError("campaign", name, known)
        chosen = sa.select(t.campaigns.c.id).where(t.campaigns.c.name == (name or known[0]))
        return cls(campaign=connection.execute(chosen).scalar_one())

    def row(self, connection: Connection) -> Row[Any]:
        """Return the campaign's own row."""
        row = connection.execute(sa.select(t.campaigns).where(t.campaigns.c.id == self.campaign)).first()
        if row is None:
            raise GoneError("there is no such campaign any more")
        if row.format > t.FORMAT:
            later = f"the campaign has format {row.format}, and this version knows {t.FORMAT}"
            raise InputError(later, hint="Install a newer RankGauge.")
        return row

    def lock(self, connection: Connection) -> bool:
        """Lock the campaign until this transaction ends, and say whether it is paused.

        SQLite locked its file when the transaction began; a server locks the row.
        """
        return bool(connection.execute(_LOCK, {"campaign": self.campaign}).scalar())

    def news(self, connection: Connection, task: int, label: int) -> Row[Any, Any, Any, Any, Any, Any]:
        """What is new, in one query: the name and the settings, how many stages there are and how many are over, and
        the number of the last task and label, None if there is none after the given numbers."""
        return connection.execute(_NEWS, {"campaign": self.campaign, "last_task": task, "last_label": label}).one()

    def rename(self, connection: Connection, name: str) -> None:
        """Give the campaign another name."""
        if name != self.row(connection).name and name in names(connection):
            raise InputError(f"there is a campaign called {name!r} already", hint="Choose another name.")
        self.change(connection, name=name)

    def change(self, connection: Connection, **columns: Any) -> None:
        """Change columns of the campaign's own row."""
        connection.execute(sa.update(t.campaigns).where(t.campaigns.c.id == self.campaign).values(**columns))

    def delete(self, connection: Connection) -> None:
        """Delete the campaign with everything that belongs to it."""
        for table in reversed(t.metadata.sorted_tables):
            if table is not t.campaigns:
                connection.execute(sa.delete(table).where(table.c.campaign == self.campaign))
        connection.execute(sa.delete(t.campaigns).where(t.campaigns.c.id == self.campaign))

    # pool

    def add_pool(self, connection: Connection, content: bytes, texts: pl.DataFrame | None) -> None:
        """Write a packed pool, and what there is to read of each document."""
        connection.execute(sa.insert(t.pools).values(campaign=self.campaign, content=content))
        rows = [
            {"place": place, "content": json.dumps(text, ensure_ascii=False)}
            for place, row in enumerate([] if texts is None else texts.iter_rows(named=True))
            if (text := {name: str(value) for name, value in row.items() if value is not None})
        ]
        self.add(connection, t.texts, rows)

    def pool(self, connection: Connection) -> bytes:
        """Return the packed pool, without its texts."""
        content = connection.execute(sa.select(t.pools.c.content).where(t.pools.c.campaign == self.campaign))
        return bytes(content.scalar_one())

    def texts(self, connection: Connection, places: Sequence[int]) -> dict[int, dict[str, str]]:
        """Return what there is to read of these documents."""
        wanted = {"campaign": self.campaign, "places": [int(place) for place in places]}
        return {place: json.loads(content) for place, content in connection.execute(_TEXTS, wanted)}

    # stages and draws

    def stages(self, connection: Connection) -> Sequence[Row[Any]]:
        """Return the stages in their order: number, settings, draws."""
        wanted = sa.select(*(t.stages.c[name] for name in ("number", "settings", "draws")))
        return connection.execute(wanted.where(t.stages.c.campaign == self.campaign).order_by("number")).all()

    def beliefs(self, connection: Connection, stage: int) -> FloatArray | None:
        """Return the beliefs that a stage was refitted to; None if they are the pool's own."""
        chosen = sa.select(t.stages.c.beliefs).where(t.stages.c.campaign == self.campaign, t.stages.c.number == stage)
        beliefs = connection.execute(chosen).scalar_one()
        return None if beliefs is None else parquet.unpack_beliefs(bytes(beliefs))

    def add_stage(self, connection: Connection, *, beliefs: FloatArray | None = None, **columns: Any) -> None:
        """Write the next stage."""
        packed = None if beliefs is None else parquet.pack_beliefs(beliefs)
        self.add(connection, t.stages, [columns | {"beliefs": packed}])

    def change_stage(self, connection: Connection, number: int, **columns: Any) -> None:
        """Change columns of a stage's row."""
        chosen = sa.update(t.stages).where(t.stages.c.campaign == self.campaign, t.stages.c.number == number)
        connection.execute(chosen.values(**columns))

    def draws(self, connection: Connection, stage: int) -> list[int]:
        """Return the queries of the draws that were begun in a stage."""
        chosen = sa.select(t.draws.c.query).where(t.draws.c.campaign == self.campaign, t.draws.c.stage == stage)
        return list(connection.execute(chosen.order_by(t.draws.c.number)).scalars())

    # tasks, leases, labels

    def tasks(self, connection: Connection, after: int) -> Sequence[Row[Any]]:
        """Return the tasks after the one with that number."""
        return connection.execute(_TASKS, {"campaign": self.campaign, "after": after}).all()

    def leases(self, connection: Connection, since: float) -> Sequence[Row[Any]]:
        """Return the leases that end after that moment, the oldest first: id, place, assessor, person, made, until.

        Those that were ended early are left out: a busy room has thousands of them.
        """
        return connection.execute(_LEASES, {"campaign": self.campaign, "since": since}).all()

    def holders(self, connection: Connection, places: Sequence[int]) -> Iterator[Row[Any, Any, Any]]:
        """Who has, or once had, each of these documents on lease: place, assessor, person."""
        for start in range(0, len(places), CHUNK):
            some = [int(place) for place in places[start : start + CHUNK]]
            yield from connection.execute(_HAD, {"campaign": self.campaign, "places": some})

    def first_leases(self, connection: Connection) -> Sequence[Row[Any, Any, Any, Any]]:
        """When each assessor had each document on lease for the first time: place, assessor, person, made."""
        who = (t.leases.c.place, t.leases.c.assessor, t.leases.c.person)
        chosen = sa.select(*who, sa.func.min(t.leases.c.made).label("made")).group_by(*who)
        return connection.execute(chosen.where(t.leases.c.campaign == self.campaign)).all()

    def first_leases_of(
        self, connection: Connection, who: Assessor, places: Sequence[int] | None = None
    ) -> dict[int, int]:
        """By document, the number of the first lease that the assessor had of it; of these documents, or of all."""
        lease = t.leases.c
        unnumbered = (lease.assessor == who.name) & lease.person.is_(None)
        mine = unnumbered if who.person is None else lease.person == who.person
        chosen = sa.select(lease.place, sa.func.min(lease.id).label("first"))
        chosen = chosen.where(lease.campaign == self.campaign, mine)
        if places is not None:
            chosen = chosen.where(lease.place.in_([int(place) for place in places]))
        return {row.place: row.first for row in connection.execute(chosen.group_by(lease.place))}

    def end_leases(self, connection: Connection, numbers: Sequence[int]) -> None:
        """End the leases with these numbers early, as if they had ended when they began."""
        for start in range(0, len(numbers), CHUNK):
            some = t.leases.c.id.in_(numbers[start : start + CHUNK])
            connection.execute(sa.update(t.leases).where(some).values(until=t.leases.c.made))

    def labels(self, connection: Connection, after: int = 0) -> Sequence[Row[Any]]:
        """Return the labels after the one with that number, in the order in which they came."""
        return connection.execute(_LABELS, {"campaign": self.campaign, "after": after}).all()

    def add_numbered(
        self, connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]
    ) -> list[SimpleNamespace]:
        """Write tasks or labels, and return the rows with their numbers, in one query."""
        made: list[SimpleNamespace] = []
        for start in range(0, len(rows), CHUNK):
            some = [{"campaign": self.campaign, **row} for row in rows[start : start + CHUNK]]
            numbers = connection.execute(_ADD[table], some).scalars()
            made += [SimpleNamespace(id=number, **row) for number, row in zip(numbers, some, strict=True)]
        return made

    def add(self, connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows of the campaign into one of its tables."""
        for start in range(0, len(rows), CHUNK):
            some = [{"campaign": self.campaign, **row} for row in rows[start : start + CHUNK]]
            connection.execute(sa.insert(table), some)


def transfer(source: Engine, store: Store, target: Engine, *, name: str | None = None) -> Store:
    """Copy a campaign to another database, under its own name or another, all or nothing: with the whole history of
    its labels, and with its stopping rule, as only a confidence sequence holds under one.

    The numbers of people mean somebody else in another room, so that assessors are known by their names in the copy;
    where several have one name, each gets another.
    """
    with reading(source) as there, writing(target) as here:
        row = store.row(there)
        made = make(here, name=name or row.name, made=row.made, settings=row.settings)
        made.change(here, paused=row.paused)
        called = _call_everybody(there, store)
        for table in (t.pools, t.texts, t.stages, t.draws, t.tasks, t.leases):
            for rows in _read(there, table, store):
                made.add(here, table, [_renumber(row, called) for row in rows])
        numbers: dict[int, int] = {}
        for row in (row for rows in _read(there, t.labels, store) for row in rows):
            moved = _renumber(row, called) | {"replaces": numbers.get(row.replaces)}
            numbers[row.id] = made.add_numbered(here, t.labels, [moved])[0].id
        _copy_stop(there, here, store, made)
    return made


def _call_everybody(there: Connection, store: Store) -> dict[Identity, str]:
    """Return a name of their own for everybody in the campaign; it is the last one that somebody had."""
    names: dict[Identity, str] = {}
    for table in (t.leases, t.labels):
        chosen = sa.select(table.c.assessor, table.c.person).where(table.c.campaign == store.campaign)
        names |= {identity_of(row): row.assessor for row in there.execute(chosen.order_by(table.c.id))}
    return shown_names(names)


def _read(there: Connection, table: sa.Table, store: Store) -> Iterator[Sequence[Row[Any]]]:
    order = [column for column in table.primary_key.columns if column.name != "campaign"]
    chosen = sa.select(table).where(table.c.campaign == store.campaign).order_by(*order)
    return there.execute(chosen).partitions(CHUNK)


def _renumber(row: Row[Any], called: Mapping[Identity, str]) -> dict[str, Any]:
    """Return the row for another database, which gives it numbers of its own."""
    kept = {name: value for name, value in row._mapping.items() if name not in ("id", "campaign")}
    if "assessor" in kept:
        kept["assessor"] = called[identity_of(row)]
    return kept | {name: None for name in ("person", "sender") if name in kept}


def _copy_stop(there: Connection, here: Connection, store: Store, made: Store) -> None:
    """Copy the stopping rule without the guidelines; a campaign without one has no rules in its file."""
    if not sa.inspect(there).has_table(t.rules.name):
        return
    stop_at = there.scalar(sa.select(t.rules.c.stop_at).where(t.rules.c.campaign == store.campaign))
    if stop_at is not None:
        t.rules.create(here, checkfirst=True)
        here.execute(sa.insert(t.rules).values(campaign=made.campaign, stop_at=stop_at, guide="{}"))
