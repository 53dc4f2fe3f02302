"""FILES ↔ TABLES: reading and writing by path, in whatever format the file is, and runs in batches of whole queries."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import polars as pl

from rankgauge.errors import InputError, RepeatedError, UngroupedError
from rankgauge.files import Spelling, as_judgments, as_run
from rankgauge.files.detection import AnyFormat, Detection, detections, fitting, misfit, readable
from rankgauge.files.format import FORMATS, STRICT, Format, Head, Kind, Reading, get
from rankgauge.files.formats import letor
from rankgauge.files.ir_datasets import is_dataset, judgments_of, run_of
from rankgauge.files.output import writing
from rankgauge.files.queries import Queries, list_beside, listed_queries, query_texts
from rankgauge.files.source import STANDARD_STREAM, Source, SpelledFile, suffix_of
from rankgauge.input_notes import failures, note
from rankgauge.policies import Duplicates, FailedResponse, FractionalGrade, JudgmentKind, RunOrder

PathLike = str | os.PathLike[str]
LARGE = 1 << 26
"""Larger files (in bytes) are read in pieces if possible."""

SEARCHED = 200_000
"""How many rows are searched at a time."""

SAMPLED = "documents were sampled: those not drawn are left out here; xinfAP, xinfNDCG and statAP estimate the whole"
"""What is said where measures do not ask for a sample, and judgments are one."""

PACKING = 8
"""How many times its size a packed file is expected to unpack to."""


def detect(path: PathLike) -> Detection:
    """Return the likeliest format of a file, by its first lines and then its name, and what it holds."""
    return detections(Source.of(path))[0]


def read_judgments(
    path: PathLike, format: AnyFormat = None, *, kind: JudgmentKind = JudgmentKind.GRADES, **spelled: Any
) -> pl.DataFrame:
    """Read the judgments of a file, or of a data set of ir_datasets (`irds:` and its id).

    `kind` is what they are read for: TREC's qrels do not say whether their second field is a subtopic. `spelled` says
    how the file spells things: `columns={"query": "search_term"}`, `scale="esci"`, `ids="trim"`.
    """
    path = spell(path, Spelling.of(**spelled))
    if is_dataset(path):
        table = judgments_of(path)
        return as_judgments(table, path.spelling) if isinstance(path, SpelledFile) else table
    source = Source.of(path)
    chosen = readable(source, format, (Kind.JUDGMENTS,), "read_judgments")
    assert chosen.read_judgments is not None
    _refuse_named_grade(source, chosen)
    return _drawn_only(chosen.readers.get(kind, chosen.read_judgments)(source), kind)


def _refuse_named_grade(source: Source, format: Format) -> None:
    """Raise an error if the user names the column of grades in a file whose columns have no names."""
    if "grade" in source.said and format.name.startswith("trec"):
        raise InputError(
            f"a file of TREC's format has no names of columns: grade={source.said['grade']} names none",
            path=source.name,
            hint="Its fourth field is the grade; leave grade= out of --columns.",
        )


def read_run(
    path: PathLike,
    format: AnyFormat = None,
    *,
    queries: Queries | None = None,
    order: RunOrder = RunOrder.SCORE,
    on_failure: FailedResponse | str = FailedResponse.LEAVE_OUT,
    **spelled: Any,
) -> pl.DataFrame:
    """Read the run of a file, or of a data set of ir_datasets (`irds:` and its id).

    By RunOrder.RANK the frame has the ranks that the file states.

    `queries` names the queries of responses of a search engine, which do not say them: a list in the order of the
    requests, or a file with one per line. Other runs name their own. `on_failure` says what becomes of queries whose
    search failed. `spelled` says how the file spells things: `columns={"query": "search_term"}`, `ids="trim"`.
    """
    path = spell(path, Spelling.of(**spelled), queries, on_failure=FailedResponse.parse(on_failure))
    if is_dataset(path):
        table = run_of(path)
        return as_run(table, path.spelling) if isinstance(path, SpelledFile) else table
    source = Source.of(path)
    chosen = readable(source, format, (Kind.RUN, Kind.COMPANION), "read_run")
    return chosen.run_reader(order)(source)


def shown_words(path: PathLike, format: AnyFormat = None) -> tuple[dict[str, str], dict[str, str]]:
    """Read what people typed, by query, and what documents are called, by id, if a run says it."""
    if is_dataset(path):
        return {}, {}
    source = Source.of(path)
    words = (detections(source)[0].format if format is None else get(format)).words
    texts, titles = ({}, {}) if words is None else words(source)
    beside = None if words is None or source.queries else list_beside(source)
    return {**texts, **({} if beside is None else query_texts(beside))}, titles


def read_table(path: PathLike, **spelled: Any) -> pl.DataFrame:
    """Return the table in a file with all its columns, named as in the file; the suffix tells the format.

    `spelled` may say which columns are ours, which get our names: `columns={"query": "search_term"}`.
    """
    suffix = suffix_of(os.fspath(path))
    able = [format_ for format_ in FORMATS.values() if format_.read_table and suffix in format_.suffixes]
    if not able and not suffix and not os.path.exists(path):
        hint = "A table is named by its file, such as topics.csv."
        raise InputError("there is no such file", path=os.fspath(path), hint=hint)
    if not able:
        hint = f"A table is read from {', '.join(table_suffixes())}; runs and LETOR files have their own readers."
        raise InputError(f"'{suffix}' is not a table format", path=os.fspath(path), hint=hint)
    source = Source.of(spell(path, Spelling.of(**spelled)))
    head = Head(source=source)
    chosen = next((one for one in able if len(able) > 1 and one.recognise(head)), able[-1])
    if head.binary and not chosen.binary:
        raise source.no_text()
    assert chosen.read_table is not None
    return chosen.read_table(source)


def table_suffixes() -> tuple[str, ...]:
    """Return the suffixes of the files that `read_table` reads."""
    return tuple(
        dict.fromkeys(suffix for format_ in FORMATS.values() if format_.read_table for suffix in format_.suffixes)
    )


def read_letor(
    path: PathLike, scores: PathLike | None = None, *, duplicates: Duplicates | str = Duplicates.REFUSE
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Read the judgments of a LETOR file, and the run that a file of scores makes of it."""
    chosen = Reading(duplicates=Duplicates.parse(duplicates))
    if scores is None:
        return letor.read_judgments(Source.of(path), chosen), None
    return letor.read_pair(Source.of(path), Source.of(scores), chosen)


