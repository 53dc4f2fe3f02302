"""The kinds of tables, their columns, and the names that other tools give to the same columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import polars as pl

from rankgauge.errors import InputError
from rankgauge.registry import plain


@dataclass(frozen=True, kw_only=True)
class Table:
    """A kind of table: its name, its required columns and its optional ones."""

    name: str
    required: Mapping[str, pl.DataType]
    optional: Mapping[str, pl.DataType]
    key: tuple[str, ...] = ()
    """The columns that identify a row; repeated documents of a run are found when it is ranked."""

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """Every column that the table may have, with its type."""
        return {**self.required, **self.optional}


TEXT, NUMBER, COUNT = pl.String(), pl.Float64(), pl.Int64()

JUDGMENTS = Table(
    name="judgments",
    required={"query": TEXT, "document": TEXT, "grade": NUMBER},
    optional={"assessor": TEXT, "subtopic": TEXT, "stratum": TEXT, "probability": NUMBER},
    key=("query", "document", "assessor", "subtopic"),
)
RUN = Table(
    name="run",
    required={"query": TEXT, "document": TEXT, "score": NUMBER},
    optional={"rank": COUNT},
)

ALIASES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    # PyTerrier's frames hold the id in `qid` and the text in `query`; Quepid's only `query`: ids come first.
    "query": (
        ("query_id", "qid", "topic_id"),
        ("query",),
        ("topic",),
        ("query_text", "keyword", "keywords", "search_term", "search_query", "search_phrase", "search_keyword"),
    ),
    # PyTerrier's `docno` is the document's own id and `docid` a number inside the index. In a shop's table the product
    # has an id, an article number and an address.
    "document": (
        ("document",),
        ("document_id",),
        ("docno",),
        ("doc_id", "corpus_id"),
        ("doc", "did"),
        ("passage_id", "pid", "product_id", "item_id", "article_id"),
        ("sku", "asin"),
        ("url", "uri", "document_url", "doc_url"),
        ("id",),
    ),
    "grade": (
        ("grade",),
        ("relevance", "rel", "label", "rating", "judgment", "judgement", "relevance_grade", "relevance_label"),
        ("relevancy", "relevance_rating", "relevance_judgment", "relevance_judgement", "relevance_level"),
        ("graded_relevance", "ground_truth", "qrel"),
        ("esci_label",),
    ),
    "score": (("score",), ("sim", "similarity", "search_score", "relevance_score")),
    "rank": (("rank",), ("position", "doc_position", "document_position", "result_position")),
    "assessor": (
        ("assessor",),
        ("rater", "annotator", "judge", "assessor_id", "rater_id", "annotator_id", "worker_id"),
    ),
    "subtopic": (("subtopic",), ("subtopic_id", "intent_id")),
    "start": (("start",), ("start_index", "start_char", "start_char_idx")),
    "end": (("end",), ("end_index", "end_char", "end_char_idx")),
    "stratum": (("stratum",), ("stratum_id",)),
    "probability": (("probability",), ("intent_probability", "subtopic_probability", "inclusion_probability")),
}
"""Our column → its names in ir-measures, PyTerrier, BEIR, Quepid and others, the surest first.

Names in one group are equally sure: a table with two of them does not say which is meant. Only letters and digits
count, so that `Doc ID` is `doc_id` and `_score` is `score`.
"""

Said = Mapping[str, str]
"""Our column → the name that a user says it has."""

UNSAID: Said = {}

_RATER = re.compile(r"^(?P<assessor>.+)_(?:rating|grade|label|relevance)$")
_NUMBERED = re.compile(r"^(?P<stem>rank|position|pos|result|hit|top|document|doc|product|item|sku|url|)(?P<rank>\d+)$")
_RANKS = frozenset(("rank", "position", "pos", "result", "hit", "top"))
"""Words with a number that name a rank; others, and a number alone, may name a document."""

_NOT_PEOPLE = frozenset(
    re.findall(
        r"\w+",
        # Summaries of several people's grades, and what else is rated or labelled in the tables of shops.
        """final mean average avg median consensus overall
        star stars product item user users customer customers seller shop store review reviews brand category class
        type size color colour price energy shipping quality click clicks""",
    )
)
"""Words that are no assessor's name in `…_rating` and the like."""


