"""rankgauge audit: why tools disagree on a ranking."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from rankgauge.cli import choices, options
from rankgauge.cli.command import CommandGroup, command, group
from rankgauge.cli.options import names
from rankgauge.errors import ParameterError


class FileOrCommand(CommandGroup):
    """A group that takes a first word that is not a command for a file, to be given to the command `run`."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["run", *args]
        return super().parse_args(ctx, args)


group(
    "audit",
    "Why tools disagree: one ranking under every tool, and what each of their choices adds to the difference.",
    "rankgauge audit test.txt scores.txt",
    "rankgauge audit qrels.txt bm25.txt dense.txt.gz -o audit.html",
    "rankgauge audit explain qrels.txt bm25.txt --query q01",
    "rankgauge audit lint test.txt",
    place=30,
    kind=FileOrCommand,
)

MeasureName: TypeAlias = Annotated[str, options.measure_name()]
Dialects: TypeAlias = Annotated[
    list[str] | None,
    choices.option(
        "-d",
        "--dialects",
        help="The tools, separated by commas: see 'rankgauge dialects'. By default those that fit the files.",
        metavar="NAMES",
        registry="rankgauge.dialects:DIALECTS",
        several=True,
    ),
]


@command(
    "audit run",
    "rankgauge audit run test.txt scores.txt",
    "rankgauge audit run qrels.txt bm25.txt dense.txt.gz -m nDCG@5 -o audit.html",
    "rankgauge audit run test.txt scores.txt -d ranklib,yahoo --against ranklib",
    "rankgauge audit run qrels.txt bm25.txt -m nDCG@10 --value 0.5564",
)
def run(
    judgments: options.Judgments,
    runs: options.Runs,
    measure: MeasureName = "nDCG@10",
    dialects: Dialects = None,
    against: Annotated[
        str,
        choices.option(
            "--against", help="The tool to compare the others with.", registry="rankgauge.dialects:DIALECTS"
        ),
    ] = "standard",
    value: Annotated[
        str | None,
        typer.Option(
            "--value",
            help="A number as it was printed, such as 0.4812: which tools, cutoffs and choices give it on this data.",
            metavar="NUMBER",
        ),
    ] = None,
    output: Annotated[str, choices.output("rankgauge.audit.tools.report:AuditReport.formats")] = "table",
    *,
    spelling: options.RunSpellingOptions,
) -> None:
    """What runs get from every tool, and why the tools differ. The word `run` may be left out."""
    from rankgauge.audit.tools import audit, origins
    from rankgauge.audit.tools.origins_report import OriginsReport
    from rankgauge.audit.tools.report import AuditReport
    from rankgauge.cli.runs import named, refuse_measures
    from rankgauge.cli.streams import heed, opened, spare
    from rankgauge.render.format import Report

    heed()
    kind: type[Report] = AuditReport if value is None else OriginsReport
    format_, path = kind.find(output)
    listed = named(runs)
    refuse_measures([judgments, *listed.values()], ())
    spare([judgments, *listed.values()], [path])
    judged, ranked = spelling.file(judgments), spelling.files(listed)
    tools = names(dialects) if dialects else None
    if value is None:
        report: Report = AuditReport(
            audit=audit(judged, ranked, measure, dialects=tools, base=against, scale=spelling.scale)
        )
    elif len(ranked) > 1:
        raise ParameterError("audit", "value", "asked of one run", ", ".join(ranked))
    else:
        ((name, one),) = ranked.items()
        found = origins(judged, one, value, names([measure]), dialects=tools, name=name, scale=spelling.scale)
        report = OriginsReport(origins=found)
    with opened(path) as stream:
        format_.write(report, stream)


@command(
    "audit explain",
    "rankgauge audit explain qrels.txt bm25.txt --query q01",
    "rankgauge audit explain qrels.txt bm25.txt --query q01 -m nDCG@5 -d standard,trec_eval",
)
def explain(
    judgments: options.Judgments,
    run: Annotated[
        Path, typer.Argument(help="A run, or scores for a LETOR file.", metavar="RUN", autocompletion=choices.sources)
    ],
    query: Annotated[str, typer.Option("-q", "--query", help="The query.", metavar="ID")],
    measure: MeasureName = "nDCG@10",
    dialects: Dialects = None,
    *,
    spelling: options.RunSpellingOptions,
) -> None:
    """How one query gets its value under each tool: rank by rank, stage by stage."""
    from rankgauge.audit import tools as audit
    from rankgauge.audit.tools.default_dialects import fitting
    from rankgauge.audit.tools.explanation_report import ExplanationReport
    from rankgauge.audit.tools.scores import judged_for
    from rankgauge.cli.streams import heed
    from rankgauge.dialects import get as get_dialect
    from rankgauge.measures import parse

    heed()
    wanted = parse(measure)
    kind = wanted.facts.judgments
    scores = audit.Scores(judgments=judged_for(spelling.file(judgments), kind), run=spelling.file(run), kind=kind)
    tools = None if dialects is None else [get_dialect(name) for name in names(dialects)]
    fit = fitting(scores.judgments, scores.run, kind) if tools is None else tools
    asked = [one.on_scale(spelling.scale, wanted) for one in fit]
    found, refused = audit.explain_all(scores, asked, wanted, query)
    ExplanationReport(found=found, refused=refused).show(sys.stdout)


@command("audit lint", "rankgauge audit lint test.txt", "rankgauge audit lint qrels.txt bm25.txt")
def lint(
    judgments: options.Judgments,
    run: Annotated[
        Path | None,
        typer.Argument(help="A run, or scores for a LETOR file.", metavar="[RUN]", autocompletion=choices.sources),
    ] = None,
    measure: MeasureName = "nDCG@10",
    dialects: Dialects = None,
    *,
    spelling: options.RunSpellingOptions,
) -> None:
    """What in a data set distorts scores: empty queries, short lists, ties, unjudged documents, duplicates and more."""
    from rankgauge.audit.tools import audit
    from rankgauge.audit.tools.check import lint as look
    from rankgauge.audit.tools.lint_report import FindingsReport
    from rankgauge.cli.streams import heed

    heed()
    judged, ranked = spelling.file(judgments), spelling.maybe(run)
    audited = None if run is None else audit(judged, ranked, measure, dialects=names(dialects) if dialects else None)
    FindingsReport(found=look(judged, ranked, audit=audited), measure=measure).show(sys.stdout)
