"""The pairs of a query and a document that a model is asked about, with their texts."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from rankgauge import files
from rankgauge.errors import InputError, ParameterError
from rankgauge.files import find
from rankgauge.files.conversion import as_frame
from rankgauge.files.source import Source, suffix_of
from rankgauge.judgments.llm.asking.prompt import IMAGE, NEEDS, ShownExample

RANKED = ("score", "score_1", "score_2", "rank", "rank_1", "rank_2")
"""The columns by which a table is cut at a depth."""

KEYS = ["query", "document"]

TEXTS = ("body", "content", "contents", "passage", "snippet", "description")
"""What a column of texts is also called: by Pyserini, by PyTerrier, by search engines."""

LAYOUTS = {2: ("text",), 3: ("title", "text"), 4: ("url", "title", "text")}
"""What follows the id in tab-separated files without a header, as MS MARCO has them: columns → their names."""


OVERLAP = 10
"""A window shares this part of its length (a tenth) with the next."""

SHOTS = 4
"""How many examples are shown, unless it is said."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TextPairs:
    """Pairs in the order of the pool: the columns query, document, query_text, and what else there is, as text."""

    frame: pl.DataFrame
    cut: int = 0
    """How many texts were too long and were cut, or are judged in windows."""
    windows: bool = False
    """Whether a long text is several rows, one for each window of it."""

    @classmethod
    def from_pool(
        cls,
        source: Any,
        *,
        documents: Any = None,
        queries: Any = None,
        depth: int | None = None,
        max_characters: int | None = None,
        windows: bool = False,
        images: bool = False,
    ) -> TextPairs:
        """Return the pairs of a table, or of the top documents of one or more runs, with texts from other tables.

        Texts of documents are cut after `max_characters`, or divided into windows of that length. With `images` a
        picture will do in place of a text.
        """
        if depth is not None and depth < 1:
            raise ParameterError("judge", "depth", "a whole number, 1 or more", depth)
        frame = _pool(source, depth)
        if documents is not None:
            frame = with_texts(frame, "document", documents)
        if queries is not None:
            frame = with_texts(frame, "query", queries)
        whole = _complete(frame.with_columns(pl.all().cast(pl.String)), images=images)
        if max_characters is None or "text" not in whole.columns:
            return cls(frame=whole)
        if max_characters < 1:
            raise ParameterError("judge", "max_characters", "1 or more", max_characters)
        cut = whole.select((pl.col("text").str.len_chars() > max_characters).sum()).item()
        if windows:
            parts = pl.col("text").map_elements(partial(_windows, size=max_characters), pl.List(pl.String))
            return cls(frame=whole.with_columns(parts).explode("text"), cut=cut, windows=True)
        return cls(frame=whole.with_columns(pl.col("text").str.head(max_characters)), cut=cut)

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def columns(self) -> list[str]:
        """The columns that a prompt may show, besides the ids."""
        return [name for name in self.frame.columns if name not in KEYS]

    def texts(self) -> list[dict[str, str]]:
        """Return what a prompt may show of each pair; an empty cell is an empty text."""
        return self.frame.select(pl.col(self.columns).fill_null("")).to_dicts()


