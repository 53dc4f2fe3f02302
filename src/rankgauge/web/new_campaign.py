"""A new campaign from an uploaded file: a pool, or a campaign that `rankgauge active plan` made."""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, Field

from rankgauge.active import defaults
from rankgauge.active.beliefs import PREFIX, belief_column, belief_columns
from rankgauge.active.campaign import Campaign, LabelCampaign
from rankgauge.active.campaign.database import Location, reading
from rankgauge.active.campaign.rules import CampaignRules, Guidelines
from rankgauge.active.campaign.store import Store
from rankgauge.active.campaign.transfer import transfer
from rankgauge.active.campaign.upgrade import upgrade
from rankgauge.active.pool import Pool
from rankgauge.errors import InputError, ParameterError
from rankgauge.io import read_table, table_suffixes
from rankgauge.judgments import scale as scale_of
from rankgauge.web.campaigns import Campaigns
from rankgauge.web.database import opened

CAMPAIGN_FILES = (".rg", ".db")
"""The endings of campaign files."""

OF_THE_POOL, USUAL = "pool", "0-4"
"""The scale of the pool's own beliefs, and the scale of a pool without beliefs."""

LEVEL_LINE = re.compile(r"^\s*(?P<grade>-?\d+(?:\.\d+)?)\s+(?P<name>[^:=,]+?)\s*(?::\s*(?P<meaning>.*))?$")
_EXPECTED = "one level per line, such as `2 good: answers the question in part`"


class NewCampaign(BaseModel):
    """The settings of a new campaign."""

    name: str = Field(min_length=1, max_length=120, description="The campaign's name.")
    measure: str = Field(defaults.MEASURE, description="A measure's name, with its cutoff.")
    budget: float = Field(gt=0, description="What judging may cost, in the unit of the costs.")
    method: str = Field(defaults.METHOD, description="The method that chooses the documents to judge.")
    dialect: str = Field(defaults.DIALECT, description="The dialect that computes the measure.")
    cost: str | None = Field(None, description="The name of a cost, or a column of the pool.")
    depth: int | None = Field(None, ge=1, description="The rank at which lists are cut.")
    scale: str = Field(OF_THE_POOL, description="A scale's name; pool: the grades of its columns p_0, p_1 …, or 0-4.")
    levels: str = Field("", description=f"Levels of your own: {_EXPECTED}.")
    assessors: int = Field(defaults.ASSESSORS, ge=1, le=20, description="How many assessors judge each document.")
    combine: str = Field(defaults.COMBINE, description="The rule that combines their grades.")
    seed: int = Field(defaults.SEED, ge=0, description="The seed of the draws.")
    stop_at: float | None = Field(None, gt=0, description="Half the width of the interval at which it stops.")
    guide: str = Field("", max_length=10_000, description="Guidelines for the assessors.")


def create(campaigns: Campaigns, fields: Mapping[str, Any], content: bytes, filename: str) -> int:
    """The number of a new campaign made from an uploaded file; `fields` are those of `NewCampaign`.

    A campaign's file brings its settings along, so that only its name is taken from the fields.
    """
    with _saved(content, filename) as path:
        if path.suffix in CAMPAIGN_FILES:
            return _adopt(campaigns, path, fields.get("name"))
        return _make(campaigns, NewCampaign.model_validate(fields), path)


@contextmanager
def _saved(content: bytes, name: str) -> Iterator[Path]:
    """The upload as a file. Only the ending of the sender's file name is used."""
    ending, known = Path(name).suffix.lower(), (*table_suffixes(), *CAMPAIGN_FILES)
    if ending not in known:
        raise InputError(
            f"files ending in '{ending}' cannot be read", hint=f"A pool or campaign ends in {', '.join(known)}."
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"upload{ending}"
        path.write_bytes(content)
        yield path


def _make(campaigns: Campaigns, wanted: NewCampaign, path: Path) -> int:
    """A campaign of a pool."""
    levels = _levels(wanted.levels)
    scale = ", ".join(f"{name}={grade}" for grade, name, _ in levels) if levels else _scale(wanted, path)
    words = scale_of(scale)
    grades = np.unique([grade for _, grade in words.levels])
    kept = wanted.model_dump(include={"measure", "budget", "method", "name", "dialect", "seed", "assessors", "combine"})
    made = Campaign.create(campaigns.engine, _pool(path, wanted, grades), scale=scale, cost=wanted.cost or "", **kept)
    with reading(campaigns.engine) as connection:
        number = Store.find(connection, made.name).campaign
    guide = Guidelines(
        words=wanted.guide,
        names={f"{grade:g}": words.label(grade) for grade in grades},
        meanings={grade: meaning for grade, _, meaning in levels if meaning},
    )
    campaigns.set_rules(number, CampaignRules(stop_at=wanted.stop_at, guide=guide))
    return number


def _adopt(campaigns: Campaigns, path: Path, name: str | None) -> int:
    """A copy of the campaign in a file."""
    _refuse_broken(path)
    with opened(Location(path), existing=True) as source:
        upgrade(source)
        with reading(source) as connection:
            store = Store.find(connection, None)
        settings = LabelCampaign.on(source, store).settings  # reads everything, so that a broken campaign is not copied
        copied = transfer(source, store, campaigns.engine, name=name)
    words = settings.words
    named = {} if words is None else {f"{grade:g}": words.label(grade) for grade in settings.grades}
    campaigns.set_rules(copied.campaign, CampaignRules(guide=Guidelines(names=named)))
    return copied.campaign


def _scale(wanted: NewCampaign, path: Path) -> str:
    """The scale by its name, or as levels made of the pool's columns."""
    if wanted.scale != OF_THE_POOL:
        return wanted.scale
    grades = belief_columns(read_table(path))
    names = [column.removeprefix(PREFIX) for column in map(belief_column, grades)]
    return ", ".join(f"{name}={name}" for name in names) or USUAL


def _pool(path: Path, wanted: NewCampaign, grades: np.ndarray) -> Pool:
    try:
        return Pool.of(path, grades=grades, cost=wanted.cost or None, depth=wanted.depth)
    except InputError as error:  # without the path, which the sender does not know
        raise InputError(error.problem, line=error.line, text=error.text, hint=error.hint) from None


def _levels(text: str) -> list[tuple[str, str, str]]:
    """Grade, name and meaning of each level."""
    found = []
    for number, line in enumerate(filter(str.strip, text.splitlines()), start=1):
        match = LEVEL_LINE.match(line)
        if match is None:
            raise InputError(f"levels: expected {_EXPECTED}", line=number, text=line)
        found.append((f"{float(match['grade']):g}", match["name"], match["meaning"] or ""))
    if len({grade for grade, _, _ in found}) < len(found):
        raise ParameterError("a campaign", "levels", "different grades", [grade for grade, _, _ in found])
    return found


def _refuse_broken(path: Path) -> None:
    """Refuses a file that is not a sound SQLite database of tables only, without running anything in it."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            kinds = {row[0] for row in connection.execute("select distinct type from sqlite_master")}
            sound = connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
    except sqlite3.DatabaseError:
        sound, kinds = False, set()
    if not sound or not kinds <= {"table", "index"}:
        raise InputError("the file is not a campaign", hint="rankgauge active plan makes one.")
