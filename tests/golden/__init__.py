"""Golden cases: inputs, and what foreign tools printed for them."""

from __future__ import annotations

import lzma
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import polars as pl

from rankgauge.evaluation.evaluation import evaluate as here
from tests.engines import Evaluate
from tests.shared import SHARED

__all__ = ["CASES", "Case", "judgments", "printed", "run", "tables"]

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """One case of golden values."""

    path: Path

    def __str__(self) -> str:
        return self.path.name

    @property
    def tables(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The judgments and the run, as TREC's files have them."""
        return judgments(self.path / "qrels.txt"), run(self.path / "run.txt")

    def twice(self, evaluate: Evaluate, judgments: pl.DataFrame | None = None) -> str:
        """A pattern of the document that is refused as standing twice: here the first of them, on Spark any.

        The same judgment twice is one; `judgments` are others than the file's.
        """
        judged = self.tables[0] if judgments is None else judgments
        ids = [frame.select("query", "document") for frame in (judged.unique(maintain_order=True), self.tables[1])]
        found = [document for frame in ids for document in frame.filter(frame.is_duplicated())["document"]]
        return found[0] if evaluate is here else "|".join(found)

    def expected(self, tool: str) -> dict[str, dict[tuple[str, str], str]]:
        """What the tool printed, by its options (as ` -c`): query and measure → value."""
        return printed(self.path / "expected.tsv")[tool]


@cache
def printed(path: Path) -> dict[str, dict[str, dict[tuple[str, str], str]]]:
    """What every tool printed, by tool and options: query and measure → value."""
    found: dict[str, dict[str, dict[tuple[str, str], str]]] = defaultdict(lambda: defaultdict(dict))
    text = lzma.decompress(path.read_bytes()).decode() if path.suffix == ".xz" else path.read_text()
    for line in text.splitlines():
        name, query, measure, value = line.split("\t")
        tool, _, options = name.partition(" ")
        found[tool][f" {options}" if options else ""][query, measure] = value
    return found


def _cases() -> list[Case]:
    folders = {path.parent.name: path.parent for root in (SHARED / "golden", HERE) for path in root.glob("*/qrels.txt")}
    return [Case(folder) for _, folder in sorted(folders.items())]


CASES = _cases()
"""The cases of this folder, and those that lie beside the project."""


def tables() -> list[tuple[pl.DataFrame, pl.DataFrame]]:
    """The judgments and runs of all cases."""
    return [case.tables for case in CASES]


def judgments(path: Path) -> pl.DataFrame:
    """The judgments of a file in TREC's format."""
    rows = [(f[0], f[2], float(f[3])) for f in _fields(path)]
    return pl.DataFrame(rows, schema=["query", "document", "grade"], orient="row")


def run(path: Path) -> pl.DataFrame:
    """The run of a file in TREC's format."""
    rows = [(f[0], f[2], float(f[4])) for f in _fields(path)]
    return pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")


def _fields(path: Path) -> list[list[str]]:
    lines = path.read_text().splitlines()
    return [line.split() for line in lines if line.strip() and not line.lstrip().startswith("#")]
