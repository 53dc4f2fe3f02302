"""People of the room: who they are, the links that sign them in, their sessions and API tokens.

A person is known by their number. Two people may have one name, and no name gives anybody another's rights or labels.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Delete, Engine, Select, Update, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from rankgauge.errors import InputError, RefusedError, UnavailableError
from rankgauge.labelling.campaign.database import reading, writing
from rankgauge.labelling.campaign.labels import is_name
from rankgauge.labelling.labels import Assessor
from rankgauge.room.credentials import hash_secret, new_secret, new_signing_key
from rankgauge.room.database import LINKS, PEOPLE, ROOM, SESSIONS, TOKENS
from rankgauge.room.log import note
from rankgauge.room.settings import RoomSettings


class Permission(StrEnum):
    """Something that a person may do; all but the last within their own campaign."""

    JUDGE = "judge"
    """Be handed documents, and answer those."""
    WATCH = "watch"
    """See estimates, labels and who gave them; download them."""
    IMPORT = "import"
    """Record labels from elsewhere, for documents that were not handed out, in others' names."""
    MANAGE = "manage"
    """Change rules, pause, invite and revoke, settle disagreements."""
    ADMINISTER = "administer"
    """Make campaigns, and do everything in all of them."""


class Role(StrEnum):
    """The role of a person: an admin belongs to the room, everybody else to one campaign."""

    ADMIN = "admin"
    MANAGER = "manager"
    ASSESSOR = "assessor"
    VIEWER = "viewer"

    def may(self, permission: Permission) -> bool:
        """Say whether people of this role may do that."""
        return permission in PERMISSIONS[self]


PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.ADMIN: frozenset(Permission),
    Role.MANAGER: frozenset(Permission) - {Permission.ADMINISTER},
    Role.ASSESSOR: frozenset({Permission.JUDGE}),
    Role.VIEWER: frozenset({Permission.WATCH}),
}

WORDS: Mapping[Role, str] = {
    Role.ADMIN: "makes campaigns, and does everything in all of them",
    Role.MANAGER: "runs this campaign: rules, people, imports, disagreements",
    Role.ASSESSOR: "judges what is handed out, and sees nothing else",
    Role.VIEWER: "sees this campaign and its labels, and changes nothing",
}
"""What the roles are for, in the words of the pages."""


MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0

ADMIN_LINK_HOURS = 1.0
"""How long the admin's link works that `serve` prints."""

REMEMBERED_DAYS = 30.0
"""For how long a session that has ended is remembered, so that a page can say what happened and how to go on."""

