"""The report of `rankgauge judgments agreement`: how far assessors agree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from rankgauge.judgments import Agreement
from rankgauge.judgments.coefficient import COEFFICIENTS
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import number
from rankgauge.render.passages import Notes
from rankgauge.render.table import INTERVAL, Column, ReportTable

MOST = 45
"""How many pairs a table for people lists: all pairs of ten assessors."""

LEAST, SHARED = 10, 20
"""How many of a crowd are named, and how many judgments they must share with others."""

HABITS = {"judgments": "judgments", "mean_grade": "mean grade", "agreed": "agreed"}
"""The columns of an assessor, and their headings."""

QUANTILES = {"least": 0.0, "quarter": 0.25, "median": 0.5, "three quarters": 0.75, "most": 1.0}
"""The quantiles that a crowd is described by."""

KAPPAS = {"observed": "observed", "kappa": "kappa", "kappa_linear": "linear", "kappa_quadratic": "quadratic"}
"""The columns of a pair of assessors, and their headings."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AgreementReport(Report):
    """How far assessors agree, and the seed of the intervals' bootstrap."""

    command = "judgments agreement"

    agreement: Agreement
    seed: int

    def document(self, medium: Medium) -> ReportDocument:
        """Return the coefficients, the pairs of assessors and each one's habits; of a crowd how these are spread."""
        agreed, level = self.agreement, f"{100 * self.agreement.level:g} % interval"
        ends = replace(INTERVAL, name=level)
        columns = (Column("coefficient"), Column("value", format=number), ends, Column("items", format=str))
        tables = [ReportTable(columns=columns, rows=agreed.coefficients.rows(named=True))]
        tables += self._crowd() if self.crowd else self._panel()
        return ReportDocument(headline="How far assessors agree", passages=(*tables, Notes(self._notes())))

    def frame(self) -> pl.DataFrame:
        """Return a row per two assessors."""
        return self.agreement.pairs

    def data(self) -> dict[str, Any]:
        """Return every table, and the notes."""
        names = ("coefficients", "pairs", "confusion", "assessors", "items")
        return {
            "level": self.agreement.level,
            "seed": self.seed,
            **{name: getattr(self.agreement, name) for name in names},
            "notes": [{"subject": subject, "words": words} for subject, words in self._notes()],
        }

    @property
    def crowd(self) -> bool:
        """Whether there are too many pairs to read them all."""
        return len(self.agreement.pairs) > MOST

    def _panel(self) -> list[ReportTable]:
        """Return the pairs and the assessors."""
        kappas, habits = (Column(name, key, number) for key, name in KAPPAS.items()), HABITS["mean_grade"]
        pairs = (Column("assessor"), Column("other"), Column("items", format=str), *kappas)
        each = (Column("assessor"), Column("judgments", format=str), Column(habits, "mean_grade", number))
        held = ((pairs, self.agreement.pairs), (each, self.agreement.assessors))
        return [ReportTable(columns=columns, rows=frame.rows(named=True)) for columns, frame in held]

    def _crowd(self) -> list[ReportTable]:
        """Return how pairs and assessors are spread, and who agrees least with the others."""
        pairs = self.agreement.pairs
        sides = [pairs.select(pl.col(side).alias("assessor"), "items", "observed") for side in ("assessor", "other")]
        weight, agreed = pl.col("items"), pl.col("items") * pl.col("observed")
        by_one = pl.concat(sides).group_by("assessor").agg(shared=weight.sum(), agreed=agreed.sum() / weight.sum())
        everyone = self.agreement.assessors.join(by_one, on="assessor", how="left", maintain_order="left")
        # Those who share enough items with others.
        least = everyone.filter(pl.col("shared") >= SHARED).sort("agreed", maintain_order=True).head(LEAST)
        figures = (Column(name, key, _cell) for key, name in (*HABITS.items(), ("shared", "shared")))
        return [
            _spread(f"{len(pairs):,} pairs", pairs, {"items": "items", **KAPPAS}),
            _spread(f"{len(everyone):,} assessors", everyone, HABITS),
            ReportTable(columns=(Column("agrees least", "assessor"), *figures), rows=least.rows(named=True)),
        ]

    def _notes(self) -> list[tuple[str, str]]:
        notes = [(known.name, f"{known.title}: {known.words}") for known in COEFFICIENTS.values()]
        notes.append(
            ("kappa", "Cohen's kappa of two assessors; linear and quadratic weigh how far apart their grades are")
        )
        notes.append(("interval", f"bootstrap over items, seed {self.seed}"))
        if self.crowd:
            shared = "of the items that an assessor shares with another, each two counted, the share with one grade"
            notes.append(("agreed", shared))
            least = f"of the assessors who share {SHARED} items or more, counted with each other assessor"
            notes += [("least", least), ("all", "-o csv has every pair, -o json every pair and assessor")]
        return notes


def _spread(title: str, frame: pl.DataFrame, columns: Mapping[str, str]) -> ReportTable:
    """Return the quantiles of some columns, without what is not defined."""
    rows = []
    for column, name in columns.items():
        known = sorted(value for value in frame[column].drop_nulls().to_list() if value == value)
        places = [round(share * (len(known) - 1)) for share in QUANTILES.values()]
        rows.append((name, *(known[place] if known else math.nan for place in places)))
    return ReportTable(columns=(title, *(Column(name, format=_cell) for name in QUANTILES)), rows=rows)


def _cell(value: float) -> str:
    return str(value) if isinstance(value, int) else number(value).replace("-", "−")
