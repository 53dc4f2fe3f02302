"""A run file and its judgments → hits."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from rankgauge.lazy_polars import pl
from rankgauge.numeric import EXACT_WHOLE, BoolArray, FloatArray, IndexArray
from rankgauge.policies import Ties
from rankgauge.ranking.hits import Found, Hits
from rankgauge.ranking.rules import SORTS, Ranking, arrange, comparable_scores, tied_by_rounding
from rankgauge.ranking.scan.ids import Words, ascending, descending
from rankgauge.ranking.scan.judgments import JudgedPool, spans
from rankgauge.ranking.scan.lines import CHUNK, SPREAD, Chunk, IrregularFileError, TrecLines, chunks, decimals
from rankgauge.threads import keep_freed_memory, spread

DOCUMENT, SCORE, FIELDS = 2, 4, 6
LOOKED_AT = 512
"""How many bytes tell a packed file from text."""

BY_ID: Mapping[Ties, Callable[[Words], list[Words]]] = {Ties.DOCID: descending, Ties.ASCENDING: ascending}
"""The sort keys of ids, by the policies that order ties by them."""


def scan(run: str | Path, judgments: str | Path | pl.DataFrame, how: Ranking, *, chunk: int = CHUNK) -> Hits | None:
    """Return the judged hits of a TREC run file, as `rank` gives them; None where a file is not regular.

    `chunk` is about how many bytes are worked on at a time.
    """
    pool = scan_judgments(judgments, how, chunk=chunk)
    return None if pool is None else scan_run(run, pool, how, chunk=chunk, last=True)


def scan_judgments(judgments: str | Path | pl.DataFrame, how: Ranking, *, chunk: int = CHUNK) -> JudgedPool | None:
    """Return the judged documents of a TREC file, for any number of runs; None where the file is not regular."""
    # Some sorts leave ties as no stable sort does: their lists take the general path.
    if sys.byteorder != "little" or how.ties in SORTS:
        return None
    keep_freed_memory()
    try:
        with _open_file(judgments) as file:
            pool = JudgedPool.read(chunks(file, chunk), how.negative, size=_size(file))
            pool.whole  # noqa: B018 - made here, once, and not by each of several threads
            return pool
    except _reasons():  # the general path says what is wrong, and where
        return None


def scan_run(
    run: str | PathLike[Any], pool: JudgedPool, how: Ranking, *, chunk: int = CHUNK, last: bool = False
) -> Hits | None:
    """Return the judged hits of a TREC run file; None where it is not regular. The `last` run uses the pool up."""
    try:
        with _open_file(run) as file:
            hits = _hits(chunks(file, chunk), pool, how, last=last)
    except _reasons():
        return None
    return arrange(hits, how)


def scan_lists(run: str | PathLike[Any], *, chunk: int = CHUNK) -> tuple[list[str], IndexArray, Words, FloatArray]:
    """Return all lists of a TREC run file: the queries, how many documents each has, their ids and their scores.

    A file that is not regular is an `IrregularFileError`.
    """
    if sys.byteorder != "little":
        raise IrregularFileError
    keep_freed_memory()
    names: list[bytes] = []
    parts: list[Any] = []
    try:
        with _open_file(run) as file:
            for found, *part in spread(_lists, chunks(file, chunk), least=SPREAD):
                names += found
                parts.append(part)
    except _reasons():
        raise IrregularFileError from None
    if not names or len(set(names)) < len(names):
        raise IrregularFileError
    counts, documents, scores = zip(*parts, strict=True)
    width = max(rows.shape[1] for rows in documents)
    wide = [np.pad(rows, ((0, 0), (0, width - rows.shape[1]))) for rows in documents]
    return [name.decode() for name in names], np.concatenate(counts), np.concatenate(wide), np.concatenate(scores)


def _lists(chunk: Chunk) -> tuple[list[bytes], IndexArray, Words, FloatArray]:
    """Return the whole lists of one chunk."""
    lines = TrecLines(chunk, FIELDS)
    return lines.names, lines.counts, lines.ids(DOCUMENT), _scores(chunk, lines)


def _scores(chunk: Chunk, lines: TrecLines) -> FloatArray:
    """Return the scores of a chunk's lines; the general path says what doubles do not hold."""
    score = decimals(chunk.data, *lines.field(SCORE))
    if score is None or max(np.max(score), -np.min(score)) > EXACT_WHOLE:
        raise IrregularFileError
    return score


def _open_file(source: str | PathLike[Any] | pl.DataFrame) -> BinaryIO:
    """The file, unpacked if need be; a table of judgments is written as a file, so that both are read in one way."""
    if isinstance(source, str | PathLike):
        file = Path(source)
        if not file.is_file():
            raise IrregularFileError  # a pipe gives its bytes once, and the general path keeps them
        return _unpack(file) if _is_packed(file) else file.open("rb", buffering=0)
    text = io.BytesIO()
    columns = source.select("query", pl.lit("0").alias("iteration"), "document", "grade")
    columns.write_csv(text, include_header=False, separator=" ", quote_style="never")
    text.seek(0)
    return text


def _is_packed(file: Path) -> bool:
    """Say whether the file seems to be packed; a packed file that does not seem so takes the general path."""
    with file.open("rb", buffering=0) as opened:
        return not opened.read(LOOKED_AT).isascii()


