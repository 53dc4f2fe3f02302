"""The examples in the pages: found, run, and compared with the output that the page shows.

`python -m tests.docs.blocks` runs them all and writes what they print into the pages.
"""

from __future__ import annotations

import glob
import itertools
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests import program

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

_ENVIRONMENT = {
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "COLUMNS": "80",
    "PYTHONIOENCODING": "utf-8",
    "SPARK_CONF_DIR": str(Path(__file__).with_name("spark")),
}

_EXPECTED = ("few", "input")
"""The subjects of further notes on the small collections of the pages."""

_PROGRESS = re.compile(r"rankgauge: \d+ (of \d+ )?parts ")
"""A line on how far long work is."""

_SPARK = "spark"
"""What starts Spark has a process of its own, which takes Java along when it ends."""

_WORD = r"""(?:[^\s'"|&;<>()$`\\{}]|'[^']*'|"[^"$`\\]*")+"""
"""A word whose value no shell has to work out, but for patterns of files."""

_BEGINNING = re.compile(
    rf"rankgauge(?P<words>(?: +{_WORD})*?)(?P<both> +2>&1)?(?: +> *(?P<file>{_WORD})| *\|(?!\|) *(?P<rest>.*))?"
)
"""A command, its words, and what becomes of its output."""

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced block: what its fence says, its text, and where in the page the text is."""

    info: str
    body: str
    span: tuple[int, int]


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page."""
    for match in _FENCE.finditer(text):
        yield Block(info=match["info"].strip(), body=match["body"], span=match.span("body"))


def links(text: str) -> list[str]:
    """The files that a page links to, as it names them."""
    return re.findall(r"\]\(([\w./-]*[./][\w./-]*|[A-Z]+)(?:#[^)\s]*)?\)", text)


def replayed(text: str, folder: Path) -> str:
    """The page with the output that its examples have when they run in the folder, one after another."""
    found = list(blocks(text))
    changes = []
    for block, following in itertools.zip_longest(found, found[1:]):
        if block.info == "console":
            changes.append((block.span, _session(block.body, folder)))
        elif block.info == "python":
            printed = _python(block.body, folder)
            shown = following is not None and following.info == "text" and following.span[0] - block.span[1] < 20
            assert shown or not printed, f"the page does not show what this prints:\n{block.body}\n{printed}"
            if shown and following is not None:
                changes.append((following.span, printed))
    for (start, end), new in reversed(changes):
        text = text[:start] + new + text[end:]
    return text


def _session(body: str, folder: Path) -> str:
    """A shell's session with the output that its commands have."""
    commands = [line.removeprefix("$ ") for line in body.splitlines() if line.startswith("$ ")]
    return "".join(f"$ {command}\n" + _command(command, folder) for command in commands)


def _command(command: str, folder: Path) -> str:
    """What a shell's command prints. A shell runs it, except for a `rankgauge` that it begins with."""
    match = _BEGINNING.fullmatch(command)
    if match is None or _SPARK in command:
        return _run(["bash", "-c", command], folder)
    words = [word for raw in re.findall(_WORD, match["words"]) for word in _expanded(raw, folder)]
    done = program.rankgauge(words, folder, _ENVIRONMENT, both=match["both"] is not None)
    # Formats of bare values have their notes beside them, and long work says how far it is: a page need not show it.
    loud = [line for line in program.unexpected(done.err, _EXPECTED) if not _PROGRESS.match(line)]
    assert not loud, f"{command}\n{done.err}"
    if match["rest"] is not None:
        return _run(["bash", "-c", match["rest"]], folder, done.out)
    assert done.code == 0, f"{command}\n{done.out}"
    if match["file"] is None:
        return done.out
    if match["file"] != os.devnull:
        (folder / match["file"]).write_text(done.out, encoding="utf-8")
    return ""


def _expanded(raw: str, folder: Path) -> list[str]:
    """The words that a shell makes of one: files in place of a pattern, or the word without its quotes."""
    if set(raw) & set("*?") and not set(raw) & set("'\""):
        return sorted(glob.glob(raw, root_dir=folder)) or [raw]
    return shlex.split(raw)


def _python(code: str, folder: Path) -> str:
    """What a piece of Python prints."""
    if _SPARK in code:
        return _run([sys.executable, "-W", "error", "-c", code], folder)
    done = program.python(code, folder, _ENVIRONMENT)
    assert not done.err, done.err
    return done.out


def _run(command: list[str], folder: Path, given: str = "") -> str:
    """What the command prints; an error message where it fails is a failure of the page."""
    environment = {**os.environ, **_ENVIRONMENT}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", input=given
    )
    assert done.returncode == 0, f"{command[-1]}\n{done.stderr}"
    assert not program.unexpected(done.stderr, _EXPECTED), done.stderr
    return done.stdout


if __name__ == "__main__":
    for page in PAGES:
        with tempfile.TemporaryDirectory() as fresh:
            page.write_text(replayed(page.read_text(encoding="utf-8"), Path(fresh)), encoding="utf-8")
