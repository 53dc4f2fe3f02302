"""Relevance tables: AND and OR over the assessors at three levels, and graded.

A document is relevant under `and_<level>` if every assessor gave at least the level, under `or_<level>` if one did.
The graded table has the mean of the assessors' grades. ROMIP published its binary tables ready-made; they also follow
from the grades of single assessors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rankgauge import files as io
from rankgauge.errors import InputError
from rankgauge.files import JUDGMENTS, check
from rankgauge.files.formats.romip import is_xml, read_relevance
from rankgauge.judgments import combine

LEVELS: Mapping[str, float] = {"relevant-minus": 1.0, "relevant-plus": 2.0, "vital": 3.0}
"""The levels at which a binary table may call a document relevant, and their grades."""

TOP = 3.0
GRADED = "graded"
RULES = ("and", "or")

_KIND = re.compile(r"(?<![a-z])(and|or)[^a-z]+(relevant-minus|relevant-plus|vital)")
"""The type of a ready-made binary table: `or (relevant-minus)`, `and_vital`."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RelevanceTable:
    """Judgments under a rule and a level, binary (grade 1 or 0) or graded; with one assessor there is no rule."""

    rule: str
    level: str
    judgments: pl.DataFrame

    @property
    def name(self) -> str:
        """As ROMIP calls it: `and_relevant-minus`."""
        return "_".join(filter(None, (self.rule, self.level)))

    @property
    def used(self) -> pl.DataFrame:
        """The judgments of queries with something relevant; the others are left out."""
        return self.judgments.filter(pl.col("grade").max().over("query") > 0)

    @property
    def counts(self) -> tuple[str, int, int]:
        """The table's name, and how many queries it uses and leaves out."""
        used = self.used["query"].n_unique()
        return self.name, used, self.judgments["query"].n_unique() - used


@dataclass(frozen=True, kw_only=True, eq=False)
class RelevanceTables:
    """The binary tables of a collection; if single assessors' grades are known, the graded table and the assessors."""

    binary: tuple[RelevanceTable, ...]
    graded: pl.DataFrame | None
    assessors: tuple[str, ...] = ()


def derive(ratings: pl.DataFrame) -> RelevanceTables:
    """Return the tables that follow from the grades (0 to 3) of single assessors."""
    frame = check(ratings, JUDGMENTS, whole=True)
    top = frame["grade"].max()
    if isinstance(top, float) and top > TOP:
        raise InputError(f"a grade of {top:g} is above ROMIP's highest", hint="vital is 3, notrelevant 0.")
    assessors = frame["assessor"].unique(maintain_order=True).to_list() if "assessor" in frame.columns else [""]
    rules = RULES if len(assessors) > 1 else ("",)
    binary = tuple(
        RelevanceTable(rule=rule, level=level, judgments=combine(frame, rule or "or", at=grade))
        for level, grade in LEVELS.items()
        for rule in rules
    )
    return RelevanceTables(binary=binary, graded=combine(frame, "mean"), assessors=tuple(assessors))


def read_tables(path: Path) -> RelevanceTables:
    """Return the tables in a file or in all files of a folder.

    An XML file whose type says `or (relevant-minus)` or the like is a ready-made table and used as it is. Any other
    file holds the grades of assessors, named as in the file or else after it. Grades in other formats are read too.
    """
    made: list[RelevanceTable] = []
    ratings: list[pl.DataFrame] = []
    for file in files([path]):
        matrix = read_relevance(file) if is_xml(file) else None
        if matrix is None:
            ratings.append(_read_ratings(io.read_judgments(file), file))
        elif (kind := _KIND.search(matrix.kind.lower().replace("_", "-"))) is not None:
            made.append(_ready(matrix.rows, kind[1], kind[2], file))
        else:
            ratings.append(_read_ratings(matrix.rows, file))
    derived = derive(pl.concat(ratings)) if ratings else RelevanceTables(binary=(), graded=None)
    ready = {(table.rule, table.level) for table in made}
    kept = [table for table in derived.binary if (table.rule, table.level) not in ready]
    binary = sorted([*made, *kept], key=lambda table: (LEVELS[table.level], table.rule))
    return RelevanceTables(binary=tuple(binary), graded=derived.graded, assessors=derived.assessors)


def files(paths: Iterable[Path]) -> list[Path]:
    """Return the files, and those in the folders, by name; a folder without files is an error."""
    listed: list[Path] = []
    for path in paths:
        inside = [path]
        if path.is_dir():
            inside = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
        if not inside:
            raise InputError("is a folder without files", path=path)
        listed += inside
    return listed


def _ready(rows: pl.DataFrame, rule: str, level: str, file: Path) -> RelevanceTable:
    """Return a ready-made table. Its word `relevant` means that the table's own level was reached."""
    relevant = (pl.col("word") == "relevant") | (pl.col("grade") >= LEVELS[level])
    judged = rows.select("query", "document", grade=relevant.cast(pl.Float64))
    checked = check(judged, JUDGMENTS, path=file, locate=lambda row: (rows["line"][row], ""), whole=True)
    return RelevanceTable(rule=rule, level=level, judgments=checked)


def _read_ratings(rows: pl.DataFrame, file: Path) -> pl.DataFrame:
    """Return the grades of a file, each with an assessor; judging a document twice is an error."""
    named = pl.col("assessor").fill_null(file.stem) if "assessor" in rows.columns else pl.lit(file.stem)
    judged = rows.select("query", "document", "grade", assessor=named)
    locate = (lambda row: (rows["line"][row], "")) if "line" in rows.columns else None
    return check(judged, JUDGMENTS, path=file, locate=locate, whole=True)
