"""Signatures, limits and settings."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import ParameterError, RankGaugeError
from rankgauge.room import credentials
from rankgauge.room.room import RateLimit
from rankgauge.room.settings import RoomSettings


@given(st.text(min_size=1), st.text(min_size=1), st.text(min_size=1))
def test_a_signature_is_good_for_its_value_and_key(value: str, key: str, other: str) -> None:
    """What was signed is read back with the same key, and with no other."""
    cookie = credentials.sign(value, key)
    assert credentials.verify(cookie, key) == value
    if other != key:
        assert credentials.verify(cookie, other) is None
    assert credentials.verify(f"{other}{cookie}", key) is None


@given(st.text())
def test_nonsense_is_no_signature(cookie: str) -> None:
    """A cookie that we did not sign has no value."""
    assert credentials.verify(cookie, "key") is None


def test_a_forms_token_belongs_to_one_session() -> None:
    """A form of one session is refused in another, and a session's signature is no form's token."""
    token = credentials.csrf_token("session", "key")
    assert credentials.is_csrf_token(token, "session", "key")
    assert not credentials.is_csrf_token(token, "another", "key")
    assert not credentials.is_csrf_token(credentials.sign("session", "key").rpartition(".")[2], "session", "key")
    assert not credentials.is_csrf_token("ü", "session", "key")


def test_a_limit_refills_evenly() -> None:
    """Of 6 tries a minute the seventh at once is refused, one more is allowed after ten seconds, each address apart."""
    now = [0.0]
    limit = RateLimit(6, clock=lambda: now[0])
    assert [limit.allows("a") for _ in range(7)] == [True] * 6 + [False]
    assert limit.allows("b")
    now[0] = 10.0
    assert [limit.allows("a") for _ in range(2)] == [True, False]


def test_settings_of_the_environment() -> None:
    """A variable sets a setting, a given value counts more, and nonsense is named."""
    told = {"RANKGAUGE_LEASE_MINUTES": "2.5", "RANKGAUGE_SECURE": "yes", "RANKGAUGE_PORT": "1", "OTHER": "x"}
    settings = RoomSettings.of(told, port=9000, host=None)
    assert (settings.lease_minutes, settings.secure, settings.port, settings.host) == (2.5, True, 9000, "127.0.0.1")
    with pytest.raises(ParameterError, match="port"):
        RoomSettings.of({"RANKGAUGE_PORT": "many"})
    with pytest.raises(ParameterError, match="secure"):
        RoomSettings.of({"RANKGAUGE_SECURE": "perhaps"})
    with pytest.raises(ParameterError, match="lease_minutes"):
        RoomSettings(lease_minutes=0)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"WORKERS": "1000000"}, "'workers' parameter of serve must be above 0, at most 100"),
        ({"SESSION_HOURS": "inf"}, "session_hours"),
        ({"INVITE_DAYS": "1e300"}, "invite_days"),
        ({"TOKEN_DAYS": "nan"}, "token_days"),
        ({"URL": "judge.example.org"}, "an address such as https://"),
        ({"URL": "https://judge.example.org", "ROOT_PATH": "/judging"}, "with the path /judging"),
        ({"URL": "https://judge.example.org/judging"}, "no path, or root_path"),
        ({"OIDC_ISSUER": "https://id.example.org"}, "oidc_client"),
        ({"OIDC_ISSUER": "id.example.org", "OIDC_CLIENT": "room"}, "oidc_issuer"),
        ({"DATABSE": "sqlite:///room.db"}, "no setting called 'RANKGAUGE_DATABSE'. Did you mean RANKGAUGE_DATABASE"),
        ({"SECUER": "true"}, "Did you mean RANKGAUGE_SECURE"),
    ],
)
def test_settings_that_cannot_be_meant(variables: dict[str, str], said: str) -> None:
    """They are refused before the room opens: later they would be links that lead nowhere, or a page that fails."""
    with pytest.raises(RankGaugeError, match=re.escape(said)):
        RoomSettings.of({f"RANKGAUGE_{name}": text for name, text in variables.items()})


def test_variables_of_others_are_left_alone() -> None:
    """Those of other parts of RankGauge, and of whatever starts the room, are no misspelt settings."""
    others = ("KILLS", "THREADS", "MEASURES", "COMPLETE", "SERVICE_HOST", "SERVICE_PORT", "PORT_8000_TCP")
    assert RoomSettings.of({f"RANKGAUGE_{name}": "7" for name in others}) == RoomSettings()


def test_settings_hide_their_secrets() -> None:
    """A log line with the settings shows neither the key nor the password of the database."""
    shown = repr(RoomSettings(secret="hush", database="postgresql://me:pass@host/db"))
    assert "hush" not in shown
    assert "pass" not in shown


def test_links_begin_with_the_public_address() -> None:
    """Links are made for the address that browsers use."""
    assert RoomSettings(url="https://judge.example/").base == "https://judge.example"
    assert RoomSettings(host="::1", port=80).base == "http://[::1]:80"
