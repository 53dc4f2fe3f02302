"""Where a command reads and writes: input that Ctrl-C may end, output that appears whole or not at all."""

from __future__ import annotations

import errno
import io
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeAlias

from rankgauge.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from rankgauge.render.format import Report, ReportFormat


Outputs: TypeAlias = "list[tuple[ReportFormat, Path | None]]"
"""The formats to write a report in, and the file for each; None: the terminal."""


class LeavablePipe(io.FileIO):
    """A standard stream whose reader may leave, as `head` does: what is written from then on goes nowhere."""

    def write(self, data: Any) -> int:
        """Write the bytes, or drop them if nobody reads them."""
        try:
            return super().write(data)
        except BrokenPipeError:
            drop_output(self.fileno())
            return len(data)


def drop_output(descriptor: int) -> None:
    """Send what is still written to a file descriptor to nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def prepare_streams() -> None:
    """Let nothing that is written fail: neither in a code page without Σ, nor where a stream is closed (`>&-`)."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
            setattr(sys, name, nowhere)
            setattr(sys, f"__{name}__", nowhere)  # keeps it open if another takes its place
        if isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    outlive_reader("stderr")


def outlive_reader(name: Literal["stdout", "stderr"]) -> None:
    """Let this program go on, and end with its own exit code, after the reader of a standard stream has left."""
    stream = getattr(sys, name)
    raw = getattr(getattr(stream, "buffer", None), "raw", getattr(stream, "buffer", None))
    if type(raw) is not io.FileIO:  # a test's or a notebook's stream, or done already
        return
    stream.flush()
    pipe = io.BufferedWriter(LeavablePipe(raw.fileno(), "w", closefd=False))
    lasting = io.TextIOWrapper(pipe, stream.encoding, stream.errors, line_buffering=stream.line_buffering)
    setattr(sys, name, lasting)


def is_broken_pipe(error: BaseException | None) -> bool:
    """Say whether the reader of a pipe has gone; polars says so only in the error's text."""
    return isinstance(error, OSError) and (
        isinstance(error, BrokenPipeError) or f"os error {errno.EPIPE}" in str(error)
    )


def is_full(error: BaseException | None) -> bool:
    """Say whether there is no room for the standard output."""
    full = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
    return isinstance(error, OSError) and error.filename is None and error.errno in full


def handle_interrupts(*sources: Path) -> None:
    """Let Ctrl-C end a wait for input. The handler that polars sets when it is imported would let the wait go on.

    Nobody waits for files, so nothing is done, or imported, if all of the `sources` are.
    """
    if sources and all(source.is_file() for source in sources):
        return
    import signal

    import polars  # noqa: F401 - the handler is mended after polars has set it

    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)


def refuse_overwriting(inputs: Iterable[Path | None], outputs: Iterable[Path | None]) -> None:
    """Raise an error if an output is also an input or another output, or if it cannot be written where it should be."""
    taken = [path for path in inputs if path is not None]
    for output in outputs:
        if output is None:
            continue
        if any(_is_same(output, path) for path in taken):
            raise InputError(
                "is read or written already, and would be overwritten",
                path=output,
                hint="Name another file for the output.",
            )
        taken.append(output)
        from rankgauge.files.output import refuse_no_file

        refuse_no_file(output)


