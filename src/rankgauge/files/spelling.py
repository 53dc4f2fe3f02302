"""How the files at hand spell things: which column holds what, which words are grades, which ids are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.files.columns import ALIASES
from rankgauge.files.scales import Scale
from rankgauge.files.scales import get as scale_of
from rankgauge.files.spans import COLUMN, Chunks, Spans
from rankgauge.policies import SameId

_RULES: Mapping[SameId, Callable[[pl.Expr], pl.Expr]] = {
    SameId.TRIM: lambda ids: ids.str.strip_chars(),
    SameId.CASEFOLD: lambda ids: ids.str.to_lowercase(),
    SameId.NUMBER: lambda ids: ids.str.replace(r"^0*(\d+?)(?:\.0*)?$", "$1"),
    SameId.UNICODE: lambda ids: ids.str.normalize("NFC"),
    SameId.URL: lambda ids: ids.str.replace(r"^(?i:https?)://", "").str.replace(r"(.)/+$", "$1"),
}


@dataclass(frozen=True, kw_only=True)
class Spelling:
    """What a user says of his files; a file that is spelled as we expect needs none of it.

    `columns` are our columns by the names that they have in the files, `scale` gives words their grades, and `ids` are
    the rules by which two ids are one. `chunks` says which documents chunks belong to, `spans` when a retrieved span
    covers a judged one.
    """

    columns: Mapping[str, str] = field(default_factory=dict, hash=False)
    scale: Scale | None = None
    ids: tuple[SameId, ...] = ()
    chunks: Chunks | None = None
    spans: Spans | None = None

    @classmethod
    def of(
        cls,
        columns: str | Mapping[str, str] | None = None,
        scale: str | Scale | None = None,
        ids: str | Iterable[str] | None = None,
        chunks: str | None = None,
        spans: str | None = None,
        judged: Any = None,
    ) -> Spelling | None:
        """Return the spelling that is given as text (`query=search_term,grade=stars`) or as values; None if none is.

        `judged` are the judgments, or their file, whose spans runs are matched with.
        """
        if not (columns or scale or ids or chunks or spans):
            return None
        rules = ids.split(",") if isinstance(ids, str) else list(ids or ())
        known = dict(_columns(columns or {}))
        if spans:
            known = {"start": "start", "end": "end"} | known
        if chunks and chunks.startswith(COLUMN):
            known, chunks = {**known, "document": chunks.removeprefix(COLUMN)}, None
        return cls(
            columns=known,
            scale=None if scale is None else scale_of(scale),
            ids=tuple(SameId.parse(rule.strip()) for rule in rules),
            chunks=None if chunks is None else Chunks.parse(chunks),
            spans=None if spans is None else Spans.parse(spans, judged),
        )

    def same(self, name: str) -> pl.Expr:
        """Return the ids in a column, with one spelling for those that are the same."""
        ids = pl.col(name)
        if self.chunks is not None and name == "document":
            ids = self.chunks.document(ids)
        for rule in self.ids:
            ids = _RULES[rule](ids)
        return ids.alias(name)


def _columns(given: str | Mapping[str, str]) -> Mapping[str, str]:
    if isinstance(given, str):
        parts = [part.partition("=") for part in given.split(",")]
        if not all(name.strip() and column.strip() for name, _, column in parts):
            raise ParameterError("a table", "columns", "written as query=search_term,document=sku", given)
        given = {name.strip(): column.strip() for name, _, column in parts}
    for name in given:
        if name not in ALIASES:
            raise UnknownNameError("column", name, ALIASES, otherwise=f"Ours come first, as in {_EXAMPLE}.")
    return dict(given)


_EXAMPLE = "query=search_term,document=sku,grade=stars"
