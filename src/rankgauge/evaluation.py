"""The whole flow in five stages: read, rank, score, settle, summarise.

    files → tables → ranked lists → values of the kernels → values of the queries → summary

A scan of regular files needs neither readers nor polars, so they are imported where they are used: importing them is
most of the time that a small run takes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, overload

import numpy as np

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import InputError, ParameterError, UncombinedError, UngroupedError, UnmatchedError
from rankgauge.input_notes import heard, note
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.measures.measure import asking
from rankgauge.policies import IdealPool, JudgmentKind, RunOrder, Ties
from rankgauge.ranking import Hits, rank, rank_stream
from rankgauge.ranking.facets import COLUMNS, FACET
from rankgauge.ranking.scan import JudgedPool, scan_judgments, scan_run
from rankgauge.result import Result
from rankgauge.scoring import score, settle
from rankgauge.threads import spread

LARGE = 32 << 20
"""From this many bytes on, a run's own blocks keep all threads busy, and two runs at once would take more memory."""

TOGETHER = 8
"""How many small runs are scored at once: NumPy's calls cost more than their lists."""

ALL_TIED = (
    "all documents of a query have the same score, so that nothing orders them: a rank in the file does not count; "
    "--ties input keeps the order of the file"
)
"""The note on a run whose scores say nothing."""

BESIDE = {
    JudgmentKind.SUBTOPICS: "documents are judged by subtopic: {} takes the highest grade of each",
    JudgmentKind.SAMPLES: "documents were sampled: {} takes what was judged for all that there is",
}
"""The note on measures that ask for a grade alone, beside one that asks for more."""

Names = str | Measure | Iterable[str | Measure]
"""One measure, or several."""

Tables = Callable[[], "tuple[pl.DataFrame, pl.DataFrame]"]
"""What gives judgments and run as tables."""


@overload
def evaluate(
    judgments: Any,
    run: Mapping[str, str | os.PathLike[str] | pl.DataFrame] | Mapping[str, Mapping[str, Mapping[str, float]]],
    measures: Names,
    *,
    dialect: str | Dialect = "standard",
    by: Any = None,
    columns: str | Mapping[str, str] | None = None,
    scale: Any = None,
    ids: str | Iterable[str] | None = None,
    intents: Any = None,
    **overrides: Any,
) -> dict[str, Result]: ...


@overload
def evaluate(
    judgments: Any,
    run: Any,
    measures: Names,
    *,
    dialect: str | Dialect = "standard",
    by: Any = None,
    columns: str | Mapping[str, str] | None = None,
    scale: Any = None,
    ids: str | Iterable[str] | None = None,
    intents: Any = None,
    **overrides: Any,
) -> Result: ...


def evaluate(
    judgments: Any,
    run: Any,
    measures: Names,
    *,
    dialect: str | Dialect = "standard",
    by: Any = None,
    columns: str | Mapping[str, str] | None = None,
    scale: Any = None,
    ids: str | Iterable[str] | None = None,
    intents: Any = None,
    **overrides: Any,
) -> Result | dict[str, Result]:
    """How good a run is, by each of the measures; of several runs by name, how good each is.

    `judgments` and `run` are paths, polars, pandas or pyarrow frames, dicts of dicts, rows, or data sets of
    ir_datasets ("irds:" and an id); a run may be {query: [documents in order]} as well. Several runs are a dict of
    such: {"bm25": …, "dense": …}. `measures` are names, ours or another tool's, or measures of ours or of ir-measures.
    `dialect` names the tool to compute as; `overrides` replace single choices of it, such as `ties="expected"` or
    `empty="leave-out"`. `by` groups queries into segments (`result.segments`): a file or a frame with a column of
    queries and one for each way to group them, or {query: segment}. `intents` says how likely each subtopic is, for
    measures of diversity: a file or a frame of query, subtopic, probability, or {query: {subtopic: probability}}.

    The rest says how files and tables spell things: `columns={"query": "search_term"}` which column holds what,
    `scale="esci"` what words are worth as grades, `ids="casefold,url"` by which rules two ids are the same.
    """
    spoken = dialects.get(dialect, **overrides)
    wanted = spoken.select(measures)
    several = _is_several(run)
    judgments, runs = spelled(judgments, run if several else {"": run}, columns=columns, scale=scale, ids=ids)
    judgments = weighed(judgments, intents, wanted)
    if several:
        found = evaluate_runs(judgments, runs, wanted, spoken)
        return {name: result if by is None else result.segmented(by) for name, result in found}
    result = _Judgments(given=judgments, dialect=spoken, measures=wanted).result(runs[""])
    return result if by is None else result.segmented(by)


def spelled(judgments: Any, runs: Mapping[str, Any], **said: Any) -> tuple[Any, Mapping[str, Any]]:
    """Judgments and runs, with what a user says of how they spell columns, grades and ids."""
    if not any(said.values()):
        return judgments, runs
    from rankgauge import io
    from rankgauge.tables import Spelling

    return io.spell_all(judgments, runs, Spelling.of(**said))


