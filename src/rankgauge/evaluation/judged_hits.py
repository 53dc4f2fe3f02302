"""The first two stages: judgments and a run as they were given → the judged hits of the run.

A scan of regular files needs neither readers nor polars, so they are imported where they are used: importing them is
most of the time that a small run takes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, JudgmentsError, UngroupedError, UnmatchedError
from rankgauge.input_notes import collecting_notes, failures, note
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.measures.measure import asking, kind_asked
from rankgauge.policies import (
    FractionalGrade,
    HighGrade,
    JudgedTwice,
    JudgmentKind,
    MissingQuery,
    NegativeGrade,
    RunOrder,
    Ties,
)
from rankgauge.ranking import Hits, rank, rank_stream
from rankgauge.ranking.facets import COLUMNS, FACET, whole
from rankgauge.ranking.scan import JudgedPool, scan_judgments, scan_run
from rankgauge.records import entity

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

BEGINNING = 16 << 10
"""How many bytes of a run's beginning are looked at for ids that are judged under another spelling."""

DOCUMENT = 2
"""The column of the document in a line of TREC's files."""

NEARBY = 4 << 20
"""How large a file of judgments may be in which they are looked for; `audit lint` looks at any."""

NEARLY = 0.1
"""From this share of a query's unjudged documents on, ids may be spelled otherwise."""

SEARCHED = 64 << 20
"""Up to this many bytes, every line of a run is searched for another tag."""

SHIFTED = re.compile(
    rb"^[ \t]*[^\s#{\[][^\s,]*[ \t]+\S+[ \t]+\S+[ \t]+(?P<rank>\S+)[ \t]+\d+[ \t]+"
    rb"-?\d+(\.\d+)?(e[+-]?\d+)?[ \t]+\S.*$",
    re.MULTILINE | re.IGNORECASE,
)
"""A line of a TREC run whose fifth field is a whole number, as ranks are, and whose sixth a number, as scores are."""

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

NEGATIVE = "{} of the judgments {} a grade below 0: {}"
POOLED = "; with --negative pooled it means not judged, as {} may need"
"""The notes on grades below 0, and on measures that know documents of the pool that were not judged."""

COPIES = "{} of the run {} a document that its list holds already; {}"
"""The note on documents that are listed twice."""

ROUNDED = (
    "scores of {} differ only in digits that single precision does not have: {} takes them for tied, although "
    "they are not tied in the run"
)
"""The note on ties that are not in the file."""

Tables = Callable[[], "tuple[pl.DataFrame, pl.DataFrame]"]
"""What gives judgments and run as tables."""


