"""A small collection: queries, documents that several assessors graded, and runs of different quality.

On purpose it has what real data has by accident: assessors who disagree, tied scores, unjudged documents, a query with
nothing relevant, a short list, a query that one run does not answer, a query that nobody judged.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from rankgauge.numeric import FloatArray

TOPICS = (
    ("electric bicycle range winter", "battery cold kilometres assist charge motor hub tyre"),
    ("sourdough starter slow rise", "flour hydration ferment oven crumb yeast levain dough"),
    ("train tickets lisbon porto", "fare platform booking seat luggage timetable station coach"),
    ("tomato leaves yellow spots", "blight fungus watering soil spray mulch seedling prune"),
    ("quiet mechanical keyboard office", "switch linear keycap damped typing desk noise stem"),
    ("learn guitar barre chords", "fret finger strum thumb capo lesson string practice"),
    ("home espresso grinder burr", "dose grind portafilter shot crema roast steel conical"),
    ("hiking boots wide feet", "sole ankle waterproof toe lace trail leather fit"),
)
FILLER = (
    *("the", "guide", "shows", "how", "people", "choose", "and", "keep", "what", "they", "need"),
    *("when", "time", "is", "short", "and", "money", "is", "tight"),
)
CUTS = (0.3, 1.2)
"""The worth of a document above which its grade is 1, and 2."""


def generate_pool(*, rng: np.random.Generator, queries: int = 40, documents: int = 10) -> pl.DataFrame:
    """A row per query and document: query, document, score, p_0 …, query_text, title, text, url; and the grade that a
    perfect assessor would give."""
    rows = []
    for number in range(queries):
        wanted, related = (words.split() for words in TOPICS[number % len(TOPICS)])
        asked = list(rng.permutation(wanted)) if number >= len(TOPICS) else wanted
        for place, worth in enumerate(rng.normal(0.0, 1.0, documents)):
            grade = int(np.digitize(worth, CUTS))
            score = round(float(worth + rng.normal(0.0, 0.7)), 3)
            # What a model believes: the probability of each grade, from a noisy view of the document's worth.
            felt = worth + rng.normal(0.0, 0.4)
            shares = -np.diff([1.0, *(1.0 / (1.0 + np.exp(-3.0 * (felt - np.array(CUTS))))), 0.0])
            # A title and three sentences: a better document has more words of the query.
            known = asked[: (0, len(asked) // 2, len(asked))[grade]]
            title = [*known[:3], *rng.choice(related, 3 - min(len(known), 2), replace=False)]
            sentences = []
            for _ in range(3):
                words = [*known, *rng.choice(related, 3, replace=False), *rng.choice(FILLER, 9)]
                sentences.append(" ".join(rng.permutation(words)).capitalize() + ".")
            rows.append(
                {
                    "query": f"q{number + 1:02d}",
                    "document": f"q{number + 1:02d}-d{place + 1:02d}",
                    "score": score,
                    **{f"p_{n}": float(share) for n, share in enumerate(shares / shares.sum())},
                    "query_text": " ".join(asked),
                    "title": " ".join(title).capitalize(),
                    "text": " ".join(sentences),
                    "url": f"https://example.org/{number + 1}/{place + 1}",
                    "grade": grade,
                }
            )
    return pl.DataFrame(rows)


POOL, OUTSIDE = 20, 10
"""How many documents of a query are judged, and how many more a run can find."""

ASSESSORS: Mapping[str, tuple[float, float]] = {"ann": (0.0, 0.3), "bob": (-0.3, 0.5), "eve": (0.5, 0.7)}
"""Each assessor's bias (bob is strict, eve is generous), and the spread of their errors."""

GENEROUS = (0.5, 0.4)
"""How far the simulated judge grades above the documents' worth, and how that differs from query to query."""

TOP = 3
"""The highest grade."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DemoCollection:
    """The assessors' grades, the judgments made of them (their median), and the runs by name."""

    ratings: pl.DataFrame
    judgments: pl.DataFrame
    runs: Mapping[str, pl.DataFrame]
    judge: pl.DataFrame
    """What a simulated judge says of the judged documents: a machine that is generous and errs by query."""
    pool: pl.DataFrame
    """Other queries, whose documents nobody has judged yet."""


