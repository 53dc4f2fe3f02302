"""rankgauge check: the gate of a project, from its file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rankgauge.cli import choices
from rankgauge.cli.command import command
from rankgauge.cli.comparison import guard_exit_code
from rankgauge.cli.options import QUERIES
from rankgauge.cli.parser import option
from rankgauge.errors import InputError, RankGaugeError


@command(
    "check",
    "rankgauge check",
    "rankgauge check --init",
    "rankgauge check -o summary.md",
    "rankgauge check --config search/rankgauge.toml",
    "rankgauge check --staged",
    place=21,
    page="pipeline.md",
)
def check(
    output: list[str] | None = choices.output("rankgauge.comparison.report:ComparisonReport.formats", several=True),
    config: Path | None = option(
        "--config",
        help="The file to read; by default rankgauge.toml, or [tool.rankgauge] in pyproject.toml, here or above.",
        metavar="FILE",
    ),
    queries: Path | None = QUERIES,
    staged: bool = option(
        "--staged", help="Judge the files as they are staged in git, as a hook does, not the working tree."
    ),
    store: bool = option(
        "--store-baseline", help="Store the one run in the file that 'baseline' names, such as baseline.json, and end."
    ),
    init: bool = option("--init", help="Write a rankgauge.toml with comments from the files in this folder, and end."),
) -> None:
    """Check whether runs or a machine judge got worse, as rankgauge.toml says: exit 0 pass, 1 worse, 3 undecided."""
    if init:
        _begin(Path.cwd())
        return
    from contextlib import chdir

    from rankgauge.cli.comparison import write_comparison
    from rankgauge.cli.project import ProjectFile
    from rankgauge.cli.runs import staged_project

    with guard_exit_code():
        if store and staged:
            raise InputError("--store-baseline takes the run as it is: leave out --staged")
        nearest = ProjectFile.find(Path.cwd()) if config is None else ProjectFile.read(config)
        changes: dict[str, Any] = {} if queries is None else {"queries": Path.cwd() / queries}
        if output:
            changes["output"] = [_place(target, Path.cwd()) for target in output]
        with staged_project(nearest.path) if staged else nullcontext(nearest) as project:
            judged = 0
            if project.judge is not None and not store:
                said = output or project.settings.get("output") or []
                written = [said] if isinstance(said, str) else said
                with chdir(project.path.parent):
                    judged = _check_judge(project.judge, quiet=not all(Path(str(target)).suffix for target in written))
            if not project.compares:
                if output or store:
                    raise InputError(
                        "there are no runs in it; audit judge --before reports on a judge", path=nearest.path
                    )
                raise SystemExit(judged)
            options = project.options(**changes)
            if options.output:  # what is written stays, wherever files are read
                options = options.but(
                    output=[_place(target, nearest.path.parent.resolve()) for target in options.output]
                )
            if options.looks is not None:
                options = options.but(looks=nearest.path.parent.resolve() / options.looks)
            try:
                with chdir(project.path.parent):
                    write_comparison(options, store=store)
            except SystemExit as ended:
                raise SystemExit(1 if 1 in (judged, ended.code) else ended.code or judged) from None
            if judged:
                raise SystemExit(judged)


def _check_judge(files: Mapping[str, str], *, quiet: bool) -> int:
    """Say whether a machine judge is as good as the one that was audited; return the exit code.

    Where standard output is for a report, the words go to standard error.
    """
    from rankgauge.audit.judge.error_slices import Drift

    drift = Drift.between(files["people"], files["audited"], files["grades"], rel=1.0, seed=0)
    words = f"judge {files['grades']}: {drift.words}"
    if drift.code:
        words += f"\nMore: rankgauge audit judge {files['people']} {files['grades']} --before {files['audited']}"
    print(words, file=sys.stderr if quiet else sys.stdout)
    return drift.code


def _begin(folder: Path) -> None:
    from rankgauge.cli.project import ProjectFile
    from rankgauge.cli.project_start import power_words, start
    from rankgauge.render.numbers import count

    with guard_exit_code():
        path, files = start(folder)
        project = ProjectFile.read(path)
    judgments, runs = count(len(files["judgments"]), "file"), count(len(files["runs"]), "run")
    print(f"wrote {path.name}; found {judgments} of judgments and {runs}")
    try:
        for words in power_words(project):
            print(words)
    except RankGaugeError as error:
        print(f"It does not work yet: {error}")
    print("Look it over, then: rankgauge check")


def _place(output: str, folder: Path) -> str:
    """Return a file of the folder by its whole path; a format's name as it is."""
    return str(folder / output) if Path(output).suffix else output
