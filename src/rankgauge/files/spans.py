"""Chunks and the documents they belong to; spans of documents: judged passages, and runs of chunks that cover them.

Ids of chunks are read as ids of their documents, in judgments and in runs alike. So judgments of documents score runs
of chunks, and judgments of chunks score runs of documents; which of several chunks counts is said by the policies
`duplicates` (in a run) and `judged_twice` (in judgments).

A span is a document with its first character and the one after its last: an id such as `report:120-480`, or the columns
document, start and end of a table. Judged spans are what there is to find, whatever the chunks of a run are, so that
chunkers are compared on one set of judgments. A chunk counts as the judged spans that it covers and that no chunk above
it covers; one that covers several takes a place for each.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from rankgauge.errors import InputError
from rankgauge.input_notes import collecting_notes
from rankgauge.policies import SpanOverlap

COLUMN = "column="
"""How a rule names a column of documents."""


@dataclass(frozen=True, kw_only=True)
class Chunks:
    """How ids of chunks name their documents: what stands before the last `separator`, or what a table says."""

    rule: str
    documents: dict[str, str] = field(default_factory=dict, hash=False, repr=False)

    @classmethod
    def parse(cls, rule: str | os.PathLike[str]) -> Chunks:
        """Read the rule: a separator such as '#', or the path of a table with the columns chunk and document."""
        from rankgauge.files import table_suffixes
        from rankgauge.files.source import suffix_of

        text = os.fspath(rule)
        if not text.strip():
            raise InputError(
                "the rule of chunks is empty", hint="Give a separator (--chunks '#'), a table, or column=NAME."
            )
        is_table = Path(text).is_file() or suffix_of(text) in table_suffixes()
        return cls(rule=text, documents=_read_table(text) if is_table else {})

    def document(self, ids: pl.Expr) -> pl.Expr:
        """Return the documents of chunks; an id that names no chunk stays as it is."""
        if self.documents:
            return ids.replace(self.documents)
        before = ids.str.split(self.rule).list.slice(0, ids.str.split(self.rule).list.len() - 1).list.join(self.rule)
        return pl.when(before.str.len_bytes() > 0).then(before).otherwise(ids)

    def words(self, chunks: pl.Series, documents: pl.Series) -> str | None:
        """Say how many chunks were read as how many documents; None if no id is one of a chunk."""
        if (chunks == documents).all():
            return None
        rule = f"as {self.rule} says" if self.documents else f"what stands before the last {self.rule!r}"
        return f"{chunks.n_unique():,} chunks are read as {documents.n_unique():,} documents ({rule})"


def _read_table(path: str) -> dict[str, str]:
    from rankgauge.files import find, read_table

    frame = read_table(path)
    chunk, document = find(frame.columns, "chunk"), find(frame.columns, "document")
    if chunk is None or document is None:
        raise InputError(
            f"no columns chunk and document among {', '.join(frame.columns)}",
            path=path,
            hint="Name them so: one row for each chunk, with the id of its document.",
        )
    rows = frame.select(pl.col(chunk).cast(pl.String), pl.col(document).cast(pl.String)).drop_nulls()
    if twice := rows.unique().filter(pl.col(chunk).is_duplicated()).rows():
        raise InputError(f"chunk {twice[0][0]} belongs to several documents", path=path, hint="Give it one of them.")
    return dict(rows.rows())


SPAN = r"^(?<text>.*):(?<start>\d+)-(?<end>\d+)$"
HALF = 0.5
"""How much overlap is enough, unless it is said."""

RULE = "Say it as --spans share=0.5 or iou=0.3; with within=2000 only chunks in the first 2,000 characters count."


@dataclass(frozen=True, kw_only=True)
class Spans:
    """When a retrieved span covers a judged one."""

    overlap: SpanOverlap = SpanOverlap.SHARE
    threshold: float = HALF
    within: int | None = None
    """How many characters of a list are read: a chunk that ends beyond them covers nothing; all if none is said."""
    judged: Any = field(default=None, compare=False, repr=False)
    """The judgments, or their file."""

    @classmethod
    def parse(cls, rule: str, judged: Any = None) -> Spans:
        """Read the rule, such as `share=0.5`, `iou=0.3` or `share=0.5,within=2000`."""
        first, *rest = [[word.strip() for word in part.partition("=")[::2]] for part in rule.split(",")]
        limits = dict(rest)
        try:
            threshold, within = float(first[1] or HALF), int(limits.pop("within", 0))
        except ValueError:
            raise InputError(f"the rule of spans {rule!r} has no number where one is expected", hint=RULE) from None
        if limits or not 0 < threshold <= 1 or within < 0:
            raise InputError(f"the rule of spans {rule!r} is not understood", hint=RULE)
        return cls(overlap=SpanOverlap.parse(first[0]), threshold=threshold, within=within or None, judged=judged)

    def match(self, run: pl.DataFrame, path: Any = None) -> tuple[pl.DataFrame, str]:
        """Give the run with judged spans in the place of the chunks that cover them, and say how many there are."""
        gold = _split(self._gold(), "judgments", None).select("query", "text", "start", "end", span="document")
        chunks = _split(run, "run", path).with_row_index("row").sort("score", descending=True, maintain_order=True)
        read = (pl.col("end") - pl.col("start")).cum_sum().over("query")
        inside = chunks if self.within is None else chunks.filter(read <= self.within)
        pairs = inside.join(gold, on=["query", "text"], maintain_order="left").filter(self._covers())
        firsts = pairs.unique(["query", "span"], keep="first", maintain_order=True)
        matched = chunks.join(firsts.select("row", "span"), on="row", how="left", maintain_order="left")
        late = pl.col("row").is_in(pairs["row"].implode())
        own = pl.when(late).then(pl.col("document") + " (again)").otherwise("document")
        several = firsts["row"].len() - firsts["row"].n_unique()
        also = f"; {several:,} beside another in one chunk, which takes a place for each" if several else ""
        said = f"its chunks cover {len(firsts):,} of {len(gold):,} judged spans ({self._words}){also}"
        return matched.with_columns(document=pl.coalesce("span", own)).select(run.columns), said

    @property
    def _words(self) -> str:
        limit = "" if self.within is None else f", in the first {self.within:,} characters of each list"
        return f"{self.overlap.value} of {self.threshold:g} or more: {self.overlap.words}{limit}"

    def _covers(self) -> pl.Expr:
        """Say whether a chunk overlaps a judged span enough; the columns of the latter end in `_right`."""
        first, last = pl.max_horizontal("start", "start_right"), pl.min_horizontal("end", "end_right")
        shared = (last - first).clip(lower_bound=0)
        gold = pl.col("end_right") - pl.col("start_right")
        whole = gold if self.overlap is SpanOverlap.SHARE else pl.col("end") - pl.col("start") + gold - shared
        return shared / whole >= self.threshold

    def _gold(self) -> pl.DataFrame:
        from rankgauge.files import judgments_from

        with collecting_notes():  # the evaluation reads them too, and says what there is to say
            return judgments_from(self.judged).unique(["query", "document"], maintain_order=True)


def _split(frame: pl.DataFrame, kind: str, path: Any) -> pl.DataFrame:
    """The frame with the document, the start and the end that its ids name; an error for an id that names no span."""
    parts = frame.with_columns(pl.col("document").str.extract_groups(SPAN).alias("parts")).unnest("parts")
    typed = parts.with_columns(pl.col("start", "end").cast(pl.Int64, strict=False))
    bad = typed.filter((pl.col("end") > pl.col("start")).fill_null(False).not_())
    if len(bad):
        raise InputError(
            f"the {kind} lists {bad['document'][0]!r} for query {bad['query'][0]}, which is no span",
            path=path,
            hint="Name spans as document:start-end, such as report:120-480, or in the columns document, start and end; "
            "the end is the place after the last character.",
        )
    return typed
