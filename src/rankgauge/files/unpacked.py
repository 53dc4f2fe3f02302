"""How large a packed table becomes: columns that repeat themselves pack to next to nothing, and unpack to any size."""

from __future__ import annotations

from rankgauge.errors import InputError
from rankgauge.lazy_polars import pl

RATIO = 100
"""How many times its size a table may unpack to: names that are repeated in every row take a tenth at most."""

HARMLESS = 64 << 20
"""What unpacks to fewer bytes is no danger, and neither is a file that is larger than that itself."""


def refuse_bomb(frame: pl.LazyFrame, size: int, name: str | None = None) -> pl.LazyFrame:
    """The table of a file of that size; an error if it unpacks to far more. Its cells are counted, not held."""
    if size >= HARMLESS:
        return frame
    schema, most = frame.collect_schema(), max(HARMLESS, RATIO * size)
    cells = 8 * frame.select(pl.len()).collect().item() * max(len(schema), 1)
    texts = [pl.col(column).str.len_bytes() for column, kind in schema.items() if kind == pl.String]
    texts += [pl.col(column).bin.size() for column, kind in schema.items() if kind == pl.Binary]
    texts += [8 * pl.col(column).list.len() for column, kind in schema.items() if isinstance(kind, pl.List)]
    if cells <= most and texts:
        sums = frame.select(text.cast(pl.UInt64).sum().alias(str(n)) for n, text in enumerate(texts))
        cells += sum(sums.collect(engine="streaming").row(0))
    if cells > most:
        raise InputError(
            f"unpacks to more than {RATIO} times its size; no real table packs that well",
            path=name,
            hint="Write it without the repetition, or as CSV.",
        )
    return frame
