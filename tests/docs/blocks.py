"""The examples in the pages: found, run, and compared with the output that the page shows.

`python tests/docs/blocks.py` runs them all and writes what they print into the pages.
"""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

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
            printed = _run([sys.executable, "-W", "error", "-c", block.body], folder)
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
    return "".join(f"$ {command}\n" + _run(["bash", "-c", command], folder) for command in commands)


def _run(command: list[str], folder: Path) -> str:
    """What the command prints; an error message where it fails is a failure of the page."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    spark = {"SPARK_CONF_DIR": str(Path(__file__).with_name("spark"))}
    environment = {**os.environ, "PATH": path, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", **spark}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, f"{command[-1]}\n{done.stderr}"
    assert not done.stderr, done.stderr
    return done.stdout


if __name__ == "__main__":
    for page in PAGES:
        with tempfile.TemporaryDirectory() as fresh:
            page.write_text(replayed(page.read_text(encoding="utf-8"), Path(fresh)), encoding="utf-8")