def find(columns: Iterable[str], name: str, said: Said = UNSAID) -> str | None:
    """Return the column that holds what we call `name`, if there is one; `said` is the user's word on it."""
    return next((same[0] for same in _candidates(columns, name, said)), None)


def _candidates(columns: Iterable[str], name: str, said: Said) -> Iterator[list[str]]:
    """The columns that may hold what we call `name`: those that are equally likely together, the likeliest first."""
    spelled: dict[str, list[str]] = {}
    for column in columns:
        spelled.setdefault(plain(column), []).append(column)
    if name in said and (same := spelled.get(plain(said[name]))):
        yield [said[name] if said[name] in same else same[0]]
    for group in _plain_aliases(name):
        # A name that is written as we write it is sure: `score` beside `_score`.
        known = [(alias, spelled[key]) for alias, key in group.items() if key in spelled]
        alike = [sorted(same, key=alias.__ne__) for alias, same in known]
        if named := [column for same in alike for column in same]:
            yield named[:1] if named[0] == name else named


@cache
def _plain_aliases(name: str) -> list[dict[str, str]]:
    """Return the groups of names that a column may have, each name with its letters and digits alone."""
    return [{alias: plain(alias) for alias in group} for group in ALIASES.get(name, ((name,),))]


def raters(columns: Iterable[str]) -> dict[str, str]:
    """Return the columns of a wide table that hold one assessor's grades each: column → assessor."""
    matches = {column: _RATER.match(_plain(column)) for column in columns}
    named = {column: match["assessor"] for column, match in matches.items() if match}
    return {column: assessor for column, assessor in named.items() if _NOT_PEOPLE.isdisjoint(assessor.split("_"))}


def ranked_columns(columns: Iterable[str], said: Said = UNSAID) -> dict[str, int]:
    """Return the columns of a wide run, which hold the document at one rank each: column → rank.

    There is a column for the query and none for the document; the numbers of the others count from 1.
    """
    columns = list(columns)
    if find(columns, "query", said) is None or find(columns, "document", said) is not None:
        return {}
    stems: dict[str, dict[str, int]] = {}
    for column in columns:
        if match := _NUMBERED.match(plain(column)):
            stems.setdefault(match["stem"], {})[column] = int(match["rank"])
    counted = [
        ranks for ranks in stems.values() if len(ranks) > 1 and sorted(ranks.values()) == [*range(1, len(ranks) + 1)]
    ]
    return counted[0] if len(counted) == 1 else {}


def recognise(frame: pl.LazyFrame, table: Table, columns: Iterable[str], said: Said = UNSAID) -> pl.LazyFrame:
    """Return the frame's columns that the table knows, under the table's names; others are left out.

    A judgments table without grades takes them from its assessors' columns (`anna_rating`, `ben_rating`), or else from
    `score`, as BEIR's files call the grade. A run without scores takes the falling rank, as does one of which a user
    names the ranks alone; a wide one has a column for each rank (`rank1`, `rank2` …).
    """
    columns = list(columns)
    known = {name: column for name in table.columns if (column := find(columns, name, said)) is not None}
    kept = {name: pl.col(column).alias(name) for name, column in known.items()}
    bounds = [column for name in ("start", "end") if name in said and (column := find(columns, name, said))]
    if len(bounds) == 2 and "document" in kept:  # a span of a document, if spans are asked for
        start, end = (pl.col(column).cast(TEXT) for column in bounds)
        kept["document"] = pl.format("{}:{}-{}", pl.col(known["document"]), start, end).alias("document")
    if "subtopic" not in kept and "stratum" not in kept:
        kept.pop("probability", None)  # it is that of a subtopic or of a sample, or something else
    if table is JUDGMENTS and "grade" not in kept:
        if wide := raters(columns):
            return _long(frame.select(*[kept[name] for name in kept if name != "assessor"], *wide), wide)
        if (score := find(columns, "score")) and find(columns, "rank") is None:
            kept["grade"] = pl.col(score).alias("grade")
    if table is RUN and (ranks := ranked_columns(columns, said)):
        cells = [pl.col(column).cast(TEXT) for column in ranks]
        _refuse_matrix(frame.select(cells), ranks)
        return _long_run(frame.select(kept["query"], *cells), ranks)
    if table is RUN and "rank" in kept and ("score" not in kept or is_ordered_by_rank(columns, said)):
        rank = pl.col(known["rank"])
        text = frame.collect_schema()[known["rank"]] == pl.String
        kept["score"] = -(rank.str.strip_chars() if text else rank).cast(NUMBER, strict=False).alias("score")
    elif table is RUN and _rivals(columns, "rank", said):
        kept.pop("rank")  # scores alone order a run
    for name in kept:
        _refuse_rivals(name, _rivals(columns, name, said))
    return frame.select(kept[name] for name in table.columns if name in kept)


