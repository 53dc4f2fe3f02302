"""The contract of a measure, and the registry that subclassing fills.

A measure is one file: a class with its facts (name, formula, reference, bounds, traits, worked examples), its
parameters as fields, and its kernel, in the first of these ways that fits:

- `form`: worths of grades and weights of ranks;
- `numerator` or `amounts`, and `divisor`: what each hit adds above the line, and what the sum is divided by (`ideal`
  says so as worths of grades and weights of ranks, where it can);
- `values`: anything else.

A kernel gives NaN where its formula is 0/0; only a dialect turns that into a number.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import KW_ONLY, field, fields, replace
from enum import Enum
from functools import cached_property, partial
from numbers import Real
from typing import Any, ClassVar, Self, dataclass_transform

import numpy as np

from rankgauge.constraints import Constraint, flag, real_number
from rankgauge.errors import JudgmentsError, ParameterError, UnknownNameError
from rankgauge.measures.forms import Form
from rankgauge.measures.output import NumberFormat
from rankgauge.numeric import FloatArray, ratio
from rankgauge.policies import JudgmentKind
from rankgauge.ranking import UNJUDGED, RankedLists, Sampling, total
from rankgauge.ranking.lists import Grade
from rankgauge.ranking.sampling import SAMPLING
from rankgauge.records import record, tuple_record
from rankgauge.registry import Registry


class Cutoff(Enum):
    """Whether a measure's name ends in `@k`."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"
    RECALL = "recall"  # @0.1: a recall level instead of a rank


_CUTOFFS: Mapping[Any, Cutoff] = {
    None: Cutoff.NONE,
    **dict.fromkeys((int | None, "int | None"), Cutoff.OPTIONAL),
    **dict.fromkeys((int, "int"), Cutoff.REQUIRED),
    **dict.fromkeys((float, "float"), Cutoff.RECALL),
}
"""The rule by the type of the parameter, which may be written in quotes."""


class TieRule(Enum):
    """How a measure gets its mean over all orders of tied documents."""

    EXACT = "exact"  # a closed form or a recursion
    SAMPLED = "sampled"  # random orders; the standard error is shown
    IMMUNE = "immune"  # the order within a tie cannot change the value
    GIVEN = "given"  # no mean makes sense: the order of the input is kept


class Aggregate(Enum):
    """How the values of the queries become one number."""

    MEAN = "mean"
    SUM = "sum"
    GEOMETRIC = "geometric"

    def over(self, values: FloatArray, *, single: bool = False) -> float:
        """Return one number from the values of the queries, added in their order; NaN marks a query that is left out.

        `single` does it in single precision.
        """
        counted = values[~np.isnan(values)]
        overall = _AGGREGATES[self](counted, single) if len(counted) else np.nan
        return float(np.float32(overall)) if single else overall


LEAST = 1e-5
"""The least value of a query in a geometric mean (trec_eval's MIN_GEO_MEAN): one 0 would make the mean 0."""


def _mean(values: FloatArray, single: bool) -> float:
    """Return the mean of one or more values, added from left to right as tools do."""
    sum_ = total(values, single=True) if single else np.add.accumulate(values)[-1]
    return float(sum_ / len(values))


_AGGREGATES: Mapping[Aggregate, Callable[[FloatArray, bool], float]] = {
    Aggregate.MEAN: _mean,
    Aggregate.SUM: lambda values, single: float(total(values)),
    Aggregate.GEOMETRIC: lambda values, single: float(np.exp(_mean(np.log(np.maximum(values, LEAST)), single))),
}


@tuple_record
class Example:
    """A worked example: one list, and the value as arithmetic.

    `grades` are those of the list in rank order (None: unjudged), `missed` those of judged documents that it lacks. A
    document that is judged by subtopic has a tuple of grades.
    """

    measure: str
    grades: tuple[Grade | None, ...]
    _: KW_ONLY
    missed: tuple[Grade, ...] = ()
    value: str


