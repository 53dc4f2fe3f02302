"""rankgauge active: an estimate with few labels: plan, hand out, record, estimate."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from rankgauge.cli import choices
from rankgauge.cli.command import command, group
from rankgauge.cli.options import Columns, QueryList, RunSpellingOptions, SameIds
from rankgauge.errors import InputError, NothingToJudgeError, ParameterError, PausedError
from rankgauge.labelling import defaults

group(
    "active",
    "An estimate with few labels: which documents to judge next, and what their grades say.",
    "rankgauge active plan bm25.txt dense.txt rrf.txt -m nDCG@10 --grades 0,1,2,3 --budget 300 -o campaign.rg",
    "rankgauge active next campaign.rg -n 20 -o tasks.csv",
    "rankgauge active record campaign.rg tasks.csv",
    "rankgauge active estimate campaign.rg -o estimate.html",
    place=80,
)

CampaignName: TypeAlias = Annotated[
    str,
    typer.Argument(help="The campaign: a file, or a database URL (…#name if it has several).", metavar="CAMPAIGN"),
]
Assessor: TypeAlias = Annotated[
    str | None, typer.Option("--assessor", help="The assessor, if the labels do not name one.", metavar="NAME")
]


@command(
    "active next",
    "rankgauge active next campaign.rg -n 20 -o tasks.csv",
    "rankgauge active next campaign.rg -n 50 --assessor anna -o anna.json",
    "rankgauge active next campaign.rg --again -o tasks.csv",
)
def next_(
    campaign: CampaignName,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            help="The tasks, in the format that the ending names: {rankgauge.labelling.label_format:task_endings}.",
            metavar="FILE",
        ),
    ],
    n: Annotated[int, typer.Option("-n", min=1, help="How many documents.", metavar="N")] = defaults.TASKS,
    assessor: Assessor = None,
    again: Annotated[bool, typer.Option("--again", help="Begin with those that the assessor already has.")] = False,
    days: Annotated[
        float, typer.Option("--days", help="For how many days they stay reserved.", metavar="X")
    ] = defaults.LEASE_DAYS,
) -> None:
    """Write the documents to judge next, as far as the budget allows.

    If there is none, it says why and ends with exit code 6; a file of that name is put aside (FILE.old).
    """
    from rankgauge.labelling.campaign import LabelCampaign
    from rankgauge.labelling.label_format import task_format, write_tasks
    from rankgauge.labelling.labels import SOMEBODY
    from rankgauge.render.numbers import amount, count

    task_format(output)  # a wrong ending shows before anything is handed out
    with LabelCampaign.open(campaign) as found:
        if assessor is None and found.settings.assessors > 1:
            raise ParameterError("active next", "assessor", "a name, as several people judge each document", assessor)
        who, tasks = assessor or SOMEBODY, []
        with suppress(PausedError):
            tasks = found.lease(n, who, seconds=days * 24 * 3600, again=again)
        progress, why = found.progress(), "" if tasks else found.why_idle(who).words(found.rules)
    state = f"{amount(progress.spent)} of {amount(progress.budget)} spent; {count(progress.out, 'document')} out"
    if not tasks:
        again_ = " (--again writes open tasks again)" if progress.out else ""
        raise NothingToJudgeError(why, state + again_ + _aside(output))
    write_tasks(tasks, output)
    whose = f" for {assessor}" if assessor else ""
    typer.echo(f"{output}: {count(len(tasks), 'document')}{whose} to judge")
    typer.echo(state)


def _aside(output: Path) -> str:
    """Puts a file of earlier tasks aside, which somebody would take for the new ones."""
    if not output.is_file():
        return ""
    old = output.with_name(f"{output.name}.old")
    output.replace(old)
    return f"; the earlier {output} is now {old}"


@command(
    "active record",
    "rankgauge active record campaign.rg tasks.csv",
    "rankgauge active record campaign.rg export.json",
    "rankgauge active record campaign.rg corrected.csv --replace",
)
def record(
    campaign: CampaignName,
    labels: Annotated[
        list[Path],
        typer.Argument(help="Labels, as {rankgauge.labelling.label_format:LABEL_FORMATS}.", metavar="LABELS"),
    ],
    assessor: Assessor = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Let labels replace the same assessor's earlier ones.")
    ] = False,
) -> None:
    """Record labels, in any order and from any number of assessors; each file as a whole or not at all."""
    from rankgauge.labelling.campaign import LabelCampaign
    from rankgauge.labelling.labels import SOMEBODY
    from rankgauge.labelling.reports.campaign import recorded
    from rankgauge.render.numbers import amount, count

    with LabelCampaign.open(campaign) as found:
        for path in labels:
            typer.echo(f"{path}: {recorded(found.record(path, assessor=assessor or SOMEBODY, replace=replace))}")
        progress = found.progress()
    typer.echo(
        f"{amount(progress.spent)} of {amount(progress.budget)} spent; {count(progress.complete, 'draw')} complete, "
        f"{count(progress.out, 'document')} out"
    )


@command(
    "active estimate",
    "rankgauge active estimate campaign.rg",
    "rankgauge active estimate campaign.rg -o estimate.html",
    "rankgauge active estimate campaign.rg --interval sequence",
    "rankgauge active estimate board.rg --run new.txt",
)
def estimate(
    campaign: CampaignName,
    level: Annotated[float, typer.Option("--level", help="The interval's level.", metavar="X")] = defaults.LEVEL,
    interval: Annotated[
        str | None,
        choices.option(
            "--interval",
            help="The confidence interval: {choices}. By default t, or sequence if the campaign has a stopping rule or "
            "its budget was changed.",
            metavar="KIND",
            registry="rankgauge.labelling.intervals:IntervalKind",
        ),
    ] = None,
    run: Annotated[
        list[Path] | None,
        typer.Option(
            "--run",
            help="A run that came later, estimated from the labels of a board; repeat it for more.",
            metavar="RUN",
            autocompletion=choices.sources,
        ),
    ] = None,
    columns: Columns = None,
    ids: SameIds = None,
    queries: QueryList = None,
    output: Annotated[str, choices.output("rankgauge.labelling.reports.campaign:CampaignReport.formats")] = "table",
) -> None:
    """The estimate so far: its interval, what was spent, and what the rest of the budget would buy.

    For a board: the value, the intervals and the ranks of every run, and what is settled.
    """
    from rankgauge.cli.runs import named
    from rankgauge.cli.streams import opened
    from rankgauge.labelling.campaign import BoardCampaign, Campaign, LabelCampaign
    from rankgauge.labelling.reports.board import BoardReport
    from rankgauge.labelling.reports.campaign import CampaignReport

    format_, path = CampaignReport.find(output)
    if not 0 < level < 1:
        raise ParameterError("active estimate", "level", "between 0 and 1, as 0.95", level)
    report: CampaignReport | BoardReport
    with LabelCampaign.open(campaign) as found:
        if isinstance(found, BoardCampaign):
            if interval not in (None, "t"):
                raise ParameterError("active estimate", "interval", "t for a board", interval)
            later = RunSpellingOptions(columns=columns, ids=ids, queries=queries).files(named(run or []))
            report = BoardReport.of(found, level=level, later=later)
        else:
            assert isinstance(found, Campaign)
            if run:
                raise InputError("only a board has room for a run that came later", path=campaign)
            report = CampaignReport.of(found, level=level, interval=interval)
    with opened(path) as stream:
        format_.write(report, stream)


@command("active refit", "rankgauge active refit campaign.rg")
def refit(
    campaign: CampaignName,
    leave_open: Annotated[
        bool, typer.Option("--leave-open", help="End the stage although draws are open; they will not count.")
    ] = False,
) -> None:
    """Begin a new stage, with beliefs calibrated to the labels so far."""
    from rankgauge.labelling.campaign import LabelCampaign
    from rankgauge.render.numbers import amount

    with LabelCampaign.open(campaign) as found:
        found.refit(leave_open=leave_open)
        progress = found.progress()
    typer.echo(f"stage {progress.stages} begins with {amount(progress.left)} of the budget")
