"""The first two stages: judgments and a run as they were given → the judged hits of the run.

A scan of regular files needs neither readers nor polars, so they are imported where they are used: importing them is
most of the time that a small run takes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, JudgmentsError, UngroupedError, UnmatchedError
from rankgauge.input_notes import heard, note
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.measures.measure import asking, kind_asked
from rankgauge.policies import JudgmentKind, MissingQuery, NegativeGrade, RunOrder, Ties
from rankgauge.ranking import Hits, rank, rank_stream
from rankgauge.ranking.facets import COLUMNS, FACET, whole
from rankgauge.ranking.scan import JudgedPool, scan_judgments, scan_run

ALL_TIED = (
    "all documents of a query have the same score, so that nothing orders them: a rank in the file does not count; "
    "--ties input keeps the order of the file"
)
"""The note on a run whose scores say nothing."""

RESORTED = (
    "ranx with make_comparable=True, which counts queries that the run does not answer, sorts lists that are sorted "
    "already once more: its order of tied documents is not reproduced, so values may differ from ranx's"
)
"""The note on ties under a dialect whose quicksort is not the tool's last."""

LOOKED_AT = 2 << 10
"""How many bytes of a run's beginning, and of its end, are looked at for tags and ranks."""

TAGS = "its lines have the tags {} and {}: if it holds several runs, they are evaluated as one"
RANKS = (
    "its ranks contradict its scores (query {}: rank {} has the score {}, rank {} has {}); scores count, and "
    "--order rank takes the ranks"
)
"""The notes on columns of a TREC run that evaluation ignores."""

BESIDE = {
    JudgmentKind.SUBTOPICS: "documents are judged by subtopic: {} {} the highest grade of each",
    JudgmentKind.GROUPS: "documents are judged by groups of assessors: {} {} the highest grade of each",
    JudgmentKind.PREFERENCES: "documents are compared within groups: {} {} the highest level of each for its grade",
    JudgmentKind.SAMPLES: "documents were sampled: {} {} what was drawn for all that there is",
}
"""The note on measures that ask for a grade alone, beside one that asks for more."""

POOLED = "{}: a grade below 0 counts as judged and not relevant; with --negative pooled it means not judged"
"""The note on a measure that knows documents of the pool that were not judged, where the dialect does not."""

Tables = Callable[[], "tuple[pl.DataFrame, pl.DataFrame]"]
"""What gives judgments and run as tables."""


