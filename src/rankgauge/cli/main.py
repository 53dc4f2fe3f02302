"""rankgauge: the command line."""

from __future__ import annotations

import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

# Before NumPy loads: no threads for matrix products, which nothing here needs, and no huge pages, for which the kernel
# may have to move memory first (a fresh array of 200 MB then takes five times as long to fill).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended, as shells have it."""

UNREAD = 141
"""The exit code of a command whose reader has gone (`| head`): 128 and SIGPIPE, as shells count. Gates keep theirs."""

CRASHED = 70
"""The exit code of a fault of ours (sysexits.h: EX_SOFTWARE): never that of a gate's verdict."""

LONGEST = 2_000
"""How many characters a line of a message has at most: a file may hold ids of any length."""


def run() -> None:
    """Run the command line; every error that a user can cause is one message and an exit code."""
    if sys.argv[1:] == ["--version"]:
        from rankgauge import __version__

        print(f"rankgauge {__version__}")
        sys.exit(0)
    import warnings

    from rankgauge.cli.streams import drop_output, is_broken_pipe, is_full, prepare_streams
    from rankgauge.errors import InputError, RankGaugeError, UsageError

    prepare_streams()
    warnings.showwarning = _show_warning
    try:
        code = _do(sys.argv[1:])
        sys.stdout.flush()  # a reader who has gone shows here, not when Python ends
        sys.exit(code)
    except RankGaugeError as error:
        if isinstance(error, UsageError) and not error.problems:
            print(error, file=sys.stderr)
        else:
            _say(str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            _say(f"{error.filename}: no file can have so long a name")
            sys.exit(InputError.exit_code)
        if not is_broken_pipe(error) and not is_full(error):
            _report_crash()
        drop_output(sys.stdout.fileno())
        if is_full(error):
            _say(f"the output cannot be written: {error.strerror or error}")
            sys.exit(InputError.exit_code)
        sys.exit(UNREAD)
    except Exception:
        _report_crash()


def _do(words: list[str]) -> int:
    """Do what the words ask for and return the exit code; a shell asks by variables what to offer at Tab."""
    if "_RANKGAUGE_COMPLETE" in os.environ or (words and words[0] in ("--show-completion", "--install-completion")):
        from rankgauge.cli import completion

        completion.answer(words)
        return 0
    from rankgauge.cli.command import execute

    try:
        execute(words)
    except SystemExit as ended:  # the verdict of a gate
        return ended.code if isinstance(ended.code, int) else 0
    return 0


def _report_crash() -> NoReturn:
    import traceback

    traceback.print_exc()
    _say("this is a fault of RankGauge; please report it with the lines above")
    sys.exit(CRASHED)


def _show_warning(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """Print a warning as one line, like errors; what Python says of its place helps nobody here."""
    from rankgauge.errors import InputWarning

    _say(f"note: {message}" if issubclass(category, InputWarning) else f"{category.__name__}: {message}")


def _say(words: str) -> None:
    """Print a message on stderr. It may quote a file, whose control characters are spelled out."""
    from rankgauge.errors import printable

    lines = (line if len(line) <= LONGEST else f"{line[:LONGEST]} …" for line in printable(words).split("\n"))
    print("rankgauge: " + "\n".join(lines), file=sys.stderr)
