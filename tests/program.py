"""Programs that run inside the tests' own interpreter, as if each had one of its own.

Starting Python and importing what a command needs takes longer than most commands. What is tested about starting,
about pipes and about signals still starts a program.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rankgauge.cli.command import execute
from rankgauge.cli.main import run
from rankgauge.measures import MEASURES

USUAL = ("dialect", "judged", "ignored", "empty", "missing", "short", "tied")
"""The subjects of notes that formats without notes have on stderr for any data. Others are to be expected."""


def unexpected(err: str, notes: Collection[str] = ()) -> list[str]:
    """The lines of stderr but for notes on subjects that are usual, and on others that are expected."""
    expected = tuple(f"rankgauge: note: {subject}: " for subject in (*USUAL, *notes))
    return [line for line in err.splitlines() if not line.startswith(expected)]


@dataclass(frozen=True, kw_only=True)
class Done:
    """How a program ended, and what it printed."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a command printed, and the exception that ended it, if one did."""

    exception: BaseException | None
    stdout: str
    stderr: str

    @property
    def exit_code(self) -> int:
        """The exit code that the program would have."""
        return 0 if self.exception is None else getattr(self.exception, "exit_code", getattr(self.exception, "code", 1))

    @property
    def output(self) -> str:
        """All that was printed."""
        return self.stdout + self.stderr


def invoke(words: Sequence[str], *, catch_exceptions: bool = True) -> Outcome:
    """Runs a command in this folder and keeps its exception, or raises it."""
    out, err, raised = io.StringIO(), io.StringIO(), None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            execute(list(map(str, words)))
        except (Exception, SystemExit) as error:
            if not catch_exceptions and not isinstance(error, SystemExit):
                raise
            raised = error
    return Outcome(exception=raised, stdout=out.getvalue(), stderr=err.getvalue())


def rankgauge(words: Sequence[str], folder: Path, more: Mapping[str, str] = {}, *, both: bool = False) -> Done:
    """Runs the command line in the folder; with `both`, errors are printed among the rest."""
    with _alone(["rankgauge", *words], folder, more, both=both) as (out, err):
        # What Python does by itself: notes on its own future are for programmers.
        for category in (ImportWarning, ResourceWarning, PendingDeprecationWarning, DeprecationWarning):
            warnings.simplefilter("ignore", category)
        code = _ended(run)
    return Done(code=code, out=_text(out), err="" if both else _text(err))


def python(code: str, folder: Path, more: Mapping[str, str] = {}) -> Done:
    """Runs a piece of Python in the folder, where each warning is an error; an error is raised, not printed."""
    compiled = compile(code, "<example>", "exec")
    with _alone(["-c"], folder, more) as (out, err):
        warnings.simplefilter("error")
        with _settings_of_sklearn(code), _measures_of_the_session():
            ended = _ended(lambda: exec(compiled, {"__name__": "__main__"}))
    return Done(code=ended, out=_text(out), err=_text(err))


def _settings_of_sklearn(code: str) -> contextlib.AbstractContextManager[None]:
    """Takes back what an example sets for all of scikit-learn, which other tests share."""
    if "sklearn" not in code:
        return contextlib.nullcontext()
    import sklearn

    restored: contextlib.AbstractContextManager[None] = sklearn.config_context()
    return restored


@contextlib.contextmanager
def _measures_of_the_session() -> Iterator[None]:
    """Forgets the measures that an example defines: other tests look at every measure."""
    try:
        yield
    finally:
        for name in [name for name, measure in MEASURES.loaded.items() if hasattr(measure, "defined_by")]:
            MEASURES.forget(name)


@contextlib.contextmanager
def _alone(
    words: Sequence[str], folder: Path, more: Mapping[str, str], *, both: bool = False
) -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """Gives a program its arguments, folder, environment and streams, and takes back what it changes of them."""
    out = _stream()
    err = out if both else _stream()
    with contextlib.ExitStack() as held:
        held.enter_context(contextlib.chdir(folder))
        held.enter_context(patch.dict(os.environ, more))
        held.enter_context(patch.object(sys, "argv", list(words)))
        held.enter_context(patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(), encoding="utf-8")))
        held.enter_context(contextlib.redirect_stdout(out))
        held.enter_context(contextlib.redirect_stderr(err))
        held.enter_context(warnings.catch_warnings())
        warnings.resetwarnings()
        yield out, err


def _ended(program: Any) -> int:
    """Runs the program and returns its exit code."""
    try:
        program()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
