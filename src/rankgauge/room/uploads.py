"""Files that people upload, read in a process with limits: pools, runs and judges' grades, labels, and campaigns.

A campaign's file is another room's database, and may hold anything. All of it is compared with the tables, then it is
opened and shown as the pages would show it, on a copy. Only what has passed is copied into the room's own database.
"""

from __future__ import annotations

import io
import json
import sqlite3
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
import polars as pl
import sqlalchemy as sa
from starlette.exceptions import HTTPException

from rankgauge.errors import InputError, RankGaugeError
from rankgauge.files import read_table, table_suffixes
from rankgauge.files.compression import packing_of
from rankgauge.labelling.campaign import LabelCampaign
from rankgauge.labelling.campaign import tables as t
from rankgauge.labelling.campaign.database import Location, reading
from rankgauge.labelling.campaign.labels import is_name
from rankgauge.labelling.campaign.rules import Guidelines
from rankgauge.labelling.campaign.settings import CampaignSettings
from rankgauge.labelling.campaign.store import Store, transfer
from rankgauge.labelling.campaign.tables import upgrade
from rankgauge.labelling.label_format import LabelFile, read_labels
from rankgauge.labelling.labels import Assessor, Label, LabelKind, LabelOrigin
from rankgauge.labelling.pool_rows import TEXTS, refuse_breaks
from rankgauge.room.campaigns import Campaigns, OpenCampaign, Overview
from rankgauge.room.database import migrate, open_engine
from rankgauge.room.draft_contents import DraftContents, DraftFile, DraftPart, laid
from rankgauge.room.gold import GoldQuestion
from rankgauge.room.labels import EXPORTS, LabelFilter, export, filter_labels
from rankgauge.room.sandbox import Sandbox, SandboxBusyError, SandboxError


@dataclass(frozen=True, kw_only=True)
class GoldFile:
    """A file of gold questions: labels, and what there is to read of documents that are not in the pool."""

    labels: tuple[Label, ...]
    texts: Mapping[tuple[str, str], Mapping[str, str]]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a file of labels; a table may also have the columns that assessors read."""
        labels, texts = read_labels(path, assessor="gold").labels, dict[tuple[str, str], dict[str, str]]()
        frame = read_table(path) if path.suffix in table_suffixes() else pl.DataFrame()
        names = [name for name in TEXTS if name in frame.columns]
        if names and {"query", "document"} <= set(frame.columns):
            for row in frame.iter_rows(named=True):
                read = {name: str(row[name]) for name in names if row[name] is not None}
                texts[str(row["query"]), str(row["document"])] = read
        return cls(labels=labels, texts=texts)

    def questions(self, opened: OpenCampaign) -> list[GoldQuestion]:
        """Return the gold questions for a campaign."""
        given = [self.texts.get((label.query, label.document), {}) for label in self.labels]
        named, _ = opened.campaign.texts.identify(self.labels)
        return [question_of(opened, label, read) for label, read in zip(named, given, strict=True)]


def question_of(opened: OpenCampaign, label: Label, given: Mapping[str, str]) -> GoldQuestion:
    """Return the document of a label with its grade; `given` is what there is to read of one that is not in the pool.

    A document of the pool reads as it does for a draw: its answer may become a label.
    """
    pooled = opened.review.texts([(label.query, label.document)])[0]
    grade = opened.campaign.grade_of(label)
    if pooled is None and not given:
        raise InputError(
            f"there is nothing to read of document {label.document} of query {label.query}",
            hint="Choose documents of the pool, or give the columns query_text, title and text.",
        )
    texts = given if pooled is None else pooled
    return GoldQuestion(query=label.query, document=label.document, grade=grade, texts=texts)


T = TypeVar("T")

SECONDS, MEGABYTES = 60.0, 640
"""What reading may take: time, and memory besides that of the program."""

UNPACKED = 256 << 20
"""How many bytes a packed file may unpack to."""

ROWS = 5_000_000
"""How many rows the tables of one upload may have together."""

LEASE = 60.0

_READER = Sandbox(__name__, megabytes=MEGABYTES, waiting=8)


def read_contents(files: Sequence[DraftFile]) -> DraftContents:
    """Read the files of a draft; an error names the file that cannot be read."""
    return _confine(_contents, list(files))


def read_label_file(content: bytes, name: str, assessor: str) -> LabelFile:
    """Read labels in any format; those without an assessor are of the one given."""
    labels: LabelFile = _confine(_laid, partial(read_labels, assessor=assessor), content, name)
    return labels


def read_gold_file(content: bytes, name: str) -> GoldFile:
    """Read the labels of a file of gold questions, and the texts that it has of their documents."""
    questions: GoldFile = _confine(_laid, GoldFile.read, content, name)
    return questions


def adopt(campaigns: Campaigns, file: DraftFile, name: str | None) -> int:
    """Copy the campaign of a file into the room, if all of it is sound; return its number."""
    content = _confine(_check, file)
    with tempfile.TemporaryDirectory() as folder, laid(replace(file, content=content), Path(folder)) as path:
        return _copy(path, campaigns, name)


def _confine(function: Callable[..., T], *arguments: Any) -> T:
    try:
        result: T = _READER.run(_understand, function, *arguments, seconds=SECONDS)
        return result
    except SandboxBusyError:
        words = "too many files are being read at the moment; try again"
        raise HTTPException(503, words, headers={"Retry-After": "5"}) from None
    except SandboxError as error:
        raise InputError(f"reading this {error}", hint="Send less at a time.") from None


# what follows runs in the other process


def _understand(function: Callable[..., T], *arguments: Any) -> T:
    """Return what the function makes of a file; a column of a kind that it cannot take is the sender's mistake."""
    try:
        return function(*arguments)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"the table cannot be read: {str(error).partition(chr(10))[0][:200]}") from None


