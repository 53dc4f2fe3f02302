"""The whole flow in five stages: read, rank, score, settle, summarise.

    files → tables → ranked lists → values of the kernels → values of the queries → summary

A scan of regular files needs neither readers nor polars, so they are imported where they are used: importing them is
most of the time that a small run takes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from inspect import signature
from itertools import chain, islice
from numbers import Integral
from typing import Any, overload

import numpy as np

from rankgauge import dialects
from rankgauge.dialects import Dialect
from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.evaluation.judged_hits import HitFinder, is_file, judged_as
from rankgauge.evaluation.result import Result
from rankgauge.evaluation.scoring import score, settle
from rankgauge.input_notes import collecting_notes
from rankgauge.lazy_polars import pl
from rankgauge.measures import Measure
from rankgauge.policies import IdealPool, JudgmentKind
from rankgauge.ranking import Hits
from rankgauge.threads import spread

LARGE = 32 << 20
"""From this many bytes on, a run's own blocks keep all threads busy, and two runs at once would take more memory."""

TOGETHER = 8
"""How many small runs are scored at once: NumPy's calls cost more than their lists."""

Names = str | Measure | Iterable[str | Measure]
"""One measure, or several."""


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
    chunks: str | None = None,
    spans: str | None = None,
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
    chunks: str | None = None,
    spans: str | None = None,
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
    chunks: str | None = None,
    spans: str | None = None,
    intents: Any = None,
    **overrides: Any,
) -> Result | dict[str, Result]:
    """Score a run by each of the measures; score several runs, given by name, in one call.

    >>> judgments = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}}
    >>> run = {"q1": {"b": 9.5, "a": 7.0, "x": 6.0}, "q2": {"d": 3.0}}
    >>> result = evaluate(judgments, run, ["nDCG@10", "AP"])
    >>> round(result["nDCG@10"], 4), round(result["AP"], 4)
    (0.7398, 0.625)
    >>> result.by_query["q2"]
    {'nDCG@10': 1.0, 'AP': 1.0}

    `judgments` and `run` are paths, polars, pandas or pyarrow frames, dicts of dicts, rows, or data sets of
    ir_datasets ("irds:" and an id); a run may be {query: [documents in order]} as well. Both may be arrays of one
    shape, grades and scores, with a row for each query; NaN fills up short lists. Several runs are a dict of
    such: {"bm25": …, "dense": …}. `measures` are names, ours or another tool's, or measures of ours or of ir-measures.
    `dialect` names the tool to compute as; `overrides` replace single choices of it, such as `ties="expected"` or
    `empty="leave-out"`. `by` groups queries into segments (`result.segments`): a file or a frame with a column of
    queries and one for each way to group them, or {query: segment}. `intents` says how likely each subtopic is, for
    measures of diversity: a file or a frame of query, subtopic, probability, or {query: {subtopic: probability}}.

    The rest says how files and tables spell things: `columns={"query": "search_term"}` which column holds what,
    `scale="trec-dl"` or `scale={"good": 2, "bad": 0}` what words are worth as grades, from which grade on a document
    is relevant and the top of the scale, `ids="casefold,url"` by which rules two ids are the same. `chunks="#"` reads
    ids of chunks as their documents; a table of chunks and documents or "column=NAME" will do as well.
    `spans="share=0.5"` or "iou=0.5" says when a retrieved span covers a judged one.
    """
    spoken = override_choices(dialect, overrides, evaluate).on_chunks(chunks)
    wanted = spoken.select(measures)
    spoken = spoken.on_scale(scale, wanted, rel="rel" not in overrides)
    judgments, run = from_arrays(judgments, run, spoken)
    several, integer_queries = _is_several(run), ids is None and has_integer_queries(judgments, columns)
    said = {"columns": columns, "scale": scale, "ids": ids, "chunks": chunks, "spans": spans}
    with collecting_notes() as notes, judged_as(spoken):
        judgments, runs = apply_spelling(judgments, run if several else {"": run}, **said)
    with judged_as(spoken):
        judgments = weigh_subtopics(judgments, intents, wanted)

    def finish(result: Result) -> Result:
        result = replace(result.noted(notes), integer_queries=integer_queries)
        return result if by is None else result.segmented(by, ids)

    if several:
        return {name: finish(result) for name, result in evaluate_runs(judgments, runs, wanted, spoken)}
    return finish(_by_providers(judgments, runs[""], wanted, spoken))


