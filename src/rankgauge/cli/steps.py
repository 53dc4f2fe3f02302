"""What `rankgauge demo` shows, step by step."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["STEPS", "Step"]


@dataclass(frozen=True, kw_only=True)
class Step:
    """Something to show: what it is, and the commands, each with how many of its lines to show (None: all)."""

    words: str
    commands: tuple[tuple[str, int | None], ...]


STEPS = (
    Step(
        words="Two runs against the same judgments: means with intervals, the better one marked, and below "
        "them what to know before quoting a number.",
        commands=(("evaluate qrels.txt bm25.txt dense.txt.gz -m nDCG@10,AP,P@10", None),),
    ),
    Step(
        words="Each query by itself, for other programs to read.",
        commands=(("evaluate qrels.txt bm25.txt -m nDCG@10 -q -o tsv", 4),),
    ),
    Step(
        words="The same as trec_eval computes and prints it, to the digit.",
        commands=(("evaluate qrels.txt bm25.txt -d trec_eval -m official -o trec", 7),),
    ),
    Step(
        words="Tied scores: the worst order, the mean over all orders, the best order.",
        commands=(
            ("evaluate qrels.txt bm25.txt -m nDCG@10 --ties worst -o tsv", None),
            ("evaluate qrels.txt bm25.txt -m nDCG@10 --ties expected -o tsv", None),
            ("evaluate qrels.txt bm25.txt -m nDCG@10 --ties best -o tsv", None),
        ),
    ),
    Step(
        words="Three assessors judged; how far they agree.",
        commands=(("judgments agreement ratings.csv", 11),),
    ),
    Step(
        words="Relevant is what all three gave a grade of 1 or more: make such judgments, "
        "or evaluate on the mean grade.",
        commands=(
            ("judgments combine ratings.csv --rule and --at 1 -o strict.txt", None),
            ("evaluate strict.txt dense.jsonl -m AP -o tsv", None),
            ("evaluate ratings.csv dense.jsonl --assessors mean -m nDCG@10 -o tsv", None),
        ),
    ),
    Step(
        words="A learned ranker's test set and its scores; the formats are recognised.",
        commands=(("evaluate test.txt scores.txt -m nDCG@10,P@5 -o md", 4),),
    ),
    Step(
        words="What a measure is: formula, reference, traits, and an example worked by hand.",
        commands=(("measures show ERR", None),),
    ),
)
