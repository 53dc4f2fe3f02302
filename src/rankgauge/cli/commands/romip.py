"""rankgauge romip: the tracks of the ROMIP seminars by their official metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankgauge.cli import choices
from rankgauge.cli.command import command, group
from rankgauge.errors import ParameterError

if TYPE_CHECKING:
    from rankgauge.romip import TrackResult

group(
    "romip",
    "The tracks of the ROMIP seminars by the official metrics of 2010.",
    "rankgauge romip example .",
    "rankgauge romip search search/tables search/runs -o romip.html",
    place=70,
)

Tables = Annotated[
    Path,
    typer.Argument(
        help="Relevance tables: a file, or a folder with a file per assessor or ready-made AND and OR tables.",
        metavar="TABLES",
    ),
]
Runs = Annotated[list[Path], typer.Argument(help="Runs, or folders of runs.", metavar="RUN")]
Output = Annotated[str, choices.output("rankgauge.romip.report:RomipReport.formats")]
Language = Annotated[
    str,
    choices.option(
        "--lang",
        help="The language of the report: {choices}.",
        metavar="LANGUAGE",
        registry="rankgauge.romip.words:LANGUAGES",
    ),
]


@command("romip search", "rankgauge romip search tables runs -o romip.html", "rankgauge romip search t r --lang ru")
def search(
    tables: Tables,
    runs: Runs,
    at: Annotated[
        str, typer.Option("--at", help="The n of precision(n), DCG and NDCG, separated by commas.", metavar="N,N")
    ] = "1,5,10",
    output: Output = "table",
    lang: Language = "en",
) -> None:
    """The search tracks: every official metric under every AND, OR and graded table, and both 11-point curves."""
    from rankgauge import romip

    cutoffs = _cutoffs(at)
    _write(lambda: romip.search(romip.read_tables(tables), _named(runs), cutoffs=cutoffs), output, lang)


@command("romip qa", "rankgauge romip qa tables runs")
def qa(tables: Tables, runs: Runs, output: Output = "table", lang: Language = "en") -> None:
    """The question-answering track: precision, and the mean reciprocal rank on the scoring scales of TREC and ROMIP."""
    from rankgauge import romip

    _write(lambda: romip.qa(romip.read_tables(tables), _named(runs)), output, lang)


@command("romip classification", "rankgauge romip classification truth.xml result.xml")
def classification(
    truth: Annotated[
        Path, typer.Argument(help="Where documents belong: a classification, or relevance tables.", metavar="TRUTH")
    ],
    results: Annotated[list[Path], typer.Argument(help="Classifications of 2007 or 2008.", metavar="RESULT")],
    output: Output = "table",
    lang: Language = "en",
) -> None:
    """The classification tracks: recall, precision, accuracy, error and F, micro and macro."""
    from rankgauge import romip
    from rankgauge.files.romip_xml import read_classification
    from rankgauge.romip.classification import read_truth

    def evaluate() -> TrackResult:
        placed = read_truth(truth)
        return romip.classification(placed, {name: read_classification(path) for name, path in _named(results).items()})

    _write(evaluate, output, lang)


@command("romip annotation", "rankgauge romip annotation documents annotations/alpha annotations/beta")
def annotation(
    documents: Annotated[Path, typer.Argument(help="Relevance tables of the documents.", metavar="DOCUMENTS")],
    annotations: Annotated[
        list[Path],
        typer.Argument(
            help="Relevance tables of each system's annotations: a file, or a folder with a file per assessor.",
            metavar="ANNOTATIONS",
        ),
    ],
    output: Output = "table",
    lang: Language = "en",
) -> None:
    """The annotation tracks: precision, accuracy and error of annotations against their documents."""
    from rankgauge import romip

    def evaluate() -> TrackResult:
        judged = romip.read_tables(documents)
        return romip.annotation(judged, {_name(path, annotations): romip.read_tables(path) for path in annotations})

    _write(evaluate, output, lang)


@command("romip example", "rankgauge romip example .")
def write_example(
    folder: Annotated[Path, typer.Argument(help="Where to put the files.", metavar="FOLDER")],
    seed: Annotated[int, typer.Option(help="The seed of the collection.", metavar="N")] = 0,
) -> None:
    """Write a small collection of all four tracks, with several assessors and systems, to try the commands on."""
    import numpy as np

    from rankgauge.demo.romip import generate_romip, write_romip

    paths = write_romip(generate_romip(rng=np.random.default_rng(seed)), folder)
    for parent in dict.fromkeys(path.parent for path in paths):
        names = [path.name for path in paths if path.parent == parent]
        typer.echo(f"{parent.relative_to(folder).as_posix()}/: {', '.join(names)}")


def _write(evaluate: Callable[[], TrackResult], output: str, language: str) -> None:
    """The outcome as a report; a wrong output or language shows before anything is read."""
    from rankgauge.cli.streams import heed, opened
    from rankgauge.romip.report import RomipReport
    from rankgauge.romip.words import words

    heed()
    (format_, path), spoken = RomipReport.find(output), words(language)
    report = RomipReport(outcome=evaluate(), words=spoken)
    with opened(path) as stream:
        format_.write(report, stream)


def _named(paths: Sequence[Path]) -> dict[str, Path]:
    """The files, and those in the folders, by the names to show them under."""
    from rankgauge.romip.relevance_tables import files

    found = files(paths)
    return {_name(path, found): path for path in found}


def _name(path: Path, others: Sequence[Path]) -> str:
    """The file's name without its ending, or the whole path where two are the same."""
    return path.stem if [other.stem for other in others].count(path.stem) == 1 else str(path)


def _cutoffs(text: str) -> list[int]:
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or min(found) < 1:
        raise ParameterError("romip search", "at", "whole numbers, 1 or more, separated by commas, as in 5,10", text)
    return list(dict.fromkeys(found))
