"""What a file holds and in which format, by its first lines and its name; or an error that helps."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from rankgauge.errors import InputError
from rankgauge.files.format import FORMATS, LINES, MAGIC, Format, Head, Kind, get
from rankgauge.files.json_text import values
from rankgauge.files.source import Source

AnyFormat = str | Format | None

JSON_LINES = (".jsonl", ".ndjson")
"""Suffixes that say that a JSON file has an object per line."""

NOTHING = ("", "[]", "{}")
"""What is in a file that holds nothing."""

KNOWN = (
    "Judgments and runs are read from TREC files, CSV, JSON, Parquet, spreadsheets and more: see 'rankgauge formats'."
)


@dataclass(frozen=True, kw_only=True)
class Detection:
    """What a file may be: its format, and what it holds."""

    format: Format
    kind: Kind


def detections(source: Source, format: AnyFormat = None) -> list[Detection]:
    """Return everything that the file may be, the likeliest first."""
    head, asked = Head(source=source), _read_as(format)
    if head.text.strip() in NOTHING:
        raise source.empty()
    if readings := recognise(source, format):
        return readings
    named = asked if format is not None else [one for one in asked if _may_be(one, head)]
    guesses = [Detection(format=one, kind=kind) for one in named for kind in Kind if one.reads(kind)]
    if format is None and head.text.lstrip().startswith(("{", "[")) and source.suffix not in JSON_LINES:
        raise _unknown_json(head)
    if not guesses:
        nearly = [format_.nearly(head) for format_ in FORMATS.values() if format_.nearly is not None]
        raise InputError(
            _unknown_file(head),
            path=source.name,
            text=head.lines[0] if head.lines else None,
            hint="\n  ".join(filter(None, [*nearly, KNOWN if head.binary or head.lines else None])),
        )
    return guesses


def _may_be(format: Format, head: Head) -> bool:
    """Say whether a file that no format recognises has the name of this one; what is not text is in no format of texts.

    A format that is known by the names of its columns is none without them.
    """
    named = head.source.suffix in format.suffixes and format.sureness <= MAGIC
    return named and (format.binary or not head.binary)


def recognise(source: Source, format: AnyFormat = None) -> list[Detection]:
    """Return what the file is by its beginning, the likeliest first; nothing if it is in none of the formats."""
    head = Head(source=source)
    detections = [Detection(format=one, kind=kind) for one in _read_as(format) for kind in one.recognise(head)]
    suffixed = [detection for detection in detections if source.suffix in detection.format.suffixes]
    marked = [
        detection for detection in detections if detection.format.sureness > 1 and detection.kind is not Kind.COMPANION
    ]
    # A fitting name outweighs a mark in the line, which outweighs a mere number of fields.
    return [one for one in suffixed if one in marked] or suffixed or marked or detections


def _read_as(format: AnyFormat) -> list[Format]:
    return list(FORMATS.values()) if format is None else [get(format)]


def _unknown_json(head: Head) -> InputError:
    """Make the error for JSON with a layout that no format has, or for what is no JSON after all."""
    values(head.source)
    layouts = sorted((format_.name, format_.title) for format_ in FORMATS.values() if ".json" in format_.suffixes)
    known = "".join(f"\n    {name}: {title}" for name, title in layouts)
    return InputError(
        "unknown JSON layout",
        path=head.source.name,
        text=head.lines[0] if head.lines else None,
        hint=f"Known layouts:{known}\n  A row of a table has a query, a document, and a grade, a score or a rank. "
        "If the file has one of these layouts, name it: --format-run NAME or --format-judgments NAME.",
    )


def _unknown_file(head: Head) -> str:
    if head.binary:
        return "is not a text file, nor a table in a known format"
    return "the format is not recognised" if head.lines else "there are only blank lines and comments"


def _with_part(format: Format, source: Source) -> Format:
    """Return the format, unless one of several runs is asked for and its files hold but one."""
    if source.part and not format.holds_several:
        raise InputError(
            f"holds no runs by name (format {format.name}), so none is called {source.part}",
            path=source.name,
            hint="Name the file alone.",
        )
    return format


def readable(source: Source, format: AnyFormat, wanted: tuple[Kind, ...], ability: str) -> Format:
    """Return the format in which the file can be read as one of the wanted kinds; `ability` names the reader."""
    if format is not None and getattr(get(format), ability) is not None:
        return _with_part(get(format), source)
    readings = detections(source, format)
    able = [
        reading.format
        for reading in readings
        if reading.kind in wanted and getattr(reading.format, ability) is not None
    ]
    if able:
        return _with_part(able[0], source)
    raise InputError(
        f"contains {readings[0].kind.value} (format {readings[0].format.name}); expected {wanted[0].value}",
        path=source.name,
        hint=_hint_at(readings, wanted[0]),
    )


def fitting(left: list[Detection], right: list[Detection]) -> tuple[Detection, Detection] | None:
    """Return the likeliest way to read two files as judgments and a run; both in one format before two formats."""
    pairs = [pair for pair in itertools.product(left, right) if _fits(*pair)]
    return min(pairs, key=lambda pair: pair[0].format is not pair[1].format, default=None)


def _fits(one: Detection, other: Detection) -> bool:
    """Say whether the two may be judgments and a run for them."""
    if one.kind is not Kind.JUDGMENTS:
        return False
    return other.kind is Kind.RUN or (other.kind is Kind.COMPANION and one.format is other.format)


def misfit(first: Source, second: Source, left: list[Detection], right: list[Detection]) -> InputError:
    """Return the error for two files that are not judgments and a run."""
    if fitting(right, left):
        return InputError(
            "the two files seem to be in the wrong order",
            path=first.name,
            hint=f"Judgments come first, the run second: {second.name} {first.name}",
        )
    said = "the two files are not judgments and a run: "
    if left[0].kind is right[0].kind:
        said += f"both hold {left[0].kind.value}"
    else:
        said += f"{first.name} holds {left[0].kind.value}, {second.name} {right[0].kind.value}"
    if any(one.kind is Kind.JUDGMENTS for one in left):
        return InputError(said, path=second.name, hint=_hint_at(right, Kind.RUN))
    return InputError(said, path=first.name, hint=_hint_at(left, Kind.JUDGMENTS))


def _hint_at(readings: list[Detection], kind: Kind) -> str:
    """Return a hint if a file of that kind was expected."""
    if readings[0].kind is Kind.COMPANION:
        return "A file of scores is read beside its LETOR file."
    return f"This one should be {kind.value}; in TREC's format a line is: {LINES[kind]}"
