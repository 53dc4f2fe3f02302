"""rankgauge pool make: the documents of runs that people should judge, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankgauge.cli import choices, options
from rankgauge.cli.command import command, group

if TYPE_CHECKING:
    import polars as pl

MEASURES = ("nDCG@10", "AP")

group(
    "pool",
    "Pools: which documents to judge, and whether judgments serve runs that had no part in them.",
    "rankgauge pool make bm25.txt dense.txt.gz --depth 10 -o pool.csv",
    "rankgauge pool reuse qrels.txt *.txt --teams teams.tsv",
    place=75,
)


@dataclass(frozen=True, kw_only=True)
class PoolOptions:
    """The runs, and which of their documents to take."""

    runs: options.Runs
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="The table to judge: a CSV or TSV file. Without it, only the cost.", metavar="FILE"
        ),
    ] = None
    depth: Annotated[
        int | None,
        typer.Option("--depth", min=1, help="Take documents from the first K of each list.", metavar="K"),
    ] = None
    method: Annotated[
        str,
        choices.option(
            "--method",
            registry="rankgauge.labelling.selection:SELECTIONS",
            help="How documents are chosen: {choices}.",
            metavar="METHOD",
        ),
    ] = "depth"
    budget: Annotated[
        int | None, typer.Option("--budget", min=1, help="How many documents to judge in all.", metavar="N")
    ] = None
    judged: Annotated[
        Path | None,
        typer.Option(
            "--judged",
            help="Judgments that there are already: their documents are left out, and mtf, maxmean and hedge learn "
            "from them.",
            metavar="FILE",
        ),
    ] = None
    rel: Annotated[
        float | None,
        typer.Option(
            "-l",
            "--rel",
            help="With --judged: the lowest grade that is relevant. By default that of --scale, or 1.",
            metavar="GRADE",
        ),
    ] = None
    documents: Annotated[
        Path | None,
        typer.Option("--documents", help="The documents' texts: a table, or a TSV of ids and texts.", metavar="FILE"),
    ] = None
    queries: Annotated[
        Path | None,
        typer.Option("--queries", help="The queries' texts: a table, or a TSV of ids and texts.", metavar="FILE"),
    ] = None
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--measure",
            help="Whose weights the pool should cover; repeatable. By default nDCG@10 and AP.",
            metavar="NAME",
            autocompletion=choices.listed(choices.measures),
        ),
    ] = None
    seconds_per_label: Annotated[
        float | None,
        typer.Option("--seconds-per-label", min=0.1, help="How long a label takes: says the hours.", metavar="X"),
    ] = None
    dialect: options.DialectName = "standard"
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed that decides between equals.", metavar="N")] = 0
    format_judgments: options.FormatOfJudgments = None
    columns: options.Columns = None
    scale: options.ScaleName = None
    ids: options.SameIds = None


@command(
    "pool make",
    "rankgauge pool make bm25.txt dense.txt.gz --depth 10 -o pool.csv",
    "rankgauge pool make *.txt --depth 20 --seconds-per-label 30",
    "rankgauge pool make *.txt --method mtf --budget 500 --judged qrels.txt --documents docs.csv -o next.csv",
)
def make(asked: PoolOptions) -> None:
    """Make a pool: the documents to judge, what they cost, and how much of each run they cover."""
    import sys

    from rankgauge import dialects
    from rankgauge.cli.runs import named
    from rankgauge.cli.streams import heed, spare
    from rankgauge.labelling.pools import make_pool
    from rankgauge.labelling.pools.making_report import PoolMakingReport

    heed()
    said = options.SpellingOptions(columns=asked.columns, scale=asked.scale, ids=asked.ids)
    runs = named(asked.runs)
    spare([*runs.values(), asked.judged, asked.documents, asked.queries], [asked.output])
    separator = None if asked.output is None else _separator(asked.output)
    made = make_pool(
        said.files(runs),
        method=asked.method,
        depth=asked.depth,
        budget=asked.budget,
        judged=said.judgments(asked.judged, asked.format_judgments, command="pool make"),
        rel=dialects.get("standard").on_scale(asked.scale, "AP").rel if asked.rel is None else asked.rel,
        documents=asked.documents,
        queries=asked.queries,
        seed=asked.seed,
    )
    measures = tuple(options.names(asked.measure or MEASURES))
    report = PoolMakingReport(made=made, measures=measures, dialect=asked.dialect, seconds=asked.seconds_per_label)
    report.data()  # a measure that is not known, or has no weights, leaves no file
    if asked.output is not None and separator is not None:
        _write(made.frame(), asked.output, separator)  # before anything is printed: a closed pipe must not lose it
    report.show(sys.stdout)


def _separator(path: Path) -> str:
    from rankgauge.errors import InputError
    from rankgauge.files.source import suffix_of

    known = {".csv": ",", ".tsv": "\t"}
    if suffix_of(str(path)) not in known:
        raise InputError("a pool is written as a table", path=path, hint="End the name in .csv or .tsv.")
    return known[suffix_of(str(path))]


def _write(frame: pl.DataFrame, path: Path, separator: str) -> None:
    from rankgauge.files.output import writing

    with writing(path) as file:
        frame.write_csv(file, separator=separator)
