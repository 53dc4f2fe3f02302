"""rankgauge active: an estimate with few labels: plan, hand out, record, estimate."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from rankgauge.cli import choices
from rankgauge.cli.command import command, group
from rankgauge.cli.options import COLUMNS, QUERIES, SAME_IDS, RunSpellingOptions
from rankgauge.cli.parser import argument, option
from rankgauge.errors import InputError, NothingToJudgeError, OptionError, PausedError
from rankgauge.labelling import defaults

group(
    "active",
    "Estimate with few labels: which documents to judge next, and what their grades say.",
    "rankgauge active plan bm25.txt dense.txt rrf.txt -m nDCG@10 --budget 100",
    "rankgauge active next campaign.rg -n 20 -o tasks.csv",
    "rankgauge active record campaign.rg tasks.csv",
    "rankgauge active estimate campaign.rg -o estimate.html",
    place=80,
    page="active.md",
)

CAMPAIGN = argument("CAMPAIGN", help="The campaign: a file, or a database URL (…#name if it has several).")
ASSESSOR = option("--assessor", help="The assessor, if the labels do not name one.", metavar="NAME")


@command(
    "active next",
    "rankgauge active next campaign.rg -n 20 -o tasks.csv",
    "rankgauge active next campaign.rg -n 50 --assessor anna -o anna.json",
    "rankgauge active next campaign.rg --again -o tasks.csv",
)
def next_(
    campaign: str = CAMPAIGN,
    output: Path = option(
        "-o",
        "--output",
        help="The tasks, in the format that the ending names: {rankgauge.labelling.label_format:task_endings}.",
        metavar="FILE",
        required=True,
    ),
    n: int = option("-n", help="How many documents.", metavar="N", least=1, default=defaults.TASKS),
    assessor: str | None = ASSESSOR,
    again: bool = option("--again", help="Begin with those that the assessor already has."),
    days: float = option(
        "--days", help="For how many days they stay reserved.", metavar="X", default=defaults.LEASE_DAYS
    ),
) -> None:
    """Write the documents to judge next, as far as the budget allows.

    If there is none, it says why and ends with exit code 6; a file of that name is put aside (FILE.old).
    """
    from rankgauge.labelling.campaign import LabelCampaign
    from rankgauge.labelling.label_format import task_format, write_tasks
    from rankgauge.labelling.labels import SOMEBODY
    from rankgauge.render.numbers import amount, count

    task_format(output)  # a wrong ending shows before anything is handed out
    with LabelCampaign.open(campaign) as opened:
        if assessor is None and opened.settings.assessors > 1:
            raise OptionError("Several people judge each document of this campaign: say who is asked, --assessor NAME.")
        who, tasks = assessor or SOMEBODY, []
        with suppress(PausedError):
            tasks = opened.lease(n, who, seconds=days * 24 * 3600, again=again)
        progress, why = opened.progress(), "" if tasks else opened.why_idle(who).words(opened.rules)
    state = f"{amount(progress.spent)} of {amount(progress.budget)} spent; {count(progress.out, 'document')} out"
    if not tasks:
        again_ = " (--again writes open tasks again)" if progress.out else ""
        raise NothingToJudgeError(why, state + again_ + _aside(output))
    write_tasks(tasks, output)
    whose = f" for {assessor}" if assessor else ""
    print(f"{output}: {count(len(tasks), 'document')}{whose} to judge")
    print(state)


def _aside(output: Path) -> str:
    """Put a file of earlier tasks aside, which somebody would take for the new ones."""
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
    campaign: str = CAMPAIGN,
    labels: list[Path] = argument("LABELS", help="Labels, as {rankgauge.labelling.label_format:LABEL_FORMATS}."),
    assessor: str | None = ASSESSOR,
    replace: bool = option("--replace", help="Let labels replace the same assessor's earlier ones."),
) -> None:
    """Record labels, in any order and from any number of assessors; each file as a whole or not at all."""
    from rankgauge.labelling.campaign import LabelCampaign
    from rankgauge.labelling.labels import SOMEBODY
    from rankgauge.labelling.reports.campaign import describe_recorded
    from rankgauge.render.numbers import amount, count

    with LabelCampaign.open(campaign) as opened:
        for path in labels:
            print(f"{path}: {describe_recorded(opened.record(path, assessor=assessor or SOMEBODY, replace=replace))}")
        progress = opened.progress()
    print(
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
    campaign: str = CAMPAIGN,
    level: float = option("--level", help="The interval's level.", metavar="X", default=defaults.LEVEL),
    interval: str | None = choices.option(
        "--interval",
        help="The confidence interval: {choices}. By default t, or sequence if the campaign has a stopping rule or "
        "its budget was changed.",
        metavar="KIND",
        registry="rankgauge.labelling.intervals:IntervalKind",
    ),
    run: list[Path] | None = option(
        "--run",
        help="A run that came later, estimated from the labels of a board; repeat it for more.",
        metavar="RUN",
        offer=choices.sources,
    ),
    columns: str | None = COLUMNS,
    ids: str | None = SAME_IDS,
    queries: Path | None = QUERIES,
    output: str = choices.output("rankgauge.labelling.reports.campaign:CampaignReport.formats", default="table"),
) -> None:
    """Show the estimate so far: its interval, what was spent, and what the rest of the budget would buy.

    For a board: the value, the intervals and the ranks of every run, and what is settled.
    """
    from rankgauge.cli.runs import name_runs
    from rankgauge.cli.streams import write_report
    from rankgauge.labelling.campaign import LabelCampaign
    from rankgauge.labelling.reports.board import report_of
    from rankgauge.labelling.reports.campaign import CampaignReport

    format_, path = CampaignReport.find(output)
    spelled = {"columns": columns, "ids": ids, "queries": queries}
    if not 0 < level < 1:
        raise OptionError(f"--level takes a number between 0 and 1, e.g. --level 0.95; got {level:g}.")
    if not run and (idle := [f"--{name}" for name, said in spelled.items() if said is not None]):
        raise OptionError(f"{idle[0]} needs --run: it says how runs that came later are spelled.")
    with LabelCampaign.open(campaign) as opened:
        if opened.board and interval not in (None, "t"):
            raise OptionError("--interval is for campaigns that estimate one value: leave it out for a board of runs.")
        if run and not opened.board:
            raise InputError("--run needs a board of runs; this campaign estimates one value", path=campaign)
        later = RunSpellingOptions(**spelled).files(name_runs(run or []))
        report = report_of(opened, level=level, interval=interval, later=later)
    write_report(report, [(format_, path)])


@command("active refit", "rankgauge active refit campaign.rg", "rankgauge active refit campaign.rg --leave-open")
def refit(
    campaign: str = CAMPAIGN,
    leave_open: bool = option("--leave-open", help="End the stage although draws are open; they will not count."),
) -> None:
    """Begin a new stage, with beliefs calibrated to the labels so far."""
    from rankgauge.labelling.campaign import LabelCampaign
    from rankgauge.render.numbers import amount

    with LabelCampaign.open(campaign) as opened:
        opened.refit(leave_open=leave_open)
        progress = opened.progress()
    print(f"stage {progress.stages} begins with {amount(progress.left)} of the budget")