def _contents(files: list[DraftFile]) -> DraftContents:
    for file in files:
        _refuse_large(file.content, file.name)
    contents = DraftContents.of(files)
    tables = [*contents.runs.values(), contents.documents, contents.judged, contents.table and contents.table.frame]
    rows = sum(len(table) for table in tables if table is not None)
    if rows > ROWS:
        raise InputError(f"the files have {rows:,} rows", hint=f"A campaign may have {ROWS:,}.")
    try:
        contents.refuse_unusable()
    except InputError as error:
        lists = [file.name for file in files if file.part is DraftPart.LISTS]
        error.path = lists[0] if error.path is None and len(lists) == 1 else error.path
        raise
    return contents


def _laid(read: Callable[[Path], T], content: bytes, name: str) -> T:
    """Lay the content into a file and read that; errors do not name the file, as its sender does not know it."""
    _refuse_large(content, name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"labels{Path(name).suffix.lower()[:10]}"
        path.write_bytes(content)
        try:
            return read(path)
        except InputError as error:
            raise InputError(error.problem, line=error.line, text=error.text, hint=error.hint) from None


def _refuse_large(content: bytes, name: str) -> None:
    """Refuse a packed file that unpacks to too much, wherever in it that shows; nothing of it is kept."""
    packing = packing_of(content[:16])
    if packing is None:
        return
    read, problem = 0, f"the file unpacks to more than {UNPACKED >> 20:,} MB"
    try:
        with packing.unpack(io.BytesIO(content), UNPACKED + 1) as stream:
            while piece := stream.read(1 << 20):
                read += len(piece)
                if read > UNPACKED:
                    raise InputError(problem, path=name, hint="Send fewer documents.")
    except (EOFError, OSError, ArithmeticError, ValueError):
        return  # the reader says what is wrong with it


def _check(file: DraftFile) -> bytes:
    """Return a campaign's file, brought up to date, if the room can open it and show all of it."""
    try:
        with tempfile.TemporaryDirectory() as folder, laid(file, Path(folder)) as path:
            _compare_with_tables(path)
            with open_engine(Location(path), existing=True) as source:
                upgrade(source)
                with reading(source) as connection:
                    store = Store.find(connection, None)
                _check_rows(source, store, LabelCampaign.on(source, store))
            content = path.read_bytes()
            _show(path, Path(folder))
            return content
    except (Exception, pl.exceptions.PanicException) as error:
        words = (str(error).splitlines() or [""])[0]
        reason = words if isinstance(error, RankGaugeError) else f"{type(error).__name__} {words[:200]}".strip()
        reason = reason if len(reason) < 300 else f"{reason[:300]} …"
        is_none = "is not a campaign" in reason
        problem = "the file is not a campaign" if is_none else f"the campaign is damaged: {reason}"
        raise InputError(problem, path=file.name, hint="rankgauge active plan makes one.") from None


def _compare_with_tables(path: Path) -> None:
    """Refuse a file that is not a sound SQLite database of tables only, and values that are not of their columns'
    types: SQLite keeps any value in any column. Nothing in it is run."""
    rows = 0
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            kinds = {row[0] for row in connection.execute("select distinct type from sqlite_master")}
            sound = connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
        except sqlite3.DatabaseError:
            sound, kinds = False, set()
        if not sound or not kinds <= {"table", "index"}:
            raise InputError("is not a campaign")
        for table in t.metadata.sorted_tables:
            known = [row[1] for row in connection.execute(f'PRAGMA table_info("{table.name}")')]
            columns = [column for column in table.columns if column.name in known]
            if not columns:
                continue
            listed = ", ".join(f'"{column.name}"' for column in columns)
            for row in connection.execute(f'select {listed} from "{table.name}"'):
                rows += 1
                if rows > ROWS:
                    raise InputError(f"it has more than {ROWS:,} rows")
                for column, value in zip(columns, row, strict=True):
                    if not _fits(column, value):
                        raise InputError(f"the column {column.name} of {table.name} holds {value!r:.60}")


def _fits(column: sa.Column[Any], value: Any) -> bool:
    kind = column.type
    if value is None:
        return bool(column.nullable)
    if isinstance(kind, sa.Boolean):
        return value in (0, 1)
    if isinstance(kind, sa.Double):
        return isinstance(value, int | float) and abs(value) < 1e15
    if isinstance(kind, sa.Integer):
        return isinstance(value, int) and -1 <= value < (1 << 31)
    if isinstance(kind, sa.String):
        text = isinstance(value, str) and "\0" not in value and len(value) <= (kind.length or 10**7)
        return text and value.encode(errors="replace").decode() == value
    return isinstance(value, bytes)


def _check_rows(engine: sa.Engine, store: Store, campaign: LabelCampaign) -> None:
    """Refuse rows that fit their columns and not their campaign: grades off its scale, documents that it lacks."""
    pool, grades = campaign.pool, set(campaign.settings.grades)
    if not 2 <= len(grades) <= 1_000 or not np.isfinite(list(grades)).all():
        raise InputError("its scale is none")
    for ids in (pool.queries.alias("query"), pool.documents.alias("document")):
        refuse_breaks(ids)
    size, kinds, origins = len(pool.documents), set(LabelKind), set(LabelOrigin)
    with reading(engine) as connection:
        numbers = [row.number for row in store.stages(connection)]
        if numbers != list(range(len(numbers))):
            raise InputError(f"its stages are numbered {numbers!s:.60}")
        for table in (t.texts, t.tasks, t.leases, t.labels):
            for row in connection.execute(sa.select(table).where(table.c.campaign == store.campaign)):
                if not 0 <= row.place < size:
                    raise InputError(f"{table.name} name document {row.place}, and there are {size:,}")
                if table is t.tasks and row.cost < 0:
                    raise InputError(f"document {row.place} costs {row.cost:g}")
                if table is t.texts:
                    texts = json.loads(row.content)
                    if not isinstance(texts, dict) or not all(
                        isinstance(text, str) and "\0" not in text for text in texts.values()
                    ):
                        raise InputError("the texts of a document are not texts by name")
                if table in (t.leases, t.labels) and not is_name(row.assessor):
                    raise InputError(f"the name {row.assessor!r:.60} of an assessor cannot be shown")
                if table is t.labels:
                    query, document = pool.queries[int(pool.query[row.place])], pool.documents[row.place]
                    told = (row.query, row.document) == (str(query), str(document))
                    graded = row.grade is None if row.kind == LabelKind.SKIP else row.grade in grades
                    if not (told and graded and row.kind in kinds and row.origin in origins):
                        raise InputError(f"label {row.id} does not belong to this pool and scale")


def _show(path: Path, folder: Path) -> None:
    """Open the campaign in a room of its own, and make what pages show of it."""
    with open_engine(Location(folder / "room.db"), existing=False) as engine:
        migrate(engine)
        campaigns = Campaigns(engine)
        number = _copy(path, campaigns, None)
        campaign = campaigns.get(number)
        campaign.campaign.progress()
        campaign.campaign.why_over()
        Overview.of(campaign)
        filter_labels(campaign, LabelFilter.model_validate({"history": True}))
        campaign.review.queries()
        campaign.review.disagreements()
        campaign.review.seconds()
        for name in EXPORTS:
            try:
                export(campaigns, number, name)
            except InputError as error:
                if "white space" not in error.problem:
                    raise
        campaigns.set_paused(number, False)
        campaign.answers.next_task(Assessor(name="somebody", person=1), seconds=LEASE)


def _copy(path: Path, campaigns: Campaigns, name: str | None) -> int:
    with open_engine(Location(path), existing=True) as source:
        with reading(source) as connection:
            store = Store.find(connection, None)
            row = store.row(connection)
        settings = CampaignSettings.unpack(row.settings, layout=row.format)
        copied = transfer(source, store, campaigns.engine, name=name)
    words = settings.words
    named = {} if words is None else {f"{grade:g}": words.label(grade) for grade in settings.grades}
    campaigns.change_rules(copied.campaign, lambda rules: replace(rules, guide=Guidelines(names=named)))
    return copied.campaign
