"""rankgauge: the command line."""

from __future__ import annotations

import io
import os
import sys
import warnings
from typing import Any

import typer

from rankgauge.cli.command import PROGRAM, CommandGroup, examples_of
from rankgauge.cli.completion import mended
from rankgauge.cli.streams import drop_output, is_broken_pipe, is_full, outlive_reader, stand_in
from rankgauge.errors import InputError, InputWarning, RankGaugeError, printable

# Before NumPy loads: no threads for matrix products, which nothing here needs, and no huge pages, for which the kernel
# may have to move memory first (a fresh array of 200 MB then takes five times as long to fill).
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")

UsageError: Any = typer.BadParameter.__base__
"""Click's error for wrong usage; depending on its version, typer contains click or depends on it."""

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended, as shells have it."""

UNREAD = 141
"""The exit code of a command whose reader has gone (`| head`): 128 and SIGPIPE, as shells count. Gates keep theirs."""

CRASHED = 70
"""The exit code of a fault of ours (sysexits.h: EX_SOFTWARE): never that of a gate's verdict."""

# No rich help: it alone takes longer than the rest of the start.
app = typer.Typer(
    name=PROGRAM,
    help="Evaluate rankings on graded relevance, by the usual definitions or as other tools compute them.",
    epilog=examples_of(
        "rankgauge demo", "rankgauge evaluate qrels.txt run.txt -m nDCG@10 -m AP", "rankgauge measures show nDCG"
    ),
    cls=CommandGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"rankgauge {version('rankgauge')}")
        raise typer.Exit


@app.callback()
def main(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Evaluate rankings on graded relevance, by the usual definitions or as other tools compute them."""


def run() -> None:
    """The command line, with every error that a user can cause as one message and its exit code."""
    stand_in()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a code page without Σ is no reason to fail
    outlive_reader("stderr")
    warnings.showwarning = _show
    try:
        with mended():
            code = app(prog_name=app.info.name, standalone_mode=False)
            sys.stdout.flush()  # a reader who has gone shows here, not when Python ends
        sys.exit(code)
    except RankGaugeError as error:
        _say(str(error))
        sys.exit(error.exit_code)
    except UsageError as error:
        if type(error).show is not UsageError.show:  # a group without a command shows its help
            error.show()
        else:
            _say(_told(error))
        sys.exit(error.exit_code)
    except typer.Abort:
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except (OSError, SystemExit) as error:  # click ends with 1, which is a verdict, if the reader has gone
        cause = error.__context__ if isinstance(error, SystemExit) else error
        if not is_broken_pipe(cause) and not is_full(cause):
            raise
        drop_output(sys.stdout.fileno())
        if is_full(cause):
            _say(f"the output cannot be written: {getattr(cause, 'strerror', cause)}")
            sys.exit(InputError.exit_code)
        sys.exit(UNREAD)
    except Exception:
        import traceback

        traceback.print_exc()
        _say("this is a fault of RankGauge; please report it with the lines above")
        sys.exit(CRASHED)


def _show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """A warning as one line, like errors; what Python says of its place helps nobody here."""
    _say(f"note: {message}" if issubclass(category, InputWarning) else f"{category.__name__}: {message}")


def _say(words: str) -> None:
    """Print a message on stderr. It may quote a file, whose control characters are spelled out."""
    print(f"rankgauge: {printable(words)}", file=sys.stderr)


def _told(error: Any) -> str:
    """What is wrong, how the command is used, and where to read more."""
    if error.ctx is None:
        return str(error.format_message())
    usage, more = error.ctx.get_usage(), f"Run '{error.ctx.command_path} --help' for details."
    return "\n  ".join([error.format_message(), *usage.splitlines(), more])
