"""Scales: the words that assessors judge in, and the grade of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import polars as pl

from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.registry import Registered, Registry

SCALES: Registry[Scale] = Registry("scale")

STARS = range(1, 6)
"""The grades of a scale without words that many people use: one to five stars."""


@dataclass(frozen=True, kw_only=True)
class Scale(Registered):
    """Labels and their grades, the best first. If two labels share a grade, the first one names it."""

    registry = SCALES

    name: str
    reference: str = ""
    levels: tuple[tuple[str, float], ...]
    rel: float | None = None
    """The lowest grade that counts as relevant; None: the scale does not say, and the dialect decides."""
    meanings: Mapping[float, str] = field(default_factory=dict, hash=False)
    """What assessors are told of a grade, where the scale's authors say it."""

    def __post_init__(self) -> None:
        keys = [_key(label) for label, _ in self.levels]
        if not keys or len(set(keys)) < len(keys):
            raise ParameterError(f"the scale {self.name}", "levels", "one or more different labels", self.levels)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return a scale of your own, written as `good=2, fair=1, bad=0`."""
        try:
            pairs = [level.rsplit("=", maxsplit=1) for level in text.split(",")]
            return cls(name=text, levels=tuple((label.strip(), float(grade)) for label, grade in pairs))
        except ValueError:
            raise ParameterError("a scale", "text", "written as label=grade, label=grade", text) from None

    @property
    def max_grade(self) -> float:
        """The grade of the best level."""
        return max(grade for _, grade in self.levels)

    def grade(self, label: str | float) -> float:
        """The grade of a label, in any case and with any hyphens, underscores or blanks, or written as its number."""
        key = _key(str(label))
        if key not in self._grades:
            raise self._unknown(label)
        return self._grades[key]

    def knows(self, label: str | float) -> bool:
        """Say whether the label is one of its levels."""
        return _key(str(label)) in self._grades

    def grades(self, labels: pl.Series) -> pl.Series:
        """Return the grades of labels; null where one is not a level.

        Numbers up to the scale's top stay where no label of the scale is one.
        """
        known = {label: self._grades.get(_key(str(label))) for label in labels.unique().drop_nulls()}
        if not any(_number(label) is not None for label, _ in self.levels):
            known = {label: self._within(label) if grade is None else grade for label, grade in known.items()}
        return pl.Series(labels.name, [known.get(label) for label in labels], dtype=pl.Float64)

    def _within(self, label: object) -> float | None:
        """Return the number that a label is; None if it is none, or above the scale's top."""
        number = _number(label)
        return None if number is None or number > self.max_grade else number

    def label(self, grade: float) -> str:
        """Return the label of a grade."""
        for label, level in self.levels:
            if level == grade:
                return label
        raise self._unknown(grade)

    def apply(self, judgments: pl.DataFrame) -> pl.DataFrame:
        """Return the judgments with grades in place of labels."""
        if "grade" not in judgments.columns:
            raise InputError(f"judgments need a column grade; found {', '.join(judgments.columns) or 'no columns'}")
        labels = judgments["grade"].unique()
        if labels.null_count():
            raise InputError("judgments have a row without a grade", hint="Leave out documents that were not judged.")
        grades = [self.grade(label) for label in labels]
        return judgments.with_columns(
            pl.col("grade").replace_strict(labels, pl.Series(grades, dtype=pl.Float64), return_dtype=pl.Float64)
        )

    @cached_property
    def _grades(self) -> dict[str, float]:
        numbers = {_key(str(grade)): grade for _, grade in self.levels}
        return numbers | {_key(label): grade for label, grade in self.levels}

    def _unknown(self, level: object) -> UnknownNameError:
        known = [label for label, _ in self.levels]
        return UnknownNameError(f"level of the scale {self.name}", str(level), known)


def get(name: str | Scale | Mapping[str, float]) -> Scale:
    """Look up a scale by its name, or make the one that `good=2, fair=1, bad=0` or {"good": 2 …} spells out."""
    if isinstance(name, Scale):
        return name
    if isinstance(name, Mapping):
        return Scale.parse(", ".join(f"{label}={grade}" for label, grade in name.items()))
    if "=" in name:
        return Scale.parse(name)
    return SCALES.find(name)


