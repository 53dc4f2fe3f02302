"""The runs that a command line lists: files, each with the name to show it under."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from rankgauge import files as io
from rankgauge.cli.options import RunSpellingOptions
from rankgauge.errors import InputError, RankGaugeError
from rankgauge.files.compression import unpacked_name
from rankgauge.files.source import suffix_of
from rankgauge.input_notes import note, renaming
from rankgauge.measures import resolve

if TYPE_CHECKING:
    from subprocess import CompletedProcess

    from rankgauge.cli.project import ProjectFile


PREFIX = "git:"
HOOK = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}
"""What git tells a hook."""


def is_git(path: Path) -> bool:
    """Say whether this names a file of another commit."""
    return str(path).startswith(PREFIX) and str(path).count(":") > 1


@contextmanager
def checked_out(paths: list[Path]) -> Iterator[list[Path]]:
    """The paths, with a temporary copy in the place of each file of another commit; errors and notes
    name the original."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        copies = {path: Path(folder, str(number)) / path.name for number, path in enumerate(paths) if is_git(path)}
        for path, copy in copies.items():
            copy.parent.mkdir()
            copy.write_bytes(_content(path))
        origins = {str(copy): str(path) for path, copy in copies.items()}
        try:
            with renaming(origins):
                yield [copies.get(path, path) for path in paths]
        except InputError as error:
            error.path = origins.get(str(error.path), error.path)
            raise


def run_git(*words: str, folder: Path | None = None, **more: Any) -> CompletedProcess[bytes]:
    """Run git in a folder, without what git tells a hook: its paths are relative to another folder than this one."""
    import subprocess

    kept = {name: value for name, value in os.environ.items() if name not in HOOK}
    kept |= {"LC_ALL": "C"} | more.pop("env", {})  # the reasons of failures are looked at
    try:
        return subprocess.run(["git", *words], capture_output=True, cwd=folder, env=kept, **more)
    except OSError as error:
        raise InputError(f"git cannot be started: {error.strerror}") from None


def _content(path: Path) -> bytes:
    """Read what git has; PATH is relative to the working directory, as that of any file is."""
    ref, _, name = str(path).removeprefix(PREFIX).partition(":")
    if ref.startswith("-") or not ref:
        raise InputError("expected git:REF:PATH, such as git:origin/main:runs/search.txt", path=path)
    done = run_git("show", f"{ref}:{name if Path(name).is_absolute() else f'./{name}'}")
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        reason = said[0] if said else "no reason given"
        raise InputError(f"git does not have it: {reason}", path=path, hint=_hint(ref, name, reason))
    return done.stdout


def _hint(ref: str, name: str, reason: str) -> str:
    """Say what helps: without a repository, without the commit, without the file in it."""
    if "not a git repository" in reason:
        return "git:REF:PATH needs a repository of git: name a file instead, or store the baseline (docs/pipeline.md)."
    if run_git("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}").returncode == 0:
        return _missing_file(ref, name)
    if run_git("rev-parse", "--is-shallow-repository").stdout.strip() == b"true":
        return "A shallow clone has one commit only: 'git fetch --unshallow', or fetch-depth: 0 in a workflow."
    remote, _, branch = ref.partition("/")
    fetch = f"'git fetch {remote} {branch}' gets it from the remote; " if branch else ""
    return f"There is no branch, tag or commit {ref}: {fetch}'git branch --all' lists the branches."


def _missing_file(ref: str, name: str) -> str:
    """Name the file that is nearest to one that a commit does not have, or say how to commit it."""
    import difflib

    if Path(name).is_file():
        return f"It is here, but not in {ref}: commit it there first, or store the baseline (docs/pipeline.md)."
    listed = run_git("ls-tree", "-r", "-z", "--name-only", ref).stdout.decode(errors="replace").split("\0")
    near = difflib.get_close_matches(name, listed, n=1) or [
        path for path in listed if Path(path).name == Path(name).name
    ]
    guess = f"Did you mean {PREFIX}{ref}:{near[0]}? " if near else ""
    return f"{guess}'git ls-tree -r --name-only {ref}' lists the files that it has, by their paths from this folder."


@contextmanager
def staged_project(path: Path) -> Iterator[ProjectFile]:
    """Give the project's file as it is staged, in a temporary copy of its folder with the staged files that it names.

    Files that git does not track are taken as they are, with a note.
    """
    import tempfile

    from rankgauge.cli.project import ProjectFile

    folder = path.resolve().parent
    top = Path(_ask_git("rev-parse", "--show-toplevel", folder=folder))
    with tempfile.TemporaryDirectory() as made:
        root, part = Path(made).resolve(), folder.relative_to(top)
        (root / part).mkdir(parents=True, exist_ok=True)
        # The copy is a second working tree of the same repository: git:REF:PATH is read there as it is here.
        (root / ".git").write_text(f"gitdir: {_ask_git('rev-parse', '--absolute-git-dir', folder=folder)}\n")
        _copy(path.name, top, root, part)
        project = ProjectFile.read(root / part / path.name)
        for name in project.files():
            _copy(name, top, root, part)
        if isinstance(board := project.settings.get("collections"), str):
            from rankgauge.comparison.collections.sources import board_files

            for name in board_files(root / part / board):
                _copy(str(Path(board).parent / name), top, root, part)
        yield project