def _unpack(file: Path) -> BinaryIO:
    from rankgauge.files.source import Source

    return Source.of(file).open()


def _size(file: BinaryIO) -> int:
    """Return how many bytes the file has, 0 if nobody knows before they are unpacked."""
    return os.fstat(file.fileno()).st_size if isinstance(file, io.FileIO) else 0


def _reasons() -> tuple[type[BaseException], ...]:
    """Return the errors that mean that a file cannot be scanned."""
    from rankgauge.files.source import damage

    return (IrregularFileError, *damage())


def _hits(source: Iterable[Chunk], pool: JudgedPool, how: Ranking, *, last: bool) -> Hits:
    pool_query, pool_grade = pool.judged
    parts = _parts(source, pool, how, last=last)
    return Hits.gathered(parts, names=pool.names, pool_query=pool_query, pool_grade=pool_grade, most=len(pool.grades))


def _parts(source: Iterable[Chunk], pool: JudgedPool, how: Ranking, *, last: bool) -> Iterator[Found]:
    """Yield the judged hits chunk by chunk; a query that comes back makes the file irregular."""
    seen, empty = np.zeros(len(pool.counts), dtype=bool), True
    for found in spread(lambda chunk: _find_hits(chunk, pool, how), source, least=SPREAD):
        if bool(seen[found.listed].any()):
            raise IrregularFileError
        seen[found.listed], empty = True, False
        if last and len(found.listed):
            pool.release(found.listed)
        yield found
    if empty:
        raise IrregularFileError
    pool.check(np.flatnonzero(~seen))


def _find_hits(chunk: Chunk, pool: JudgedPool, how: Ranking) -> Found:
    """Return the judged hits of one chunk."""
    lines = TrecLines(chunk, FIELDS)
    score, documents = _scores(chunk, lines), lines.ids(DOCUMENT)
    codes = np.array([pool.codes.get(name, -1) for name in lines.names], dtype=np.int64)
    known = codes >= 0
    strangers = tuple(name.decode() for name, judged in zip(lines.names, known, strict=True) if not judged)
    codes, counts = codes[known], lines.counts[known]
    if len(set(codes.tolist())) < len(codes):
        raise IrregularFileError
    if not known.all():
        kept = spans(lines.starts[known], counts)
        score, documents = score[kept], documents[kept]
    place = pool.places(documents, codes, counts)
    found = _order_lines(comparable_scores(score, how), documents, place, codes, counts, pool=pool, ties=how.ties)
    return replace(found, strangers=strangers, rounded=tied_by_rounding(np.repeat(codes, counts), score, how))


def _order_lines(
    score: FloatArray,
    documents: Words,
    place: IndexArray,
    codes: IndexArray,
    counts: IndexArray,
    *,
    pool: JudgedPool,
    ties: Ties,
) -> Found:
    """Return the judged lines (whose `place` in the pool is not -1) with their ranks and tie groups."""
    starts = np.cumsum(counts) - counts
    opens = np.zeros(len(score), dtype=bool)
    opens[starts] = True
    order = _falling(score, opens, starts, counts)
    if order is not None:
        score, place = score[order], place[order]
    opens[1:] |= score[1:] != score[:-1]
    groups = np.flatnonzero(opens)
    sizes = np.diff(groups, append=len(score))
    group = np.repeat(np.arange(len(groups)), sizes)
    if ties in BY_ID and len(groups) < len(score):
        tied = np.flatnonzero((np.bincount(group[place >= 0], minlength=len(groups)) > 0) & (sizes > 1))
        place = _by_id(
            place, documents if order is None else documents[order], groups[tied], sizes[tied], keys=BY_ID[ties]
        )
    at = np.flatnonzero(place >= 0)
    query, group = np.repeat(np.arange(len(counts)), counts)[at], group[at]
    return Found(
        listed=codes,
        retrieved=counts.astype(np.float64),
        query=codes[query],
        rank=at - starts[query] + 1.0,
        grade=pool.grades[place[at]],
        first=groups[group] - starts[query] + 1.0,
        size=sizes[group].astype(np.float64),
    )


def _falling(score: FloatArray, opens: BoolArray, starts: IndexArray, counts: IndexArray) -> IndexArray | None:
    """The lines by query and falling score, those of equal score in their order; None if they are sorted already."""
    rises = np.zeros(len(score), dtype=bool)
    np.greater(score[1:], score[:-1], out=rises[1:])
    rises &= ~opens
    if not bool(rises.any()):
        return None
    chosen = np.logical_or.reduceat(rises, starts)
    lines = spans(starts[chosen], counts[chosen])
    query = np.repeat(np.arange(len(counts))[chosen], counts[chosen])
    order = np.arange(len(score))
    order[lines] = lines[np.lexsort((-score[lines], query))]
    return order


def _by_id(
    place: IndexArray,
    documents: Words,
    groups: IndexArray,
    sizes: IndexArray,
    *,
    keys: Callable[[Words], list[Words]],
) -> IndexArray:
    """The places after the documents of these tie groups were put in the order of their ids that the keys give."""
    lines = spans(groups, sizes)
    place = place.copy()
    place[lines] = place[lines[np.lexsort((*keys(documents[lines]), np.repeat(groups, sizes)))]]
    return place
