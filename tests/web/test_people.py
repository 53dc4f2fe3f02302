"""Who is let in, and who no longer is."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine, select

from rankgauge.errors import RefusedError
from rankgauge.room import credentials
from rankgauge.room.database import LINKS, METADATA, SESSIONS, TOKENS
from rankgauge.room.people import DAY, HOUR, MOST_TOKENS, People, Role
from rankgauge.room.settings import RoomSettings


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def people(engine: Engine, clock: Clock) -> People:
    METADATA.create_all(engine)
    return People(engine, RoomSettings(session_hours=2, invite_days=3), clock=clock)


def test_an_admins_link_lets_in_once(people: People) -> None:
    """The link that `serve` prints opens one session and no second."""
    link = people.admin_link()
    person, session = people.enter(link) or pytest.fail("the link does not work")
    assert person.role is Role.ADMIN
    assert people.by_session(session) == person
    assert people.by_link(link) is None
    assert people.enter(link) is None


def test_an_admins_link_ends_with_the_hour(people: People, clock: Clock) -> None:
    """A link that nobody used is no good after an hour."""
    link = people.admin_link()
    clock.now += HOUR + 1
    assert people.enter(link) is None


def test_an_assessor_comes_back_by_the_same_link(people: People) -> None:
    """An assessor's link works on the telephone and on the desk, each with a session of its own."""
    person, link = people.invite(7, "ann")
    first, second = people.enter(link), people.enter(link)
    assert first is not None
    assert second is not None
    assert first[0] == second[0] == person
    assert first[1] != second[1]
    assert person.belongs_to(7)
    assert not person.belongs_to(8)


def test_links_and_sessions_grow_old(people: People, clock: Clock) -> None:
    """A session ends after its hours, a link after its days."""
    _, link = people.invite(7, "ann")
    _, session = people.enter(link) or pytest.fail("the link does not work")
    clock.now += 2 * HOUR + 1
    assert people.by_session(session) is None
    assert people.enter(link) is not None
    clock.now += 3 * DAY
    assert people.enter(link) is None


def test_revoking_ends_everything(people: People) -> None:
    """After an assessor was revoked neither link nor session nor token works, and no other's is touched."""
    ann, link = people.invite(7, "ann")
    _, other = people.invite(7, "bob")
    token = people.new_token(ann.id, "notebook")
    _, session = people.enter(link) or pytest.fail("the link does not work")
    assert not people.revoke(8, ann.id), "an assessor of another campaign is not this campaign's to revoke"
    assert people.by_token(token) == ann
    assert people.revoke(7, ann.id)
    assert people.enter(link) is None
    assert people.by_session(session) is None
    assert people.by_token(token) is None
    assert people.enter(other) is not None


def test_tokens_are_not_without_number(people: People, clock: Clock) -> None:
    """Nobody has more than twenty that work; those that were revoked or have expired do not count."""
    ann, _ = people.invite(7, "ann")
    for _ in range(MOST_TOKENS):
        people.new_token(ann.id, "notebook")
    with pytest.raises(RefusedError, match="20 tokens that work"):
        people.new_token(ann.id, "another")
    bob, _ = people.invite(7, "bob")
    people.new_token(bob.id, "notebook")
    assert people.revoke_token(ann.id, people.tokens(ann.id)[0].id)
    people.new_token(ann.id, "another")
    with pytest.raises(RefusedError):
        people.new_token(ann.id, "one more")
    clock.now += 91 * DAY
    people.new_token(ann.id, "later")


def test_a_lost_link_is_replaced(people: People) -> None:
    """With the new link the old one stops to work."""
    ann, lost = people.invite(7, "ann")
    again = people.invite_again(ann.id)
    assert people.enter(lost) is None
    assert people.by_link(again) == ann


def test_a_new_link_ends_the_old_ones_sessions(people: People) -> None:
    """Whoever came in by the link that was lost is out, and nobody else is."""
    ann, lost = people.invite(7, "ann")
    _, other = people.invite(7, "bob")
    sessions = [(people.enter(link) or pytest.fail("the link does not work"))[1] for link in (lost, lost, other)]
    people.invite_again(ann.id)
    assert [people.by_session(session) is None for session in sessions] == [True, True, False]