def _is_same(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return one.is_file() and one.samefile(other)  # a device such as /dev/null may be named twice
    return one.resolve() == other.resolve()


def find_outputs(kind: type[Report], targets: Iterable[str] | None) -> Outputs:
    """Find the format and the file of each output, a table on the terminal if there is none.

    Only one can go to the terminal.
    """
    outputs = [kind.find(target) for target in targets or ["table"]]
    shown = [format_.name for format_, path in outputs if path is None]
    if len(shown) > 1:
        hint = f"Write the others to files: -o {shown[0]} -o report.html"
        raise InputError(f"only one output can go to the terminal, and these do: {', '.join(shown)}", hint=hint)
    return outputs


def is_page(outputs: Outputs) -> bool:
    """Say whether one of the outputs is a page, which shows what people typed and what documents are called."""
    return any(format_.name == "html" for format_, _ in outputs)


def write_report(report: Report, outputs: Outputs) -> None:
    """Write the report to all of its outputs or to no file; what formats of bare values leave out goes to stderr."""
    with ExitStack() as stack:
        streams = [stack.enter_context(open_output(path)) for _, path in outputs]
        for (format_, _), stream in zip(outputs, streams, strict=True):
            format_.write(report, stream)
    if all(format_.bare for format_, _ in outputs):
        for subject, words in report.warnings():
            print(f"rankgauge: note: {subject}: {words}", file=sys.stderr)


@contextmanager
def open_output(path: Path | None) -> Iterator[TextIO]:
    """A stream to write to: the standard output if no path is given."""
    if path is None:
        yield sys.stdout
        sys.stdout.flush()  # a reader who has gone shows here, not when Python ends
        return
    from rankgauge.files.output import writing

    with writing(path) as raw:
        stream = io.TextIOWrapper(raw, encoding="utf-8", newline="")
        yield stream
        stream.flush()
        stream.detach()


SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""What stands between the cells of a table, by the ending of its file."""


def refuse_no_table(path: Path, things: str) -> None:
    """Raise an error for a file that is not called like a table; `things` says what is written, as in "a pool is"."""
    from rankgauge.files.source import suffix_of

    if suffix_of(str(path)) not in SEPARATORS:
        raise InputError(f"{things} written as a table", path=path, hint="End the name in .csv or .tsv.")


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write the frame into a file whose ending names the separator."""
    from rankgauge.files.output import writing
    from rankgauge.files.source import suffix_of

    with writing(path) as file:
        frame.write_csv(file, separator=SEPARATORS[suffix_of(str(path))])


EVERY = 60.0
"""How many seconds lie between two lines of a log."""


BAR = 30
"""How many signs wide a bar of progress is."""


@contextmanager
def show_progress(*, log: bool = False) -> Iterator[Callable[[int, int, str], None]]:
    """Give a function to call with how many parts of the work are done, of how many, and the name of the current one.

    On a terminal it draws a bar, which vanishes at the end. With `log`, lines on stderr say it elsewhere.
    """
    if not sys.stderr.isatty():
        yield ProgressLog() if log else lambda done, parts, name: None
        return
    started = time.monotonic()

    import shutil

    def draw(done: int, parts: int, name: str) -> None:
        spent = time.monotonic() - started
        bar = ("█" * (BAR * done // max(parts, 1))).ljust(BAR, "░")
        rest = f", about {_duration(spent / done * (parts - done))} left" if done else ""
        line = f"{bar} {done}/{parts} in {_duration(spent)}{rest}  {name}"
        _rewrite_line(line[: shutil.get_terminal_size().columns - 1])

    try:
        yield draw
    finally:
        _rewrite_line("")


def _rewrite_line(line: str) -> None:
    print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)


class ProgressLog:
    """Tell on stderr how much work there is, after the first part how long it will take, then at most once a minute
    how far it is."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun: tuple[int, float] | None = None
        self._last = -math.inf

    def __call__(self, done: int, parts: int, name: str) -> None:
        """Print a line, if it is time for one."""
        now = self._clock()
        if self._begun is None or done < self._begun[0]:
            self._begun, self._last = (done, now), -math.inf
            before = f", {done} of them done before" if done else ""
            self._print(f"{parts} parts of work{before}; how long they take is known after the first")
            return
        first, start = self._begun
        if done < parts and now - self._last < EVERY:
            return
        self._last = now
        spent = now - start
        left = spent / max(done - first, 1) * (parts - done)
        rest = f", about {_duration(left)} left" if done < parts else ""
        self._print(f"{done} of {parts} parts done in {_duration(spent)}{rest}")

    def _print(self, words: str) -> None:
        print(f"rankgauge: {words}", file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    """Return a time in the largest fitting unit."""
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
