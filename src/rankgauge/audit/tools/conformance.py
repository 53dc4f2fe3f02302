"""Cases on which implementations of measures disagree, and which definition another implementation's values follow.

Whoever maintains an implementation computes its values on the cases (`cases.jsonl`) and hands them in as a table with
the columns case, measure and value; an empty value says that it refuses the case or has no value for it.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from rankgauge import dialects
from rankgauge.audit.tools.origins import PrintedNumber
from rankgauge.audit.tools.scores import NO_TOOL
from rankgauge.errors import InputError, RankGaugeError
from rankgauge.evaluation.evaluation import evaluate
from rankgauge.files.format import Head
from rankgauge.files.source import Source
from rankgauge.files.tabular import header, records
from rankgauge.input_notes import collecting_notes
from rankgauge.measures import parse
from rankgauge.policies import Duplicates
from rankgauge.render.format import Medium, Report, ReportDocument
from rankgauge.render.numbers import decimal
from rankgauge.render.passages import Heading, Notes, Paragraph, Passage
from rankgauge.render.table import Column, ReportTable

MEASURES = ("nDCG@3", "nDCG", "P@3", "R@3", "AP", "AP@3", "RR")
"""The measures whose usual values are written."""

NEAR = 1e-9
"""How near values are that are the same but for rounding."""

NAMED = 6
"""How many tools are named."""

COLUMNS = ("case", "measure", "value")


@dataclass(frozen=True, kw_only=True)
class ConformanceCase:
    """A list and what is relevant."""

    name: str
    retrieved: Mapping[str, float] | tuple[str, ...] = ()
    """The documents in order, or with scores where these matter."""
    grades: Mapping[str, int]
    why: str

    def values(self, dialect: dialects.Dialect, measures: list[str]) -> dict[str, float]:
        """Return the values under the dialect; NaN where it refuses the case or leaves it out."""
        scores = self.retrieved.values() if isinstance(self.retrieved, Mapping) else range(len(self.retrieved), 0, -1)
        hits = [("q", document, float(score)) for document, score in zip(self.retrieved, scores, strict=True)]
        graded = self.grades or {"-": 0}  # a query has to be judged, and a run to have documents: those of another
        rows = [*hits, ("r", "d", 0.0), ("r", "e", 0.0)]
        run = pl.DataFrame(rows, schema=["query", "document", "score"], orient="row")
        try:
            with collecting_notes():
                values = evaluate({"q": graded, "r": {"d": 1}}, run, measures, dialect=dialect).values
        except RankGaugeError:
            return dict.fromkeys(measures, math.nan)
        own = dict(values.filter(query="q").select("measure", "value").iter_rows())
        return {name: own.get(name, math.nan) for name in measures}


CASES = tuple(
    ConformanceCase(name=name, retrieved=retrieved, grades=grades, why=why)
    for name, retrieved, grades, why in (
        ("perfect", tuple("ab"), {"a": 1, "b": 1}, "every relevant document, and first"),
        ("second", tuple("xay"), {"a": 1}, "LETOR and LensKit do not discount rank 2"),
        ("missed", tuple("axy"), {"a": 1, "b": 1}, "a relevant document was not retrieved"),
        ("short", tuple("a"), dict.fromkeys("abcde", 1), "fewer documents than the cutoff"),
        ("many", tuple("axbyc"), dict.fromkeys("abcdef", 1), "more relevant than the cutoff, and a list beyond it"),
        ("graded", tuple("bxa"), {"a": 3, "b": 1, "c": 2}, "what a grade is worth"),
        ("copies", tuple("aaax"), {"a": 1, "b": 1}, "a relevant document is retrieved thrice"),
        ("idle copies", tuple("xxa"), {"a": 1}, "another document twice"),
        ("tied", {"a": 1.0, "x": 1.0, "y": 1.0}, {"a": 1}, "equal scores: the order is open"),
        ("nothing found", tuple("xyz"), {"a": 1}, "no relevant document retrieved"),
        ("nothing retrieved", (), {"a": 1}, "an empty list"),
        ("nothing relevant", tuple("xyz"), {}, "no relevant document exists"),
        ("nothing at all", (), {}, "an empty list, and nothing to find"),
    )
)
USUAL = dialects.get("standard", duplicates=Duplicates.COUNT_ONCE)


def write_cases(folder: Path) -> list[Path]:
    """Write `cases.jsonl`, and `expected.csv` with the values of the usual definition."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", path=folder, hint="Name another folder.") from None
    cases, expected = folder / "cases.jsonl", folder / "expected.csv"
    if kept := [path.name for path in (cases, expected) if path.exists()]:
        raise InputError(f"{folder} has {' and '.join(kept)} already", hint="Name another folder, or remove them.")
    with cases.open("w", encoding="utf-8") as stream:
        for case in CASES:
            row = {"case": case.name, "retrieved": [*case.retrieved], "relevant": dict(case.grades), "why": case.why}
            scores = {"scores": [*case.retrieved.values()]} if isinstance(case.retrieved, Mapping) else {}
            stream.write(json.dumps({**row, **scores}) + "\n")
    rows = [(case.name, *one) for case in CASES for one in case.values(USUAL, [*MEASURES]).items()]
    with expected.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows([COLUMNS, *rows])
    return [cases, expected]