def weighed(judgments: Any, intents: Any, measures: tuple[Measure, ...], format: str | None = None) -> Any:
    """The judgments, with what a user says of how likely each subtopic is."""
    if intents is None:
        return judgments
    if not any(one.facts.judgments is JudgmentKind.SUBTOPICS for one in measures):
        wanted = "left out: only measures of diversity, such as alpha_nDCG@10, look at subtopics"
        raise ParameterError("evaluate", "intents", wanted, str(intents))
    from rankgauge import io

    return io.with_intents(judgments, intents, format)


def evaluate_runs(
    judgments: Any, runs: Mapping[str, Any], measures: tuple[Measure, ...], dialect: Dialect
) -> Iterator[tuple[str, Result]]:
    """Each run's name and result, in their order: judgments are read once, and runs by several threads.

    At most a few runs are taken ahead of the one that is asked for.
    """
    files = all(_is_file(source) for source in (judgments, *runs.values()))
    if not files:
        from rankgauge import io

        judgments = io.kept(judgments, io.judgments_from)
    judged = _Judgments(given=judgments, dialect=dialect, measures=measures)

    def evaluated(batch: tuple[tuple[str, Any], ...]) -> list[tuple[str, Result]]:
        found = [judged.named_hits(name, run) for name, run in batch]
        return list(zip((name for name, _ in batch), scored_together(found, measures, dialect), strict=True))

    small = files and judged.pool is not None and all(os.path.getsize(run) <= LARGE for run in runs.values())
    batches = batched(runs.items(), TOGETHER if small else 1)
    return chain.from_iterable((spread if small else map)(evaluated, batches))


def batched(items: Iterable[tuple[str, Any]], size: int) -> Iterator[tuple[tuple[str, Any], ...]]:
    """The items, `size` at a time."""
    rest = iter(items)
    return iter(lambda: tuple(islice(rest, size)), ())


def scored(hits: Hits, measures: tuple[Measure, ...], dialect: Dialect) -> Result:
    """The result of hits: what they are worth by each of the measures."""
    return scored_together([dialect.check(hits)], measures, dialect)[0]


def scored_together(hits: list[Hits], measures: tuple[Measure, ...], dialect: Dialect) -> list[Result]:
    """The result of each run's hits on the same judgments: kernels take the lists of all runs at once."""
    if len(hits) > 1 and not _share_queries(hits, measures, dialect):
        return [result for one in hits for result in scored_together([one], measures, dialect)]
    raw, errors = score(Hits.together(hits), measures, dialect)  # 3 score: kernels; NaN is undefined
    results = []
    for one, values, error in zip(hits, np.split(raw, len(hits)), np.split(errors, len(hits)), strict=True):
        matrix = settle(values, one, measures, dialect)  # 4 settle: empty queries, short lists, undefined values
        # 5 summarise: `Result.summary`, when it is asked for
        results.append(Result(dialect=dialect, measures=measures, hits=one, raw=values, errors=error, matrix=matrix))
    return results