def is_ordered_by_rank(columns: Iterable[str], said: Said) -> bool:
    """Say whether a user names the ranks of a run and not its scores: then the ranks order it."""
    return "score" not in said and "rank" in said and find(columns, said["rank"]) is not None


def missing_columns(
    table: Table, present: Iterable[str], columns: Iterable[str], said: Said = UNSAID
) -> InputError | None:
    """Return the error that names the table's required columns that are not present, and how to say which they are."""
    lacking, columns = [name for name in table.required if name not in present], list(columns)
    if not lacking:
        return None
    wrong = [f"{name}={said[name]}" for name in lacking if name in said]
    if not wrong and all(name in lacking for name in table.required) and any(map(is_number, columns)):
        header = ",".join(table.required)
        return InputError(
            f"its first line is no header: {', '.join(columns)}",
            hint=f"Write the names of the columns above it, as in {header}",
        )
    problem = f"no column for {', '.join(lacking)} among {', '.join(columns) or 'no columns'}"
    if wrong:
        import difflib

        near = difflib.get_close_matches(said[lacking[0]], columns, n=1) if lacking[0] in said else []
        hint = f"There is no such column: {', '.join(wrong)}." + (f" Did you mean {near[0]}?" if near else "")
    elif table not in (JUDGMENTS, RUN):  # --columns is about these
        hint = f"Name its columns {', '.join(table.required)}."
    else:
        example = ",".join(f"{name}=NAME" for name in lacking)
        hint = f"Say which column it is: --columns {example}, or columns={{'{lacking[0]}': 'NAME'}} in Python."
        if table is RUN and "score" in lacking:
            hint += " Without scores a column rank will do: 1, 2, 3 … for the documents of each query."
    return InputError(problem, hint=hint)


def _rivals(columns: Iterable[str], name: str, said: Said) -> list[str]:
    """Return the columns that could equally be what we call `name`, if there are several."""
    columns_ = next(_candidates(columns, name, said), [])
    return columns_ if len(columns_) > 1 else []


def _refuse_rivals(name: str, columns: list[str]) -> None:
    if columns:
        raise InputError(
            f"the columns {' and '.join(columns)} could each be the {name}",
            hint=f"Say which: --columns {name}={columns[0]}, or columns={{'{name}': '{columns[0]}'}} in Python.",
        )


def _long(frame: pl.LazyFrame, wide: Mapping[str, str]) -> pl.LazyFrame:
    """Return one row per assessor and document; an empty cell is no judgment."""
    present = frame.collect_schema()
    ids = [name for name in ("query", "document") if name in present]
    return (
        frame.with_row_index("row")
        .unpivot(on=list(wide), index=["row", *ids], variable_name="assessor", value_name="grade")
        .drop_nulls("grade")
        .sort("row", maintain_order=True)
        .select(*ids, "grade", pl.col("assessor").replace_strict(dict(wide), return_dtype=TEXT))
    )


def _long_run(frame: pl.LazyFrame, ranks: Mapping[str, int]) -> pl.LazyFrame:
    """Return one row per document of a wide run; an empty cell is no document."""
    return (
        frame.with_row_index("row")
        .unpivot(on=list(ranks), index=["row", "query"], variable_name="rank", value_name="document")
        .filter(pl.col("document").str.strip_chars() != "")
        .with_columns(pl.col("rank").replace_strict(dict(ranks), return_dtype=COUNT))
        .sort("row", "rank")
        .select("query", "document", -pl.col("rank").cast(NUMBER).alias("score"))
    )


def wide_note(columns: Iterable[str], said: Said = UNSAID) -> str | None:
    """Return what to know of a run that has a column for each rank; None for others."""
    ranks = list(ranked_columns(columns, said))
    return f"the columns {ranks[0]} to {ranks[-1]} are read as ranks, their cells as documents" if ranks else None