def has_integer_queries(judgments: Any, columns: Any) -> bool:
    """Say whether the queries of a dict or a frame are integers, so that results can have them as integers too."""
    if isinstance(judgments, Mapping):
        return bool(judgments) and all(isinstance(query, Integral) for query in judgments)
    if hasattr(judgments, "collect_schema"):  # a frame of polars, which may be lazy
        judgments = judgments.head(0).lazy().collect()
    if not hasattr(judgments, "columns"):
        return False
    from rankgauge.files.columns import find

    names = getattr(judgments, "column_names", judgments.columns)  # pyarrow's `columns` are not names
    given = columns.get("query") if isinstance(columns, Mapping) else None
    name = given or find([str(name) for name in names], "query")
    column = judgments[name] if name in names else None
    dtype = getattr(column, "dtype", getattr(column, "type", None))
    if str(dtype) == "object":
        return all(isinstance(query, Integral) for query in judgments[name])
    return "int" in str(getattr(getattr(dtype, "categories", None), "dtype", dtype)).lower()


def override_choices(dialect: str | Dialect, overrides: Mapping[str, Any], owner: Callable[..., Any]) -> Dialect:
    """Look up the dialect with some of its choices replaced; a misspelt one may be any option of the `owner`."""
    try:
        return dialects.get(dialect, **overrides)
    except UnknownNameError as error:
        if error.name not in overrides:
            raise
        names = {
            parameter.name
            for parameter in signature(owner).parameters.values()
            if parameter.kind is parameter.KEYWORD_ONLY
        }
        raise UnknownNameError(f"option of {owner.__name__}", error.name, {*names, *error.known}) from None


def _by_providers(judgments: Any, run: Any, measures: tuple[Measure, ...], dialect: Dialect) -> Result:
    """Return the result of a run, each measure by the dialect that the tool takes it from."""
    parts = dialect.parts(measures)
    if len(parts) > 1:
        from rankgauge import files as io

        judgments, run = io.keep_rereadable(judgments, io.judgments_from), io.keep_rereadable(run, io.run_from)
    results = [
        score_hits(HitFinder(given=judgments, dialect=spoken, measures=some, once=True).hits(run), some, spoken)
        for spoken, some in parts.items()
    ]
    return Result.join(results, measures, dialect)


def apply_spelling(judgments: Any, runs: Mapping[str, Any], **said: Any) -> tuple[Any, Mapping[str, Any]]:
    """Return judgments and runs, with what a user says of how they spell columns, grades and ids."""
    if not any(said.values()):
        return judgments, runs
    from rankgauge import files as io

    return io.spell_all(judgments, runs, **said)


def weigh_subtopics(judgments: Any, intents: Any, measures: tuple[Measure, ...], format: str | None = None) -> Any:
    """Return the judgments, with what a user says of how likely each subtopic is."""
    if intents is None:
        return judgments
    if not any(measure.facts.judgments is JudgmentKind.SUBTOPICS for measure in measures):
        wanted = "left out: only measures of diversity, such as alpha_nDCG@10, look at subtopics"
        raise ParameterError("evaluate", "intents", wanted, str(intents))
    from rankgauge import files as io

    return io.with_intents(judgments, intents, format)


def evaluate_runs(
    judgments: Any, runs: Mapping[str, Any], measures: tuple[Measure, ...], dialect: Dialect
) -> Iterator[tuple[str, Result]]:
    """Yield each run's name and result, in their order: judgments are read once, and runs by several threads.

    At most a few runs are taken ahead of the one that is asked for.
    """
    parts = dialect.parts(measures)
    if len(parts) > 1:
        from rankgauge import files as io

        judgments = io.keep_rereadable(judgments, io.judgments_from)
        runs = {name: io.keep_rereadable(run, io.run_from) for name, run in runs.items()}
    streams = [_runs_by(judgments, runs, some, spoken) for spoken, some in parts.items()]
    for results in zip(*streams, strict=True):
        yield results[0][0], Result.join([result for _, result in results], measures, dialect)