@entity
class HitFinder:
    """Judgments as they were given, and how they are to be understood; what is made of them serves every run."""

    given: Any
    dialect: Dialect
    measures: tuple[Measure, ...]
    once: bool = False
    """Whether a single run is asked for, so that what it used can be let go."""
    _documents: dict[bytes, tuple[set[bytes], set[bytes]]] = field(default_factory=dict, repr=False)
    """The judged documents of queries that were looked at, and their plain spellings."""

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
        return [measure for measure in self.measures if measure.facts.judgments is JudgmentKind.GRADES]

    @cached_property
    def pool(self) -> JudgedPool | None:
        """The judged documents of a regular TREC file."""
        plain = _is_plain(self.given) and self.dialect.assessors is None and self.asking is None and not self._by_rank
        cuts = self.dialect.fractional is FractionalGrade.CUT and self.dialect.high is HighGrade.KEEP
        if not plain or (self.dialect.rescales and not cuts):
            return None
        pool = scan_judgments(self.given, self.dialect.ranking)
        return None if cuts and pool is not None and pool.is_fractional else pool

    @cached_property
    def table(self) -> pl.DataFrame:
        """The judgments by subtopic, or whatever a measure asks for, read once for every run."""
        from rankgauge import files
        from rankgauge.files.validation import check_subtopics

        assert self.asking is not None
        table = files.judgments_from(self.given, self.kind)
        if COLUMNS.get(self.kind, FACET) not in table.columns:
            raise self.asking.unasked()
        check_subtopics(table, self.kind)
        return table

    @property
    def judgments(self) -> pl.DataFrame:
        """The judgments as a table, with all that the measures ask for; an error that is about them names them."""
        from rankgauge import files

        with self._name_file_in_errors():
            return files.judgments_from(self.given) if self.asking is None else self.table

    def hits(self, run: Any) -> Hits:
        """The judged hits of a run with queries that are judged, and what the readers of the files had to say."""
        with collecting_notes() as notes, failures() as failed:
            hits = self._hits(run)  # 1 read: files, assessors; 2 rank: join, order, ties, cut
            if hits.rounded:
                note(
                    ROUNDED.format(_queries(hits.rounded), self.dialect.name),
                    run if isinstance(run, str | os.PathLike) else None,
                )
            if hits.copies:
                lines = "1 line" if hits.copies == 1 else f"{hits.copies:,} lines"
                said = COPIES.format(lines, "repeats" if hits.copies == 1 else "repeat", self.dialect.duplicates.words)
                note(said + self._scope("duplicates"), run if isinstance(run, str | os.PathLike) else None)
            if not hits.rounded and hits.is_evenly_tied and self.dialect.ties is not Ties.INPUT:
                note(ALL_TIED, run if isinstance(run, str | os.PathLike) else None)
            if is_file(run):
                note_columns(run, ranked=self._by_rank)
            again = self.dialect.ties is Ties.QUICKSORT and self.dialect.missing is MissingQuery.ZERO
            if again and (hits.size > 1).any():
                note(RESORTED)
            if hits.facets is not None and (whole := self._whole):
                words = BESIDE.get(self.kind, BESIDE[JudgmentKind.SUBTOPICS])
                note(words.format(", ".join(map(str, whole)), "takes" if len(whole) == 1 else "take"))
        return replace(hits, notes=tuple(notes), failed=tuple(failed)) if notes else hits

    def _scope(self, choice: str) -> str:
        """Name the measures that a choice is for, where the tool chooses otherwise for others."""
        known = dialects.DIALECTS.get(self.dialect.name)
        several = known is not None and any(choice in own for own in known.by_measure.values())
        return f" ({', '.join(map(str, self.measures))})" if several else ""

    def named_hits(self, name: str, run: Any) -> Hits:
        """Return those of one of several runs; an error names it."""
        try:
            return self.dialect.check(self.hits(run))
        except InputError as error:
            if error.path is None and not isinstance(error, JudgmentsError):
                error.path = str(run) if is_file(run) else name
            raise

    def _hits(self, run: Any) -> Hits:
        """Return all judged hits; an error that is about the judgments names them."""
        with self._name_file_in_errors():
            return self._rank(run)

    @contextmanager
    def _name_file_in_errors(self) -> Iterator[None]:
        try:
            with judged_as(self.dialect):
                yield
        except JudgmentsError as error:
            if error.path is None and is_file(self.given):
                error.path = str(self.given)
            raise

    def _rank(self, run: Any) -> Hits:
        """Return all judged hits: regular TREC files are scanned, large files streamed, the rest read whole."""
        judgments, dialect = self.given if self.asking is None else self.table, self.dialect
        if _is_plain(run) and self.pool is not None:
            scanned = scan_run(run, self.pool, dialect.ranking, last=self.once)
            if scanned is not None:
                self._note_negative(self.pool.negative)
                found = check_matches(scanned, lambda: self._tables(run), run)
                if not found.is_sparse and not found.misplaced and self._may_be_near(run):
                    note_near_ids(*self._tables(run))
                return found
        from rankgauge import files

        with files.locating_repeats(run):
            with suppress(UngroupedError):
                readable = self.asking is not None or files.is_path(judgments)
                if readable and not self._by_rank and files.is_path(run) and files.is_large(run):
                    judged = files.judgments_from(judgments, self.kind)
                    streamed = rank_stream(
                        files.stream_run(run), dialect.prepare(judged, self.kind), dialect.ranking_for(self.kind)
                    )
                    self._note_negative(self._below(judged))
                    whole = replace(streamed, top=dialect.highest(judged))
                    return check_matches(whole, lambda: (judged, next(files.stream_run(run))), run)
            tables = files.pair_from(judgments, run, dialect.reading, kind=self.kind)
            joined = check_matches(join_judgments(*tables, dialect, kind=self.kind), lambda: tables, run)
            self._note_negative(self._below(tables[0]))
            if not joined.is_sparse:
                note_near_ids(*tables)
            return joined

    def _tables(self, run: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the tables in two regular files; of a large run only the first queries."""
        from rankgauge import files

        if files.is_large(run):
            return self._judged, next(files.stream_run(run))
        return files.pair_from(self._judged, run)

    @cached_property
    def _judged(self) -> pl.DataFrame:
        """The judgments in a regular file, which is read once for all runs."""
        from rankgauge import files

        return files.judgments_from(self.given)

    def _may_be_near(self, run: Any) -> bool:
        """Say whether documents at a regular run's beginning may be judged under another spelling."""
        from rankgauge.files.source import Source

        if os.path.getsize(self.given) > NEARBY:
            return False
        rows = [line.split() for line in Source.of(run).read(BEGINNING).splitlines()[:-1]]
        rows = [row for row in rows if len(row) > DOCUMENT and row[0] == rows[0][0]]
        if not rows:
            return False
        judged, plain = self._judged_ids(rows[0][0])
        unjudged = {row[DOCUMENT] for row in rows} - judged
        return sum(_plain_id(one) in plain for one in unjudged) > NEARLY * len(unjudged)

    def _judged_ids(self, query: bytes) -> tuple[set[bytes], set[bytes]]:
        """Return the judged documents of a query in a regular file, as they are and in plain spelling."""
        from rankgauge.files.source import Source

        if query not in self._documents:
            line = rb"\n" + re.escape(query) + rb"[ \t]+\S+[ \t]+(\S+)"
            judged = set(re.findall(line, b"\n" + Source.of(self.given).read()))
            self._documents[query] = judged, set(map(_plain_id, judged))
        return self._documents[query]

    def _below(self, judgments: pl.DataFrame) -> int:
        """Count the grades below 0; where fractions are cut off, −0.5 is 0."""
        cuts = self.dialect.fractional is FractionalGrade.CUT
        return int(((judgments["grade"] <= -1) if cuts else (judgments["grade"] < 0)).sum())

    def _note_negative(self, number: int) -> None:
        """Note what grades below 0 count as, unless the kind of judgments says so."""
        if self.asking is None:
            note_negative(number, self.dialect, self._whole)


@contextmanager
def judged_as(dialect: Dialect) -> Iterator[None]:
    """Within the block, tables of judgments keep repeated ones if the dialect says what these count."""
    kept = [dialect.judged_twice, *(own.get("judged_twice", JudgedTwice.REFUSE) for own in dialect.by_measure.values())]
    if all(one is JudgedTwice.REFUSE for one in kept):
        yield
        return
    from rankgauge.files.validation import keeping_repeats

    with keeping_repeats():
        yield


def note_negative(number: int, dialect: Dialect, measures: Sequence[Measure]) -> None:
    """Note what so many grades below 0 count as, unless the user said so."""
    known = dialects.DIALECTS.get(dialect.name)  # a dialect of the user's own has no entry
    if not number or known is None or dialect.negative is not known.negative:
        return
    words = NEGATIVE.format(f"{number:,}", "has" if number == 1 else "have", dialect.negative.words)
    knowing = [str(measure) for measure in measures if measure.facts.better and measure.facts.knows_pool]
    zero = dialect.negative is NegativeGrade.ZERO
    note(words + POOLED.format(", ".join(knowing)) if knowing and zero else words)


def _queries(number: int) -> str:
    """Return a number of queries in words."""
    return "1 query" if number == 1 else f"{number:,} queries"


def _is_number(word: bytes) -> bool:
    """Say whether a word of a file is a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def note_columns(run: str | os.PathLike[str], *, ranked: bool) -> None:
    """Note several tags in a TREC run, and ranks that contradict scores; refuse ids with white space.

    Ranks are looked at in its beginning and its end, and so are the tags of a large file.
    """
    with open(run, "rb") as file:
        content = file.read(SEARCHED if os.path.getsize(run) <= SEARCHED else LOOKED_AT)
    lines = _count_signs(content, b"\n") + (not content.endswith(b"\n"))
    _refuse_shifted(run, content, lines)
    with open(run, "rb") as file:
        head = file.read(LOOKED_AT)
        file.seek(max(os.path.getsize(run) - LOOKED_AT, len(head)))
        parts = [head.splitlines()[:-1] if len(head) == LOOKED_AT else head.splitlines(), file.read().splitlines()[1:]]
    blocks = [[line.split() for line in lines] for lines in parts]
    if not blocks[0] or not all(len(row) == 6 and _is_number(row[4]) for row in blocks[0]):
        return  # no TREC run (JSON lines may have six words, too), or a packed one
    tag = blocks[0][0][5]
    tags = (row[5] for rows in blocks for row in rows if len(row) == 6)
    if other := next((one for one in tags if one != tag), None) or _other_tag(run, content, lines, tag):
        note(TAGS.format(*(one.decode(errors="replace") for one in (tag, other))), run)
    turned = None if ranked else next(filter(None, map(_turned_rows, blocks)), None)
    if turned is not None:
        note(RANKS.format(*turned), run)


def _refuse_shifted(run: str | os.PathLike[str], content: bytes, lines: int) -> None:
    """Raise an error for a line of a TREC run in which the rank stands in the place of the score.

    So it does where an id holds white space. If the word before it is a number, too, the tag may have several words
    instead, and a note says what is read.
    """
    first = content[:LOOKED_AT].lstrip().partition(b"\n")[0].split()
    if len(first) < 6 or not _is_number(first[4]):
        return  # no TREC run
    if _count_signs(content, b" ") + content.count(b"\t") == 5 * lines:
        return  # six fields in every line; counting is much faster than searching
    line = SHIFTED.search(content, 0, SEARCHED // 4)
    if line is None:
        return
    words = line[0].decode(errors="replace").split()
    told = f"the score is read as {words[4]}, the fifth field of {len(words)}, and {words[5]} follows"
    if _is_number(line["rank"]):
        note(f"{told}: if an id holds white space, write CSV, JSONL or Parquet", run)
        return
    raise InputError(
        f"{told} (the rank would be {words[3]}): does an id hold white space?",
        path=os.fspath(run),
        line=content.count(b"\n", 0, line.start()) + 1,
        text=" ".join(words),
        hint="White space separates the fields of a TREC file: write CSV, JSONL or Parquet, which can hold any id.",
    )


def _count_signs(content: bytes, sign: bytes) -> int:
    """Count a sign that is frequent, by vector instructions."""
    return int(np.count_nonzero(np.frombuffer(content, dtype=np.uint8) == sign[0]))


def _other_tag(run: str | os.PathLike[str], content: bytes, lines: int, tag: bytes) -> bytes | None:
    """Find a tag of a line in the content of a run that is not too large, other than that of its first line."""
    if os.path.getsize(run) > SEARCHED:
        return None
    for blank in (b" ", b"\t"):
        ending = b"%s%s\n" % (blank, tag)
        if content.count(ending) + content.endswith(ending[:-1]) == lines:
            return None  # counting is much faster than splitting
    rows = (line.split() for line in content.splitlines())
    return next((row[5] for row in rows if len(row) == 6 and row[5] != tag), None)


def _turned_rows(rows: list[list[bytes]]) -> tuple[str, ...] | None:
    """Two neighbours of one query of which the one with the lower score has the better rank; None if there are none."""
    for one, other in pairwise(row for row in rows if len(row) == 6):
        with suppress(ValueError):
            if one[0] == other[0] and (int(other[3]) - int(one[3])) * (float(other[4]) - float(one[4])) > 0:
                return tuple(cell.decode(errors="replace") for cell in (one[0], *one[3:5], *other[3:5]))
    return None


def whole_judgments(judgments: Any) -> pl.DataFrame:
    """Return the judgments of a source with one grade for each document, the highest of its subtopics.

    Those of several assessors are an error: nothing says how to combine them.
    """
    from rankgauge import files

    return whole(dialects.get("standard").prepare(files.judgments_from(judgments)))


def _plain_id(document: bytes) -> bytes:
    """Return what is left of an id without the things in which spellings of ids differ (`SameId`)."""
    plain = re.sub(rb"^https?://|/+$", b"", document.lower())
    return re.sub(rb"^0*(\d+?)(?:\.0*)?$", rb"\1", plain)


def _is_plain(source: Any) -> bool:
    """Say whether the source is a path, and nobody says how the file spells things."""
    return isinstance(source, str | os.PathLike) and not hasattr(source, "spelling")


def is_file(source: Any) -> bool:
    """Say whether the source is the path of a file."""
    return isinstance(source, str | os.PathLike) and os.path.isfile(source)


def check_matches(hits: Hits, read: Tables, run: Any = None) -> Hits:
    """Return the hits, unless next to nothing of the run is judged only because the ids are spelled differently.

    `read` gives judgments and run, for the rare case that they have to be looked at.
    """
    if not hits.is_sparse:
        note_near_queries(hits)
    if not hits.is_sparse and not hits.is_patchy:
        return hits.check_matched()
    from rankgauge import files
    from rankgauge.files.mismatch import explain_misplaced, mismatch, near_ids

    if not hits.is_sparse:
        why = explain_misplaced(*read())
        return replace(hits.check_matched(), mismatch=why, misplaced=why is not None)

    try:
        hits.check_matched()
    except UnmatchedError as error:
        if hint := files.explain_unnamed(run, hits.strangers):
            error.hint = hint
            raise

    what = "document" if hits.is_answered.any() else "query"
    tables = read()
    near = near_ids(*tables, of=what)
    if near is None:
        return replace(hits.check_matched(), mismatch=mismatch(*tables, hits=len(hits.query)))
    plural = {"document": "documents", "query": "queries"}[what]
    sharing = f"{near.shared} of its {near.listed} {plural} are judged under another spelling"
    said = f"{sharing}, such as {near.run!r} for {near.judged!r}"
    if len(hits.query):
        note(f"hardly a document of the run is judged, but {said}: {near.option} makes them the same")
        return replace(hits, mismatch=f"{said}: {near.option} makes them the same")
    raise InputError(f"no {what} of the run is judged, but {said}", hint=f"Make them the same: {near.option}.")


def note_near_queries(hits: Hits) -> None:
    """A note on queries of a run that are judged under another spelling, though others match."""
    lacking = [str(name) for name, answered in zip(hits.names, hits.is_answered.tolist(), strict=True) if not answered]
    cores, others = set(map(_core, lacking)), set(map(_core, hits.strangers))
    if not cores & others and all(map(str.isascii, cores | others)):
        return  # as nearly always: neither polars nor the rules are needed
    from rankgauge.files.mismatch import near_ids

    judged, listed = (pl.DataFrame({"query": ids}, {"query": pl.String}) for ids in (lacking, list(hits.strangers)))
    near = near_ids(judged, listed, of="query")
    if near is not None:
        plural, verb = ("query", "is") if near.listed == 1 else ("queries", "are" if near.shared > 1 else "is")
        sharing = f"{near.shared} of its {near.listed} unjudged {plural} {verb} judged under another spelling"
        note(f"{sharing}, such as {near.run!r} for {near.judged!r}: {near.option} makes them the same")


def _core(name: str) -> str:
    """Return what all spellings of an id in ASCII have in common: the letters and digits other than zeros."""
    text = name.lower().removeprefix("http").removeprefix("s://")
    return "".join(sign for sign in text if sign.isalnum() and sign != "0")


def note_near_ids(judgments: pl.DataFrame, run: pl.DataFrame) -> None:
    """A note on documents of a run that are judged under another spelling, though others match."""
    from rankgauge.files.mismatch import partly_near

    near = partly_near(judgments, run)
    if near is not None:
        verb = "is" if near.shared == 1 else "are"
        sharing = f"{near.shared} of its {near.listed} unjudged documents {verb} judged under another spelling"
        note(f"{sharing}, such as {near.run!r} for {near.judged!r}: {near.option} makes them the same")


def join_judgments(
    judgments: pl.DataFrame, run: pl.DataFrame, dialect: Dialect, *, kind: JudgmentKind = JudgmentKind.GRADES
) -> Hits:
    """Return the judged hits of a run in a table; `kind` is what measures ask judgments to say."""
    hits = rank(run, dialect.prepare(judgments, kind), dialect.ranking_for(kind))
    return replace(hits, top=dialect.highest(judgments))
