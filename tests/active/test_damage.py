"""Files that were damaged on the disk: one clear error, or an answer, and never a traceback."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankgauge.errors import InputError, RankGaugeError
from rankgauge.labelling.campaign import Campaign
from tests.active.campaigns import pool, spend, truth
from tests.program import invoke

FILES = 96
COMMANDS = ("next", "record", "estimate", "refit")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a campaign that is being judged."""
    path = tmp_path_factory.mktemp("sound") / "campaign.rg"
    with Campaign.create(path, pool(), "ERR@4", budget=60, method="passive") as campaign:
        spend(campaign, truth(), rounds=6)
        campaign.lease(3)
    return path.read_bytes()


def damaged(sound: bytes) -> Iterator[bytes]:
    """The file with bits flipped, cut off, and overwritten."""
    rng = random.Random(1)
    for n in range(FILES // 2):
        content = bytearray(sound)
        for _ in range(1 + n % 8):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        yield bytes(content)
    for _ in range(FILES // 4):
        yield sound[: rng.randrange(len(sound))]
    for _ in range(FILES // 4):
        start = rng.randrange(len(sound) - 512)
        yield sound[:start] + rng.randbytes(512) + sound[start + 512 :]


def test_every_command_says_what_is_wrong(sound: bytes, tmp_path: Path) -> None:
    """Whatever is wrong with a file, each command answers or says so in one error that names the file."""
    (tmp_path / "labels.csv").write_text("query,document,grade\nq00,d0,1\n")
    more = {"next": ["-o", str(tmp_path / "tasks.csv")], "record": [str(tmp_path / "labels.csv"), "--replace"]}
    refused = 0
    for n, content in enumerate(damaged(sound)):
        path, command = tmp_path / f"{n}.rg", COMMANDS[n % len(COMMANDS)]
        path.write_bytes(content)
        error = invoke(["active", command, str(path), *more.get(command, [])]).exception
        assert error is None or isinstance(error, SystemExit | RankGaugeError), (n, command, error)
        refused += isinstance(error, InputError)
        if isinstance(error, InputError) and "damaged" in error.problem:
            assert str(error.path) == str(path)
            assert error.hint is not None
    assert refused > FILES // 4
