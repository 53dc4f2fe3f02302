"""rankgauge judgments: several assessors, how far they agree, and how to combine their grades."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath

from rankgauge.cli import choices
from rankgauge.cli.command import command, group
from rankgauge.cli.options import FORMAT_JUDGMENTS, SpellingOptions, seed_option
from rankgauge.cli.parser import argument, option
from rankgauge.errors import InputError, OptionError
from rankgauge.lazy_polars import pl

group(
    "judgments",
    "Combine the judgments of several assessors, and measure how far they agree.",
    "rankgauge judgments agreement ratings.csv",
    "rankgauge judgments combine ratings.csv --rule mean -o qrels.txt",
    place=60,
    page="kinds-of-judgments.md#several-assessors",
)

RATINGS = argument(
    "JUDGMENTS", help="Judgments that name their assessors; or a file for each assessor, as in ann.txt LLM=llm.qrels."
)
INPUT_FORMAT = FORMAT_JUDGMENTS.but(old=("--format",))


@command(
    "judgments agreement",
    "rankgauge judgments agreement ratings.csv",
    "rankgauge judgments agreement people.txt llm=llm.qrels -o pairs.csv",
)
def agreement(
    judgments: list[Path] = RATINGS,
    output: str = choices.output("rankgauge.judgments.report:AgreementReport.formats", default="table"),
    seed: int = seed_option("The seed of the intervals' bootstrap."),
    format_: str | None = INPUT_FORMAT,
    *,
    spelling: SpellingOptions,
) -> None:
    """Measure how far assessors agree: coefficients with intervals, pair by pair, and each assessor's habits."""
    import numpy as np

    from rankgauge.cli.streams import handle_interrupts, refuse_overwriting, write_report
    from rankgauge.judgments import agreement as measure_agreement
    from rankgauge.judgments.report import AgreementReport

    report_format, path = AgreementReport.find(output)
    handle_interrupts()
    refuse_overwriting(judgments, [path])
    measured = measure_agreement(_read(judgments, format_, spelling), rng=np.random.default_rng(seed))
    write_report(AgreementReport(agreement=measured, seed=seed), [(report_format, path)])


@command(
    "judgments combine",
    "rankgauge judgments combine ratings.csv --rule and --at 2 -o qrels.txt",
    "rankgauge judgments combine crowd.csv --rule dawid-skene --confusion workers.csv -o qrels.txt",
)
def combine(
    judgments: list[Path] = RATINGS,
    rule: str = choices.option(
        "--rule",
        help="How to combine the grades: {choices}.",
        metavar="RULE",
        registry="rankgauge.judgments:RULES",
        default="mean",
    ),
    at: float | None = option(help="First make grades binary: 1 from this grade up, else 0.", metavar="GRADE"),
    output: Path = option(
        "-o", "--output", help="The file to write; its ending says the format. -: standard output.", default=Path("-")
    ),
    confusion: Path | None = option(
        "--confusion",
        help="With --rule dawid-skene: a CSV file to write each assessor's confusion to: how often he gives which "
        "grade to items of which grade.",
        metavar="FILE",
    ),
    format_: str | None = INPUT_FORMAT,
    *,
    spelling: SpellingOptions,
) -> None:
    """Combine several assessors' grades into one, and write judgments."""
    from rankgauge import files as io
    from rankgauge.cli.streams import handle_interrupts, open_output, refuse_overwriting
    from rankgauge.judgments import combine as combine_grades

    if confusion is not None and rule.partition("@")[0] != "dawid-skene":
        raise OptionError("--confusion needs --rule dawid-skene, which estimates it.")
    handle_interrupts()
    refuse_overwriting(judgments, [output, confusion])
    read = _read(judgments, format_, spelling)
    if "assessor" not in read.columns or read["assessor"].n_unique() == 1:
        print("rankgauge: note: one assessor judged, so that there is nothing to combine", file=sys.stderr)
    combined = combine_grades(read, rule, at=at)
    if confusion is not None:
        from rankgauge.judgments import binarise, dawid_skene, level_of

        level = level_of(rule) if at is None else at
        model = dawid_skene(read if level is None else binarise(read, level))
        with open_output(confusion) as stream:
            stream.write(model.confusions.write_csv())
    io.write_judgments(combined, output)


@command(
    "judgments best-worst",
    "rankgauge judgments best-worst choices.csv",
    "rankgauge judgments best-worst choices.csv -o qrels.txt",
    page="kinds-of-judgments.md#best-and-worst",
)
def best_worst(
    choices: Path = argument(
        "CHOICES", help="A table with the columns query, documents (those shown, separated by blanks), best, worst."
    ),
    output: Path = option(
        "-o", "--output", help="The file to write; its ending says the format. -: standard output.", default=Path("-")
    ),
) -> None:
    """Make grades from choices of the best and the worst: times best less times worst, out of times shown."""
    from rankgauge import files as io
    from rankgauge.cli.streams import handle_interrupts
    from rankgauge.judgments.pairwise import best_worst as count_choices

    handle_interrupts(choices)
    with _naming(choices):
        grades = count_choices(io.read_table(choices))
    io.write_judgments(grades, output)


@command(
    "judgments pairwise",
    "rankgauge judgments pairwise choices.csv -o worths.csv",
    "rankgauge judgments pairwise choices.csv --preferences preferences.txt",
    page="kinds-of-judgments.md#preferences",
)
def pairwise(
    choices: Path = argument(
        "CHOICES",
        help="A table with the columns query, documents (as they were shown, separated by blanks) and order, such as "
        "d2 > d1 or d2 > d1 = d3.",
    ),
    output: Path = option("-o", "--output", help="The CSV file to write. -: standard output.", default=Path("-")),
    preferences: Path | None = option(
        "--preferences", help="Also write the preferences, for measures that take them.", metavar="FILE"
    ),
    seed: int = seed_option("The seed of the intervals."),
) -> None:
    """Fit grades to comparisons by Bradley and Terry's model, with ties and a bias for the place, and intervals."""
    from rankgauge import files as io
    from rankgauge.cli.streams import handle_interrupts, open_output, refuse_overwriting
    from rankgauge.judgments.pairwise import Choices, FittedPreferences

    handle_interrupts(choices)
    refuse_overwriting([choices], [output, preferences])
    with _naming(choices):
        fitted = FittedPreferences.fit(Choices.from_table(io.read_table(choices)), seed)
    with open_output(None if str(output) == "-" else output) as stream:
        stream.write(fitted.frame.write_csv())
    if preferences is not None:
        fitted.write_preferences(preferences)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Within the block, errors that know no file name this one."""
    try:
        yield
    except InputError as error:
        error.path = error.path or str(path)
        raise


def _read(files: Sequence[Path], format_: str | None, spelling: SpellingOptions) -> pl.DataFrame:
    """The judgments of one file, or of several, each of which is an assessor under the file's name up to a dot."""
    from rankgauge import files as io
    from rankgauge.cli.runs import name_runs

    if len(files) == 1:
        return io.read_judgments(spelling.file(files[0]), format_)
    parts = []
    for name, path in name_runs(files, "assessors").items():
        frame, who = io.read_judgments(spelling.file(path), format_), pl.lit(PurePath(name).name.partition(".")[0])
        inner = pl.format("{}/{}", who, "assessor") if "assessor" in frame.columns else who
        parts.append(frame.select("query", "document", "grade", inner.alias("assessor")))
    return pl.concat(parts)
