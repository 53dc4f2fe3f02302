"""rankgauge pool make: the documents of runs that people should judge, and what that costs."""

from __future__ import annotations

from pathlib import Path

from rankgauge.cli import choices, options
from rankgauge.cli.command import command, group
from rankgauge.cli.parser import Options, option

MEASURES = ("nDCG@10", "AP")

group(
    "pool",
    "Choose the documents to judge; see whether judgments serve runs that had no part in them.",
    "rankgauge pool make bm25.txt dense.txt.gz --depth 10 -o pool.csv",
    "rankgauge pool reuse qrels.txt *.txt --teams teams.tsv",
    place=75,
    page="pools.md",
)


CHOOSING, COVERING, TEXTS = "Which documents to take", "What they cost and cover", "What assessors read"
"""The groups of options."""


class PoolOptions(Options):
    """The runs, and which of their documents to take."""

    runs: list[Path] = options.RUNS
    output: Path | None = option(
        "-o", "--output", help="The table to judge: a CSV or TSV file. Without it, only the cost.", metavar="FILE"
    )
    depth: int | None = options.depth_option("Take documents from the first K of each list.", group=CHOOSING)
    method: str = choices.option(
        "--method",
        registry="rankgauge.labelling.selection:SELECTIONS",
        help="How documents are chosen: {choices}.",
        metavar="METHOD",
        default="depth",
        group=CHOOSING,
    )
    budget: int | None = option(
        "--budget", help="How many documents to judge in all.", metavar="N", least=1, group=CHOOSING
    )
    judgments: Path | None = option(
        "--judgments",
        old=("--judged",),
        help="Judgments that there are already: their documents are left out, and mtf, maxmean and hedge learn "
        "from them.",
        metavar="FILE",
        group=CHOOSING,
    )
    rel: float | None = option(
        "-l",
        "--rel",
        help="With --judgments: the lowest grade that is relevant. By default that of --scale, or 1.",
        metavar="GRADE",
        group=CHOOSING,
    )
    documents: Path | None = option(
        "--documents", help="The documents' texts: a table, or a TSV of ids and texts.", metavar="FILE", group=TEXTS
    )
    queries: Path | None = option(
        "--queries", help="The queries' texts: a table, or a TSV of ids and texts.", metavar="FILE", group=TEXTS
    )
    measure: list[str] | None = options.measure_names(
        "Whose weights the pool should cover; repeatable. By default nDCG@10 and AP."
    )
    seconds_per_label: float | None = option(
        "--seconds-per-label", help="How long a label takes: says the hours.", metavar="X", least=0.1, group=COVERING
    )
    dialect: str = options.DIALECT
    seed: int = options.seed_option("The seed that decides between equals.", group=CHOOSING)
    format_judgments: str | None = options.FORMAT_JUDGMENTS
    columns: str | None = options.COLUMNS
    scale: str | None = options.SCALE
    ids: str | None = options.SAME_IDS


@command(
    "pool make",
    "rankgauge pool make bm25.txt dense.txt.gz --depth 10 -o pool.csv",
    "rankgauge pool make *.txt --depth 20 --seconds-per-label 30",
    "rankgauge pool make *.txt --method mtf --budget 500 --judgments qrels.txt --documents docs.csv -o next.csv",
    first=("output", "method", "depth", "budget", "judgments", "measure"),
)
def make(asked: PoolOptions) -> None:
    """Make a pool: the documents to judge, what they cost, and how much of each run they cover."""
    import sys

    from rankgauge import dialects
    from rankgauge.cli.runs import name_runs
    from rankgauge.cli.streams import handle_interrupts, refuse_no_table, refuse_overwriting, write_table
    from rankgauge.errors import OptionError
    from rankgauge.labelling.pools import make_pool
    from rankgauge.labelling.pools.making import PoolMakingReport

    handle_interrupts()
    said = asked.part(options.SpellingOptions)
    runs = name_runs(asked.runs)
    if asked.judgments is None and asked.rel is not None:
        raise OptionError("--rel needs --judgments: it says which of their documents are relevant.")
    if asked.judgments is None and asked.scale is not None:
        raise OptionError("--scale needs --judgments: it says what their words are worth.")
    refuse_overwriting([*runs.values(), asked.judgments, asked.documents, asked.queries], [asked.output])
    if asked.output is not None:
        refuse_no_table(asked.output, "a pool is")
    made = make_pool(
        said.files(runs),
        method=asked.method,
        depth=asked.depth,
        budget=asked.budget,
        judged=said.judgments(asked.judgments, asked.format_judgments),
        rel=dialects.get("standard").on_scale(asked.scale, "AP").rel if asked.rel is None else asked.rel,
        documents=asked.documents,
        queries=asked.queries,
        seed=asked.seed,
    )
    measures = tuple(options.names(asked.measure or MEASURES))
    report = PoolMakingReport(made=made, measures=measures, dialect=asked.dialect, seconds=asked.seconds_per_label)
    report.data()  # a measure that is not known, or has no weights, leaves no file
    if asked.output is not None:
        write_table(made.frame(), asked.output)  # before anything is printed: a closed pipe must not lose it
    report.show(sys.stdout)