MOST_TOKENS = 20
"""How many tokens that work one person may have."""


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody who is signed in, or could be."""

    id: int
    name: str
    role: Role
    campaign: int | None
    """The campaign that the person belongs to; None for an admin, who belongs to the room."""

    @property
    def assessor(self) -> Assessor:
        """The person as an assessor."""
        return Assessor(name=self.name, person=self.id)

    def may(self, permission: Permission) -> bool:
        """Say whether the person may do that, in the campaign that they belong to."""
        return self.role.may(permission)

    def belongs_to(self, campaign: int) -> bool:
        """Say whether the campaign is there for the person."""
        return self.role is Role.ADMIN or self.campaign == campaign


# Every request runs one of these, and building the statement takes as long as running it.
_PEOPLE = select(PEOPLE.c.id, PEOPLE.c.name, PEOPLE.c.role, PEOPLE.c.campaign).where(PEOPLE.c.revoked.is_(None))
_BY_LINK, _BY_SESSION, _BY_TOKEN = (
    _PEOPLE.join(table, table.c.person == PEOPLE.c.id).where(
        table.c.hash == bindparam("hash"), table.c.expires > bindparam("now"), *more
    )
    for table, more in (
        (LINKS, (~LINKS.c.once | LINKS.c.used.is_(None),)),
        (SESSIONS, ()),
        (TOKENS, (TOKENS.c.revoked.is_(None),)),
    )
)


class People:
    """The people in a room's database."""

    def __init__(self, engine: Engine, settings: RoomSettings, *, clock: Callable[[], float] = time.time) -> None:
        self._engine, self._settings, self._wall = engine, settings, clock
        self._latest = self._stored = 0.0

    def _clock(self) -> float:
        """Return the time, which never goes back: what has expired stays so if the clock is set back."""
        self._latest = max(self._wall(), self._latest)
        return self._latest

    def remember_time(self) -> None:
        """Store the latest time that was seen, once a minute, and learn what other processes have seen."""
        if self._clock() - self._stored < MINUTE:
            return
        kept = ROOM.c.name == "latest time"
        with suppress(IntegrityError, UnavailableError), writing(self._engine) as connection:
            known = connection.scalar(select(ROOM.c.value).where(kept))
            self._latest = self._stored = max(self._latest, float(known or 0.0))
            if known is None:
                connection.execute(insert(ROOM).values(name="latest time", value=repr(self._latest)))
            else:
                connection.execute(update(ROOM).where(kept).values(value=repr(self._latest)))

    def signing_key(self) -> str:
        """The key that signs sessions: from the settings, or the one that the room made when it was first opened."""
        if self._settings.secret:
            return self._settings.secret
        kept = select(ROOM.c.value).where(ROOM.c.name == "secret")
        # If another process is faster, both use its key.
        with suppress(IntegrityError), writing(self._engine) as connection:
            if connection.scalar(kept) is None:
                connection.execute(insert(ROOM).values(name="secret", value=new_signing_key()))
        with reading(self._engine) as connection:
            return str(connection.execute(kept).scalar_one())

    # signing in

    def admin_link(self, name: str = "admin") -> str:
        """Return the secret of a link that signs the admin of that name in once, within the hour.

        The admin is the same person each time, and nobody else, whoever is called the same.
        """
        chosen = (PEOPLE.c.role == Role.ADMIN.value, PEOPLE.c.revoked.is_(None), PEOPLE.c.name == name)
        with writing(self._engine) as connection:
            known = connection.scalar(select(PEOPLE.c.id).where(*chosen).order_by(PEOPLE.c.id).limit(1))
            person = self._add(connection, name, Role.ADMIN, None) if known is None else int(known)
            return self._link(connection, person, once=True, seconds=ADMIN_LINK_HOURS * HOUR)

    def by_link(self, secret: str) -> Person | None:
        """Return the owner of a link; None if it is not valid, or has expired."""
        self.remember_time()
        return self._owner(_BY_LINK, secret, self._clock())

    def by_session(self, session: str) -> Person | None:
        """Whose session it is; None if it is over."""
        self.remember_time()
        return self._owner(_BY_SESSION, session, self._clock())

    def by_ended_session(self, session: str) -> Person | None:
        """Whose session it was that has run out; None if it ended otherwise, or long ago."""
        return self._owner(_BY_SESSION, session, self._clock() - REMEMBERED_DAYS * DAY)

    def by_token(self, token: str) -> Person | None:
        """Return the owner of a token; None if it does not exist, has expired or was revoked."""
        self.remember_time()
        return self._owner(_BY_TOKEN, token, self._clock())

    def enter(self, secret: str) -> tuple[Person, str] | None:
        """Return the owner of a link and a new session; None if the link is not valid, or has expired."""
        person, session = self.by_link(secret), ""  # strangers lock nothing
        if person is not None:
            with writing(self._engine) as connection:
                # If two browsers open a one-time link at once, only one of them finds it unused.
                mine = (LINKS.c.hash == hash_secret(secret), ~LINKS.c.once | LINKS.c.used.is_(None))
                if connection.execute(update(LINKS).where(*mine).values(used=self._clock())).rowcount == 1:
                    session = self._session(connection, person.id)
        if person is None or not session:
            note("sign-in refused")
            return None
        note("signed in", person=person.id, role=person.role.value)
        return person, session

    def enter_as(self, subject: str, name: str, role: Role, campaign: int | None) -> str:
        """Return a new session for somebody whom a provider has named, with the role that it says they have now."""
        shown = name if is_name(name) else "somebody"
        facts = {"name": shown, "role": role.value, "campaign": campaign, "revoked": None}
        with writing(self._engine) as connection:
            known = connection.scalar(select(PEOPLE.c.id).where(PEOPLE.c.subject == subject))
            person = self._add(connection, shown, role, campaign) if known is None else int(known)
            connection.execute(update(PEOPLE).where(PEOPLE.c.id == person).values(subject=subject, **facts))
            session = self._session(connection, person)
        note("signed in", person=person, role=role.value, campaign=campaign, by="single sign-on")
        return session

    def revoke_subject(self, subject: str) -> None:
        """Revoke the access of somebody to whom a provider gives no role any more."""
        gone = update(PEOPLE).where(PEOPLE.c.subject == subject, PEOPLE.c.revoked.is_(None))
        self._change(gone.values(revoked=self._clock()))
        note("sign-in refused", by="single sign-on")

    def leave(self, session: str) -> None:
        """End a session."""
        note("signed out")
        self._change(delete(SESSIONS).where(SESSIONS.c.hash == hash_secret(session)))

    # the people of a campaign

    def of_campaign(self, campaign: int) -> Sequence[Any]:
        """Return the people of a campaign: id, name, role, created, revoked, and when they last used their link."""
        columns = [PEOPLE.c[name] for name in ("id", "name", "role", "created", "revoked")]
        wanted = select(*columns, LINKS.c.used).outerjoin(LINKS, LINKS.c.person == PEOPLE.c.id)
        return self._rows(wanted.where(PEOPLE.c.campaign == campaign).order_by(PEOPLE.c.id))

    def invite(self, campaign: int, name: str, role: Role = Role.ASSESSOR) -> tuple[Person, str]:
        """Return a new person of the campaign, and the secret of their link."""
        assert role is not Role.ADMIN, "an admin belongs to no campaign, and pages and calls offer no such role"
        name = name.strip()
        with writing(self._engine) as connection:
            person = self._add(connection, name, role, campaign)
            link = self._link(connection, person, once=False, seconds=self._settings.invite_days * DAY)
        note("invited", guest=person, role=role.value, campaign=campaign)
        return Person(id=person, name=name, role=role, campaign=campaign), link

    def invite_again(self, person: int) -> str:
        """Return a new link for somebody who lost theirs.

        The old one stops working, and so does all that came of it: whoever found it may have made tokens.
        """
        note("invited again", guest=person)
        with writing(self._engine) as connection:
            connection.execute(delete(LINKS).where(LINKS.c.person == person))
            connection.execute(delete(SESSIONS).where(SESSIONS.c.person == person))
            tokens = update(TOKENS).where(TOKENS.c.person == person, TOKENS.c.revoked.is_(None))
            connection.execute(tokens.values(revoked=self._clock()))
            return self._link(connection, person, once=False, seconds=self._settings.invite_days * DAY)

    def set_role(self, campaign: int, person: int, role: Role) -> bool:
        """Give somebody of the campaign another role; False if there is no such person."""
        assert role is not Role.ADMIN, "see above"
        mine = (PEOPLE.c.id == person, PEOPLE.c.campaign == campaign, PEOPLE.c.revoked.is_(None))
        note("role changed", guest=person, role=role.value, campaign=campaign)
        return self._change(update(PEOPLE).where(*mine).values(role=role.value))

    def revoke(self, campaign: int, person: int) -> bool:
        """Revoke a person's link, sessions and tokens, and keep the labels; False if there is no such person."""
        wanted = update(PEOPLE).where(PEOPLE.c.id == person, PEOPLE.c.campaign == campaign)
        note("revoked", guest=person, campaign=campaign)
        return self._change(wanted.values(revoked=self._clock()))

    # tokens

    def new_token(self, person: int, name: str) -> str:
        """Return a new token with which a program acts as the person; refused if they have too many that work."""
        token, now = new_secret("rgt"), self._clock()
        until = now + self._settings.token_days * DAY
        row = {"hash": hash_secret(token), "person": person, "name": name, "created": now, "expires": until}
        mine = (TOKENS.c.person == person, TOKENS.c.revoked.is_(None), TOKENS.c.expires > now)
        with writing(self._engine) as connection:
            connection.execute(select(PEOPLE.c.id).where(PEOPLE.c.id == person).with_for_update())
            if len(connection.execute(select(TOKENS.c.id).where(*mine)).all()) >= MOST_TOKENS:
                problem = f"you have {MOST_TOKENS} tokens that work, and nobody may have more"
                raise RefusedError(problem, hint="Revoke one that you do not need.")
            connection.execute(insert(TOKENS).values(**row))
        note("token made", owner=person)
        return token

    def tokens(self, person: int) -> Sequence[Any]:
        """Return a person's tokens: id, name, created, expires, revoked."""
        wanted = select(*(TOKENS.c[name] for name in ("id", "name", "created", "expires", "revoked")))
        return self._rows(wanted.where(TOKENS.c.person == person).order_by(TOKENS.c.id))

    def campaign_tokens(self, campaign: int) -> Sequence[Any]:
        """The tokens of a campaign's people that work: id, name, created, expires, and the person with their name."""
        columns = [TOKENS.c[name] for name in ("id", "name", "created", "expires", "person")]
        works = (TOKENS.c.revoked.is_(None), TOKENS.c.expires > self._clock(), PEOPLE.c.revoked.is_(None))
        wanted = select(*columns, PEOPLE.c.name.label("owner")).join(PEOPLE, TOKENS.c.person == PEOPLE.c.id)
        return self._rows(wanted.where(PEOPLE.c.campaign == campaign, *works).order_by(TOKENS.c.id))

    def revoke_token(self, person: int, token: int) -> bool:
        """Revoke a token; False if the person has no such token."""
        note("token revoked", token=token)
        revoked = update(TOKENS).where(TOKENS.c.id == token, TOKENS.c.person == person)
        return self._change(revoked.values(revoked=self._clock()))

    def revoke_campaign_token(self, campaign: int, token: int) -> bool:
        """Revoke a token of somebody of the campaign; False if there is no such token."""
        note("token revoked", token=token, campaign=campaign)
        people = select(PEOPLE.c.id).where(PEOPLE.c.campaign == campaign)
        revoked = update(TOKENS).where(TOKENS.c.id == token, TOKENS.c.person.in_(people), TOKENS.c.revoked.is_(None))
        return self._change(revoked.values(revoked=self._clock()))

    def _change(self, statement: Update | Delete) -> bool:
        """Change rows in a transaction of its own; False if there is none to change."""
        with writing(self._engine) as connection:
            return connection.execute(statement).rowcount > 0

    def _rows(self, wanted: Select[Any]) -> Sequence[Any]:
        with reading(self._engine) as connection:
            return connection.execute(wanted).all()

    def _owner(self, wanted: Select[Any], secret: str, now: float) -> Person | None:
        with reading(self._engine) as connection:
            row = connection.execute(wanted, {"hash": hash_secret(secret), "now": now}).first()
        return None if row is None else Person(id=row.id, name=row.name, role=Role(row.role), campaign=row.campaign)

    def _add(self, connection: Connection, name: str, role: Role, campaign: int | None) -> int:
        if not is_name(name):
            raise InputError("a name has printable characters only, and is not blank", text=ascii(name))
        row = {"name": name, "role": role.value, "campaign": campaign, "created": self._clock()}
        return int(connection.execute(insert(PEOPLE).values(**row).returning(PEOPLE.c.id)).scalar_one())

    def _link(self, connection: Connection, person: int, *, once: bool, seconds: float) -> str:
        secret = new_secret("rgl")
        row = {"hash": hash_secret(secret), "person": person, "once": once, "expires": self._clock() + seconds}
        connection.execute(insert(LINKS).values(**row))
        return secret

    def _session(self, connection: Connection, person: int) -> str:
        session, now = new_secret("rgs"), self._clock()
        connection.execute(delete(SESSIONS).where(SESSIONS.c.expires <= now - REMEMBERED_DAYS * DAY))
        row = {"hash": hash_secret(session), "person": person, "expires": now + self._settings.session_hours * HOUR}
        connection.execute(insert(SESSIONS).values(**row))
        return session