def test_a_token_grows_old(people: People, clock: Clock) -> None:
    """A token works for its days; the list says until when."""
    ann, _ = people.invite(7, "ann")
    token = people.new_token(ann.id, "notebook")
    (row,) = people.tokens(ann.id)
    assert row.expires == clock.now + 90 * DAY
    clock.now = row.expires - 1
    assert people.by_token(token) == ann
    clock.now = row.expires
    assert people.by_token(token) is None


def test_leaving_ends_one_session(people: People) -> None:
    """Who leaves on the telephone is still in on the desk."""
    _, link = people.invite(7, "ann")
    sessions = [(people.enter(link) or pytest.fail("the link does not work"))[1] for _ in range(2)]
    people.leave(sessions[0])
    assert people.by_session(sessions[0]) is None
    assert people.by_session(sessions[1]) is not None


def test_a_token_is_revoked_by_its_owner(people: People) -> None:
    """Nobody revokes a token of somebody else's."""
    ann, _ = people.invite(7, "ann")
    bob, _ = people.invite(7, "bob")
    token = people.new_token(ann.id, "notebook")
    (row,) = people.tokens(ann.id)
    assert (row.name, row.revoked) == ("notebook", None)
    assert not people.revoke_token(bob.id, row.id)
    assert people.by_token(token) == ann
    assert people.revoke_token(ann.id, row.id)
    assert people.by_token(token) is None


def test_no_secret_is_in_the_database(people: People, engine: Engine) -> None:
    """Links, sessions and tokens are kept as hashes alone."""
    ann, link = people.invite(7, "ann")
    token = people.new_token(ann.id, "notebook")
    _, session = people.enter(link) or pytest.fail("the link does not work")
    with engine.connect() as connection:
        kept = {table.name: list(connection.scalars(select(table.c.hash))) for table in (LINKS, SESSIONS, TOKENS)}
        everything = [str(row) for table in METADATA.sorted_tables for row in connection.execute(select(table))]
    assert kept == {
        "links": [credentials.hash_secret(link)],
        "sessions": [credentials.hash_secret(session)],
        "tokens": [credentials.hash_secret(token)],
    }
    assert not any(secret in row for row in everything for secret in (link, session, token))


def test_the_room_keeps_its_secret(people: People, engine: Engine) -> None:
    """Two processes on one database sign with the same key, and a key in the settings counts more."""
    assert people.signing_key() == People(engine, RoomSettings()).signing_key()
    assert People(engine, RoomSettings(secret="mine")).signing_key() == "mine"


def test_a_new_link_ends_tokens(people: People) -> None:
    """Whoever had the old link may have made tokens: they end with it, and those of others go on."""
    person, _ = people.invite(7, "boss", Role.MANAGER)
    other, _ = people.invite(7, "other", Role.MANAGER)
    token, kept = people.new_token(person.id, "script"), people.new_token(other.id, "script")
    people.invite_again(person.id)
    assert people.by_token(token) is None
    assert people.by_token(kept) == other


def test_tokens_of_a_campaign(people: People, clock: Clock) -> None:
    """Whoever runs the campaign sees the tokens of its people that work, and revokes them; no other campaign's."""
    person, _ = people.invite(7, "boss", Role.MANAGER)
    stranger, _ = people.invite(8, "stranger", Role.MANAGER)
    token, foreign = people.new_token(person.id, "script"), people.new_token(stranger.id, "script")
    (found,) = people.campaign_tokens(7)
    assert (found.name, found.owner, found.person) == ("script", "boss", person.id)
    (theirs,) = people.campaign_tokens(8)
    assert not people.revoke_campaign_token(7, theirs.id)
    assert people.by_token(foreign) == stranger
    assert people.revoke_campaign_token(7, found.id)
    assert people.by_token(token) is None
    assert people.campaign_tokens(7) == []
    people.new_token(person.id, "later")
    clock.now += 91 * DAY
    assert people.campaign_tokens(7) == []
