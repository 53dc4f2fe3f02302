"""The files of a draft as they were understood: runs, a pool's table, judges, documents, earlier judgments."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from rankgauge import files as io
from rankgauge.errors import InputError
from rankgauge.files.queries import query_texts
from rankgauge.files.source import suffix_of
from rankgauge.input_notes import collecting_notes, renaming
from rankgauge.judgments.llm.machine_judge import MachineJudge
from rankgauge.labelling import defaults
from rankgauge.labelling.pool_rows import TEXTS
from rankgauge.labelling.pool_sources import KEYS, ColumnRole, PoolSources, PoolTable, document_table

CAMPAIGN_FILES = (".rg", ".db")
"""The endings of campaign files."""

FIRST = 5
"""How many rows of a pool are shown."""


ANY_MEASURE = ("P@5",)
"""A measure that any pool can be tried with."""


class DraftPart(StrEnum):
    """What a file of a draft is for."""

    LISTS = "lists"
    JUDGE = "judge"
    DOCUMENTS = "documents"
    JUDGED = "judged"
    QUERIES = "queries"


@dataclass(frozen=True, kw_only=True)
class DraftFile:
    """An uploaded file: what it is for, the sender's name for it, its bytes, and its number once it is kept."""

    part: DraftPart
    name: str
    content: bytes = field(repr=False)
    id: int = 0

    @property
    def ending(self) -> str:
        """The ending that says what the file is."""
        return suffix_of(self.name)

    @property
    def stem(self) -> str:
        """The name without endings, for a run or a judge."""
        return Path(self.name).name.partition(".")[0] or self.name


@dataclass(frozen=True, kw_only=True, eq=False)
class DraftContents(PoolSources):
    """What the files of a draft hold. A campaign's file stands for itself; everything else makes a pool."""

    title: str = "New campaign"
    """What the campaign may be called."""
    campaign: DraftFile | None = None
    roles: Mapping[str, tuple[ColumnRole, ...]] = field(default_factory=dict)
    """By file, what each column was taken for."""
    notes: tuple[str, ...] = ()
    """What the readers had to say."""

    @classmethod
    def of(cls, files: Sequence[DraftFile]) -> DraftContents:
        """Return the contents of these files; an error names the file that cannot be read."""
        lists = [file for file in files if file.part is DraftPart.LISTS]
        if not lists:
            raise InputError("there is neither a pool nor a run nor a campaign", hint="Choose a file.")
        if any(file.ending in CAMPAIGN_FILES for file in lists):
            if len(files) > 1:
                raise InputError("a campaign's file comes alone", hint="It brings its pool and its settings along.")
            return cls(campaign=lists[0])
        with collecting_notes() as notes, tempfile.TemporaryDirectory() as folder:
            contents = cls(**_read(files, lists, Path(folder)))
        said = [*(note.replace(f"{folder}/", "") for note in notes), contents.judged_elsewhere(contents.queries)]
        return replace(contents, notes=tuple(note for note in said if note is not None))

    def refuse_unusable(self) -> None:
        """Raise the error that making a campaign of the files would raise, before anybody plans one."""
        if self.campaign is not None:
            return
        if not len(self.keys):
            raise InputError("the pool has no rows", hint="It has one for each query and document.")
        if self.is_board(ANY_MEASURE):
            self.board_pool(ANY_MEASURE, cost=None, depth=None)
        else:
            self.pool(grades=self.usual_grades[0], cost=None, depth=None)

    @cached_property
    def keys(self) -> pl.DataFrame:
        """The documents of the pool with their queries, a row each."""
        keys = self._retrieved if self.judged is None else [*self._retrieved, self._judged_here]
        pooled: pl.DataFrame = pl.concat(keys).unique(maintain_order=True)
        return pooled

    @property
    def queries(self) -> list[str]:
        """The queries of the pool, each once."""
        return pl.concat(self._retrieved)["query"].unique(maintain_order=True).to_list()

    @property
    def judged_before(self) -> int | None:
        """How many documents of the pool's queries were judged before; None without earlier judgments."""
        return None if self.judged is None else len(self._judged_here)

    @property
    def _retrieved(self) -> list[pl.DataFrame]:
        if self.table is not None:
            return [self.table.frame.select(KEYS)]
        return [run.select(KEYS) for run in self.runs.values()]

    @property
    def _judged_here(self) -> pl.DataFrame:
        here: pl.DataFrame = self.judged.select(KEYS).filter(pl.col("query").is_in(self.queries))
        return here.unique(maintain_order=True)

    @cached_property
    def size(self) -> tuple[int, int]:
        """How many queries and documents there are."""
        return self.keys["query"].n_unique(), len(self.keys)

    @cached_property
    def pooled(self) -> int:
        """How many documents a campaign's pool has unless somebody asks for another measure or depth."""
        measure = [defaults.MEASURE]
        if self.table is not None or not self.is_board(measure):
            return self.size[1]
        return len(self.board_pool(measure, cost=None, depth=None).documents)

    def read_runs(self) -> list[tuple[str, int, int]]:
        """Return the runs: name, and how many queries and results each has."""
        runs = [(name, self._run(name)) for name in self.names]
        return [(name, run["query"].n_unique(), len(run)) for name, run in runs]

    def read_judges(self) -> list[tuple[str, int, str]]:
        """Return the judges: name, how many documents of the pool each graded, and the grades that it gave."""
        return [
            (judge.name, judge.of(self.keys)["grade"].count(), ", ".join(f"{grade:g}" for grade in judge.grades))
            for judge in (*self.judges, *self.told_judges())
        ]

    def first_rows(self) -> pl.DataFrame:
        """Return some rows of the pool as it was understood."""
        rows, rank = self.keys.head(FIRST), pl.col("score").rank("ordinal", descending=True).over("query")
        texts = self.texts(rows)
        for name in self.names[:3]:
            ranked = self._run(name).select(*KEYS, rank.cast(pl.Int64).alias(f"rank in {name}"))
            rows = rows.join(ranked, on=list(KEYS), how="left", maintain_order="left")
        return rows if texts is None else rows.hstack(texts)

    def texts(self, rows: pl.DataFrame) -> pl.DataFrame | None:
        """Return what assessors read of these documents; None if there is nothing."""
        source = self.table.frame if self.table is not None else self.documents
        if source is None and self.query_texts:
            return rows.select(query_text=pl.col("query").replace_strict(self.query_texts, default=None))
        if source is None:
            return None
        keys = [name for name in KEYS if name in source.columns]
        names = [name for name in TEXTS if name in source.columns]
        known = source.select(*keys, pl.col(names).cast(pl.String)).unique(keys, keep="first", maintain_order=True)
        return rows.select(KEYS).join(known, on=keys, how="left", maintain_order="left").drop(KEYS) if names else None

    def example(self) -> dict[str, str]:
        """Return the texts of a document that has some, with its ids, to show what assessors will see."""
        rows = self.keys.head(200)
        texts = self.texts(rows)
        if texts is None:
            return dict(zip(KEYS, rows.row(0), strict=True))
        full = texts.select(pl.sum_horizontal(pl.all().is_not_null())).to_series()
        place = int(full.arg_max() or 0)
        read = {name: str(value) for name, value in texts.row(place, named=True).items() if value is not None}
        return {**dict(zip(KEYS, rows.row(place), strict=True)), **read}

    def _run(self, name: str) -> pl.DataFrame:
        return self.runs[name] if name in self.runs or self.table is None else self.table.run(name)