def _copy(name: str, top: Path, root: Path, part: Path) -> None:
    """Write one staged file, or all of a folder, into the copy; link to it where git does not track it.

    `top` and `root` are the working tree and its copy, `part` is the folder of the project's file in them.
    """
    folder = top / part
    if is_git(Path(name)) or Path(name).is_absolute():
        return
    name = name.rpartition("#")[0] if not (folder / name).exists() and "#" in name else name
    listed = run_git("ls-files", "-z", "--", name, folder=folder, env=_index(top)).stdout
    if listed:
        words = ("checkout-index", "--force", "--stdin", "-z", f"--prefix={root}/")
        done = run_git(*words, folder=folder, env=_index(top), input=listed)
        if done.returncode:
            raise InputError(f"git cannot give it: {done.stderr.decode(errors='replace').strip()}", path=name)
    elif (folder / name).exists():
        note("git does not track it: the file of the working tree is taken", name)
        linked = root / part / name
        linked.parent.mkdir(parents=True, exist_ok=True)
        linked.symlink_to(folder / name)


def _index(top: Path) -> dict[str, str]:
    """Return the index that git tells a hook: `git commit -a` and `git commit FILE` have one of their own."""
    return {"GIT_INDEX_FILE": str(top / told)} if (told := os.environ.get("GIT_INDEX_FILE")) else {}


def _ask_git(*words: str, folder: Path) -> str:
    """Ask git one thing."""
    done = run_git(*words, folder=folder)
    if done.returncode:
        raise InputError(
            "is in no repository of git, so that nothing is staged", path=folder, hint="Leave out --staged."
        )
    return os.fsdecode(done.stdout).rstrip("\n")


def name_runs(runs: Iterable[Path], kind: str = "runs") -> dict[str, Path]:
    """The runs by their names: NAME=PATH says it; else it is that of the file, or the path where two are the same."""
    split = [_split(run) for run in runs]
    shown = [name or _label(path) for name, path in split]
    named: dict[str, Path] = {}
    for (given, path), label in zip(split, shown, strict=True):
        name = label if given or shown.count(label) == 1 else str(path)
        if name in named:
            raise InputError(
                f"two {kind} are called {name}: {named[name]} and {path}",
                hint=f"Give each a name of its own, as in A={named[name]} B={path}",
            )
        named[name] = path
    return named


def refuse_measures(files: Sequence[Path], measures: Sequence[str]) -> None:
    """Refuse a measure where a file should be, as in `-m nDCG@10 AP`; `measures` were given after -m."""
    strays = [str(file) for file in files if not _is_there(file) and _is_measure(str(file))]
    if strays:
        together = ",".join([*measures, *strays])
        raise InputError(
            "there is no such file", path=strays[0], hint=f"{strays[0]} is a measure: -m {shlex.quote(together)}"
        )


def _split(run: Path) -> tuple[str, Path]:
    """Return the name, empty where there is none, and the path. What exists as it stands is a path, '=' included."""
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
    """Say whether a source can be read more than once: a pipe cannot."""
    from rankgauge.files import is_path

    file, _, part = str(path).rpartition("#")
    return is_git(path) or not is_path(path) or path.is_file() or path.is_dir() or (bool(part) and Path(file).is_file())


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
    for name, path in name_runs(files).items():
        (runs if _is_run(path, spelling) else judges)[name] = path
    if not judges:
        raise InputError(
            "there is no judge among the files, only runs",
            path=files[0],
            hint="People's judgments come first, then a judge's grades, then runs: PEOPLE JUDGE... [RUN...]",
        )
    refuse_people(people, judges.values())
    short = {
        name: PurePath(name).name.partition(".")[0] if name == path.name else name for name, path in judges.items()
    }
    distinct = len(set(short.values())) == len(short)
    return ({short[name]: path for name, path in judges.items()} if distinct else judges), runs


def refuse_people(people: Path, judges: Iterable[Path]) -> None:
    """Refuse the file of people's judgments as a judge's: it would agree with itself."""
    for judge in judges:
        if judge.resolve() == people.resolve():
            raise InputError(
                "these grades are named as people's and as a judge's",
                path=judge,
                hint="People's judgments are one file, what a language model said of the same documents another.",
            )


def _is_run(path: Path, spelling: RunSpellingOptions) -> bool:
    try:
        return io.detect(spelling.file(path)).kind is io.Kind.RUN
    except InputError:
        # A table may have nothing but the chances of grades, which no format of judgments knows.
        if path.exists() and suffix_of(str(path)) in io.table_suffixes():
            return False
        raise