@dataclass(frozen=True, kw_only=True, eq=False)
class HitFinder:
    """Judgments as they were given, and how they are to be understood; what is made of them serves every run."""

    given: Any
    dialect: Dialect
    measures: tuple[Measure, ...]

    @cached_property
    def asking(self) -> Measure | None:
        """A measure that asks for more than a grade for each document, if there is one."""
        return asking(self.measures)

    @property
    def _by_rank(self) -> bool:
        """Whether the ranks that a run states order it; only the general path reads them."""
        return self.dialect.order is RunOrder.RANK

    @property
    def kind(self) -> JudgmentKind:
        """What the measures ask judgments to say."""
        return kind_asked(self.measures)

    @property
    def _whole(self) -> list[Measure]:
        """The measures that look at documents as a whole."""
        return [one for one in self.measures if one.facts.judgments is JudgmentKind.GRADES]

    @cached_property
    def pool(self) -> JudgedPool | None:
        """The judged documents of a regular TREC file."""
        plain = _is_plain(self.given) and self.dialect.assessors is None and self.asking is None and not self._by_rank
        return scan_judgments(self.given, self.dialect.ranking) if plain and not self.dialect.rescales else None

    @cached_property
    def table(self) -> pl.DataFrame:
        """The judgments by subtopic, or whatever a measure asks for, read once for every run."""
        from rankgauge import files
        from rankgauge.files.subtopics import check_subtopics

        assert self.asking is not None
        found = files.judgments_from(self.given, self.kind)
        if COLUMNS.get(self.kind, FACET) not in found.columns:
            raise self.asking.unasked()
        check_subtopics(found, self.kind)
        return found

    @property
    def judgments(self) -> pl.DataFrame:
        """The judgments as a table, with all that the measures ask for; an error that is about them names them."""
        from rankgauge import files

        with self._named():
            return files.judgments_from(self.given) if self.asking is None else self.table

    def hits(self, run: Any) -> Hits:
        """The judged hits of a run with queries that are judged, and what the readers of the files had to say."""
        with heard() as notes:
            hits = self._hits(run)  # 1 read: files, assessors; 2 rank: join, order, ties, cut
            if hits.is_evenly_tied and self.dialect.ties is not Ties.INPUT:
                note(ALL_TIED, run if isinstance(run, str | os.PathLike) else None)
            if _is_plain(run) and is_file(run):
                note_columns(run, ranked=self._by_rank)
            again = self.dialect.ties is Ties.QUICKSORT and self.dialect.missing is MissingQuery.ZERO
            if again and (hits.size > 1).any():
                note(RESORTED)
            for measure in self._whole if self.dialect.negative is NegativeGrade.ZERO else ():
                if measure.facts.better and measure.facts.knows_pool:
                    note(POOLED.format(measure))
            if hits.facets is not None and (whole := self._whole):
                words = BESIDE.get(self.kind, BESIDE[JudgmentKind.SUBTOPICS])
                note(words.format(", ".join(map(str, whole)), "takes" if len(whole) == 1 else "take"))
        return replace(hits, notes=tuple(notes)) if notes else hits

    def named_hits(self, name: str, run: Any) -> Hits:
        """Those of one of several runs; an error names it."""
        try:
            return self.dialect.check(self.hits(run))
        except InputError as error:
            if error.path is None and not isinstance(error, JudgmentsError):
                error.path = str(run) if is_file(run) else name
            raise

    def _hits(self, run: Any) -> Hits:
        """All judged hits; an error that is about the judgments names them."""
        with self._named():
            return self._ranked(run)

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except JudgmentsError as error:
            if error.path is None and is_file(self.given):
                error.path = str(self.given)
            raise

    def _ranked(self, run: Any) -> Hits:
        """All judged hits: regular TREC files are scanned, large files streamed, the rest read whole."""
        judgments, dialect = self.given if self.asking is None else self.table, self.dialect
        if _is_plain(run) and self.pool is not None:
            scanned = scan_run(run, self.pool, dialect.ranking)
            if scanned is not None:
                return matched(scanned, lambda: _tables(judgments, run), run)
        from rankgauge import files

        with files.traced(run):
            with suppress(UngroupedError):
                readable = self.asking is not None or files.is_path(judgments)
                if readable and not self._by_rank and files.is_path(run) and files.is_large(run):
                    judged = files.judgments_from(judgments, self.kind)
                    streamed = rank_stream(
                        files.stream_run(run), dialect.prepare(judged), dialect.ranking_for(self.kind)
                    )
                    whole = replace(streamed, top=dialect.highest(judged))
                    return matched(whole, lambda: (judged, next(files.stream_run(run))), run)
            tables = files.pair_from(judgments, run, dialect.reading, kind=self.kind)
            found = matched(joined(*tables, dialect, kind=self.kind), lambda: tables, run)
            if files.is_path(run) and not found.is_sparse:
                note_near_ids(*tables)
            return found