def _runs_by(
    judgments: Any, runs: Mapping[str, Any], measures: tuple[Measure, ...], dialect: Dialect
) -> Iterator[tuple[str, Result]]:
    """Yield each run's name and its result by one dialect."""
    files = all(is_file(source) for source in (judgments, *runs.values()))
    if not files:
        from rankgauge import files as io

        judgments = io.keep_rereadable(judgments, io.judgments_from)
    judged = HitFinder(given=judgments, dialect=dialect, measures=measures, once=len(runs) == 1)

    def evaluate_batch(batch: tuple[tuple[str, Any], ...]) -> list[tuple[str, Result]]:
        hits = [judged.named_hits(name, run) for name, run in batch]
        return list(zip((name for name, _ in batch), score_runs(hits, measures, dialect), strict=True))

    small = files and judged.pool is not None and all(os.path.getsize(run) <= LARGE for run in runs.values())
    batches = take_batches(runs.items(), TOGETHER if small else 1)
    return chain.from_iterable((spread if small else map)(evaluate_batch, batches))


def take_batches(items: Iterable[tuple[str, Any]], size: int) -> Iterator[tuple[tuple[str, Any], ...]]:
    """Return the items, `size` at a time."""
    rest = iter(items)
    return iter(lambda: tuple(islice(rest, size)), ())


def score_hits(hits: Hits, measures: tuple[Measure, ...], dialect: Dialect) -> Result:
    """Return the result of hits: what they are worth by each of the measures."""
    return score_runs([dialect.check(hits)], measures, dialect)[0]


def score_runs(hits: list[Hits], measures: tuple[Measure, ...], dialect: Dialect) -> list[Result]:
    """Return the result of each run's hits on the same judgments: kernels take the lists of all runs at once."""
    if len(hits) > 1 and not _share_queries(hits, measures, dialect):
        return [result for hit in hits for result in score_runs([hit], measures, dialect)]
    raw, errors = score(Hits.together(hits), measures, dialect)  # 3 score: kernels; NaN is undefined
    results = []
    for one, values, error in zip(hits, np.split(raw, len(hits)), np.split(errors, len(hits)), strict=True):
        matrix = settle(values, one, measures, dialect)  # 4 settle: empty queries, short lists, undefined values
        # 5 summarise: `Result.summary`, when it is asked for
        results.append(Result(dialect=dialect, measures=measures, hits=one, raw=values, errors=error, matrix=matrix))
    return results


def _share_queries(hits: list[Hits], measures: tuple[Measure, ...], dialect: Dialect) -> bool:
    """Say whether all runs were scanned with one pool, and no list looks for another one of its query."""
    lists = {dialect.choice("ideal", measure) for measure in measures}
    return IdealPool.FIRST not in lists and all(hit.names is hits[0].names for hit in hits)


def _is_several(run: Any) -> bool:
    """Say whether these are several runs by name, not one as {query: {document: score}} or {query: [documents]}."""
    if not isinstance(run, Mapping) or not run:
        return False
    first = next(iter(run.values()))
    if isinstance(first, Mapping):
        return isinstance(next(iter(first.values()), None), Mapping | list | tuple)
    return isinstance(first, str | os.PathLike) or hasattr(first, "columns") or hasattr(first, "frame")


def from_arrays(judgments: Any, run: Any, dialect: Dialect) -> tuple[Any, Any]:
    """Judgments and a run, or several by name, of arrays with a row for each query as tables; others as they are."""
    if getattr(judgments, "ndim", 0) != 2 or hasattr(judgments, "columns"):
        return judgments, run
    from rankgauge.evaluation.arrays import tables

    if not isinstance(run, Mapping):
        return tables(judgments, run, dialect)
    results = {name: tables(judgments, scores, dialect) for name, scores in run.items()}
    return next(iter(results.values()))[0], {name: scored for name, (_, scored) in results.items()}
