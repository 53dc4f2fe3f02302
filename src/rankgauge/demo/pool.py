"""A small pool to judge: queries, documents with readable texts, scores, and a model's beliefs.

The texts mix words of the query with others, so that a person can tell a good document from a bad one: the higher the
grade, the more words of the query.
"""

from __future__ import annotations

import numpy as np
import polars as pl

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
GRADES = 3
"""How many grades there are: 0, 1, 2."""


def generate_pool(*, rng: np.random.Generator, queries: int = 40, documents: int = 10) -> pl.DataFrame:
    """A row per query and document: query, document, score, p_0 …, query_text, title, text, url; and the grade that a
    perfect assessor would give."""
    rows = []
    for number in range(queries):
        wanted, related = (words.split() for words in TOPICS[number % len(TOPICS)])
        asked = list(rng.permutation(wanted)) if number >= len(TOPICS) else wanted
        worth = rng.normal(0.0, 1.0, documents)
        for place, document in enumerate(worth):
            grade = int(np.digitize(document, (0.3, 1.2)))
            rows.append(
                {
                    "query": f"q{number + 1:02d}",
                    "document": f"q{number + 1:02d}-d{place + 1:02d}",
                    "score": round(float(document + rng.normal(0.0, 0.7)), 3),
                    **_beliefs(document + rng.normal(0.0, 0.4)),
                    "query_text": " ".join(asked),
                    **_texts(asked, related, grade, rng),
                    "url": f"https://example.org/{number + 1}/{place + 1}",
                    "grade": grade,
                }
            )
    return pl.DataFrame(rows)


def _beliefs(felt: float) -> dict[str, float]:
    """The probability of each grade, from a noisy view of the document's worth."""
    edges = 1.0 / (1.0 + np.exp(-3.0 * (felt - np.array([0.3, 1.2]))))
    shares = -np.diff([1.0, *edges, 0.0])
    return {f"p_{grade}": float(share) for grade, share in enumerate(shares / shares.sum())}


def _texts(asked: list[str], related: list[str], grade: int, rng: np.random.Generator) -> dict[str, str]:
    """A title and three sentences; a better document has more words of the query."""
    known = asked[: (0, len(asked) // 2, len(asked))[grade]]
    title = " ".join([*known[:3], *rng.choice(related, 3 - min(len(known), 2), replace=False)]).capitalize()
    sentences = []
    for _ in range(3):
        words = [*known, *rng.choice(related, 3, replace=False), *rng.choice(FILLER, 9)]
        sentences.append(" ".join(rng.permutation(words)).capitalize() + ".")
    return {"title": title, "text": " ".join(sentences)}
