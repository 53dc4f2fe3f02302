"""What a file holds and in which format: known by its first lines and its name, or an error that helps."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from rankgauge.errors import InputError
from rankgauge.io.format import FORMATS, LINES, Format, Head, Kind, get
from rankgauge.io.source import Source

__all__ = ["AnyFormat", "Detection", "detections", "fitting", "misfit", "readable"]

AnyFormat = str | Format | None


@dataclass(frozen=True, kw_only=True)
class Detection:
    """What a file may be: its format, and what it holds."""

    format: Format
    kind: Kind


def detections(source: Source, format: AnyFormat = None) -> list[Detection]:
    """Everything that the file may be, the likeliest first."""
    head = Head(source=source)
    asked = FORMATS.values() if format is None else [get(format)]
    shapes = [Detection(format=one, kind=kind) for one in asked for kind in one.recognise(head)]
    suffixed = [shape for shape in shapes if source.suffix in shape.format.suffixes]
    marked = [shape for shape in shapes if shape.format.sureness > 1 and shape.kind is not Kind.COMPANION]
    if shapes:
        # A name that fits outweighs a mark in the line, and that a mere number of fields.
        return suffixed or marked or shapes
    named = [one for one in asked if format is not None or source.suffix in one.suffixes]
    guesses = [Detection(format=one, kind=kind) for one in named for kind in (Kind.JUDGMENTS, Kind.RUN)]
    if not guesses:
        raise InputError(
            _riddle(head),
            path=source.name,
            text=head.lines[0] if head.lines else None,
            hint="\n  ".join([*_nearly(head), f"Known formats: {', '.join(FORMATS)}."]),
        )
    return guesses


def _nearly(head: Head) -> list[str]:
    """What the formats say that the file is nearly in."""
    said = [one.nearly(head) for one in FORMATS.values() if one.nearly is not None]
    return [words for words in said if words is not None]


def _riddle(head: Head) -> str:
    if head.binary:
        return "is not a text file, nor a table in a format that is known"
    return "the format is not recognised" if head.lines else "there are only blank lines and comments"


def readable(source: Source, format: AnyFormat, wanted: tuple[Kind, ...], ability: str) -> Format:
    if format is not None and getattr(get(format), ability) is not None:
        return get(format)
    shapes = detections(source, format)
    fitting = [one.format for one in shapes if one.kind in wanted and getattr(one.format, ability) is not None]
    if fitting:
        return fitting[0]
    raise InputError(
        f"holds {shapes[0].kind.value} (format {shapes[0].format.name}), {wanted[0].value} expected",
        path=source.name,
        hint=_wanted(shapes, wanted[0]),
    )


def fitting(left: list[Detection], right: list[Detection]) -> tuple[Detection, Detection] | None:
    """The likeliest reading of two files as judgments and a run; two of one format before two of different ones."""
    pairs = [pair for pair in itertools.product(left, right) if _fits(*pair)]
    return min(pairs, key=lambda pair: pair[0].format is not pair[1].format, default=None)


def _fits(one: Detection, other: Detection) -> bool:
    """Whether the first may be the judgments that the second is the run to."""
    if one.kind is not Kind.JUDGMENTS:
        return False
    return other.kind is Kind.RUN or (other.kind is Kind.COMPANION and one.format is other.format)


def misfit(first: Source, second: Source, left: list[Detection], right: list[Detection]) -> InputError:
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
    if _holds(left, Kind.JUDGMENTS):
        return InputError(said, path=second.name, hint=_wanted(right, Kind.RUN))
    return InputError(said, path=first.name, hint=_wanted(left, Kind.JUDGMENTS))


def _holds(shapes: list[Detection], kind: Kind) -> bool:
    return any(shape.kind is kind for shape in shapes)


def _wanted(shapes: list[Detection], kind: Kind) -> str:
    """What to say where a file of that kind was expected."""
    if shapes[0].kind is Kind.COMPANION:
        return "A file of scores is read beside its LETOR file."
    return f"This one should be {kind.value}; a line of that in TREC's format is: {LINES[kind]}"
