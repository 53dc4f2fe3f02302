"""rankgauge demo: the main jobs on a small collection, with the commands that a user would type."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from rankgauge.cli.command import command
from rankgauge.cli.options import seed_option
from rankgauge.cli.parser import argument, option
from rankgauge.errors import NothingToJudgeError

FOLDER = Path("out/demo")
CAMPAIGN, REPORT = "campaign.rg", "report.html"


@command("demo", "rankgauge demo", "rankgauge demo --data-only example", place=140, page="tutorial.md")
def demo(
    folder: Path = argument("FOLDER", help="Where to put the collection.", default=FOLDER, required=False),
    data_only: bool = option("--data-only", help="Only write the collection's files."),
    seed: int = seed_option("The seed of the collection."),
) -> None:
    """Show the main jobs on a small collection, which is made first."""
    import importlib.util

    import numpy as np

    from rankgauge.cli.demo_steps import PAGES, STEPS
    from rankgauge.demo import FILES, generate, write
    from rankgauge.render.terminal import Screen, bold, text_width

    write(generate(rng=np.random.default_rng(seed)), folder)
    out = Screen(sys.stdout)
    out.show(f"A small collection, made with seed {seed}, in {bold(str(folder))}:")
    out.pairs([(f"  {name}", words) for name, (words, _) in FILES.items()])
    if data_only:
        return
    out.show(f"\n$ cd {folder}")
    with contextlib.chdir(folder):
        for name in (CAMPAIGN, *PAGES):
            Path(name).unlink(missing_ok=True)  # left by an earlier demo
        for number, step in enumerate(STEPS, start=1):
            out.show("\n" + bold(f"{number}. {step.words}"), text_width())
            if step.needs and importlib.util.find_spec(step.needs) is None:
                out.show(f"(left out: it needs {step.needs}; pip install 'rankgauge[all]')")
                continue
            for command in step.commands:
                _run(command)
        _bind()
    out.show("\n" + bold(f"All of it in one page to show: {folder / REPORT}"))


def _bind() -> None:
    """Bind the pages that the steps wrote into one."""
    import html
    import re

    from rankgauge.cli.demo_steps import PAGES
    from rankgauge.files.output import writing
    from rankgauge.render.html import BoundPage, bind

    pages = []
    for name, (title, question) in PAGES.items():
        if Path(name).exists():
            page = Path(name).read_text(encoding="utf-8")
            heading = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL)
            finding = html.unescape(re.sub(r"<[^>]+>", "", heading[1] if heading else title)).strip()
            pages.append(BoundPage(name=title, question=question, finding=finding, page=page))
    hint = "A small collection made with a seed: two runs, three assessors, a learned ranker, and a pool to judge."
    with writing(REPORT) as file:
        file.write(bind("What RankGauge found", hint, pages).encode())


def _run(command: str) -> None:
    """Print the command as a user types it, and what it prints, or the first lines of that."""
    import io
    import shlex

    from rankgauge.cli.command import PROGRAM, execute

    print(f"\n$ rankgauge {command}", flush=True)
    typed, pipe, shown = command.partition(" | head -n ")
    piped = io.StringIO()
    with contextlib.redirect_stdout(piped) if pipe else contextlib.nullcontext():
        try:
            execute(shlex.split(typed))
        except NothingToJudgeError as done:  # all labels were recorded beforehand: the budget is spent at once
            print(f"{PROGRAM}: {done}")
    sys.stdout.writelines(piped.getvalue().splitlines(keepends=True)[: int(shown or 0)])
