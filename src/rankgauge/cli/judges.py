"""The judges and runs that a command line lists, told apart by what the files hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from rankgauge import files as io
from rankgauge.cli.options import RunSpellingOptions
from rankgauge.cli.runs import named, refuse_measures
from rankgauge.errors import InputError
from rankgauge.files.source import suffix_of


def sorted_files(
    people: Path, files: Sequence[Path], spelling: RunSpellingOptions
) -> tuple[dict[str, Path], dict[str, Path]]:
    """The judges' files and the runs among the files, by name; a judge is called by its file's name up to a dot."""
    refuse_measures([people, *files], ())
    judges: dict[str, Path] = {}
    runs: dict[str, Path] = {}
    for name, path in named(files).items():
        (runs if _is_run(path, spelling) else judges)[name] = path
    if not judges:
        raise InputError(
            "there is no judge among the files, only runs",
            path=files[0],
            hint="People's judgments come first, then a judge's grades, then runs: PEOPLE JUDGE... [RUN...]",
        )
    short = {
        name: PurePath(name).name.partition(".")[0] if name == path.name else name for name, path in judges.items()
    }
    distinct = len(set(short.values())) == len(short)
    return ({short[name]: path for name, path in judges.items()} if distinct else judges), runs


def _is_run(path: Path, spelling: RunSpellingOptions) -> bool:
    try:
        return io.detect(spelling.file(path)).kind is io.Kind.RUN
    except InputError:
        # A table may have nothing but the chances of grades, which no format of judgments knows.
        if path.exists() and suffix_of(str(path)) in io.table_suffixes():
            return False
        raise
