"""People are known by their numbers, labels have an origin, tokens expire.

Earlier rooms knew assessors by their names. A label belongs to the person who sent it, which its key says, or to the
only person of that name in its campaign; where neither is known, the name alone stays. Each start of the room made
another administrator: those of one name become one.
"""

import time
from collections import defaultdict
from typing import Any

import sqlalchemy as sa
from alembic import op

from rankgauge.room.migrations.steps import add_columns, add_index

revision = "0002"
down_revision = "0001"

TOKEN_DAYS = 90
"""For how many more days tokens work that were made to last for ever."""

SETTLED_BY = "settled by "
"""How the name of who settled a disagreement began."""

PEOPLE = sa.table("people", *map(sa.column, ("id", "name", "role", "campaign", "created")))
LABELS = sa.table(
    "labels", *map(sa.column, ("id", "campaign", "assessor", "kind", "key", "person", "sender", "origin"))
)
LEASES = sa.table("leases", *map(sa.column, ("id", "campaign", "assessor", "person")))
TOKENS = sa.table("tokens", *map(sa.column, ("person", "expires")))


def upgrade() -> None:
    """The columns, and what is known for the rows that there are."""
    add_columns("leases", sa.Column("person", sa.Integer))
    add_columns("labels", sa.Column("person", sa.Integer), sa.Column("sender", sa.Integer))
    add_columns("labels", sa.Column("origin", sa.String(20), nullable=False, server_default="unknown"))
    add_index("leases_of_document", "leases", "campaign", "place")
    add_columns("tokens", sa.Column("expires", sa.Double))
    connection = op.get_bind()
    connection.execute(sa.update(TOKENS).values(expires=time.time() + TOKEN_DAYS * 86400))
    admins = _merge_admins(connection)
    _attribute(connection, admins)


def _merge_admins(connection: sa.Connection) -> dict[int, int]:
    """Makes one person of the administrators of one name; gives the number that each of them has now."""
    first, became = dict[str, int](), dict[int, int]()
    rows = connection.execute(sa.select(PEOPLE).where(PEOPLE.c.role == "admin").order_by(PEOPLE.c.id)).all()
    for row in rows:
        became[row.id] = first.setdefault(row.name, row.id)
    for old, new in became.items():
        if old != new:
            for name in ("links", "sessions", "tokens"):
                table = sa.table(name, sa.column("person"))
                connection.execute(sa.update(table).where(table.c.person == old).values(person=new))
            connection.execute(sa.delete(PEOPLE).where(PEOPLE.c.id == old))
    return became


def _attribute(connection: sa.Connection, admins: dict[int, int]) -> None:
    """Gives labels and leases the numbers of their people."""
    people = {row.id: row for row in connection.execute(sa.select(PEOPLE))}
    named = _named(people.values())
    for row in connection.execute(sa.select(LABELS)).all():
        settles = row.kind == "settled"
        name = row.assessor.removeprefix(SETTLED_BY) if settles else row.assessor
        sender = _sender(row.key, admins, people)
        if sender is None:
            found = _called(named, None if settles else row.campaign, name)
        else:  # or an administrator sent it in another's name
            found = sender if people[sender].name == name else None
        if settles or found is not None:
            changed = {"assessor": name, "person": found, "origin": "adjudicated" if settles else row.origin}
            connection.execute(sa.update(LABELS).where(LABELS.c.id == row.id).values(**changed))
    for row in connection.execute(sa.select(LEASES)).all():
        found = _called(named, row.campaign, row.assessor)
        if found is not None:
            connection.execute(sa.update(LEASES).where(LEASES.c.id == row.id).values(person=found))


def _called(named: dict[tuple[int | None, str], int | None], campaign: int | None, name: str) -> int | None:
    """The only person of that name in the campaign, or the administrator of that name."""
    return named[campaign, name] if (campaign, name) in named else named.get((None, name))


def _named(people: Any) -> dict[tuple[int | None, str], int | None]:
    """The person of each campaign and name; None where there are several, also where an administrator has the name."""
    found = defaultdict[tuple[int | None, str], list[int]](list)
    for row in people:
        found[None if row.role == "admin" else row.campaign, row.name].append(row.id)
    admins = {name for campaign, name in found if campaign is None}
    return {
        (campaign, name): numbers[0] if len(numbers) == 1 and (campaign is None or name not in admins) else None
        for (campaign, name), numbers in found.items()
    }


def _sender(key: str | None, admins: dict[int, int], people: dict[int, Any]) -> int | None:
    """Whose key it is: rooms put the sender's number before it."""
    number = (key or "").partition(":")[0]
    if not (key and number.isdecimal() and len(number) < 10):
        return None
    found = admins.get(int(number), int(number))
    return found if found in people else None
