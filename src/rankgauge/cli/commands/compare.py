"""rankgauge compare: which runs differ by more than luck."""

from __future__ import annotations

from contextlib import nullcontext

from rankgauge.cli.command import command
from rankgauge.cli.comparison import CompareOptions, guard_exit_code, write_comparison


@command(
    "compare",
    "rankgauge compare qrels.txt bm25.txt dense.txt.gz -m nDCG@10 -m AP",
    "rankgauge compare qrels.txt BM25=bm25.txt Dense=dense.txt.gz --baseline BM25 -o compare.html",
    "rankgauge compare qrels.txt *.txt --test randomisation --correction tukey -o compare.tex",
    "rankgauge compare qrels.txt main=git:main:run.txt run.txt --baseline main --fail-if-worse nDCG@10:0.01 -o pr.md",
    "rankgauge compare qrels.txt *.txt --similarity rbo -o compare.html",
    "rankgauge compare qrels.txt BM25=bm25.txt Dense=dense.txt.gz --baseline BM25 --risk 5",
    place=20,
    page="compare.md",
    first=("measure", "baseline", "output", "per_query", "test", "fail_if_worse"),
)
def compare(options: CompareOptions) -> None:
    """Test which runs differ by more than luck, by how much and on which queries."""
    with guard_exit_code() if options.fail_if_worse or options.floor else nullcontext():
        write_comparison(options)
