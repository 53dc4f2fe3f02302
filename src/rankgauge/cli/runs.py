"""The runs that a command line lists: files, each with the name to show it under."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

from rankgauge import files as io
from rankgauge.cli.options import RunSpellingOptions
from rankgauge.errors import InputError, RankGaugeError
from rankgauge.files.compression import unpacked_name
from rankgauge.files.source import suffix_of
from rankgauge.measures import resolve


def named(runs: Iterable[Path], kind: str = "runs") -> dict[str, Path]:
    """The runs by their names: NAME=PATH says it; else it is that of the file, or the path where two are the same."""
    split = [_split(run) for run in runs]
    shown = [name or _label(path) for name, path in split]
    found: dict[str, Path] = {}
    for (given, path), label in zip(split, shown, strict=True):
        name = label if given or shown.count(label) == 1 else str(path)
        if name in found:
            raise InputError(
                f"two {kind} are called {name}: {found[name]} and {path}",
                hint=f"Give each a name of its own, as in A={found[name]} B={path}",
            )
        found[name] = path
    return found


def refuse_measures(files: Sequence[Path], measures: Sequence[str]) -> None:
    """An error where what should be a file is a measure, as in `-m nDCG@10 AP`; `measures` were given after -m."""
    strays = [str(file) for file in files if not _is_there(file) and _is_measure(str(file))]
    if strays:
        together = ",".join([*measures, *strays])
        raise InputError(
            "there is no such file", path=strays[0], hint=f"{strays[0]} is a measure: -m {shlex.quote(together)}"
        )


def _split(run: Path) -> tuple[str, Path]:
    """The name, empty where there is none, and the path. What exists as it stands is a path, '=' included."""
    text = str(run)
    parts = [
        (text[:at], Path(text[at + 1 :])) for at, sign in enumerate(text) if sign == "=" and 0 < at < len(text) - 1
    ]
    if not parts or _is_there(run):
        return "", run
    (name, path), whole = parts[0], ("", run)
    likeliest = whole if Path(name).name != name or _is_measure(text) else (name, path)
    return next((part for part in parts if _is_there(part[1])), likeliest)


# The readers are imported only if a path is not an existing file: most commands do without them.


def _label(path: Path) -> str:
    if path.exists():
        return unpacked_name(path.name)
    from rankgauge.files import label

    return label(path)


def _is_there(path: Path) -> bool:
    if path.exists():
        return True
    from rankgauge.files import is_path
    from rankgauge.files.source import STANDARD_STREAM

    return not is_path(path) or str(path) == STANDARD_STREAM


def is_lasting(path: Path) -> bool:
    """Whether a source can be read more than once: a pipe cannot."""
    from rankgauge.files import is_path

    file, _, part = str(path).rpartition("#")
    return not is_path(path) or path.is_file() or path.is_dir() or (bool(part) and Path(file).is_file())


def _is_measure(text: str) -> bool:
    try:
        return bool(resolve([text]))
    except RankGaugeError:
        return False


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
