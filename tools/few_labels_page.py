"""Writes the tables of docs/few-labels-simulation.md anew, from the folder that `reproduce` has written.

    rankgauge reproduce few-labels --data FOLDER -o out
    python tools/few_labels_page.py out

The prose of the page stays: read it again beside the new tables.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from rankgauge.papers.pages.few_labels import JUDGED_MEASURES, MEASURES

PAGE = Path(__file__).parents[1] / "docs" / "few-labels-simulation.md"

MARKS = {
    "Kendall's τ with the true order": "Kendall's τ",
    "τ_AP, in which the top counts more": "τ_AP",
    "How often the best run is first": "How often the best run is first",
    "Root mean squared error over the runs": "Root mean squared error",
    "Bias, the mean over the runs": "Bias",
}
"""The tables of the first two measures: their titles here, and how they begin in the report."""

JUDGED_HEAD = (
    "| judge | method | RMSE 2 % | 5 % | 10 % | 20 % | bias 5 % | a run covered, 5 % | τ 5 % | labels for 0.03 |"
)
JUDGED_WORDS = """Root mean squared error at 2, 5, 10 and 20 % of the pool; bias, coverage of a run's own 95 % interval
and Kendall's τ at 5 %; and the labels for an error of 0.03. 300 repetitions of `leaderboard`, 25 of the others; `judge`
draws nothing at random."""

INTERVALS = "95 % intervals of leaderboard"


class Tables:
    """The tables of a report in Markdown, by their headings."""

    def __init__(self, report: str) -> None:
        parts = [part.partition("\n") for part in re.split(r"^## ", report, flags=re.MULTILINE)[1:]]
        self.found = {head: re.findall(r"^\|.*$", body, flags=re.MULTILINE) for head, _, body in parts}

    def table(self, begin: str, end: str) -> str:
        """The table whose heading begins and ends so."""
        (rows,) = (rows for head, rows in self.found.items() if head.startswith(begin) and head.endswith(end))
        return "\n".join(rows)

    def cell(self, begin: str, row: str, column: str) -> str:
        """The cell of a table by the names of its row and column."""
        (lines,) = (lines for head, lines in self.found.items() if head.startswith(begin))
        table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        (found,) = (cells for cells in table if cells[0] == row)
        return found[table[0].index(column)]


def verdicts(claims: Path) -> str:
    """A row for each claim."""
    with claims.open(encoding="utf-8", newline="") as stream:
        known = {row["place"]: row for row in csv.DictReader(stream)}
    rows = [f"| {row['claim']} | {place.rpartition(', ')[0]} | {row['verdict']} |" for place, row in known.items()]
    return "\n".join(["| claim | place | verdict |", "|---|---|---|", *rows])


def section(number: int, title: str, measures: tuple[str, ...], tables: Tables) -> Iterator[str]:
    """The paragraphs of a collection."""
    (needed,) = (rows for head, rows in tables.found.items() if head.startswith("Labels for") and f": {title}," in head)
    yield from (f"## {number}. {title}", "Labels for an order with τ ≥ 0.9:", "\n".join(needed))
    for place, measure in enumerate(measures[:2], start=1):
        end = f": {title}, {measure}"
        yield f"### {number}.{place} {title}, {measure}"
        for words, begin in MARKS.items():
            yield from (f"{words}:", tables.table(begin, end))
        yield from ("95 % intervals of `leaderboard`:", tables.table(INTERVALS, end))
    yield f"### {number}.3 {title}, other measures"
    for measure in measures[2:]:
        end = f": {title}, {measure}"
        yield f"{measure}: root mean squared error, and the intervals of `leaderboard`."
        yield from (tables.table("Root mean squared error", end), tables.table(INTERVALS, end))


def judged(number: int, title: str, tables: Tables, marks: Path) -> Iterator[str]:
    """The paragraphs of a collection with judges: a table for each measure, a row for each judge and method."""
    with marks.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["collection"].startswith(f"{title} with ")]
    yield f"## {number}. {title} with a judge"
    for place, measure in enumerate(JUDGED_MEASURES, start=1):
        yield f"### {number}.{place} {title} with a judge, {measure}"
        yield JUDGED_WORDS
        yield _judged_table(title, [row for row in rows if row["measure"] == measure], measure, tables)


def _judged_table(title: str, rows: list[dict[str, str]], measure: str, tables: Tables) -> str:
    cells: dict[tuple[str, str], dict[float, dict[str, str]]] = {}
    for row in rows:
        cells.setdefault((row["collection"], row["method"]), {})[float(row["share"])] = row
    lines = [JUDGED_HEAD, "|---|---|" + "---:|" * (JUDGED_HEAD.count("|") - 3)]
    for (collection, method), by_share in cells.items():
        shares = sorted(by_share)
        at = by_share[shares[1]]
        errors = [f"{float(by_share[share]['rmse']):.4f}" for share in shares]
        covered = f"{float(at['coverage']):.3f}" if at["coverage"] not in ("", "NaN") else "not yet"
        bias = f"{float(at['bias']):+.4f}".replace("-", "−")
        needed = tables.cell(f"Labels for a root mean squared error of 0.03: {collection},", method, measure)
        told = (
            collection.removeprefix(f"{title} with "),
            method,
            *errors,
            bias,
            covered,
            f"{float(at['tau']):.3f}".replace("-", "−"),
            needed,
        )
        lines.append(f"| {' | '.join(told)} |")
    return "\n".join(lines)


def main(out: Path) -> None:
    """Rewrites the page."""
    tables = Tables((out / "boards.md").read_text(encoding="utf-8"))
    text = PAGE.read_text(encoding="utf-8").partition("\n## 1. ")[0]
    text = re.sub(r"^\| claim \|(?:.*\n\|)*.*$", lambda _: verdicts(out / "claims.csv"), text, flags=re.MULTILINE)
    sections = [part for n, item in enumerate(MEASURES.items(), start=1) for part in section(n, *item, tables)]
    sections += judged(len(MEASURES) + 1, "DL19", tables, out / "marks.csv")
    PAGE.write_text("\n\n".join([text.rstrip("\n"), *sections]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