def _is_number(word: bytes) -> bool:
    """Say whether a word of a file is a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def note_columns(run: str | os.PathLike[str], *, ranked: bool) -> None:
    """Note several tags in a TREC run, and ranks that contradict scores, as far as its beginning and end show them."""
    with open(run, "rb") as file:
        head = file.read(LOOKED_AT)
        file.seek(max(os.path.getsize(run) - LOOKED_AT, len(head)))
        parts = [head.splitlines()[:-1] if len(head) == LOOKED_AT else head.splitlines(), file.read().splitlines()[1:]]
    blocks = [[line.split() for line in lines] for lines in parts]
    if not blocks[0] or not all(len(row) == 6 and _is_number(row[4]) for row in blocks[0]):
        return  # no TREC run (JSON lines may have six words, too), or a packed one
    tags = list(dict.fromkeys(row[5] for rows in blocks for row in rows if len(row) == 6))
    if len(tags) > 1:
        note(TAGS.format(*(tag.decode(errors="replace") for tag in tags[:2])), run)
    turned = None if ranked else next(filter(None, map(_turned, blocks)), None)
    if turned is not None:
        note(RANKS.format(*turned), run)


def _turned(rows: list[list[bytes]]) -> tuple[str, ...] | None:
    """Two neighbours of one query of which the one with the lower score has the better rank; None if there are none."""
    for one, other in pairwise(row for row in rows if len(row) == 6):
        with suppress(ValueError):
            if one[0] == other[0] and (int(other[3]) - int(one[3])) * (float(other[4]) - float(one[4])) > 0:
                return tuple(cell.decode(errors="replace") for cell in (one[0], *one[3:5], *other[3:5]))
    return None


def whole_judgments(judgments: Any) -> pl.DataFrame:
    """The judgments of a source with one grade for each document, the highest of its subtopics.

    Those of several assessors are an error: nothing says how to combine them.
    """
    from rankgauge import files

    return whole(dialects.get("standard").prepare(files.judgments_from(judgments)))


def _is_plain(source: Any) -> bool:
    """Whether the source is a path, and nobody says how the file spells things."""
    return isinstance(source, str | os.PathLike) and not hasattr(source, "spelling")


def is_file(source: Any) -> bool:
    """Whether the source is the path of a file."""
    return isinstance(source, str | os.PathLike) and os.path.isfile(source)


def _tables(judgments: Any, run: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The tables in two regular files; of a large run only the first queries."""
    from rankgauge import files

    if files.is_large(run):
        return files.read_judgments(judgments), next(files.stream_run(run))
    return files.pair_from(judgments, run)


def matched(hits: Hits, read: Tables, run: Any = None) -> Hits:
    """The hits, unless next to nothing of the run is judged only because the ids are spelled differently.

    `read` gives judgments and run, for the rare case that they have to be looked at.
    """
    if not hits.is_sparse:
        return hits.matched()
    from rankgauge import files
    from rankgauge.files.mismatch import mismatch
    from rankgauge.files.near_ids import near_ids

    try:
        hits.matched()
    except UnmatchedError as error:
        if hint := files.unnamed(run, len(hits.strangers)):
            error.hint = hint
            raise

    what = "document" if hits.is_answered.any() else "query"
    tables = read()
    near = near_ids(*tables, of=what)
    if near is None:
        return replace(hits.matched(), mismatch=mismatch(*tables, hits=len(hits.query)))
    plural = {"document": "documents", "query": "queries"}[what]
    found = f"{near.shared} of its {near.listed} {plural} are judged under another spelling"
    said = f"{found}, such as {near.run!r} for {near.judged!r}"
    if len(hits.query):
        note(f"hardly a document of the run is judged, but {said}: {near.option} makes them the same")
        return replace(hits, mismatch=f"{said}: {near.option} makes them the same")
    raise InputError(f"no {what} of the run is judged, but {said}", hint=f"Make them the same: {near.option}.")


def note_near_ids(judgments: pl.DataFrame, run: pl.DataFrame) -> None:
    """A note on documents of a run that are judged under another spelling, though others match."""
    from rankgauge.files.near_ids import partly_near

    near = partly_near(judgments, run)
    if near is not None:
        verb = "is" if near.shared == 1 else "are"
        found = f"{near.shared} of its {near.listed} unjudged documents {verb} judged under another spelling"
        note(f"{found}, such as {near.run!r} for {near.judged!r}: {near.option} makes them the same")


def joined(
    judgments: pl.DataFrame, run: pl.DataFrame, dialect: Dialect, *, kind: JudgmentKind = JudgmentKind.GRADES
) -> Hits:
    """The judged hits of a run in a table; `kind` is what measures ask judgments to say."""
    hits = rank(run, dialect.prepare(judgments), dialect.ranking_for(kind))
    return replace(hits, top=dialect.highest(judgments))
