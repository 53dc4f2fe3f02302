"""PFound: the probability that a user finds what they look for."""

from collections.abc import Callable, Mapping

import numpy as np

from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.measures.forms import Form, Shape
from rankgauge.measures.measure import OPEN, SHARE, Facts, Measure, parameter, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists

P_REL: Mapping[str, Callable[[FloatArray, float], FloatArray]] = {
    "romip": lambda grades, top: np.where(grades > 0, 0.5 * np.exp2(grades - top), 0.0),  # ROMIP 2010, where top is 3
    "grade": lambda grades, top: np.maximum(grades, 0.0),  # CatBoost: the label is the probability
}
"""How likely a document of a grade is what the user looks for, by name."""


class PFound(Measure):
    """The probability that a user finds a relevant document: the user reads down the list, stops when a document is
    relevant, and otherwise tires at each document with probability `p_break`.

    `p_rel` names how a grade becomes the probability that the document is relevant: 'romip' is 0.5 · 2^(g − max_grade),
    'grade' the grade itself; a number is the probability of every document of grade `rel` or above, as in the first
    PFound of Yandex, p_rel=0.4.
    """

    facts = Facts(
        title="PFound, the probability to find a relevant document",
        formula=r"\sum_{r=1}^{k} (1 - p_{break})^{r-1} \, p_r \prod_{i<r} (1 - p_i)",
        reference="Гулин, Карпович, Расковалов & Сегалович, Оптимизация алгоритмов ранжирования методами машинного "
        "обучения, РОМИП 2009; Агеев, Кураленок & Некрестьянов, Официальные метрики РОМИП 2010",
        graded=True,
        examples=read_examples("""
            PFound@3 of 1 - 3 2 | 3 = 0.125 + 0.85**2 * (1 - 0.125) * 0.5
            PFound of 3 1 0 2 2 = 0.5 + 0.85 * 0.5 * 0.125 + 0.85**3 * 0.5 * 0.875 * 0.25 \
                + 0.85**4 * 0.5 * 0.875 * 0.75 * 0.25
            PFound(max_grade=2) of 2 1 | 1 = 0.5 + 0.85 * 0.5 * 0.25
            PFound(p_rel=0.4, p_break=0.2) of 0 2 1 | 1 = 0.8 * 0.4 + 0.8**2 * 0.6 * 0.4
            PFound(p_rel='grade') of 0.5 - 1 | 1 = 0.5 + 0.85**2 * 0.5 * 1
        """),
    )
    cutoff: int | None = None
    p_rel: str | float = "romip"
    p_break: float = parameter(SHARE, default=0.15)
    rel: float = OPEN
    max_grade: float = OPEN

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.p_rel, str):
            if self.p_rel not in P_REL:
                raise UnknownNameError("p_rel", self.p_rel, P_REL)
        elif not SHARE.holds(self.p_rel):
            raise ParameterError(self.facts.name, "p_rel", "a probability from 0 to 1, or a name", self.p_rel)

    @property
    def needs_top(self) -> bool:
        """Only the rule 'romip' is about a scale."""
        return self.p_rel == "romip" and super().needs_top

    def form(self) -> Form:
        going_on = 1.0 - self.p_break
        return Form(
            shape=Shape.CASCADE, worth=self._chances, weight=lambda ranks: going_on ** (ranks - 1.0), cutoff=self.cutoff
        )

    def _chances(self, lists: RankedLists) -> FloatArray:
        """Return the probability that each hit is what the user looks for; 0 for unjudged ones and padding."""
        if not isinstance(self.p_rel, str):
            return np.where(lists.relevant(self.rel), self.p_rel, 0.0)
        chances = P_REL[self.p_rel](np.where(lists.judged, lists.grades, 0.0), self.max_grade)
        if np.max(chances, initial=0.0) > 1:
            raise InputError(
                f"a grade of {np.max(lists.grades, where=lists.judged, initial=0.0):g} has a probability above 1 "
                f"under p_rel={self.p_rel!r}",
                hint="Name the top of the scale, as in PFound(max_grade=4), or map grades to probabilities first.",
            )
        return chances
