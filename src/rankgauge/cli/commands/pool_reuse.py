"""rankgauge pool reuse: whether judgments can score runs that had no part in making them."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from rankgauge.cli import choices, options
from rankgauge.cli.command import command
from rankgauge.cli.parser import Options, argument, option

if TYPE_CHECKING:
    from collections.abc import Mapping


class ReuseOptions(Options):
    """The judgments, the runs that made them, and those that did not."""

    judgments: Path = options.JUDGMENTS
    runs: list[Path] = argument(
        "RUN",
        help="The runs that the judgments may have been made from. NAME=FILE gives one a name.",
        offer=choices.sources,
    )
    new: list[Path] | None = option(
        "--new", help="A run that had no part in the judgments; may be given again.", metavar="FILE"
    )
    teams: Path | None = option("--teams", help="Who made which run: lines of a run and its team.", metavar="FILE")
    measure: list[str] | None = options.measure_names(
        "A measure, or several separated by commas; repeatable. By default nDCG@10, AP and RBP."
    )
    pool_depth: int | None = option(
        "--pool-depth",
        help="To which depth the runs were pooled; by default as the judgments show.",
        metavar="K",
        least=1,
    )
    dialect: str = options.dialect_name(
        "The tool whose gains and discounts count. Equal scores keep the order of the file, whatever the tool does.",
        default="standard",
    )
    output: str = choices.output("rankgauge.labelling.pools.reuse_report:PoolReuseReport.formats", default="table")
    format_judgments: str | None = options.FORMAT_JUDGMENTS
    queries: Path | None = options.QUERIES
    columns: str | None = options.COLUMNS
    scale: str | None = options.SCALE
    ids: str | None = options.SAME_IDS


@command(
    "pool reuse",
    "rankgauge pool reuse qrels.txt *.txt --teams teams.tsv -m nDCG@10,AP",
    "rankgauge pool reuse qrels.txt bm25.txt rrf.txt --new dense.txt.gz -o reuse.html",
    "rankgauge pool reuse qrels.txt *.txt --pool-depth 10 --new mine.txt -o json",
    first=("new", "teams", "measure", "pool_depth", "dialect", "output"),
)
def reuse(asked: ReuseOptions) -> None:
    """Say whether judgments can score a run that had no part in them, and what is known of such a run."""
    from rankgauge import dialects
    from rankgauge.cli.runs import name_runs, refuse_measures
    from rankgauge.cli.streams import handle_interrupts, refuse_overwriting, show_progress, write_report
    from rankgauge.judgments import scale
    from rankgauge.labelling import pools
    from rankgauge.labelling.pools.reuse import MEASURES
    from rankgauge.labelling.pools.reuse_report import PoolReuseReport

    handle_interrupts()
    format_, path = PoolReuseReport.find(asked.output)
    runs, new = name_runs(asked.runs), name_runs(asked.new or [])
    measures = tuple(options.names(asked.measure or MEASURES))
    refuse_measures([asked.judgments, *runs.values(), *new.values()], measures)
    refuse_overwriting([asked.judgments, *runs.values(), *new.values(), asked.teams], [path])
    said = asked.part(options.RunSpellingOptions)
    teams = None if asked.teams is None else _teams(asked.teams, runs)
    with show_progress() as progress:
        reused = pools.reuse(
            said.judgments(asked.judgments, asked.format_judgments),
            said.files(runs),
            measures,
            new=said.files(new),
            teams=teams,
            depth=asked.pool_depth,
            # Relevant documents are counted too, even if no measure asks which they are.
            dialect=dialects.get(asked.dialect).on_scale(asked.scale, [*measures, "AP"]),
            levels=() if asked.scale is None else [grade for _, grade in scale(asked.scale).levels],
            progress=progress,
        )
        report = PoolReuseReport(reuse=reused)
        report.data()  # the work itself, under the bar
    write_report(report, [(format_, path)])


def _teams(path: Path, runs: Mapping[str, Path]) -> dict[str, str]:
    """Return the team of each run: by its name, by its file's path or name, or by that name up to the first dot."""
    from rankgauge.errors import InputError
    from rankgauge.files.source import Source
    from rankgauge.labelling.pools.contributions import read_teams

    known = read_teams(Source.of(path).text().splitlines(), str(path))
    spellings = {run: (run, str(file), file.name, PurePath(run).name.partition(".")[0]) for run, file in runs.items()}
    named = {run: known[mine[0]] for run, each in spellings.items() if (mine := [one for one in each if one in known])}
    if not named:
        raise InputError(
            f"none of the runs is in a team: the first is {next(iter(runs))}",
            path=path,
            hint=f"The file names {', '.join(list(known)[:3])} …; a run is known by its file's name or by NAME=FILE.",
        )
    return named