_SIGNS: Mapping[str, float | None] = {"-": None, "?": UNJUDGED, ".": np.nan}
"""Grades that are no numbers: an unjudged document, one of the pool that nobody judged, one not in a stratum."""


def read_examples(text: str) -> tuple[Example, ...]:
    """Read worked examples, one in a line: `AP(rel=2)@3 of 1 - 2 0 | 2 1 = (1/3) / 3`.

    The grades are those of the list by rank, after a bar those of judged documents that it lacks. `-` is an unjudged
    document, `?` one of the pool that nobody judged; a document that is judged by subtopic has its grades with commas
    between them, `.` where it is in no such stratum. A list without documents is `nothing`; `#` begins a comment.
    """
    examples = []
    for words in (line.partition("#")[0].split() for line in text.splitlines()):
        if words:
            measure, _, rest = " ".join(words).partition(" of ")
            listed, _, value = rest.partition(" = ")
            grades, _, missed = listed.replace("nothing", "").partition("|")
            examples.append(Example(measure, _read_grades(grades), missed=_read_grades(missed), value=value))
    return tuple(examples)


def _read_grades(text: str) -> tuple[Any, ...]:
    """Return the grade of each document, or its grades by subtopic."""
    documents = ([_SIGNS[g] if g in _SIGNS else float(g) for g in word.split(",")] for word in text.split())
    return tuple(tuple(grades) if len(grades) > 1 else grades[0] for grades in documents)


@record
class Facts:
    """What is known of a measure. The first four have no default; a measure states the rest where it differs."""

    title: str
    formula: str
    reference: str
    examples: tuple[Example, ...]
    name: str = ""
    """That of the class, unless it is stated."""
    bounds: tuple[float, float] = (0.0, 1.0)
    cutoff: Cutoff = Cutoff.NONE
    """What follows from the type of the parameter `cutoff`: not stated."""
    ties: TieRule = TieRule.EXACT
    graded: bool = False
    improves: bool = True
    """Moving a document above one with a lower grade never lowers the value."""
    attains: bool = False
    """The ideal order of the judged documents gives the upper bound, where the value is defined."""
    better: bool | None = None
    """Whether more is better; None: it is if the ideal order gives the upper bound, or if order matters and moving a
    better document up never lowers the value."""
    aggregate: Aggregate = Aggregate.MEAN
    counts_unjudged: bool = False
    """Unjudged documents after the last judged one change the value: it counts what was retrieved."""
    ignores_unjudged: bool = False
    """Unjudged documents change nothing: the value is that of the list without them."""
    knows_pool: bool = False
    """An unjudged document of the pool counts differently from one outside the pool."""
    judgments: JudgmentKind = JudgmentKind.GRADES
    """What the measure asks judgments to say of a document."""

    @property
    def more_is_better(self) -> bool:
        """Whether a run with more of it is the better one."""
        if self.better is not None:
            return self.better
        return self.attains or (self.improves and self.ties is not TieRule.IMMUNE)


_BY_GROUP = (
    "by group, and these do not say which group they are of",
    "Give qrels (query group document grade), for preferences also trec_eval's prefs (query group subgroup document "
    "level), or a table with a column subtopic that names the group.",
)
_ASKED: Mapping[JudgmentKind, tuple[str, str]] = {
    JudgmentKind.SUBTOPICS: (
        "by subtopic, and these have one grade for each document",
        "Give diversity qrels (query subtopic document grade), or a table with a column subtopic.",
    ),
    JudgmentKind.GROUPS: _BY_GROUP,
    JudgmentKind.PREFERENCES: _BY_GROUP,
    JudgmentKind.SAMPLES: (
        "of a sample, and these have one grade for each document",
        "Give sample_eval's qrels (query iteration document stratum grade), TREC's prels (query document grade method "
        "probability), or a table with a column stratum.",
    ),
}
"""What is asked for in words, and which files have it."""