def read_results(path: Path) -> dict[str, dict[str, PrintedNumber | None]]:
    """Return another implementation's values by measure and case; None where it has none."""
    known, printed = {case.name for case in CASES}, dict[str, dict[str, PrintedNumber | None]]()
    source = Source.of(path)
    head, _ = header(Head(source=source))
    if head != [*COLUMNS]:
        hint = f"The first line names the columns: {','.join(COLUMNS)}."
        raise InputError("no table of results", path=path, line=1, text=",".join(head), hint=hint)
    for line, row in records(source):
        case, name, value = (row.get(column, "").strip() for column in COLUMNS)
        place: dict[str, Any] = {"path": path, "line": line, "text": ",".join(row.values())}
        if case not in known or len(row) != len(COLUMNS):
            hint = f"A line has a case, a measure and a value. Cases: {', '.join(sorted(known))}."
            raise InputError("no result of a case", hint=hint, **place)
        try:
            measure = str(parse(name))
            given = None if value.lower() in ("", "nan", "none") else PrintedNumber.of(value)
        except RankGaugeError as error:
            hint = "Write measures as 'rankgauge measures' names them; leave a value empty where there is none."
            raise InputError(str(error).splitlines()[0], hint=hint, **place) from error
        if case in printed.setdefault(measure, {}):
            raise InputError(f"a second value of {measure} for {case}", hint="Remove one of them.", **place)
        printed[measure][case] = given
    if not printed:
        raise InputError("a table of results without a line", path=path, hint="Write a line per case and measure.")
    return printed


def _is_same(given: PrintedNumber | None, value: float) -> bool:
    if given is None or math.isnan(value):
        return given is None and math.isnan(value)
    return abs(given.value - value) <= max(given.unit / 2, NEAR)


@dataclass(frozen=True, kw_only=True, eq=False)
class ConformanceReport(Report):
    """Which definitions the values of an implementation follow."""

    command = "conformance check"

    results: Mapping[str, Mapping[str, PrintedNumber | None]]

    @cached_property
    def usual(self) -> dict[tuple[str, str], float]:
        """The usual value of each case and measure."""
        return self._values(USUAL, [*self.results])

    @cached_property
    def agreeing(self) -> dict[str, dict[str, int]]:
        """By measure, with how many values each tool agrees, most first; the usual definition before others."""
        agreements: dict[str, dict[str, int]] = {measure: {} for measure in self.results}
        for tool in (
            USUAL,
            *(dialect for name, dialect in dialects.DIALECTS.items() if name not in ("standard", *NO_TOOL)),
        ):
            measures = [result for result in self.results if tool.has(parse(result))]
            values = self._values(tool, measures) if measures else {}
            for measure in measures:
                given = self.results[measure].items()
                agreements[measure][tool.name] = sum(_is_same(one, values[case, measure]) for case, one in given)
        return {
            agreement: dict(sorted(agreements[agreement].items(), key=lambda tool: -tool[1]))
            for agreement in agreements
        }

    def _values(self, tool: dialects.Dialect, measures: list[str]) -> dict[tuple[str, str], float]:
        asked = {case for result in self.results.values() for case in result}
        expected = {case.name: case.values(tool, measures) for case in CASES if case.name in asked}
        return {(case, measure): value for case, values in expected.items() for measure, value in values.items()}

    def frame(self) -> pl.DataFrame:
        """Return a row per value: case, measure, value, what is usual, and whether it is the same."""
        rows = [
            (case, measure, None if given is None else given.value, usual, _is_same(given, usual))
            for measure, values in self.results.items()
            for case, given in values.items()
            for usual in [self.usual[case, measure]]
        ]
        numbers = {"value": pl.Float64, "usual": pl.Float64, "same": pl.Boolean}
        return pl.DataFrame(rows, schema={"case": pl.String, "measure": pl.String, **numbers}, orient="row")

    def document(self, medium: Medium) -> ReportDocument:
        """Return the tools that agree with each measure, and the cases on which values are not the usual ones."""
        followed = []
        for measure, counts in self.agreeing.items():
            n, most = len(self.results[measure]), max(counts.values())
            tools = [name for name, count in counts.items() if count == most]
            how = ", ".join(tools[:NAMED]) + (f" and {len(tools) - NAMED} more" if len(tools) > NAMED else "")
            nearest = "" if most == n else f"none; nearest ({most} of {n}): "
            followed.append((measure, f"{counts['standard']} of {n}", nearest + how))
        passages: list[Passage] = [ReportTable(columns=("measure", "usual", "follows"), rows=followed)]
        table = self.frame().filter(~pl.col("same"))
        if table.is_empty():
            passages.append(Paragraph("Every value is the usual one."))
        else:
            numbers = (Column(name, format=decimal) for name in ("value", "usual"))
            rows = table.fill_null(math.nan).rows()
            odd = ReportTable(columns=("case", "measure", *numbers), rows=rows)
            why = [(case.name, case.why) for case in CASES if case.name in set(table["case"])]
            passages += [Heading("Values that are not the usual ones"), odd, Notes(why)]
        return ReportDocument(title="Which definition values follow", passages=passages)
