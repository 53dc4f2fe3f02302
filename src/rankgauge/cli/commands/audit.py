"""rankgauge audit: why tools disagree on a ranking."""

from __future__ import annotations

import sys
from pathlib import Path

from rankgauge.cli import choices, options
from rankgauge.cli.command import command, group
from rankgauge.cli.options import names
from rankgauge.cli.parser import argument, option
from rankgauge.errors import OptionError

group(
    "audit",
    "Explain why tools disagree: one ranking under every tool, and what each of their choices adds to the difference.",
    "rankgauge audit test.txt scores.txt",
    "rankgauge audit qrels.txt bm25.txt dense.txt.gz -o audit.html",
    "rankgauge audit explain qrels.txt bm25.txt --query q01",
    "rankgauge audit lint test.txt",
    place=30,
    page="audit.md",
    otherwise="run",
)

BASE = "standard"
"""The tool that others are compared with."""

MEASURE = options.measure_name(default="nDCG@10")
DIALECTS = choices.option(
    "-d",
    "--dialects",
    help="The tools, separated by commas: see 'rankgauge dialects'. By default those that fit the files.",
    metavar="NAMES",
    registry="rankgauge.dialects:DIALECTS",
    several=True,
)


@command(
    "audit run",
    "rankgauge audit run test.txt scores.txt",
    "rankgauge audit run qrels.txt bm25.txt dense.txt.gz -m nDCG@5 -o audit.html",
    "rankgauge audit run test.txt scores.txt -d ranklib,yahoo --against ranklib",
    "rankgauge audit run qrels.txt bm25.txt -m nDCG@10 --value 0.5564",
    first=("measure", "dialects", "against", "value", "output", "scale"),
)
def run(
    judgments: Path = options.JUDGMENTS,
    runs: list[Path] = options.RUNS,
    measure: str = MEASURE,
    dialects: list[str] | None = DIALECTS,
    against: str | None = choices.option(
        "--against",
        help="The tool to compare the others with; by default standard.",
        registry="rankgauge.dialects:DIALECTS",
    ),
    value: str | None = option(
        "--value",
        help="A number as it was printed, such as 0.4812: which tools, cutoffs and choices give it on this data.",
        metavar="NUMBER",
    ),
    output: str = choices.output("rankgauge.audit.tools.report:AuditReport.formats", default="table"),
    *,
    spelling: options.RunSpellingOptions,
) -> None:
    """Show what runs get from every tool, and why the tools differ. The word `run` may be left out."""
    from rankgauge.audit.tools import audit, origins
    from rankgauge.audit.tools.origins import OriginsReport
    from rankgauge.audit.tools.report import AuditReport
    from rankgauge.cli.runs import name_runs, refuse_measures
    from rankgauge.cli.streams import handle_interrupts, refuse_overwriting, write_report

    handle_interrupts()
    format_, path = (AuditReport if value is None else OriginsReport).find(output)
    listed = name_runs(runs)
    refuse_measures([judgments, *listed.values()], ())
    refuse_overwriting([judgments, *listed.values()], [path])
    judged, ranked = spelling.file(judgments), spelling.files(listed)
    tools = names(dialects) if dialects else None
    report: AuditReport | OriginsReport
    if value is None:
        audited = audit(judged, ranked, measure, dialects=tools, base=against or BASE, scale=spelling.scale)
        report = AuditReport(audit=audited)
    elif against is not None:
        raise OptionError("--against is for the comparison of tools: leave it out with --value, or --value out.")
    elif len(ranked) > 1:
        raise OptionError(f"--value needs one run; got {len(ranked)}: {', '.join(ranked)}.")
    else:
        ((name, one),) = ranked.items()
        ways = origins(judged, one, value, names([measure]), dialects=tools, name=name, scale=spelling.scale)
        report = OriginsReport(origins=ways)
    write_report(report, [(format_, path)])


@command(
    "audit explain",
    "rankgauge audit explain qrels.txt bm25.txt --query q01",
    "rankgauge audit explain qrels.txt bm25.txt --query q01 -m nDCG@5 -d standard,trec_eval",
)
def explain(
    judgments: Path = options.JUDGMENTS,
    run: Path = argument("RUN", help="A run, or scores for a LETOR file.", offer=choices.sources),
    query: str = option("-q", "--query", help="The query.", metavar="ID", required=True),
    measure: str = MEASURE,
    dialects: list[str] | None = DIALECTS,
    *,
    spelling: options.RunSpellingOptions,
) -> None:
    """Show how one query gets its value under each tool: rank by rank, stage by stage."""
    from rankgauge.audit.tools import Scores, explain_all
    from rankgauge.audit.tools.explain import ExplanationReport
    from rankgauge.audit.tools.scores import fitting
    from rankgauge.cli.streams import handle_interrupts
    from rankgauge.dialects import get as get_dialect
    from rankgauge.measures import parse

    handle_interrupts()
    wanted = parse(measure)
    kind = wanted.facts.judgments
    (scores,) = Scores.of(spelling.file(judgments), {"run": spelling.file(run)}, kind).values()
    fit = map(get_dialect, names(dialects)) if dialects else fitting(scores.judgments, scores.run, kind)
    explanations, refused = explain_all(
        scores, [dialect.on_scale(spelling.scale, wanted) for dialect in fit], wanted, query
    )
    ExplanationReport(found=explanations, refused=refused).show(sys.stdout)


@command("audit lint", "rankgauge audit lint test.txt", "rankgauge audit lint qrels.txt bm25.txt")
def lint(
    judgments: Path = options.JUDGMENTS,
    run: Path | None = argument(
        "RUN", help="A run, or scores for a LETOR file.", offer=choices.sources, required=False
    ),
    measure: str | None = MEASURE.but(default=None),
    dialects: list[str] | None = DIALECTS,
    *,
    spelling: options.RunSpellingOptions,
) -> None:
    """Find what in a data set distorts scores: empty queries, short lists, ties, unjudged documents, duplicates …"""
    from rankgauge.audit.tools import audit, check
    from rankgauge.cli.streams import handle_interrupts

    handle_interrupts()
    judged, ranked = spelling.file(judgments), spelling.maybe(run)
    if run is None and (measure or dialects):
        raise OptionError(f"{'--measure' if measure else '--dialects'} needs a run, given after the judgments.")
    wanted = measure or MEASURE.default
    audited = None if run is None else audit(judged, ranked, wanted, dialects=names(dialects) if dialects else None)
    check.FindingsReport(found=check.lint(judged, ranked, audit=audited), measure=wanted).show(sys.stdout)