def _windows(text: str, size: int) -> list[str]:
    """Divide a text into windows; each begins in the last tenth of the one before, so that no sentence is only cut."""
    step = max(1, size - size // OVERLAP)
    return [text[at : at + size] for at in range(0, max(1, len(text) - size // OVERLAP), step)]


def _pool(source: Any, depth: int | None) -> pl.DataFrame:
    """Return the pairs of a table, or of runs."""
    several = isinstance(source, Sequence) and not isinstance(source, str)
    sources = list(source) if several else [source]
    first, is_named = sources[0], isinstance(sources[0], str | os.PathLike)
    if len(sources) == 1 and (not is_named or suffix_of(os.fspath(first)) in files.table_suffixes()):
        return _table_pairs(files.read_table(first) if is_named else as_frame(first), depth)
    rank = pl.col("score").rank("ordinal", descending=True).over("query")
    runs = [files.run_from(run) for run in sources]
    tops = [(run if depth is None else run.filter(rank <= depth)).select(KEYS) for run in runs]
    # The documents of a query together, whichever run has them.
    return pl.concat(tops).unique(maintain_order=True).group_by("query", maintain_order=True).all().explode("document")


def _table_pairs(frame: pl.DataFrame, depth: int | None) -> pl.DataFrame:
    """Return the top pairs of a table, with ids under our names; PyTerrier's `query` beside a `qid` is the text."""
    if frame.is_empty():
        raise InputError("no pairs found: there are no rows")
    ids = {name: find(frame.columns, name) for name in KEYS}
    if lacking := next((name for name, column in ids.items() if column is None), None):
        raise InputError(
            f"no column for {lacking} among {', '.join(frame.columns)}",
            hint="Expected a table with the columns query, document, query_text and text.",
        )
    if ids["query"] != "query" and "query" in frame.columns and "query_text" not in frame.columns:
        frame = frame.rename({"query": "query_text"})
    kept = [name for name in frame.columns if name not in (*KEYS, *ids.values())]
    named = frame.select(*[pl.col(str(column)).cast(pl.String).alias(name) for name, column in ids.items()], *kept)
    for name in KEYS:
        if (named[name].is_null() | (named[name] == "")).any():
            raise InputError(f"a row has no {name}")
    if depth is not None:
        ranked = [name for name in RANKED if name in kept]
        if not ranked:
            hint = f"One of {', '.join(RANKED)}."
            raise InputError(f"no column of scores or ranks to cut at the depth {depth}", hint=hint)
        number = {name: pl.col(name).cast(pl.Float64, strict=False) for name in ranked}
        best = {name: one.rank("ordinal", descending=name.startswith("score")) for name, one in number.items()}
        named = named.filter(pl.any_horizontal(one.over("query") <= depth for one in best.values()))
    twice = named.with_row_index("row", 1).filter(~pl.struct(KEYS).is_first_distinct())
    if len(twice):
        row, query, document = twice.select("row", *KEYS).row(0)
        raise InputError(f"row {row}: document {document} is listed twice for query {query}")
    return named


def with_texts(frame: pl.DataFrame, name: str, source: Any) -> pl.DataFrame:
    """The pairs with the texts of their documents or queries, from a table or a tab-separated file without a header."""
    texts = _texts(name, source, frame[name].unique())
    fresh = [column for column in texts.columns if column != name]
    return frame.drop(fresh, strict=False).join(texts, on=name, how="left", maintain_order="left")


def _texts(name: str, source: Any, wanted: pl.Series) -> pl.DataFrame:
    text = "query_text" if name == "query" else "text"
    read = headless(name, source, wanted)
    if read is not None:
        return read
    table = files.read_table(source) if files.is_path(source) else as_frame(source)
    column = find(table.columns, name)
    if column is None:
        raise InputError(f"no column for {name} among {', '.join(table.columns)}", path=_name_of(source))
    if column != name and name in table.columns:  # a query's id is in `qid`, its text in `query`
        table = table.drop(name) if text in table.columns else table.rename({name: text})
    table = table.rename({column: name})
    if name == "query" and text not in table.columns:  # `title` is what TREC's topics call their text
        table = table.rename(dict.fromkeys([one for one in ("text", "title") if one in table.columns][:1], text))
    other = next((one for one in table.columns if text not in table.columns and one.lower() in TEXTS), None)
    table = table if other is None else table.rename({other: text})
    if not {text, "title", IMAGE} & set(table.columns):
        raise InputError(f"no column {text} among {', '.join(table.columns)}", path=_name_of(source))
    more = ("title", "url", IMAGE) if name == "document" else NEEDS
    kept = [one for one in (name, text, *more) if one in table.columns]
    return table.select(pl.col(kept).cast(pl.String)).unique(name, keep="first", maintain_order=True)


def headless(name: str, path: Any, wanted: pl.Series | None = None) -> pl.DataFrame | None:
    """Return the texts (of these ids alone, if any are given) in a `.tsv` whose first line is no header; None if it is
    none."""
    if not files.is_path(path) or suffix_of(os.fspath(path)) != ".tsv":
        return None
    source = Source.of(os.fspath(path))
    first = source.read(1 << 16).decode("utf-8", "replace").split("\n", 1)[0].rstrip("\r").split("\t")
    layout = LAYOUTS.get(len(first))
    if find(first, name) is not None or layout is None:
        return None
    names = (name, "query_text") if name == "query" and len(first) == 2 else (name, *layout)
    rows = pl.scan_csv(
        source.scannable(),
        separator="\t",
        has_header=False,
        new_columns=list(names),
        quote_char=None,
        infer_schema=False,
    )
    kept = rows if wanted is None else rows.filter(pl.col(name).is_in(wanted.implode()))
    return kept.collect(engine="streaming").unique(name, keep="first", maintain_order=True)


def _complete(frame: pl.DataFrame, *, images: bool) -> pl.DataFrame:
    """The pairs, each with a text of the query and one of the document, or an error that names the first without."""
    if frame.is_empty():
        raise InputError("no pairs found: there are no rows")
    if images and IMAGE not in frame.columns:
        raise InputError(
            f"no column {IMAGE} among {', '.join(frame.columns)}",
            hint="--images sends the pictures of that column: add it to the pool or to the table of --documents.",
        )
    shown = [name for name in ("title", "text", *([IMAGE] * images)) if name in frame.columns]
    for name, columns, option in (("query", ["query_text"], "--queries"), ("document", shown, "--documents")):
        wanted = "query_text" if name == "query" else "text or title"
        if not columns or not set(columns) <= set(frame.columns):
            raise InputError(
                f"no column {wanted} among {', '.join(frame.columns)}",
                hint=f"A model reads texts: add the column to the pool, or name a table of them with {option}.",
            )
        bare = frame.select(pl.all_horizontal(pl.col(columns).fill_null("").str.strip_chars() == "")).to_series()
        if bare.any():
            one = frame[name][int(bare.arg_max() or 0)]
            raise InputError(
                f"{bare.sum():,} of {len(frame):,} pairs have no text of their {name}, the first being {name} {one}",
                hint=f"Add it to the pool or to the table of {option}, or leave the pair out.",
            )
    return frame


def _name_of(source: Any) -> str | None:
    return os.fspath(source) if files.is_path(source) else None


def choose_examples(
    labels: Any, pairs: TextPairs, grades: tuple[float, ...], shots: int = SHOTS
) -> tuple[ShownExample, ...]:
    """Choose examples among people's labels: the grades in turn, each from a query that has none yet if there is one.

    Their texts are those of the pool. The choice depends on ids alone, so that the same labels give the same prompt.
    """
    known = files.judgments_from(labels).select(pl.col("query", "document").cast(pl.String), "grade")
    shown = pairs.frame.drop("grade", strict=False).unique(["query", "document"], keep="first", maintain_order=True)
    rows = shown.join(known.filter(pl.col("grade").is_in(grades)), on=["query", "document"], how="inner").to_dicts()
    if not rows:
        raise InputError(
            "none of the labels is of a pair of the pool, with a grade of the scale",
            path=labels if files.is_path(labels) else None,
            hint="Examples take their texts from the pool: label some of its documents.",
        )
    rows.sort(key=lambda row: zlib.crc32(f"{row['query']} {row['document']}".encode()))
    names, chosen = [name for name in pairs.columns if name != "grade"], list[ShownExample]()
    order = sorted({row["grade"] for row in rows}, reverse=True)
    for number in range(min(shots, len(rows))):
        seen, wanted = {one.query for one in chosen}, order[number % len(order)]
        row = min(rows, key=lambda row: (row["grade"] != wanted, row["query"] in seen))
        rows.remove(row)
        texts = {name: row[name] or "" for name in names}
        pair = {"query": row["query"], "document": row["document"]}
        chosen.append(ShownExample(**pair, texts=texts, grade=float(row["grade"])))
    return tuple(chosen)
