"""The pairs that people and judges graded, with the judges' grades on people's scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Any

import numpy as np
import polars as pl

from rankgauge import files
from rankgauge.errors import InputError
from rankgauge.files import find
from rankgauge.files.columns import is_blank
from rankgauge.files.source import suffix_of
from rankgauge.judgments.llm.machine_judge import MachineJudge, is_stretched, place_on_scale, read_judges
from rankgauge.numeric import BoolArray, FloatArray, Grouped, IndexArray

HIGHEST = 5.0
"""Whole grades from 0 up to this are taken as grades of relevance, whatever the highest of them; others are points."""


def people_scale(seen: FloatArray, highest: float = 1.0) -> FloatArray:
    """Return every whole grade up to people's highest, or to another that is higher; 0 and 1 if they used no other."""
    if not np.array_equal(seen, np.round(seen)):
        return np.unique(np.append(seen, [0.0, 1.0]))
    top = float(seen.max(initial=1.0))
    return np.arange(0.0, (top if top <= 1 else max(top, highest)) + 1)


def _on_scale(given: FloatArray, own: FloatArray, people: FloatArray, *, few: bool) -> FloatArray:
    """Return a judge's grades on people's scale; as they are, but for negative ones, if they are on it already.

    `own` are the grades of the judge's scale, `people` those that people gave: in few labels the highest may be
    missing. Where people only say relevant or not, a judge of whole grades is cut, not stretched.
    """
    whole = np.array_equal(own, np.round(own)) and own.max() <= HIGHEST
    alike = few and whole and own.min() <= 0
    scale = people_scale(people, float(own.max()) if alike else 1.0)
    if not is_stretched(own, scale) or (whole and scale[-1] <= 1):
        return np.maximum(given, 0.0)
    return np.asarray(scale[place_on_scale(given, own, scale)])


KEYS = ["query", "document"]

PROBABILITIES = ("probability", "inclusion_probability")
"""What a column with the chance of each pair to be given to people may be called."""


@dataclass(frozen=True, kw_only=True, eq=False)
class GradedPairs(Grouped):
    """The pairs that every judge graded, those of a query together.

    `people` (pairs) has people's grades, NaN where they gave none; `judges` each judge's on people's scale, `own` its
    own, `machines` all that it said. `shared` counts people's grades of these pairs.
    `probability` (pairs) is the chance with which a pair was chosen for people, where the file says so; None if it does
    not. `coverage` counts the pairs of each file: judge, graded, people, both, and what only one side graded.
    """

    queries: tuple[str, ...]
    documents: pl.Series
    sizes: IndexArray
    people: FloatArray
    judges: Mapping[str, FloatArray]
    own: Mapping[str, FloatArray]
    machines: Mapping[str, MachineJudge]
    probability: FloatArray | None
    coverage: pl.DataFrame
    shared: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    """By judge how many labels were left out, because the judge was shown them as examples."""

    @classmethod
    def from_grades(
        cls, people: Any, judges: Mapping[str, Any], examples: Mapping[str, Sequence[tuple[str, str]]] | None = None
    ) -> GradedPairs:
        """Return the pairs of people's judgments (a path, frame, dict or rows) and of judges by name.

        `examples` are by judge the pairs that it was shown with people's grades, which say nothing of it.
        """
        if not judges:
            raise InputError("there is no judge to audit", hint="Give the judge's grades after people's.")
        machines = {judge.name: judge for judge in read_judges(judges)}
        graded = {name: judge.frame.select(*KEYS, "grade") for name, judge in machines.items()}
        every = human = _read_people(people)
        left_out: dict[str, int] = {}
        for name, pairs in (examples or {}).items():
            shown = pl.DataFrame(list(pairs), schema=dict.fromkeys(KEYS, pl.String), orient="row")
            if number := len(every.join(shown, on=KEYS, how="semi")):
                left_out[name] = number
            human = human.join(shown, on=KEYS, how="anti", maintain_order="left")
        named = [frame.rename({"grade": f"judge {n}"}) for n, frame in enumerate(graded.values())]
        whole = reduce(lambda left, right: left.join(right, on=KEYS, how="inner", maintain_order="left"), named)
        whole = whole.group_by("query", maintain_order=True).all().explode(whole.columns[1:])
        frame = whole.join(human, on=KEYS, how="left", maintain_order="left")
        if not len(whole):
            raise InputError("no pair of query and document was graded by every judge", hint=_first_pairs(graded))
        if frame["people"].null_count() == len(frame):
            hint = _first_pairs({"people": human, **graded})
            raise InputError("people and judges graded no pair in common", hint=hint)
        given, own = _numbers(frame["people"]), {name: _numbers(frame[f"judge {n}"]) for n, name in enumerate(graded)}
        seen, few = np.unique(given[~np.isnan(given)]), bool(np.isnan(given).any())
        scales = {name: np.array(judge.grades) for name, judge in machines.items()}
        return cls(
            queries=tuple(frame["query"].unique(maintain_order=True)),
            documents=frame["document"],
            sizes=frame["query"].rle().struct["len"].to_numpy().astype(np.int64),
            people=given,
            judges={name: _on_scale(grades, scales[name], seen, few=few) for name, grades in own.items()},
            own=own,
            machines=machines,
            probability=_numbers(frame["probability"]) if "probability" in frame.columns else None,
            coverage=pl.DataFrame([_count_grades(name, one, human) for name, one in graded.items()]),
            shared=int((~np.isnan(given)).sum()),
            left_out=left_out,
        )

    @cached_property
    def labelled(self) -> BoolArray:
        """Where people gave a grade."""
        return ~np.isnan(self.people)

    @property
    def few(self) -> bool:
        """Whether people graded only a sample of the pairs."""
        return not bool(self.labelled.all())

    @property
    def share(self) -> float:
        """The share of people's grades that is of these pairs: what a board of them rests on."""
        return self.shared / int(self.coverage["people"][0])

    @cached_property
    def weights(self) -> FloatArray:
        """What each labelled pair stands for: 1 / probability, scaled to the number of labels; 0 where unlabelled."""
        if self.probability is None:
            return self.labelled.astype(np.float64)
        raw = np.where(self.labelled, 1.0 / np.where(self.labelled, self.probability, 1.0), 0.0)
        return np.asarray(raw * self.labelled.sum() / raw.sum())

    @cached_property
    def scale(self) -> FloatArray:
        """The grades that people gave, rising."""
        return np.unique(self.people[self.labelled])

    def frame(self) -> pl.DataFrame:
        """Return the queries and documents of the pairs."""
        return pl.DataFrame({"query": pl.Series(self.queries).gather(self.query), "document": self.documents})