OPEN: Any = None
"""The default of a parameter that the dialect decides, or of a cutoff that the user has to give."""

DEFAULTS: Mapping[str, Any] = {"rel": 1.0, "gain": "linear", "discount": "log2", "alpha": 0.5, "beta": 0.5}
"""The value of an open parameter that the dialect leaves open too; the top of the scale is that of the judgments."""


PROPER = Constraint("between 0 and 1", lambda value: 0 < value < 1)
PERSISTENCE = Constraint("a probability from 0 to below 1", lambda value: 0 <= value < 1)
SHARE = real_number(most=1)
"""What the parameters of several measures may be."""


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and value == value


def _holds(constraint: Constraint, value: Any) -> bool:
    try:
        return constraint.holds(value)
    except (TypeError, ValueError, OverflowError):  # a value of another kind, which cannot even be compared
        return False


def _is_table(value: Any) -> bool:
    pairs = value if isinstance(value, tuple) else [value]
    return all(isinstance(pair, tuple) and len(pair) == 2 and all(map(_is_number, pair)) for pair in pairs)


_BY_TYPE: Mapping[str, Constraint] = {
    "float": Constraint("a number", _is_number),
    "str": Constraint("a text", lambda value: isinstance(value, str)),
    "bool": flag(),
    "tuple[tuple[float, float], ...]": Constraint("a table of numbers, as in {0: 0, 1: 1, 2: 3}", _is_table),
}
"""What a parameter of that type may be, where nothing else is said."""


def parameter(constraint: Constraint | None = None, *, default: Any, words: str = "") -> Any:
    """Return a parameter with its default, what it may be where it is not open, and the words of its row in the
    reference."""
    stated = {"constraint": constraint, "words": words}
    return field(default=default, metadata={key: value for key, value in stated.items() if value})


def choice(kind: str, names: Collection[str], words: str = "") -> Any:
    """Return a parameter that is open or one of some names; `kind` is the word for it in the error on any other name,
    `words` are what its row in the reference says."""
    return field(default=OPEN, metadata={"kind": kind, "names": names} | ({"words": words} if words else {}))


FAMILIES = ("set", "binary", "graded", "cascade", "scalefree", "diversity", "preferences", "sampled")
"""The folders of measures: their families."""

