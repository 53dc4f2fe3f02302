"""Drafts of campaigns: uploaded files and chosen settings, kept on the server until the campaign is made.

A draft belongs to the person who began it, survives a restart, and is dropped some days after it was last touched.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, delete, func, insert, select, update
from starlette.exceptions import HTTPException

from rankgauge.errors import InputError
from rankgauge.labelling.campaign.database import reading, writing
from rankgauge.room.database import DRAFT_FILES, DRAFTS
from rankgauge.room.draft_contents import DraftContents, DraftFile, DraftPart
from rankgauge.room.settings import RoomSettings
from rankgauge.room.uploads import read_contents

DAY = 86400.0
MIB = 1 << 20

MOST = 20
"""How many drafts a person may have at a time."""

MOST_FILES = 100
"""How many files a draft may have."""

KEPT = 4
"""How many drafts stay understood: a pool of millions of documents takes memory."""

LONGEST = 120
"""How many letters of a file's name are kept."""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A draft: its owner, when it was last touched, and the settings chosen so far."""

    id: int
    person: int
    touched: float
    settings: Mapping[str, str]


class Drafts:
    """The drafts in a room's database."""

    def __init__(self, engine: Engine, settings: RoomSettings, *, clock: Callable[[], float] = time.time) -> None:
        self._engine, self._settings, self._clock = engine, settings, clock
        # By the numbers of a draft and of its files, which are given once.
        self._understood = lru_cache(KEPT)(lambda draft, _: read_contents(self._files(draft)))

    def begin(self, person: int, files: Sequence[DraftFile]) -> int:
        """Return a new draft of files that can be read; its number."""
        self._check(files, [])
        read_contents(files)
        now = self._clock()
        with writing(self._engine) as connection:
            self._drop(connection, DRAFTS.c.touched < self._oldest)
            mine = select(func.count()).select_from(DRAFTS).where(DRAFTS.c.person == person)
            if connection.execute(mine).scalar_one() >= MOST:
                raise InputError(f"you have {MOST} drafts already", hint="Discard one first.")
            row = insert(DRAFTS).values(person=person, made=now, touched=now, settings="{}").returning(DRAFTS.c.id)
            number = int(connection.execute(row).scalar_one())
            self._add(connection, number, files)
        return number

    def of(self, person: int) -> list[tuple[Draft, list[str]]]:
        """Return a person's drafts with the names of their files, the last touched first."""
        with writing(self._engine) as connection:
            self._drop(connection, DRAFTS.c.touched < self._oldest)
            mine = select(DRAFTS).where(DRAFTS.c.person == person).order_by(DRAFTS.c.touched.desc())
            drafts = [_draft(row) for row in connection.execute(mine)]
            named = select(DRAFT_FILES.c.draft, DRAFT_FILES.c.name).order_by(DRAFT_FILES.c.id)
            rows = connection.execute(named.where(DRAFT_FILES.c.draft.in_([draft.id for draft in drafts]))).all()
        return [(draft, [row.name for row in rows if row.draft == draft.id]) for draft in drafts]

    def get(self, number: int, person: int) -> Draft:
        """Return the draft with that number, if it is the person's."""
        with reading(self._engine) as connection:
            row = connection.execute(select(DRAFTS).where(DRAFTS.c.id == number, DRAFTS.c.person == person)).first()
        if row is None or row.touched < self._oldest:
            raise HTTPException(404, "no such draft; it may have been made, discarded or expired")
        return _draft(row)

    def files(self, draft: Draft) -> list[DraftFile]:
        """Return the files of a draft, in the order in which they came."""
        return self._files(draft.id)

    def _files(self, draft: int) -> list[DraftFile]:
        with reading(self._engine) as connection:
            wanted = select(DRAFT_FILES).where(DRAFT_FILES.c.draft == draft).order_by(DRAFT_FILES.c.id)
            rows = connection.execute(wanted).all()
        return [DraftFile(id=row.id, part=DraftPart(row.part), name=row.name, content=row.content) for row in rows]

    def contents(self, draft: Draft) -> DraftContents:
        """Return what the files of a draft hold; what was read lately is remembered."""
        with reading(self._engine) as connection:
            wanted = select(DRAFT_FILES.c.id).where(DRAFT_FILES.c.draft == draft.id).order_by(DRAFT_FILES.c.id)
            numbers = tuple(connection.scalars(wanted))
        return self._understood(draft.id, numbers)

    def add(self, draft: Draft, files: Sequence[DraftFile]) -> None:
        """Add files to a draft, if all of it can still be read."""
        known = self.files(draft)
        self._check(files, known)
        read_contents([*known, *files])
        with writing(self._engine) as connection:
            self._add(connection, draft.id, files)
            self._change(connection, draft)

    def remove(self, draft: Draft, file: int) -> None:
        """Remove a file from a draft, if the rest can still be read."""
        read_contents([one for one in self.files(draft) if one.id != file])
        with writing(self._engine) as connection:
            connection.execute(delete(DRAFT_FILES).where(DRAFT_FILES.c.draft == draft.id, DRAFT_FILES.c.id == file))
            self._change(connection, draft)

    def choose(self, draft: Draft, settings: Mapping[str, str]) -> None:
        """Replace these settings of a draft; an empty one is as it was before it was chosen."""
        kept = {name: value for name, value in {**draft.settings, **settings}.items() if value.strip()}
        with writing(self._engine) as connection:
            self._change(connection, draft, settings=json.dumps(kept, ensure_ascii=False))

    def discard(self, draft: Draft) -> None:
        """Drop a draft and its files."""
        with writing(self._engine) as connection:
            self._drop(connection, DRAFTS.c.id == draft.id)
        self._understood.cache_clear()

    @property
    def _oldest(self) -> float:
        return self._clock() - self._settings.draft_days * DAY

    def _check(self, files: Sequence[DraftFile], known: Sequence[DraftFile]) -> None:
        if not files:
            raise InputError("no file was chosen", hint="Choose a pool, one or more runs, or a campaign.")
        limit = int(self._settings.upload_megabytes * MIB)
        if len(files) + len(known) > MOST_FILES:
            raise InputError(f"a draft may have {MOST_FILES} files", hint="Make a table of several runs.")
        if sum(len(file.content) for file in (*files, *known)) > limit:
            raise InputError(f"the files of a draft may have {limit:,} bytes together", hint="Pack or shorten them.")

    def _add(self, connection: Connection, draft: int, files: Sequence[DraftFile]) -> None:
        rows = [{"draft": draft, "part": file.part.value, "name": file.name, "content": file.content} for file in files]
        connection.execute(insert(DRAFT_FILES), rows)

    def _change(self, connection: Connection, draft: Draft, **settings: str) -> None:
        connection.execute(update(DRAFTS).where(DRAFTS.c.id == draft.id).values(touched=self._clock(), **settings))

    def _drop(self, connection: Connection, which: ColumnElement[bool]) -> None:
        numbers = list(connection.scalars(select(DRAFTS.c.id).where(which)))
        connection.execute(delete(DRAFT_FILES).where(DRAFT_FILES.c.draft.in_(numbers)))
        connection.execute(delete(DRAFTS).where(DRAFTS.c.id.in_(numbers)))


def safe_name(name: str) -> str:
    """Return the sender's name of a file, without folders and what a file system or a page might misread."""
    plain = re.sub(r"[^\w.+=@ -]", "_", PurePath(name.replace("\\", "/")).name).strip(". ")
    return plain[-LONGEST:] or "file"


def _draft(row: Row[Any]) -> Draft:
    return Draft(id=row.id, person=row.person, touched=row.touched, settings=json.loads(row.settings))
