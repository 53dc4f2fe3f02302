"""Which documents a model is asked to compare, and how the order in an answer is read.

Every list is shown twice, in one order and in the other, so that a liking for the first place cancels out.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import InputError
from rankgauge.judgments.llm.asking.answers import KEPT, Answer, content, quote, refused_reason, without_thought
from rankgauge.judgments.llm.asking.pairs import TextPairs
from rankgauge.judgments.llm.asking.prompt import NEEDS, document_parts
from rankgauge.judgments.pairwise import Choices

OTHERS = 8
"""With how many others a document is compared, unless it is said."""

_RANKING = re.compile(r"\[?(\w)\]?(?:\s*[>=]\s*\[?\w\]?)+")
_VERDICT = re.compile(
    r"(?:(?:final\s+)?(?:answer|verdict|better|winner)\s*(?:is\s*)?[:=]?\s*)?(?:(?:passage|document)\s+)?"
    r"(?:\[\[|\[)?(a|b|tie)(?:\]\]|\])?\.?",
    re.IGNORECASE,
)


def compared_lists(pairs: TextPairs, *, size: int, others: int = OTHERS, seed: int = 0) -> TextPairs:
    """Return lists of documents to compare in place of the pairs, each in both orders.

    Rounds of random lists show each document beside about `others` others. What is drawn for a query depends on its
    documents and the seed alone.
    """
    rows: list[dict[str, Any]] = []
    shared = [name for name in ("query", "query_text", *NEEDS) if name in pairs.frame.columns]
    for part in pairs.frame.partition_by("query", maintain_order=True):
        texts = part.to_dicts()
        rng = np.random.default_rng([seed, zlib.crc32(str(texts[0]["query"]).encode())])
        for chosen in drawn_lists(len(texts), size, others, rng):
            for order in (chosen, chosen[::-1]):
                row = {name: texts[0][name] for name in shared}
                row["document"] = json.dumps([texts[place]["document"] for place in order])
                for n, place in enumerate(order, 1):
                    row[f"text_{n}"] = "\n".join(document_parts(texts[place]))
                rows.append(row)
    if not rows:
        raise InputError("no query has two documents to compare")
    names = list(dict.fromkeys(name for row in rows for name in row))
    return TextPairs(frame=pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String)), cut=pairs.cut)


def drawn_lists(documents: int, size: int, others: int, rng: np.random.Generator) -> Iterator[tuple[int, ...]]:
    """Yield lists of places: rounds in which each document is in one list, none of them twice."""
    size, known = min(size, documents), set()
    rounds = -(-min(others, documents - 1) // max(size - 1, 1))
    if size == 2 and others >= documents - 1:
        yield from ((i, j) for i in range(documents) for j in range(i + 1, documents))
        return
    for _ in range(rounds if size > 1 else 0):
        order = rng.permutation(documents)
        filled = np.concatenate([order, order[: -documents % size]])
        for chosen in filled.reshape(-1, size):
            if (key := frozenset(chosen.tolist())) not in known:
                known.add(key)
                yield tuple(chosen.tolist())


def parse_order(choice: Mapping[str, Any], size: int) -> Answer:
    """Read the order of so many documents in an answer; its `grade` has the place of each as its digits."""
    text = content(choice)
    reason = refused_reason(choice)
    if reason is None:
        places = _places(without_thought(text), size)
        if places is not None:
            return Answer(grade=float("".join(map(str, places))), text=text[-KEPT:])
        reason = f"not an order of the {size} documents: {quote(text)}" if text.strip() else "empty"
    return Answer(grade=None, refused=reason, text=text[-KEPT:])


def _places(text: str, size: int) -> list[int] | None:
    """Return the place of each document by an answer's last line; None if it is no order of all of them."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    line = lines[-1].translate(str.maketrans("", "", "*`_")).strip() if lines else ""
    if size == 2 and (verdict := _VERDICT.fullmatch(line)):
        return {"a": [1, 2], "b": [2, 1], "tie": [1, 1]}[verdict[1].lower()]
    line = re.sub(r"^(?:answer|ranking|order)\s*:\s*", "", line, flags=re.IGNORECASE).rstrip(".")
    if not _RANKING.fullmatch(line):
        return None
    levels = [re.findall(r"\w", part) for part in line.split(">")]
    named = [_number(name) for level in levels for name in level]
    if sorted(named) != list(range(1, size + 1)):
        return None
    place = {_number(name): n for n, level in enumerate(levels, 1) for name in level}
    return [place[number] for number in range(1, size + 1)]


def _number(name: str) -> int:
    return int(name) if name.isdigit() else ord(name.upper()) - ord("A") + 1


def choices_of(pairs: TextPairs, answers: Sequence[Sequence[Answer]]) -> Choices:
    """Return the choices that answers about lists come to, in the order of the lists."""
    rows = [
        (query, json.loads(shown), [int(digit) for digit in f"{answer.grade:.0f}"])
        for (query, shown), each in zip(pairs.frame.select("query", "document").iter_rows(), answers, strict=True)
        for answer in each
    ]
    query, shown, places = zip(*rows, strict=True) if rows else ((), (), ())
    return Choices(query=query, shown=shown, places=places)