def read_pair(
    judgments: PathLike, run: PathLike, format: AnyFormat = None, *, reading: Reading = STRICT
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the judgments in one file and the run in another, each in its own format."""
    first, second = Source.of(judgments), Source.of(run)
    left, right = detections(first, format), detections(second, format)
    fit = fitting(left, right)
    if fit is None:
        # If both are of one format, its reader of pairs says what is wrong, and on which line.
        if fitting(right, left) or left[0].format is not right[0].format or left[0].format.read_pair is None:
            raise misfit(first, second, left, right)
        return left[0].format.read_pair(first, second, reading)
    one, other = fit
    if other.kind is Kind.COMPANION and one.format.read_pair is not None:
        return one.format.read_pair(first, second, reading)
    if reading.fractional is FractionalGrade.REFUSE and one.format.refuse_fractions is not None:
        one.format.refuse_fractions(first)
    assert one.format.read_judgments is not None
    _refuse_named_grade(first, one.format)
    judged = _drawn_only(one.format.read_judgments(first), JudgmentKind.GRADES)
    return read_answered(judged, lambda: other.format.run_reader(reading.order)(second))


def stream_run(path: PathLike, format: AnyFormat = None, *, rows: int = 200_000) -> Iterator[pl.DataFrame]:
    """Return the run in a file that is grouped by query, in batches of whole queries with about `rows` rows."""
    source = Source.of(path)
    shape = readable(source, format, (Kind.RUN, Kind.COMPANION), "read_run")
    assert shape.read_run is not None
    batches = shape.batches(source, rows) if shape.batches else iter([shape.read_run(source)])
    return whole_queries(batches, rows=rows, name=source.name)


def write_judgments(judgments: Any, path: PathLike, format: AnyFormat = None) -> None:
    """Write judgments into a file, in the format of its suffix."""
    frame, chosen = as_judgments(judgments), written_format(path, format, "write_judgments")
    if chosen.write_judgments is None:
        raise InputError(f"the format {chosen.name} has no writer for judgments", path=str(path))
    for name, advice in (("assessor", "Combine the assessors first, or write"), ("subtopic", "Write")):
        if name in frame.columns and not getattr(chosen, f"keeps_{name}s"):
            keeping = ", ".join(known for known, format_ in FORMATS.items() if getattr(format_, f"keeps_{name}s"))
            problem = f"the format {chosen.name} cannot name the {name}s of judgments"
            raise InputError(problem, path=str(path), hint=f"{advice} one of {keeping}.")
    with writing(os.fspath(path)) as file:
        chosen.write_judgments(frame, file)


def write_run(run: Any, path: PathLike, format: AnyFormat = None, *, tag: str = "rankgauge") -> None:
    """Write a run into a file, in the format of its suffix."""
    frame, chosen = as_run(run), written_format(path, format, "write_run")
    if chosen.write_run is None:
        raise InputError(f"the format {chosen.name} has no writer for runs", path=str(path))
    with writing(os.fspath(path)) as file:
        chosen.write_run(frame, file, tag)


def spell(
    source: Any,
    spelling: Spelling | None,
    queries: Queries | None = None,
    *,
    on_failure: FailedResponse = FailedResponse.LEAVE_OUT,
) -> Any:
    """Return a path, with what a user says of how the file or data set spells things; anything else is given back.

    `queries` are those that responses of a search engine answer, in their order; `on_failure` says what becomes of
    those whose search failed.
    """
    plain = spelling is None and queries is None and on_failure is FailedResponse.LEAVE_OUT
    if plain or not isinstance(source, str | os.PathLike):
        return source
    named = () if queries is None else listed_queries(queries)
    return SpelledFile(path=os.fspath(source), spelling=spelling, queries=named, on_failure=on_failure)


def spell_all(judgments: Any, runs: Mapping[str, Any], **said: Any) -> tuple[Any, dict[str, Any]]:
    """Judgments and runs, with what a user says of how they spell things; tables in memory are read by it now."""
    if (spelling := Spelling.of(**said)) is None:
        return judgments, dict(runs)
    judged = spell(judgments, spelling)
    if not isinstance(judged, SpelledFile):
        judged = as_judgments(judgments_of(judgments) if is_dataset(judgments) else judgments, spelling)
    spelling = Spelling.of(**said, judged=judged)
    ranked = {name: spell(run, spelling) for name, run in runs.items()}
    return judged, {
        name: run if isinstance(run, SpelledFile) else as_run(run_of(run) if is_dataset(run) else run, spelling)
        for name, run in ranked.items()
    }


def judgments_from(source: Any, kind: JudgmentKind = JudgmentKind.GRADES) -> pl.DataFrame:
    """Return the judgments in a file, a data set, a frame, a dict or rows; `kind` is what they are read for."""
    if is_path(source) or is_dataset(source):
        return read_judgments(source, kind=kind)
    return _drawn_only(as_judgments(source, kind=kind), kind)


def _drawn_only(judgments: pl.DataFrame, kind: JudgmentKind) -> pl.DataFrame:
    """The judgments; of a sample only the documents that were drawn, unless it is asked how they were sampled."""
    if "stratum" not in judgments.columns or kind is JudgmentKind.SAMPLES:
        return judgments
    drawn = judgments.filter(pl.col("grade") >= 0)
    if len(drawn) < len(judgments):
        note(SAMPLED)
    return drawn.drop("stratum", "probability", strict=False)


def run_from(source: Any, order: RunOrder = RunOrder.SCORE) -> pl.DataFrame:
    """Return the run in a file, a data set, a frame, a dict or rows."""
    if is_path(source) or is_dataset(source):
        return read_run(source, order=order)
    return as_run(source.frame if isinstance(getattr(source, "frame", None), pl.DataFrame) else source)  # a fused run


def run_beside(judgments: Any, run: Any) -> pl.DataFrame:
    """Return the run in a source; a file of scores makes sense only beside the judgments."""
    if is_path(judgments) and is_path(run) and detect(run).kind is Kind.COMPANION:
        return read_pair(judgments, run)[1]
    return run_from(run)


def keep_rereadable(source: Any, read: Callable[[Any], pl.DataFrame]) -> Any:
    """Return a source that can be read more than once: an iterator or a data set becomes a table."""
    return read(source) if is_dataset(source) or isinstance(source, Iterator) else source


def pair_from(
    judgments: Any, run: Any, reading: Reading = STRICT, *, kind: JudgmentKind = JudgmentKind.GRADES
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return judgments and run, each in a file, a frame, a dict or rows; two files may make sense only together."""
    if is_path(judgments) and is_path(run):
        return read_pair(judgments, run, reading=reading)
    return read_answered(judgments_from(judgments, kind), lambda: run_from(run, reading.order))


def read_answered(judgments: pl.DataFrame, read: Callable[[], pl.DataFrame]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Read a run, and leave out the judgments of queries whose search failed: nobody knows what they would retrieve."""
    with failures() as failed:
        run = read()
        failed[:] = (
            judgments.filter(pl.col("query").is_in(failed))["query"].unique(maintain_order=True) if failed else []
        )
    kept = judgments.filter(~pl.col("query").is_in(failed)) if failed else judgments
    if kept.is_empty():
        raise InputError("the search failed for every query that is judged", hint="Search again.")
    return kept, run


def is_path(source: Any) -> bool:
    """Say whether the source names a file."""
    return isinstance(source, str | os.PathLike) and not is_dataset(source)


def is_large(path: PathLike) -> bool:
    """Say whether a file is a run that should be read in pieces."""
    spans = isinstance(path, SpelledFile) and path.spelling is not None and path.spelling.spans is not None
    if spans or not os.path.isfile(path) or os.path.getsize(path) <= LARGE // PACKING:
        return False
    size = os.path.getsize(path) * (PACKING if Source.of(path).packed else 1)
    if size <= LARGE:
        return False
    detection = detect(path)
    return detection.kind is Kind.RUN and detection.format.batches is not None


@contextmanager
def locating_repeats(run: Any, format: str | Format | None = None) -> Iterator[None]:
    """Within the block, an error at a document listed twice in the run names the file and both lines."""
    try:
        yield
    except RepeatedError as error:
        if error.path is not None or not is_path(run):
            raise
        raise _place(error, os.fspath(run), format) from None


def explain_unnamed(run: Any, queries: Sequence[str]) -> str | None:
    """Return what to do with a file of responses that do not say which queries they answer; None for any other run.

    `queries` are what they are called: their positions, or the name of the file, if nothing names them.
    """
    if not is_path(run) or detect(run).format.names_queries:
        return None
    if len(queries) > 1 and not all(query.isdecimal() for query in queries):
        return None
    if os.path.isdir(run):
        return (
            "Each file of the folder is named for its query (QUERY.json); or --queries FILE lists them in that order."
        )
    if len(queries) == 1:
        return "The response does not say which query it answers: name the file for it (QUERY.json), or give --queries."
    return (
        "The responses do not say which queries they answer: list these in queries.txt beside the file, one per line "
        "in the order of the requests, or name another list, or the file of the requests itself (--queries FILE)."
    )


def written_format(path: PathLike, format: AnyFormat, ability: str) -> Format:
    """Find the format to write, by the file's suffix; `ability` names the writer."""
    if format is not None:
        return get(format)
    suffix = suffix_of(os.fspath(path))
    named = [format_ for format_ in FORMATS.values() if suffix in format_.suffixes]
    able = [one for one in named if getattr(one, ability) is not None]
    # A format for anything before one of a single program: .json is rows, not the list of a workbench.
    return next(iter(sorted(able or named, key=lambda one: one.read_table is None)), get("trec"))


def _place(error: RepeatedError, path: str, format: str | Format | None) -> RepeatedError:
    named = "standard input" if path == STANDARD_STREAM else path
    if not os.path.isfile(path):  # a pipe can be read only once
        return RepeatedError(error.query, error.document, path=named)
    source, form = Source.of(path), detect(path).format if format is None else get(format)
    rows = list(islice(_rows(source, form, error), 2))
    if form.locate is None or len(rows) < 2:
        return RepeatedError(error.query, error.document, path=named)
    (first, _), (line, text) = (form.locate(source, row) for row in rows)
    return RepeatedError(error.query, error.document, path=named, line=line, text=text, first=first)


def _rows(source: Source, form: Format, error: RepeatedError) -> Iterator[int]:
    """Yield the numbers, from 0, of the rows with that query and document."""
    assert form.read_run is not None
    batches = form.batches(source, SEARCHED) if form.batches else iter([form.read_run(source)])
    seen = 0
    for batch in batches:
        same = (pl.col("query") == error.query) & (pl.col("document") == error.document)
        yield from (seen + row for row in batch.select(same.arg_true()).to_series().to_list())
        seen += len(batch)


def whole_queries(
    batches: Iterable[pl.DataFrame], *, rows: int, name: str, by: str = "query"
) -> Iterator[pl.DataFrame]:
    """Yield the same rows in batches of at least `rows` rows that never cut a query in two.

    `by` is the column whose equal values stay together. Only the ids of finished queries are kept, so a query that
    comes back is an error. Each batch is looked at once, even if one query spans many of them.
    """
    ended: set[str] = set()
    whole: list[pl.DataFrame] = []
    last: list[pl.DataFrame] = []  # the rows of a query that may continue
    for batch in batches:
        cut = _last_query(batch[by])
        if cut or (last and last[-1][by][-1] != batch[by][0]):
            whole += [*last, batch[:cut]]
            last = []
        last.append(batch[cut:])
        if sum(map(len, whole)) >= rows:
            yield _end_batch(whole, ended, name, by)
            whole = []
    if whole or last:
        yield _end_batch([*whole, *last], ended, name, by)


def _last_query(query: pl.Series) -> int:
    """Return the first row of the last query."""
    others = (query != query[-1]).arg_true()
    return int(others[-1]) + 1 if len(others) else 0


def _end_batch(parts: list[pl.DataFrame], ended: set[str], name: str, by: str) -> pl.DataFrame:
    """Return the parts as one frame. Its queries are noted as ended; each must be new and in one piece."""
    frame = pl.concat(parts)
    for query in frame[by].rle().struct.field("value"):
        if query in ended:
            raise UngroupedError(
                f"query {query} comes back after it ended",
                path=name,
                hint="A run that is read in pieces must be grouped by query: sort it, or read it as a whole.",
            )
        ended.add(query)
    return frame