def _read_people(source: Any) -> pl.DataFrame:
    """Read people's grades; with the column `probability`, if the table has it."""
    frame = source if isinstance(source, pl.DataFrame) else files.judgments_from(source)
    if "assessor" in frame.columns and frame.select(pl.struct(KEYS).is_duplicated().any()).item():
        raise InputError(
            "several people judged one document, and an audit needs one grade for each document",
            path=source if files.is_path(source) else None,
            hint="Make one grade of several first: rankgauge judgments combine FILE --rule median -o people.txt",
        )
    grades = frame.select(*KEYS, people=pl.col("grade").clip(lower_bound=0.0))
    chances = _read_chances(source)
    return grades if chances is None else grades.join(chances, on=KEYS, how="left", maintain_order="left")


def _read_chances(source: Any) -> pl.DataFrame | None:
    """Return the column of probabilities in a table, checked."""
    if isinstance(source, pl.DataFrame):
        table = source
    elif files.is_path(source) and suffix_of(str(source)) in files.table_suffixes():
        table = files.read_table(source)
    else:
        return None
    name = next((name for name in PROBABILITIES if name in table.columns), None)
    if name is None:
        return None
    keys = files.judgments_from(source).select(KEYS)
    grade = find(table.columns, "grade")
    if grade is not None and len(table) > len(keys):
        table = table.filter(~is_blank(table[grade]))
    if len(table) > len(keys):
        ids = [column for key in KEYS if (column := find(table.columns, key))]
        table = table.unique(ids, keep="first", maintain_order=True)
    chance = table[name].cast(pl.Float64, strict=False)
    bad = ~((chance > 0) & (chance <= 1)).fill_null(False)
    if bad.any():
        row = int(bad.arg_max() or 0)
        raise InputError(
            f"the {name} of a label is a number above 0 and at most 1, and row {row + 1} has {table[name][row]}",
            path=source if files.is_path(source) else None,
            hint="It is the chance with which the document was chosen for people.",
        )
    return keys.with_columns(probability=chance)


def _count_grades(name: str, graded: pl.DataFrame, people: pl.DataFrame) -> dict[str, Any]:
    """Count what a judge and people graded."""
    both, grade = len(graded.join(people, on=KEYS, how="semi")), graded["grade"]
    return {
        "judge": name,
        "graded": len(graded),
        "queries": graded["query"].n_unique(),
        "people": len(people),
        "both": both,
        "judge_only": len(graded) - both,
        "people_only": len(people) - both,
        "lowest": float(grade.min()),  # type: ignore[arg-type]
        "highest": float(grade.max()),  # type: ignore[arg-type]
    }


def _numbers(column: pl.Series) -> FloatArray:
    return np.asarray(column.cast(pl.Float64).fill_null(np.nan).to_numpy(), dtype=np.float64)


def _first_pairs(frames: Mapping[str, pl.DataFrame]) -> str:
    shown = [f"{name}: query {frame['query'][0]}, document {frame['document'][0]}" for name, frame in frames.items()]
    return "Are the ids written alike? The first pairs: " + "; ".join(shown)
