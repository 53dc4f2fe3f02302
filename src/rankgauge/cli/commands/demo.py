"""rankgauge demo: the main jobs on a small collection, with the commands that a user would type."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path

from rankgauge.cli.command import command
from rankgauge.cli.options import seed_option
from rankgauge.cli.parser import argument, option
from rankgauge.errors import NothingToJudgeError

FOLDER = Path("out/demo")
CAMPAIGN, REPORT = "campaign.rg", "report.html"

PAGES = {
    "compare.html": ("Compare", "Which run is better, and is it luck?"),
    "audit.html": ("Audit", "Which number may I publish, when every tool gives another?"),
    "estimate.html": ("Active", "How good is it, with an eighth of the labels?"),
}
"""The pages that the steps write, which are bound into one: a name and the question that each answers."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """Something to show: what it is, and the commands; after `| head -n` stands how many lines of one to show."""

    words: str
    commands: tuple[str, ...]
    needs: str = ""
    """A package of an extra that the commands need; without it they are left out."""


STEPS = (
    Step(
        words="Two runs against the same judgments: means with intervals, the better one marked, and below "
        "them what to know before quoting a number.",
        commands=("evaluate qrels.txt bm25.txt dense.txt.gz -m nDCG@10,AP,P@10",),
    ),
    Step(
        words="Each query by itself, for other programs to read.",
        commands=("evaluate qrels.txt bm25.txt -m nDCG@10 -q -o tsv | head -n 4",),
    ),
    Step(
        words="The same as trec_eval computes and prints it, to the digit.",
        commands=("evaluate qrels.txt bm25.txt -d trec_eval -m official -o trec | head -n 7",),
    ),
    Step(
        words="Tied scores: the worst order, the mean over all orders, the best order.",
        commands=(
            "evaluate qrels.txt bm25.txt -m nDCG@10 --ties worst -o tsv",
            "evaluate qrels.txt bm25.txt -m nDCG@10 --ties expected -o tsv",
            "evaluate qrels.txt bm25.txt -m nDCG@10 --ties best -o tsv",
        ),
    ),
    Step(
        words="Three assessors judged; how far they agree.", commands=("judgments agreement ratings.csv | head -n 11",)
    ),
    Step(
        words="Call a document relevant if all three gave it 1 or more; or evaluate on the mean grade.",
        commands=(
            "judgments combine ratings.csv --rule and --at 1 -o strict.txt",
            "evaluate strict.txt dense.jsonl -m AP -o tsv",
            "evaluate ratings.csv dense.jsonl --assessors mean -m nDCG@10 -o tsv",
        ),
    ),
    Step(
        words="A learned ranker's test set and its scores; the formats are recognised.",
        commands=("evaluate test.txt scores.txt -m nDCG@10,P@5 -o md | head -n 4",),
    ),
    Step(
        words="Is the better run better by more than luck? Paired tests, and a page with charts.",
        commands=(
            "compare qrels.txt bm25.txt dense.txt.gz -m nDCG@10 --test randomisation | head -n 8",
            "compare qrels.txt bm25.txt dense.txt.gz -m nDCG@10,AP -o compare.html",
        ),
    ),
    Step(
        words="Why do tools disagree about one ranking? The gap, split over its causes.",
        commands=(
            "audit test.txt scores.txt -d ranklib,letor4,yahoo,gdeval,trec_eval | head -n 11",
            "audit test.txt scores.txt -d ranklib,letor4,yahoo,gdeval,trec_eval -o audit.html",
        ),
    ),
    Step(
        words="A ranker learns under LETOR's rules, and is judged by them.",
        commands=(
            "train coordinate-ascent test.txt --set restarts=2 -m nDCG@10 -d letor4 -o model.json",
            "rank model.json test.txt -o learned.txt",
            "evaluate test.txt learned.txt -d letor4 -m nDCG@10 -o tsv",
        ),
        needs="sklearn",
    ),
    Step(
        words="How good is a ranking when labels cost money? A plan for 150 of 1,200 labels, what to judge first, "
        "the labels as they come in, and the estimate.",
        commands=(
            "active plan pool.csv --measure ERR@10 --budget 150 -o campaign.rg",
            "active next campaign.rg -n 20 -o tasks.csv",
            "active record campaign.rg grades.csv",
            "active next campaign.rg -n 150 -o more.csv",
            "active estimate campaign.rg",
            "active estimate campaign.rg -o estimate.html",
        ),
        needs="sqlalchemy",
    ),
    Step(
        words="What a measure is: formula, reference, traits, and an example worked by hand.",
        commands=("measures show ERR",),
    ),
)


@command("demo", "rankgauge demo", "rankgauge demo --data-only example", place=140, page="tutorial.md")
def demo(
    folder: Path = argument("FOLDER", help="Where to put the collection.", default=FOLDER, required=False),
    data_only: bool = option("--data-only", help="Only write the collection's files."),
    seed: int = seed_option("The seed of the collection."),
) -> None:
    """Show the main jobs on a small collection, which is made first."""
    import importlib.util

    import numpy as np

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