def generate(*, rng: np.random.Generator, queries: int = 24) -> DemoCollection:
    """Return a collection of `queries` judged queries, the last with nothing relevant, and one that nobody judged."""
    if queries < 4:
        raise ValueError("a collection needs at least 4 queries")
    names = [f"q{number:02d}" for number in range(1, queries + 2)]
    ease = rng.normal(-0.3, 0.5, size=queries + 1)
    ease[queries - 1] = -np.inf  # nothing relevant
    worth = ease[:, np.newaxis] + rng.normal(0.0, 1.2, size=(queries + 1, POOL + OUTSIDE))
    worth[:, POOL:] -= 1.0  # documents outside the pool are mostly not relevant
    drawn = [rng.choice(900, size=POOL + OUTSIDE, replace=False) + 100 for _ in names]  # unique within each query
    documents = pl.DataFrame(
        {
            "query": np.repeat(names, POOL + OUTSIDE),
            "document": [f"d{number}" for numbers in drawn for number in numbers],
            "worth": worth.ravel(),
            "pooled": np.tile(np.arange(POOL + OUTSIDE) < POOL, queries + 1),
        }
    )
    pooled, ratings = documents.filter(pl.col("pooled"), pl.col("query") != names[-1]), []
    for assessor, (leaning, unsteady) in ASSESSORS.items():
        felt = pooled["worth"].to_numpy() + leaning + rng.normal(0.0, unsteady, size=len(pooled))
        ratings.append(_graded(pooled, felt).with_columns(assessor=pl.lit(assessor)))
    rated = pl.concat(ratings)
    judgments = rated.group_by("query", "document", maintain_order=True).agg(pl.col("grade").median())
    # `bm25` has coarse scores, so ties, and misses a query; `dense` is better, with one short list.
    bm25 = _run(documents, _noisy(documents, rng, spread=1.5, step=0.2), keep=15).filter(pl.col("query") != names[2])
    dense = _run(documents, _noisy(documents, rng, spread=0.8, step=1e-4), keep=20)
    short = (pl.col("query") == names[4]).and_(pl.int_range(pl.len()).over("query") >= 4)
    pool = generate_pool(rng=rng, queries=5 * queries)
    # The simulated judge is generous, more so for some queries than for others.
    seen = documents.join(judgments, on=["query", "document"], how="semi", maintain_order="left")
    place = seen["query"].rle_id().to_numpy()
    generous = rng.normal(*GENEROUS, size=int(place.max()) + 1)[place]
    felt = np.maximum(seen["worth"].to_numpy(), -1.0) + generous + rng.normal(0.0, 0.6, size=len(seen))
    return DemoCollection(
        ratings=rated,
        judgments=judgments,
        runs={"bm25": bm25, "dense": dense.filter(~short)},
        judge=_graded(seen, felt),
        pool=pool,
    )


def _graded(documents: pl.DataFrame, felt: FloatArray) -> pl.DataFrame:
    """Return the documents with the grade nearest to what is felt of each, from 0 to the highest."""
    return documents.select("query", "document").with_columns(grade=np.clip(np.round(felt), 0, TOP) + 0.0)  # not −0


def _noisy(documents: pl.DataFrame, rng: np.random.Generator, *, spread: float, step: float) -> FloatArray:
    """Return scores that follow the documents' worth with errors of that spread, rounded to that step."""
    worth = np.maximum(documents["worth"].to_numpy(), -4.0)
    score = 10.0 + worth + rng.normal(0.0, spread, size=len(documents))
    return np.asarray(np.round(np.round(score / step) * step, 4))


def _run(documents: pl.DataFrame, score: FloatArray, *, keep: int) -> pl.DataFrame:
    """Return the `keep` best documents of each query."""
    ranked = documents.select("query", "document").with_columns(score=score)
    ranked = ranked.sort("query", "score", descending=[False, True], maintain_order=True)
    return ranked.filter(pl.int_range(pl.len()).over("query") < keep)


def _qrels(judgments: pl.DataFrame) -> str:
    rows = judgments.iter_rows()
    return "".join(f"{query} 0 {document} {grade:g}\n" for query, document, grade in rows)


def _trec_run(run: pl.DataFrame, tag: str) -> str:
    rank = run.select(pl.int_range(1, pl.len() + 1).over("query")).to_series()
    rows = zip(run.iter_rows(), rank, strict=True)
    return "".join(f"{query} Q0 {document} {place} {score:g} {tag}\n" for (query, document, score), place in rows)


def _join_judged(collection: DemoCollection) -> pl.DataFrame:
    """Return the judged documents of the dense run, as a learned ranker's test set."""
    pair = collection.judgments.join(collection.runs["dense"], on=["query", "document"], maintain_order="left")
    return pair.with_columns(length=pl.col("document").str.slice(1).cast(pl.Float64) / 1000)


def _letor(collection: DemoCollection) -> str:
    rows = _join_judged(collection).iter_rows(named=True)
    return "".join(
        f"{row['grade']:g} qid:{row['query'][1:].lstrip('0')} 1:{row['score']:g} 2:{row['length']:g} "
        f"#docid = {row['document']}\n"
        for row in rows
    )


FILES: Mapping[str, tuple[str, Callable[[DemoCollection], str]]] = {
    "qrels.txt": ("judgments as TREC writes them: query, 0, document, grade", lambda c: _qrels(c.judgments)),
    "judge.qrels": ("the same documents, graded by a simulated language model", lambda c: _qrels(c.judge)),
    "ratings.csv": ("the same documents, graded by three assessors", lambda c: c.ratings.write_csv(float_precision=0)),
    "bm25.txt": ("a run as TREC writes it, with tied scores", lambda c: _trec_run(c.runs["bm25"], "bm25")),
    "dense.txt.gz": ("a better run, compressed", lambda c: _trec_run(c.runs["dense"], "dense")),
    "dense.jsonl": (
        "the same run, a JSON object per line",
        lambda c: "".join(json.dumps(row) + "\n" for row in c.runs["dense"].iter_rows(named=True)),
    ),
    "test.txt": ("a learned ranker's test set in the LETOR format", _letor),
    "scores.txt": (
        "a score for each line of test.txt",
        lambda c: "".join(f"{s:g}\n" for s in _join_judged(c)["score"]),
    ),
    "pool.csv": (
        "documents that nobody has judged, and a model's beliefs about their grades",
        lambda c: c.pool.drop("grade").write_csv(),
    ),
    "grades.csv": ("what an assessor would say of them", lambda c: c.pool["query", "document", "grade"].write_csv()),
}
"""The files of a collection: what each is, and what it holds."""


def write(collection: DemoCollection, folder: Path) -> list[Path]:
    """Write the collection's files into the folder, which is made if necessary; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, (_, content) in FILES.items():
        data = content(collection).encode()
        # No time stamp: the same seed gives the same bytes.
        (folder / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
        paths.append(folder / name)
    return paths