def _read(files: Sequence[DraftFile], lists: Sequence[DraftFile], folder: Path) -> dict[str, Any]:
    """Return the fields of the contents, from files that are laid into the folder."""
    made: dict[str, Any] = {"roles": {}, "title": lists[0].stem if len(lists) == 1 else f"{len(lists)} runs"}
    is_pool = len(lists) == 1 and lists[0].ending in io.table_suffixes()
    if is_pool and "json" in lists[0].ending:  # or a search engine's responses, or another run in JSON
        with laid(lists[0], folder) as path, suppress(InputError):
            is_pool = io.detect(path).format.read_table is not None
    if is_pool:
        with laid(lists[0], folder) as path:
            made["table"] = PoolTable.of(path)
            _refuse_repeated(made["table"].frame)
        made["roles"][lists[0].name] = made["table"].roles
    else:
        made["runs"] = {}
        for name, file in _files_by_name(lists, "runs").items():
            with laid(file, folder) as path:
                made["runs"][name] = io.read_run(path).select(*KEYS, "score")
    made["judges"] = ()
    for name, file in _files_by_name([file for file in files if file.part is DraftPart.JUDGE], "judges").items():
        with laid(file, folder) as path:
            made["judges"] += (MachineJudge.read(path, name),)
    for file in files:
        with laid(file, folder) as path:
            if file.part is DraftPart.DOCUMENTS:
                made["documents"], made["roles"][file.name] = document_table(path)
            elif file.part is DraftPart.JUDGED:
                made["judged"] = io.read_judgments(path)
            elif file.part is DraftPart.QUERIES:
                made["query_texts"] = query_texts(path)
    if "table" in made and "documents" in made:
        made["table"] = made["table"].join(made["documents"])
    return made


def _refuse_repeated(frame: pl.DataFrame) -> None:
    """Refuse a pool with two rows for one document: which of them counts would be a guess."""
    repeated = frame.select(KEYS).is_duplicated() & ~frame.select(pl.struct(KEYS).is_first_distinct()).to_series()
    if repeated.any():
        row = int(repeated.arg_true()[0])
        query, document = frame.select(KEYS).row(row)
        problem = f"row {row + 1}: document {document} is listed twice for query {query}"
        raise InputError(problem, hint="A pool has one row for each query and document: remove the others.")


def _files_by_name(files: Sequence[DraftFile], what: str) -> dict[str, DraftFile]:
    """Return the files by the names of their runs or judges; two of one name keep their endings."""
    stems = [file.stem for file in files]
    named = {file.stem if stems.count(file.stem) == 1 else file.name: file for file in files}
    if len(named) < len(files):
        raise InputError(f"two {what} have the same name", hint="Rename one of the files.")
    return named


@contextmanager
def laid(file: DraftFile, folder: Path) -> Iterator[Path]:
    """The upload as a file for the readers. Only the ending of the sender's name is used; what is said has the name."""
    path = folder / f"{len(list(folder.iterdir()))}{''.join(Path(file.name).suffixes[-2:])}"
    path.write_bytes(file.content)
    try:
        with renaming({str(path): file.name}):
            yield path
    except InputError as error:
        if error.path is not None and str(error.path) != str(path):
            raise  # of something else, such as the room's own database
        raise InputError(error.problem, path=file.name, line=error.line, text=error.text, hint=error.hint) from None