def scales_of(word: object) -> str | None:
    """Return what to do about a word in place of a grade: the scales that know it; None for a number."""
    if not isinstance(word, str) or _number(word) is not None:
        return None
    knowing = [f"--scale {name}" for name, scale in SCALES.items() if scale.knows(word)]
    own = "your own, as in --scale good=2,fair=1,bad=0 (scale='good=2,fair=1,bad=0' in Python)"
    return f"Words need a scale: {' or '.join([*knowing, own])}."


def scale_of_values(values: Iterable[object]) -> str | None:
    """Name the known scale that all the values are on, the one with the fewest levels; None if there is none."""
    keys = {_key(str(value)) for value in values}
    fitting = [scale for scale in SCALES.values() if keys <= {_key(label) for label, _ in scale.levels}]
    if fitting:
        return min(fitting, key=lambda scale: len(scale.levels)).name
    grades: list[set[str]] = [{_key(str(grade)) for _, grade in scale.levels} for scale in SCALES.values()]
    grades += [{str(star) for star in STARS}]
    numbers = [sorted(map(float, one)) for one in grades if keys <= one]
    if not numbers:
        return None
    known = min(numbers, key=len)
    whole = all(number.is_integer() for number in known)
    return f"{known[0]:g}–{known[-1]:g}" if whole else ", ".join(f"{number:g}" for number in known)


def _key(label: str) -> str:
    """Return what two spellings of one label share. A number is its value, so that -2 and 2 stay two levels."""
    number = _number(label)
    return "".join(c for c in label.casefold() if c not in "-_ \t") if number is None else f"{number:g}"


def _number(label: object) -> float | None:
    try:
        return float(str(label))
    except ValueError:
        return None


ROMIP_MEANINGS = {
    3.0: "Much and varied information on the topic, which is what the page is mainly about; or a well-kept, annotated "
    "and broad collection of links on it.",
    2.0: "Much useful information, but the topic is not the main one, is mixed with others, or is covered in part.",
    1.0: "Some useful information, clearly incomplete, on a page that is mainly about something else.",
    0.0: "Nothing useful, or next to nothing: the topic is at most touched. Also where a document cannot be judged "
    "(CANTBEJUDGED): it cannot be read or shown, is in a language that you do not know, or the like.",
}
"""What ROMIP 2010 told its assessors of the five grades (appendix, section 3), shortened; the last two are both 0."""

for _name, _reference, _text, _rel in (
    ("binary", "Cranfield's relevant or not", "relevant=1, not relevant=0", 1.0),
    (
        "romip",
        "Ageev, Kuralenok & Nekrestyanov, Official metrics of ROMIP 2010",
        # RELEVANT is the binary tables' word: relevant-minus at least. CANTBEJUDGED counts as not relevant, so it comes
        # after NOTRELEVANT and never names the grade 0.
        "VITAL=3, RELEVANT_PLUS=2, RELEVANT_MINUS=1, RELEVANT=1, NOTRELEVANT=0, CANTBEJUDGED=0",
        1.0,
    ),
    (
        "0-4",
        "Chapelle & Chang, Yahoo! learning to rank challenge overview, JMLR W&CP 2011; MSLR-WEB30K has the same",
        "perfect=4, excellent=3, good=2, fair=1, bad=0",
        None,
    ),
    (
        "trec-web",
        "Collins-Thompson et al., TREC 2014 web track overview",
        "Nav=4, Key=3, HRel=2, Rel=1, Non=0, Junk=-2",
        1.0,
    ),
    (
        "trec-dl",
        "Craswell et al., Overview of the TREC 2019 deep learning track",
        "perfectly relevant=3, highly relevant=2, related=1, irrelevant=0",
        2.0,  # passages: where a measure needs two levels, 3 and 2 are relevant, 1 and 0 are not
    ),
    (
        "esci",
        "Reddy et al., Shopping queries dataset, 2022: the gains of exact, substitute, complement, irrelevant",
        "E=1, S=0.1, C=0.01, I=0, Exact=1, Substitute=0.1, Complement=0.01, Irrelevant=0",
        1.0,
    ),
):
    _told = ROMIP_MEANINGS if _name == "romip" else {}
    Scale(name=_name, reference=_reference, levels=Scale.parse(_text).levels, rel=_rel, meanings=_told).register()
