"""rankgauge romip: the tracks of the ROMIP seminars by their official metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rankgauge.cli import choices
from rankgauge.cli.command import command, group
from rankgauge.cli.options import seed_option
from rankgauge.cli.parser import argument, option
from rankgauge.errors import OptionError

if TYPE_CHECKING:
    from rankgauge.romip import TrackResult

group(
    "romip",
    "Evaluate the tracks of the ROMIP seminars by the official metrics of 2010.",
    "rankgauge romip example .",
    "rankgauge romip search search/tables search/runs -o romip.html",
    place=70,
    page="romip.md",
)

TABLES = argument(
    "TABLES", help="Relevance tables: a file, or a folder with a file per assessor or ready-made AND and OR tables."
)
RUNS = argument("RUN", help="Runs, or folders of runs.")
OUTPUT = choices.output("rankgauge.romip.report:RomipReport.formats", default="table")
LANGUAGE = choices.option(
    "--lang",
    help="The language of the report: {choices}.",
    metavar="LANGUAGE",
    registry="rankgauge.romip.report:LANGUAGES",
    default="en",
)


@command("romip search", "rankgauge romip search tables runs -o romip.html", "rankgauge romip search t r --lang ru")
def search(
    tables: Path = TABLES,
    runs: list[Path] = RUNS,
    at: str = option(
        "--at", help="The n of precision(n), DCG and NDCG, separated by commas.", metavar="N,N", default="1,5,10"
    ),
    output: str = OUTPUT,
    lang: str = LANGUAGE,
) -> None:
    """Evaluate the search tracks: every official metric under AND, OR and graded tables, and both 11-point curves."""
    from rankgauge import romip

    cutoffs = _cutoffs(at)
    _write(lambda: romip.search(romip.read_tables(tables), _name_files(runs), cutoffs=cutoffs), output, lang)


@command("romip qa", "rankgauge romip qa tables runs", "rankgauge romip qa tables runs --lang ru -o qa.html")
def qa(
    tables: Path = TABLES,
    runs: list[Path] = RUNS,
    output: str = OUTPUT,
    lang: str = LANGUAGE,
) -> None:
    """Evaluate the question-answering track: precision, and mean reciprocal rank on the scales of TREC and ROMIP."""
    from rankgauge import romip

    _write(lambda: romip.qa(romip.read_tables(tables), _name_files(runs)), output, lang)


@command(
    "romip classification",
    "rankgauge romip classification truth.xml result.xml",
    "rankgauge romip classification truth.xml results -o md",
)
def classification(
    truth: Path = argument("TRUTH", help="Where documents belong: a classification, or relevance tables."),
    results: list[Path] = argument("RESULT", help="Classifications of 2007 or 2008."),
    output: str = OUTPUT,
    lang: str = LANGUAGE,
) -> None:
    """Evaluate the classification tracks: recall, precision, accuracy, error and F, micro and macro."""
    from rankgauge import romip
    from rankgauge.files.formats.romip import read_classification
    from rankgauge.romip.tracks import read_truth

    def evaluate() -> TrackResult:
        placed, paths = read_truth(truth), _name_files(results)
        return romip.classification(placed, {name: read_classification(path) for name, path in paths.items()})

    _write(evaluate, output, lang)


@command(
    "romip annotation",
    "rankgauge romip annotation documents annotations/alpha annotations/beta",
    "rankgauge romip annotation documents annotations/alpha -o csv",
)
def annotation(
    documents: Path = argument("DOCUMENTS", help="Relevance tables of the documents."),
    annotations: list[Path] = argument(
        "ANNOTATIONS",
        help="Relevance tables of each system's annotations: a file, or a folder with a file per assessor.",
    ),
    output: str = OUTPUT,
    lang: str = LANGUAGE,
) -> None:
    """Evaluate the annotation tracks: precision, accuracy and error of annotations against their documents."""
    from rankgauge import romip

    def evaluate() -> TrackResult:
        judged = romip.read_tables(documents)
        return romip.annotation(judged, {_name(path, annotations): romip.read_tables(path) for path in annotations})

    _write(evaluate, output, lang)


@command("romip example", "rankgauge romip example .", "rankgauge romip example romip --seed 1")
def write_example(
    folder: Path = argument("FOLDER", help="Where to put the files."),
    seed: int = seed_option("The seed of the collection."),
) -> None:
    """Write a small collection of all four tracks, with several assessors and systems, to try the commands on."""
    import numpy as np

    from rankgauge.demo.romip import generate_romip, write_romip

    paths = write_romip(generate_romip(rng=np.random.default_rng(seed)), folder)
    for parent in dict.fromkeys(path.parent for path in paths):
        names = [path.name for path in paths if path.parent == parent]
        print(f"{parent.relative_to(folder).as_posix()}/: {', '.join(names)}")


def _write(evaluate: Callable[[], TrackResult], output: str, language: str) -> None:
    """Write the outcome as a report; a wrong output or language shows before anything is read."""
    from rankgauge.cli.streams import handle_interrupts, write_report
    from rankgauge.romip.report import RomipReport, words

    handle_interrupts()
    (format_, path), spoken = RomipReport.find(output), words(language)
    report = RomipReport(outcome=evaluate(), words=spoken)
    write_report(report, [(format_, path)])


def _name_files(paths: Sequence[Path]) -> dict[str, Path]:
    """Return the files, and those in the folders, by the names to show them under."""
    from rankgauge.romip.relevance_tables import files

    listed = files(paths)
    return {_name(path, listed): path for path in listed}


def _name(path: Path, others: Sequence[Path]) -> str:
    """Return the file's name without its ending, or the whole path where two are the same."""
    return path.stem if [other.stem for other in others].count(path.stem) == 1 else str(path)


def _cutoffs(text: str) -> list[int]:
    try:
        cutoffs = [int(part) for part in text.split(",")]
    except ValueError:
        cutoffs = []
    if not cutoffs or min(cutoffs) < 1:
        raise OptionError(f"--at takes whole numbers from 1 on, separated by commas, e.g. --at 5,10; got {text!r}.")
    return list(dict.fromkeys(cutoffs))