MEASURES: Registry[type[Measure]] = Registry(
    "measure", *(f"rankgauge.measures.{family}" for family in FAMILIES), entry="rankgauge.measures"
)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field, parameter, choice))
@record
class Measure:
    """A measure of a ranked list. `str` gives its name, which parses back to an equal measure.

    A subclass is a frozen dataclass too, and is registered, without saying so.
    """

    facts: ClassVar[Facts]
    shorthands: ClassVar[Mapping[str, Callable[[Any], dict[str, Any]]]] = {}
    """Other spellings of parameters: a name, and what its value stands for."""
    variants: ClassVar[Mapping[str, str]] = {}
    """Parameters of other tools that, if true, make another measure of this one: a name, and that measure's."""

    judged_only: bool = parameter(default=False, words="take unjudged documents out of the list first")

    def __init_subclass__(cls) -> None:
        if not isinstance(cls.__dict__.get("facts"), Facts):
            raise TypeError(f"{cls.__name__} states no facts: title, formula, reference, examples")
        if not cls.__doc__ or not cls.facts.examples:
            raise TypeError(f"{cls.__name__} needs a docstring and at least one worked example")
        types = {f.name: f.type for f in fields(record(cls))}
        rule = _CUTOFFS.get(types.get("cutoff"))
        if rule is None:
            raise TypeError(f"{cls.__name__}: a cutoff is an int, an int | None, or as a recall level a float")
        cls.facts = replace(cls.facts, name=cls.facts.name or cls.__name__, cutoff=rule)
        MEASURES.add(cls, cls.facts.name)

    def __post_init__(self) -> None:
        self._check_cutoff()
        for f in fields(self):
            value = getattr(self, f.name)
            if value is f.default:
                continue
            written = str(getattr(f.type, "__name__", f.type)).removesuffix(" | None")
            for constraint in (_BY_TYPE.get(written), f.metadata.get("constraint")):
                if constraint is not None and not _holds(constraint, value):
                    constraint.check(self.facts.name, f.name, value)
            if (names := f.metadata.get("names")) is not None and value not in names:
                raise UnknownNameError(f.metadata["kind"], value, names)

    def _check_cutoff(self) -> None:
        cutoff, rule = getattr(self, "cutoff", None), self.facts.cutoff
        if cutoff is None:
            if rule in (Cutoff.REQUIRED, Cutoff.RECALL):
                what = "a rank" if rule is Cutoff.REQUIRED else "a recall level"
                raise ParameterError(self.facts.name, "cutoff", f"{what}, as in {self.facts.examples[0].measure}", None)
        elif rule is Cutoff.RECALL and not 0 <= cutoff <= 1:
            raise ParameterError(self.facts.name, "cutoff", "a recall level from 0 to 1", cutoff)
        elif rule is not Cutoff.RECALL and (cutoff != int(cutoff) or cutoff < 1):
            raise ParameterError(self.facts.name, "cutoff", "a whole number, 1 or more", cutoff)

    @cached_property
    def depth(self) -> int:
        """How many ranks the measure looks at; 0 where it has no rank cutoff."""
        cutoff = getattr(self, "cutoff", None)
        return 0 if cutoff is None or self.facts.cutoff is Cutoff.RECALL else int(cutoff)

    @property
    def needs_top(self) -> bool:
        """Whether the measure depends on the top of the grading scale and does not say it."""
        return getattr(self, "max_grade", 0.0) is None

    @property
    def left_out(self) -> bool:
        """Whether a query without a value is left out of the mean, whatever the dialect says."""
        return False

    def score(self, lists: RankedLists, sampling: Sampling = SAMPLING) -> FloatArray:
        """Return the value of each list; NaN where the measure is not defined."""
        return self.estimate(lists, sampling)[0]

    def estimate(self, lists: RankedLists, sampling: Sampling = SAMPLING) -> tuple[FloatArray, FloatArray]:
        """Return each list's value and its standard error: 0 unless orders of tied documents had to be sampled."""
        if lists.facets is None and self.facts.judgments is not JudgmentKind.GRADES:
            raise self.unasked()
        lists = lists.condense() if self.judged_only else lists
        top = {"max_grade": lists.highest} if self.needs_top else {}
        kernel = self.bound({**DEFAULTS, **top}).values
        if lists.tied and self.facts.ties is TieRule.SAMPLED:
            return sampling.mean(kernel, lists)
        values = kernel(lists)
        return values, np.zeros_like(values)

    def extreme(self, lists: RankedLists, *, best: bool, sampling: Sampling = SAMPLING) -> FloatArray:
        """Return each list's value in the best or the worst order of its tied documents, as far as it can be found."""
        return sampling.extreme(partial(self.score, sampling=sampling), lists, best=best)

    def facet_worth(self, grades: FloatArray) -> FloatArray:
        """Return what grades on a facet are worth: tied documents with more over all facets are better on top."""
        rel = getattr(self, "rel", None)
        if self.facts.judgments is JudgmentKind.PREFERENCES:
            return grades  # levels: their order alone counts, also below 0
        return (grades >= rel).astype(np.float64) if rel else np.maximum(grades, 0.0)

    def unasked(self) -> JudgmentsError:
        """Return the error for judgments that do not say what the measure asks for."""
        asked, hint = _ASKED[self.facts.judgments]
        return JudgmentsError(f"{self.facts.name} asks for judgments {asked}", hint=hint)

    def values(self, lists: RankedLists) -> FloatArray:
        """Return the kernel: the sum of what the hits add, over the divisor.

        The sum comes first and is divided once, as in the tools: their printed digits follow from it.
        """
        summed, divisor = total(self.amounts(lists)), self.divisor(lists)
        return summed if divisor is None else np.asarray(summed / np.where(divisor == 0, np.nan, divisor))

    def contributions(self, lists: RankedLists) -> FloatArray:
        """Return what each hit adds to the value (queries × hits)."""
        amounts, divisor = self.amounts(lists), self.divisor(lists)
        return amounts if divisor is None else ratio(amounts, divisor[..., np.newaxis])

    def amounts(self, lists: RankedLists) -> FloatArray:
        """Return what each hit adds above the line (queries × hits)."""
        form = self.numerator()
        if form is None:
            raise NotImplementedError(f"{self.facts.name} is no sum over ranks")
        return form.contributions(lists)

    def divisor(self, lists: RankedLists) -> FloatArray | None:
        """Return what the sum of each query is divided by, which no order of its list changes; None if by nothing."""
        return None

    def form(self) -> Form | None:
        """Return the measure as worths of grades and weights of ranks, where its value depends on nothing else."""
        return None

    def numerator(self) -> Form | None:
        """Return the form of what is above the line: a normalised measure such as nDCG has a numerator, but no form."""
        return self.form()

    def ideal(self) -> Form | None:
        """Return the divisor as the value of the ideal order, in which the worths of judged documents fall: a linear
        form or a cascade; None if nothing is divided by, or by anything else.

        Such a divisor depends only on how many documents reach each grade, so that it can be estimated from few labels.
        """
        return None

    def text(self, value: float, number: NumberFormat) -> str:
        """Return the value as it is printed: a count as a whole number, anything else in that format."""
        return f"{value:.0f}" if self.facts.aggregate is Aggregate.SUM else number.write(value)

    @property
    def is_amount(self) -> bool:
        """Whether its value is an amount, of which there is a mean; RelString's stands for a text."""
        return type(self).text is Measure.text

    def bound(self, defaults: Mapping[str, Any]) -> Self:
        """Return the measure with its open parameters set from `defaults`."""
        names = {f.name for f in fields(self)}
        open_ = {k: v for k, v in defaults.items() if k in names and getattr(self, k) is None}
        return replace(self, **open_) if open_ else self

    def spelled(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults, as the name spells them (without the cutoff)."""
        return {
            f.name: getattr(self, f.name)
            for f in sorted(fields(self), key=lambda f: f.name == "judged_only")
            if f.name != "cutoff" and getattr(self, f.name) != f.default
        }

    def __str__(self) -> str:
        return self._name

    @cached_property
    def _name(self) -> str:
        spelled = ", ".join(f"{name}={_literal(value)}" for name, value in self.spelled().items())
        cutoff = getattr(self, "cutoff", None)
        return (
            self.facts.name
            + (f"({spelled})" if spelled else "")
            + ("" if cutoff is None else f"@{self.depth or format(cutoff, 'g')}")
        )


def asking(measures: Iterable[Measure]) -> Measure | None:
    """Return a measure that asks for more than a grade for each document, if there is one; all that do ask the same."""
    by_kind = {measure.facts.judgments: measure for measure in measures}
    by_kind.pop(JudgmentKind.GRADES, None)
    if len(by_kind) > 1:
        names = " and ".join(map(str, by_kind.values()))
        raise ParameterError("evaluate", "measures", "of one kind of judgments; these need different ones", names)
    return next(iter(by_kind.values()), None)


def kind_asked(measures: Iterable[Measure]) -> JudgmentKind:
    """Return what the measures ask judgments to say."""
    measure = asking(measures)
    return JudgmentKind.GRADES if measure is None else measure.facts.judgments


def _literal(value: Any) -> str:
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value) + "}"
    return repr(value)
