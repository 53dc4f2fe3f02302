"""rankgauge rank: scores documents with a ranker."""

from __future__ import annotations

from pathlib import Path

from rankgauge.cli import choices
from rankgauge.cli.command import command
from rankgauge.cli.parser import argument, option

SCORES = "letor"
"""The format with one score per line."""


@command(
    "rank",
    "rankgauge rank model.json test.txt -o scores.txt",
    "rankgauge rank model.json test.txt -o ranked.run",
    "rankgauge rank model.json test.txt --format csv",
    place=100,
    page="training.md",
)
def rank(
    model: Path = argument("MODEL", help="A ranker that 'rankgauge train' wrote."),
    documents: Path = argument("DOCUMENTS", help="Documents with features, in LETOR's format."),
    output: Path | None = option(
        "-o",
        "--output",
        help="The file to write: a run if its name ends like one (.run, .csv, .jsonl …), otherwise one score per line.",
        metavar="FILE",
    ),
    format: str | None = choices.option(
        "--format",
        help="The format of the run: see 'rankgauge formats'.",
        metavar="FORMAT",
        registry="rankgauge.files:FORMATS",
    ),
) -> None:
    """Score documents with a ranker; without -o the scores are printed, one per line."""
    import polars as pl

    from rankgauge import files
    from rankgauge import training as ltr
    from rankgauge.cli.streams import handle_interrupts, refuse_overwriting
    from rankgauge.errors import InputError
    from rankgauge.files.source import STANDARD_STREAM, suffix_of
    from rankgauge.training.documents import read, widen

    handle_interrupts()
    refuse_overwriting([model, documents], [output])
    ranker, suffix = ltr.load(model), "" if output is None else suffix_of(output)
    able = (format_.name for format_ in files.FORMATS.values() if suffix in format_.suffixes and format_.write_run)
    chosen = format or next(able, SCORES)
    # Scores alone need no ids; in a run a query may not have a document twice.
    table = read(documents, named=chosen != SCORES)
    try:
        scores = ranker.predict(widen(table.matrix, ranker.n_features_in_))
    except InputError as error:
        raise InputError(error.problem, path=documents, hint=error.hint) from None
    run = pl.DataFrame({"query": table.queries, "document": table.documents, "score": scores})
    files.write_run(run, STANDARD_STREAM if output is None else output, chosen, tag=ranker.name)
