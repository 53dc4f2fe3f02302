"""RelString: the grades of the first documents, a character each."""

import math

import numpy as np

from rankgauge.constraints import Constraint
from rankgauge.errors import ParameterError
from rankgauge.measures.measure import Facts, Measure, TieRule, parameter, read_examples
from rankgauge.measures.output import NumberFormat
from rankgauge.numeric import FloatArray
from rankgauge.ranking import RankedLists

SYMBOLS = "0123456789>.-"
"""A grade from 0 to 9, a higher one, a document in the pool that was not judged, and one that is not in the pool."""

BASE = len(SYMBOLS) + 1
LONGEST = int(53 / math.log2(BASE))
"""How many characters fit into the 53 bits of a double."""


class RelString(Measure):
    """The grades of the documents from rank `start` to k (10 if k is not given), as a string.

    Each character is a digit from 1 to 13 of a number to the base 14, the first rank the lowest: the number of a
    string is a value like any other, and `text` reads the string back. A double holds 13 characters.
    """

    facts = Facts(
        title="Relevance string",
        formula=r"\sum_{r=s}^{\min(k, n)} c(g_r)\, 14^{\,r-s}",
        reference="trec_eval 9.0.8, relstring",
        bounds=(0.0, math.inf),
        ties=TieRule.GIVEN,
        graded=True,
        improves=False,
        examples=read_examples("""
            RelString of 2 - 0 | 1 = 3 + 13 * 14 + 1 * 14 * 14
            RelString(start=2)@3 of 1 12 3 1 | 2 = 11 + 4 * 14
            RelString of 2 - - - - - - - - - 1 = 3 + 13 * (14 + 14**2 + 14**3 + 14**4 + 14**5 + 14**6 + 14**7 \
                + 14**8 + 14**9)
            RelString of ? 1.5 = 12 + 2 * 14
            RelString of nothing | 1 = 0
        """),
        counts_unjudged=True,
        knows_pool=True,
    )
    cutoff: int | None = None
    start: float = parameter(Constraint("a rank, 1 or more", lambda rank: 1 <= rank < np.inf), default=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._end - self.start >= LONGEST:
            raise ParameterError("RelString", "cutoff", f"at most {LONGEST} ranks from the start on", self.cutoff)

    @property
    def _end(self) -> int:
        return self.cutoff or int(self.start) + 9

    def values(self, lists: RankedLists) -> FloatArray:
        shown = (lists.ranks >= self.start) & (lists.ranks <= self._end)
        grades = np.where(shown & lists.judged, np.clip(lists.grades, 0, 10), 0.0)
        digits = np.where(lists.judged, np.floor(grades) + 1.0, SYMBOLS.index(".") + 1.0)
        place = BASE ** np.where(shown, lists.ranks - self.start, 0.0)
        outside = SYMBOLS.index("-") + 1.0
        # The string of as many documents outside the pool, then each hit's digit in place of theirs, the highest.
        length = np.clip(np.minimum(lists.retrieved, self._end) - self.start + 1, 0, None)
        return np.asarray(BASE**length - 1 + np.sum(shown * (digits - outside) * place, axis=-1))

    def text(self, value: float, number: NumberFormat) -> str:
        """Return the string itself, in quotes."""
        code, characters = int(value), ""
        while code:
            code, digit = divmod(code, BASE)
            characters += SYMBOLS[digit - 1]
        return f"'{characters}'"