def _refuse_matrix(cells: pl.LazyFrame, ranks: Mapping[str, int]) -> None:
    """Raise an error where the columns may as well be documents: their names do not say rank, and cells are numbers."""
    if any(plain(column).rstrip("0123456789") in _RANKS for column in ranks):
        return
    texts = pl.all().str.strip_chars()
    no_number = (texts != "") & texts.cast(NUMBER, strict=False).is_null()
    if not any(cells.select(no_number.any()).collect().row(0)):
        first, *_, last = ranks
        raise InputError(
            f"the columns {first} to {last} hold numbers: either they are ranks and the cells documents, or they are "
            "documents and the cells scores",
            hint="For ranks name them rank1, rank2 …; for scores give a row for each document, with the columns "
            "query, document and score (in pandas, frame.melt('query', var_name='document', value_name='score')).",
        )


def is_number(text: str) -> bool:
    """Say whether a field is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _plain(column: str) -> str:
    return column.strip().strip("\ufeff").lower().replace("-", "_").replace(" ", "_")


BLANKS = " \t\r\u00a0\u2007\u2009\u202f"
"""What may stand around a cell; the last four are no-break and thin spaces, which also separate thousands."""

_GAPS = r"['’ \x{a0}\x{2007}\x{2009}\x{202f}]"
_POINT = rf"^[-+]?\d{{1,3}}(?:(?:,|{_GAPS})\d{{3}})+(?:\.\d+)?$"
_COMMA = rf"^[-+]?(?:\d+|\d{{1,3}}(?:(?:\.|{_GAPS})\d{{3}})+)(?:,\d+)?$"
_NOTHING = ("", "nan", "na", "n/a", "#n/a", "null", "none", "-", "–", "?")
"""What pandas, R, Excel, databases and people write into a cell that has no value, in small letters."""

_TRUTH = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


def numbers(cells: pl.Series, *, comma: bool = False) -> pl.Series:
    """Return the numbers in cells of text; null where a cell is none.

    A column has one style: 1,234.5 or 1.234,5. Where its cells allow both, as 1,234 does, `comma` says whether it is
    the decimal one.
    """
    text = cells.str.strip_chars(BLANKS)
    plain = text.cast(pl.Float64, strict=False)
    odd = text.filter(plain.is_null() & text.is_not_null() & (text != ""))
    if not len(odd):
        return plain
    pointed, decimal = odd.str.contains(_POINT).all(), odd.str.contains(_COMMA).all()
    if decimal and (comma or not pointed):
        grouped = bool(odd.str.contains(r"\..*,").any())
        given = text if grouped else text.filter(plain.is_null())
        read = _read(given, rf"\.|{_GAPS}", _COMMA)
    elif pointed:
        given = text.filter(plain.is_null())
        read = _read(given, rf",|{_GAPS}", _POINT)
    else:
        return plain
    known = dict(zip(given.to_list(), read.to_list(), strict=True))
    told = [known.get(cell, number) for cell, number in zip(text.to_list(), plain.to_list(), strict=True)]
    return pl.Series(cells.name, told, dtype=pl.Float64)


def truths(cells: pl.Series) -> pl.Series:
    """1 for TRUE and yes, 0 for FALSE and no, null for all else."""
    return (
        cells.str.strip_chars(BLANKS).str.to_lowercase().replace_strict(_TRUTH, default=None, return_dtype=pl.Float64)
    )


def is_blank(cells: pl.Series, *, words: bool = False) -> pl.Series:
    """Return which cells hold nothing; with `words` also those with what programs write for that: NaN, N/A, null."""
    if cells.dtype != pl.String:
        return cells.is_null()
    text, nothing = cells.str.strip_chars(BLANKS).str.to_lowercase(), _NOTHING if words else _NOTHING[:1]
    return cells.is_null() | text.is_in(nothing).fill_null(value=True)


def _read(given: pl.Series, separators: str, style: str) -> pl.Series:
    """Return the numbers without their separators of thousands; what is not in the style is read as it stands."""
    bare = given.str.replace_all(separators, "").str.replace(",", ".", literal=True)
    return pl.select(
        pl.when(given.str.contains(style)).then(bare).otherwise(given).cast(pl.Float64, strict=False)
    ).to_series()
