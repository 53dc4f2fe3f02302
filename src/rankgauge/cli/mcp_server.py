"""The tools that a language model's client may call over MCP, each of them a command of ours on files of one folder.

A command runs in a process of its own, with the folder as its working directory, no standard input and a time limit;
its JSON is the answer. Paths are resolved before that: whatever leads out of the folder, a symbolic link included, is
refused. Nothing is written unless the folder was opened for writing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

SECONDS = 300
"""How long a command may take."""

USUAL = ("nDCG@10",)
JSON = ("-o", "json")
BESIDE = "*queries.txt"
"""Files that a reader may look at beside the one that it reads."""

INSTRUCTIONS = """Evaluate rankings: search results, retrieval for RAG, recommendations. Paths are relative to the
folder of this server. A file may be a TREC run or qrels, CSV, JSON, Parquet, a response of a search engine, or the rows
of a RAG framework; one file may be both judgments and a run. Quote a mean with its interval and the notes."""


class Folder:
    """The folder that tools may read, and commands that run in it."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve(strict=True)

    def place(self, name: str) -> str:
        """Return the whole path of a file or folder; FILE#PART names a part of it. What lies outside is refused."""
        whole, _, part = name.rpartition("#")
        there = (self.path / name).exists() or not whole
        file, end = (name, "") if there else (whole, f"#{part}")
        path = self._inside(self.path / file)
        for near in path.iterdir() if path.is_dir() else path.parent.glob(BESIDE):
            self._inside(near)
        return f"{path}{end}"

    def _inside(self, path: Path) -> Path:
        try:
            whole = path.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise ToolError(f"{path.name}: there is no such file in the folder") from None
        if not whole.is_relative_to(self.path):
            raise ToolError(f"{path.name}: leads out of the folder {self.path}, which is all that may be read")
        return whole

    def new(self, name: str) -> str:
        """Return the whole path of a file that does not exist yet, in a folder that does."""
        path = self._inside((self.path / name).parent) / Path(name).name
        if path.exists() or path.is_symlink():
            raise ToolError(f"{name}: there is such a file already, and it is not overwritten")
        return str(path)

    def run(self, *words: str) -> Any:
        """Run a command and return what it printed, JSON or text; its error is the tool's."""
        line = [sys.executable, "-m", "rankgauge.cli", *words]
        try:
            done = subprocess.run(
                line, cwd=self.path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            raise ToolError(f"the command took longer than {SECONDS} seconds") from None
        if done.returncode and not done.stdout.strip():
            raise ToolError(done.stderr.strip() or f"the command ended with the code {done.returncode}")
        return json.loads(done.stdout) if done.stdout.startswith("{") else {"text": done.stdout}


def server(folder: Path, *, writing: bool = False) -> MCPServer:
    """Make the server of a folder; with `writing`, it can also write a page that compares runs."""
    place, tools = Folder(folder), MCPServer("rankgauge", instructions=INSTRUCTIONS)

    def ask(
        command: Sequence[str], judgments: str, runs: dict[str, str], measures: Iterable[str] = (), **choices: str
    ) -> dict[str, Any]:
        """Run a command on files; what a caller names comes after --, so that it cannot be an option."""
        named = [f"{name}={place.place(path)}" for name, path in runs.items()]
        wanted = [f"--measure={measure}" for measure in measures]
        wanted += [f"--{name}={choice}" for name, choice in choices.items() if choice]
        return dict(place.run(*command, *wanted, "--", place.place(judgments), *named))

    @tools.tool()
    def evaluate(
        judgments: str,
        runs: dict[str, str],
        measures: tuple[str, ...] = USUAL,
        dialect: str = "standard",
        duplicates: str = "",
    ) -> dict[str, Any]:
        """Measure how good runs are: means with intervals, values per query, notes. `runs` is {name: file}.

        `duplicates` says what a document counts that a list holds twice: first, count-once, count-each …
        """
        return ask(["evaluate", *JSON], judgments, runs, measures, dialect=dialect, duplicates=duplicates)

    @tools.tool()
    def compare(
        judgments: str,
        runs: dict[str, str],
        measures: tuple[str, ...] = USUAL,
        dialect: str = "standard",
        duplicates: str = "",
    ) -> dict[str, Any]:
        """Compare runs query by query: differences, corrected tests, which queries got worse."""
        return ask(["compare", *JSON], judgments, runs, measures, dialect=dialect, duplicates=duplicates)

    @tools.tool()
    def audit(judgments: str, run: str, measure: str = "nDCG@10", value: str = "") -> dict[str, Any]:
        """Explain why tools disagree on a run; with `value`, find the tools and choices that give that number."""
        return ask(["audit", "run", *JSON], judgments, {"run": run}, [measure], value=value)

    @tools.tool()
    def judge_audit(people: str, judges: dict[str, str], runs: dict[str, str] | None = None) -> dict[str, Any]:
        """Measure what a machine judge is worth: agreement with people, where it errs, what that does to runs."""
        return ask(["audit", "judge", *JSON], people, judges | (runs or {}))

    @tools.tool()
    def measures(name: str = "") -> str:
        """List the measures, or show one with its formula, reference and a worked example."""
        return str(place.run("measures", *(["show", "--", name] if name else []))["text"])

    @tools.tool()
    def dialects(name: str = "") -> str:
        """List the tools that can be imitated, or show every choice of one that differs from the usual ones."""
        return str(place.run("dialects", *(["show", "--", name] if name else []))["text"])

    if writing:

        @tools.tool()
        def write_page(judgments: str, runs: dict[str, str], page: str, measures: tuple[str, ...] = USUAL) -> str:
            """Write a new HTML page that compares runs into the folder, and return its name."""
            if not page.endswith(".html"):
                raise ToolError("a page is called NAME.html")
            ask(["compare", f"--output={place.new(page)}"], judgments, runs, measures)
            return page

    return tools
