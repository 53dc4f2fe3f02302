"""rankgauge conformance: cases for other implementations of measures, and which definition theirs follows."""

from __future__ import annotations

from pathlib import Path

from rankgauge.cli import choices
from rankgauge.cli.command import command, group
from rankgauge.cli.parser import argument

group(
    "conformance",
    "Test another implementation of measures: write cases, and find which tool's definition its values follow.",
    "rankgauge conformance write cases",
    "rankgauge conformance check results.csv",
    place=31,
    page="frameworks.md#test-an-implementation",
)


@command("conformance write", "rankgauge conformance write cases", "rankgauge conformance write tests/cases")
def write(folder: Path = argument("FOLDER", help="The folder to write into; it is made.")) -> None:
    """Write cases.jsonl (lists, grades, and why each is a case) and expected.csv, the values that are usual."""
    from rankgauge.audit.tools.conformance import write_cases

    for path in write_cases(folder):
        print(path)


@command(
    "conformance check",
    "rankgauge conformance check results.csv",
    "rankgauge conformance check results.csv -o md",
)
def check(
    results: Path = argument(
        "RESULTS", help="A table with the columns case, measure and value.", offer=choices.sources
    ),
    output: str = choices.output("rankgauge.audit.tools.conformance:ConformanceReport.formats", default="table"),
) -> None:
    """Say of each measure which tools compute it so, and on which cases its values are not the usual ones."""
    from rankgauge.audit.tools.conformance import ConformanceReport, read_results
    from rankgauge.cli.streams import refuse_overwriting, write_report

    format_, path = ConformanceReport.find(output)
    refuse_overwriting([results], [path])
    report = ConformanceReport(results=read_results(results))
    write_report(report, [(format_, path)])
