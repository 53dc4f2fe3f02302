"""A campaign made from what a form or a program sends: the file of a pool, or one that `active plan` made."""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from pydantic import BaseModel, Field

from rankgauge.active.beliefs import PREFIX, belief_column, belief_columns
from rankgauge.active.campaign import Campaign
from rankgauge.active.campaign.database import Location, connect, reading
from rankgauge.active.campaign.store import Store
from rankgauge.active.campaign.transfer import transfer
from rankgauge.active.pool import Pool
from rankgauge.errors import InputError, ParameterError
from rankgauge.io import read_table, table_suffixes
from rankgauge.judgments import scale as scale_of
from rankgauge.web.campaigns import Campaigns
from rankgauge.web.rules import Guide, Rules

__all__ = ["CAMPAIGN_FILES", "NewCampaign", "adopt", "make", "received"]

CAMPAIGN_FILES = (".rg", ".db")
"""How the names of campaigns' files end."""

AS_THE_POOL, USUAL = "pool", "0-4"
"""The scale that a pool's own beliefs are about, and the one where it has none."""

LEVEL = re.compile(r"^\s*(?P<grade>-?\d+(?:\.\d+)?)\s+(?P<name>[^:=,]+?)\s*(?::\s*(?P<meaning>.*))?$")
_EXPECTED = "a level a line, such as `2 good: answers the question in part`"


class NewCampaign(BaseModel):
    """What a campaign is to be like."""

    name: str = Field(min_length=1, max_length=120, description="What people call it.")
    measure: str = Field("ERR@10", description="A measure's name, with its cutoff.")
    budget: float = Field(gt=0, description="What judging may cost, in the unit of the costs.")
    method: str = Field("auto", description="How documents are chosen.")
    dialect: str = Field("standard", description="Whose way of computing the measure counts.")
    cost: str | None = Field(None, description="documents, log-length, one, or a column of the pool.")
    depth: int | None = Field(None, ge=1, description="Where lists are cut.")
    scale: str = Field(AS_THE_POOL, description="A scale's name; pool: the grades of its columns p_0, p_1 …, or 0-4.")
    levels: str = Field("", description=f"Levels of your own: {_EXPECTED}.")
    assessors: int = Field(1, ge=1, le=20, description="How many assessors judge each document.")
    combine: str = Field("majority", description="How their grades become one.")
    seed: int = Field(0, ge=0, description="The seed of the draws.")
    stop_at: float | None = Field(None, gt=0, description="Half the width of the interval at which it stops.")
    guide: str = Field("", max_length=10_000, description="What assessors are told.")


@contextmanager
def received(content: bytes, name: str | None) -> Iterator[Path]:
    """What was sent, as a file; of the name that the sender gave it only the ending is used."""
    ending = Path(name or "").suffix.lower()
    known = (*table_suffixes(), *CAMPAIGN_FILES)
    if ending not in known:
        raise InputError(
            f"files that end in '{ending}' are not known here", hint=f"A pool or campaign ends in {', '.join(known)}."
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"upload{ending}"
        path.write_bytes(content)
        yield path


def make(campaigns: Campaigns, wanted: NewCampaign, path: Path) -> int:
    """The number of the campaign that was made of a pool's file."""
    levels = _levels(wanted.levels)
    scale = ", ".join(f"{name}={grade}" for grade, name, _ in levels) if levels else _scale(wanted, path)
    words = scale_of(scale)
    grades = np.unique([grade for _, grade in words.levels])
    made = Campaign.create(
        campaigns.engine,
        _pool(path, wanted, grades),
        wanted.measure,
        budget=wanted.budget,
        method=wanted.method,
        name=wanted.name,
        dialect=wanted.dialect,
        seed=wanted.seed,
        assessors=wanted.assessors,
        combine=wanted.combine,
        scale=scale,
        cost=wanted.cost or "",
    )
    number = _number(campaigns, made.name)
    guide = Guide(
        words=wanted.guide,
        names={f"{grade:g}": words.label(grade) for grade in grades},
        meanings={grade: meaning for grade, _, meaning in levels if meaning},
    )
    campaigns.set_rules(number, Rules(stop_at=wanted.stop_at, guide=guide))
    return number


def adopt(campaigns: Campaigns, path: Path, name: str | None = None) -> int:
    """The number of the campaign that a file of `active plan` held."""
    _refuse_broken(path)
    source = connect(Location(path), existing=True)
    try:
        with reading(source) as connection:
            store = Store.find(connection, None)
        found = Campaign(source, store)  # every row is understood before one is taken over
        made = transfer(source, store, campaigns.engine, name=name)
    finally:
        source.dispose()
    words = found.settings.words
    named = {} if words is None else {f"{grade:g}": words.label(grade) for grade in found.settings.grades}
    campaigns.set_rules(made.campaign, Rules(guide=Guide(names=named)))
    return made.campaign


def _scale(wanted: NewCampaign, path: Path) -> str:
    """The scale that was asked for, by its name or as its levels."""
    if wanted.scale != AS_THE_POOL:
        return wanted.scale
    grades = belief_columns(read_table(path))
    names = [column.removeprefix(PREFIX) for column in map(belief_column, grades)]
    return ", ".join(f"{name}={name}" for name in names) or USUAL


def _pool(path: Path, wanted: NewCampaign, grades: np.ndarray) -> Pool:
    try:
        return Pool.of(path, grades=grades, cost=wanted.cost or None, depth=wanted.depth)
    except InputError as error:
        # The name that we gave the file says nothing to who sent it.
        raise InputError(error.problem, line=error.line, text=error.text, hint=error.hint) from None


def _levels(text: str) -> list[tuple[str, str, str]]:
    found = []
    for number, line in enumerate(filter(str.strip, text.splitlines()), start=1):
        match = LEVEL.match(line)
        if match is None:
            raise InputError(f"levels: expected {_EXPECTED}", line=number, text=line)
        found.append((f"{float(match['grade']):g}", match["name"], match["meaning"] or ""))
    if len({grade for grade, _, _ in found}) < len(found):
        raise ParameterError("a campaign", "levels", "grades that differ", [grade for grade, _, _ in found])
    return found


def _number(campaigns: Campaigns, name: str) -> int:
    with reading(campaigns.engine) as connection:
        return Store.find(connection, name).campaign


def _refuse_broken(path: Path) -> None:
    """Refuses a file that is no sound database; what it may hold besides tables is not run."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            kinds = {row[0] for row in connection.execute("select distinct type from sqlite_master")}
            sound = connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
    except sqlite3.DatabaseError:
        sound, kinds = False, set()
    if not sound or not kinds <= {"table", "index"}:
        raise InputError("the file is not a campaign", hint="rankgauge active plan makes one.")
