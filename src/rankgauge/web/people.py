"""Who is in the room: people, the links that let them in, their sessions and their programs' tokens."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from rankgauge.active.campaign.checks import is_writable
from rankgauge.active.campaign.database import reading, writing
from rankgauge.errors import InputError
from rankgauge.web import credentials as keys
from rankgauge.web.settings import Settings, new_secret
from rankgauge.web.database import LINKS, PEOPLE, ROOM, SESSIONS, TOKENS

__all__ = ["People", "Person", "Role"]

HOUR, DAY = 3600.0, 86400.0

ENTRY_HOURS = 1.0
"""How long the admin's link works that `serve` prints."""


class Role(StrEnum):
    """What somebody may do."""

    ADMIN = "admin"
    ASSESSOR = "assessor"


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody who was let in."""

    id: int
    name: str
    role: Role
    campaign: int | None
    """The campaign that an assessor belongs to; None for an admin, who sees them all."""

    def may_see(self, campaign: int) -> bool:
        """Whether the campaign is any business of theirs."""
        return self.role is Role.ADMIN or self.campaign == campaign


class People:
    """The people of a database."""

    def __init__(self, engine: Engine, settings: Settings, *, clock: Callable[[], float] = time.time) -> None:
        self._engine, self._settings, self._clock = engine, settings, clock

    def secret(self) -> str:
        """What signs sessions: the setting, or what the room made for itself when it was first opened."""
        if self._settings.secret:
            return self._settings.secret
        kept = select(ROOM.c.value).where(ROOM.c.name == "secret")
        with reading(self._engine) as connection:
            found = connection.scalar(kept)
        if found is not None:
            return str(found)
        try:
            with writing(self._engine) as connection:
                connection.execute(insert(ROOM).values(name="secret", value=new_secret()))
        except IntegrityError:
            pass  # another process was quicker; its secret counts
        with reading(self._engine) as connection:
            return str(connection.execute(kept).scalar_one())

    def admin_link(self, name: str = "admin") -> str:
        """A secret that lets an admin in once, within the hour."""
        with writing(self._engine) as connection:
            person = self._add(connection, name, Role.ADMIN, None)
            return self._link(connection, person, once=True, seconds=ENTRY_HOURS * HOUR)

    def invite(self, campaign: int, name: str) -> tuple[Person, str]:
        """A new assessor of the campaign, and the secret of the link that is theirs."""
        with writing(self._engine) as connection:
            person = self._add(connection, name, Role.ASSESSOR, campaign)
            link = self._link(connection, person, once=False, seconds=self._settings.invite_days * DAY)
        return Person(id=person, name=name, role=Role.ASSESSOR, campaign=campaign), link

    def invite_again(self, person: int) -> str:
        """Another link for an assessor whose own was lost; the old ones no longer work."""
        with writing(self._engine) as connection:
            connection.execute(delete(LINKS).where(LINKS.c.person == person))
            return self._link(connection, person, once=False, seconds=self._settings.invite_days * DAY)

    def behind_link(self, secret: str) -> Person | None:
        """Whose link it is, if it still works."""
        with reading(self._engine) as connection:
            return _person(connection.execute(self._usable(secret)).first())

    def enter(self, secret: str) -> tuple[Person, str] | None:
        """Whoever the link lets in, and the new session; None where the link does not work (any more)."""
        with writing(self._engine) as connection:
            person = _person(connection.execute(self._usable(secret)).first())
            if person is None:
                return None
            used = update(LINKS).where(LINKS.c.hash == keys.hashed(secret))
            # Of two who open a one-time link at once, one marks it as used.
            if (
                connection.execute(
                    used.where(~LINKS.c.once | LINKS.c.used.is_(None)).values(used=self._clock())
                ).rowcount
                != 1
            ):
                return None
            return person, self._session(connection, person.id)

    def in_session(self, session: str) -> Person | None:
        """Whose session it is, if it is not over."""
        shown = {"hash": keys.hashed(session), "now": self._clock()}
        with reading(self._engine) as connection:
            return _person(connection.execute(_IN_SESSION, shown).first())

    def leave(self, session: str) -> None:
        """The end of a session."""
        with writing(self._engine) as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.hash == keys.hashed(session)))

    def new_token(self, person: int, name: str) -> str:
        """A token by which a program acts as the person; it is shown this once."""
        token = keys.fresh("rgt")
        row = {"hash": keys.hashed(token), "person": person, "name": name, "created": self._clock()}
        with writing(self._engine) as connection:
            connection.execute(insert(TOKENS).values(**row))
        return token

    def behind_token(self, token: str) -> Person | None:
        """Whose token it is, if it was not revoked."""
        with reading(self._engine) as connection:
            return _person(connection.execute(_BEHIND_TOKEN, {"hash": keys.hashed(token)}).first())

    def tokens(self, person: int) -> Sequence[Any]:
        """The tokens of a person: id, name, created, revoked."""
        wanted = select(TOKENS.c.id, TOKENS.c.name, TOKENS.c.created, TOKENS.c.revoked)
        with reading(self._engine) as connection:
            return connection.execute(wanted.where(TOKENS.c.person == person).order_by(TOKENS.c.id)).all()

    def revoke_token(self, person: int, token: int) -> bool:
        """Whether the person had such a token; it works no longer."""
        revoked = update(TOKENS).where(TOKENS.c.id == token, TOKENS.c.person == person)
        with writing(self._engine) as connection:
            return connection.execute(revoked.values(revoked=self._clock())).rowcount == 1

    def assessors(self, campaign: int) -> Sequence[Any]:
        """The assessors of a campaign: id, name, created, revoked, and when their link was last used."""
        wanted = (
            select(PEOPLE.c.id, PEOPLE.c.name, PEOPLE.c.created, PEOPLE.c.revoked, LINKS.c.used)
            .outerjoin(LINKS, LINKS.c.person == PEOPLE.c.id)
            .where(PEOPLE.c.campaign == campaign)
            .order_by(PEOPLE.c.id)
        )
        with reading(self._engine) as connection:
            return connection.execute(wanted).all()

    def revoke(self, campaign: int, person: int) -> bool:
        """Whether the campaign had such an assessor; link, sessions and tokens work no longer, labels stay."""
        wanted = update(PEOPLE).where(PEOPLE.c.id == person, PEOPLE.c.campaign == campaign)
        with writing(self._engine) as connection:
            return connection.execute(wanted.values(revoked=self._clock())).rowcount == 1

    def _add(self, connection: Connection, name: str, role: Role, campaign: int | None) -> int:
        if not is_writable(name):
            raise InputError("a name holds a character that is none", text=name.encode(errors="replace").decode())
        row = {"name": name, "role": role.value, "campaign": campaign, "created": self._clock()}
        return int(connection.execute(insert(PEOPLE).values(**row).returning(PEOPLE.c.id)).scalar_one())

    def _link(self, connection: Connection, person: int, *, once: bool, seconds: float) -> str:
        secret = keys.fresh("rgl")
        row = {"hash": keys.hashed(secret), "person": person, "once": once, "expires": self._clock() + seconds}
        connection.execute(insert(LINKS).values(**row))
        return secret

    def _session(self, connection: Connection, person: int) -> str:
        session, now = keys.fresh("rgs"), self._clock()
        connection.execute(delete(SESSIONS).where(SESSIONS.c.expires <= now))
        row = {"hash": keys.hashed(session), "person": person, "expires": now + self._settings.session_hours * HOUR}
        connection.execute(insert(SESSIONS).values(**row))
        return session

    def _usable(self, secret: str) -> Select[Any]:
        return (
            _people()
            .join(LINKS, LINKS.c.person == PEOPLE.c.id)
            .where(
                LINKS.c.hash == keys.hashed(secret),
                LINKS.c.expires > self._clock(),
                ~LINKS.c.once | LINKS.c.used.is_(None),
                PEOPLE.c.revoked.is_(None),
            )
        )


def _people() -> Select[Any]:
    return select(PEOPLE.c.id, PEOPLE.c.name, PEOPLE.c.role, PEOPLE.c.campaign)


# Each request asks one of these; to put it together takes as long as the database takes to reply.
_IN_SESSION = (
    _people()
    .join(SESSIONS, SESSIONS.c.person == PEOPLE.c.id)
    .where(SESSIONS.c.hash == bindparam("hash"), SESSIONS.c.expires > bindparam("now"), PEOPLE.c.revoked.is_(None))
)
_BEHIND_TOKEN = (
    _people()
    .join(TOKENS, TOKENS.c.person == PEOPLE.c.id)
    .where(TOKENS.c.hash == bindparam("hash"), TOKENS.c.revoked.is_(None), PEOPLE.c.revoked.is_(None))
)


def _person(row: Row[Any] | None) -> Person | None:
    return None if row is None else Person(id=row.id, name=row.name, role=Role(row.role), campaign=row.campaign)