def _share_queries(hits: list[Hits], measures: tuple[Measure, ...], dialect: Dialect) -> bool:
    """Whether all runs were scanned with one pool, and no list looks for another one of its query."""
    lists = {dialect.choice("ideal", measure) for measure in measures}
    return IdealPool.FIRST not in lists and all(one.names is hits[0].names for one in hits)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Judgments:
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
        return JudgmentKind.GRADES if self.asking is None else self.asking.facts.judgments

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
    def _spoken(self) -> Dialect:
        """The dialect; trec_eval, whose order of ties this is, has it the other way round for preferences."""
        asks = self.asking is not None and self.asking.facts.judgments is JudgmentKind.PREFERENCES
        # comp_sim_docno has falling ids in form_res_rels.c and rising ones in form_prefs_counts.c.
        return self.dialect.changed(ties=Ties.ASCENDING) if asks and self.dialect.ties is Ties.DOCID else self.dialect

    @cached_property
    def table(self) -> pl.DataFrame:
        """The judgments by subtopic, or whatever a measure asks for, read once for every run."""
        from rankgauge import io

        assert self.asking is not None
        found = io.judgments_from(self.given, self.kind)
        if COLUMNS.get(self.kind, FACET) not in found.columns:
            raise self.asking.unasked()
        return found

    def result(self, run: Any) -> Result:
        """The result of a run."""
        return scored(self.hits(run), self.measures, self.dialect)

    def hits(self, run: Any) -> Hits:
        """The judged hits of a run with queries that are judged, and what the readers of the files had to say."""
        with heard() as notes:
            hits = self._hits(run)  # 1 read: files, assessors; 2 rank: join, order, ties, cut
            if hits.is_evenly_tied and self.dialect.ties is not Ties.INPUT:
                note(ALL_TIED, run if isinstance(run, str | os.PathLike) else None)
            if hits.facets is not None and (whole := self._whole):
                words = BESIDE.get(self.kind, BESIDE[JudgmentKind.SUBTOPICS])
                note(words.format(", ".join(map(str, whole))))
        return replace(hits, notes=tuple(notes)) if notes else hits

    def named_hits(self, name: str, run: Any) -> Hits:
        """Those of one of several runs; an error names it."""
        try:
            return self.dialect.check(self.hits(run))
        except InputError as error:
            if error.path is None and not isinstance(error, UncombinedError):
                error.path = str(run) if _is_file(run) else name
            raise

    def _hits(self, run: Any) -> Hits:
        """All judged hits; an error that is about the judgments names them."""
        try:
            return self._ranked(run)
        except UncombinedError as error:
            error.path = str(self.given) if _is_file(self.given) else None
            raise

    def _ranked(self, run: Any) -> Hits:
        """All judged hits: regular TREC files are scanned, large files streamed, the rest read whole."""
        judgments, dialect = self.given if self.asking is None else self.table, self._spoken
        if _is_plain(run) and self.pool is not None:
            scanned = scan_run(run, self.pool, dialect.ranking)
            if scanned is not None:
                return matched(scanned, lambda: _tables(judgments, run), run)
        from rankgauge import io

        with io.traced(run):
            with suppress(UngroupedError):
                readable = self.asking is not None or io.is_path(judgments)
                if readable and not self._by_rank and io.is_path(run) and io.is_large(run):
                    judged = io.judgments_from(judgments, self.kind)
                    streamed = rank_stream(io.stream_run(run), dialect.prepare(judged), dialect.ranking)
                    whole = replace(streamed, top=dialect.highest(judged))
                    return matched(whole, lambda: (judged, next(io.stream_run(run))), run)
            tables = io.pair_from(judgments, run, dialect.reading, kind=self.kind)
            found = matched(joined(*tables, dialect), lambda: tables, run)
            if io.is_path(run) and not found.is_sparse:
                note_near_ids(*tables)
            return found


def _is_several(run: Any) -> bool:
    """Whether these are several runs by name, not one as {query: {document: score}} or {query: [documents]}."""
    if not isinstance(run, Mapping) or not run:
        return False
    first = next(iter(run.values()))
    if isinstance(first, Mapping):
        return isinstance(next(iter(first.values()), None), Mapping | list | tuple)
    return isinstance(first, str | os.PathLike) or hasattr(first, "columns")


def _is_plain(source: Any) -> bool:
    """Whether the source is a path, and nobody says how the file spells things."""
    return isinstance(source, str | os.PathLike) and not hasattr(source, "spelling")


def _is_file(source: Any) -> bool:
    return isinstance(source, str | os.PathLike) and os.path.isfile(source)


def _tables(judgments: Any, run: Any) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The tables in two regular files; of a large run only the first queries."""
    from rankgauge import io

    if io.is_large(run):
        return io.read_judgments(judgments), next(io.stream_run(run))
    return io.pair_from(judgments, run)


def matched(hits: Hits, read: Tables, run: Any = None) -> Hits:
    """The hits, unless next to nothing of the run is judged only because the ids are spelled differently.

    `read` gives judgments and run, for the rare case that they have to be looked at.
    """
    if not hits.is_sparse:
        return hits.matched()
    from rankgauge import io
    from rankgauge.tables.near_ids import near_ids

    try:
        hits.matched()
    except UnmatchedError as error:
        if hint := io.unnamed(run, len(hits.strangers)):
            error.hint = hint
            raise

    what = "document" if hits.is_answered.any() else "query"
    near = near_ids(*read(), of=what)
    if near is None:
        return hits.matched()
    plural = {"document": "documents", "query": "queries"}[what]
    found = f"{near.shared} of its {near.listed} {plural} are judged under another spelling"
    said = f"{found}, such as {near.run!r} for {near.judged!r}"
    if len(hits.query):
        note(f"hardly a document of the run is judged, but {said}: {near.option} makes them the same")
        return hits
    raise InputError(f"no {what} of the run is judged, but {said}", hint=f"Make them the same: {near.option}.")


def note_near_ids(judgments: pl.DataFrame, run: pl.DataFrame) -> None:
    """A note on documents of a run that are judged under another spelling, though others match."""
    from rankgauge.tables.near_ids import partly_near

    near = partly_near(judgments, run)
    if near is not None:
        verb = "is" if near.shared == 1 else "are"
        found = f"{near.shared} of its {near.listed} unjudged documents {verb} judged under another spelling"
        note(f"{found}, such as {near.run!r} for {near.judged!r}: {near.option} makes them the same")


def joined(judgments: pl.DataFrame, run: pl.DataFrame, dialect: Dialect) -> Hits:
    """The judged hits of a run in a table."""
    hits = rank(run, dialect.prepare(judgments), dialect.ranking)
    return replace(hits, top=dialect.highest(judgments))
