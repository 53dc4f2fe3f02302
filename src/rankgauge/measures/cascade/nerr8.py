"""NERR8 to NERR11: gain per document of users whom good documents stop, and who end or tire in four ways."""

from rankgauge.measures.measure import OPEN, PROPER, Measure, parameter, read_examples
from rankgauge.measures.user_models import ReadsOn, lowest_grade, reader_facts, wanted_gain
from rankgauge.numeric import FloatArray


class NERR8(ReadsOn, Measure):
    """The gain per document of a user who stops at a document with the chance of its gain, and at rank k."""

    facts = reader_facts(
        title="Nearly expected reciprocal rank, equation 8",
        formula=r"\frac{\sum_r g_r \prod_{i<r} C_i}{\sum_r \prod_{i<r} C_i}, \quad "
        r"C_r = 1 - g_r",
        reference="Azzopardi, Mackenzie & Moffat, ERR is not C/W/L, ICTIR 2021 (equation 8)",
        examples=read_examples("""
            NERR8(max_grade=2)@2 of 1 2 2 | 2 = (1/2 + 1/2 * 1) / (1 + 1/2)
            NERR8(max_rel=4)@3 of - 4 4 2 = 1 / (1 + 1)
        """),
    )
    cutoff: int = OPEN
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return 1.0 - gain


class NERR9(ReadsOn, Measure):
    """The gain per document of a user who tires with the rank, and stops at good documents and at rank k."""

    facts = reader_facts(
        title="Nearly expected reciprocal rank, equation 9",
        formula=r"\frac{\sum_r g_r \prod_{i<r} C_i}{\sum_r \prod_{i<r} C_i}, \quad "
        r"C_r = \frac{r}{r + 1}(1 - g_r)",
        reference="Azzopardi, Mackenzie & Moffat, ERR is not C/W/L, ICTIR 2021 (equation 9)",
        examples=read_examples("""
            NERR9(max_grade=2)@2 of 1 2 2 | 2 = (1/2 + 1/4 * 1) / (1 + 1/4)
            NERR9(max_rel=4)@3 of - 4 4 2 = (1/2) / (1 + 1/2)
        """),
    )
    cutoff: int = OPEN
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return ranks / (ranks + 1.0) * (1.0 - gain)


class NERR10(ReadsOn, Measure):
    """The gain per document of a user who goes on with probability p, and less after good documents."""

    facts = reader_facts(
        title="Nearly expected reciprocal rank, equation 10",
        formula=r"\frac{\sum_r g_r \prod_{i<r} C_i}{\sum_r \prod_{i<r} C_i}, \quad "
        r"C_r = p\,(1 - g_r)",
        reference="Azzopardi, Mackenzie & Moffat, ERR is not C/W/L, ICTIR 2021 (equation 10)",
        examples=read_examples("""
            NERR10(p=0.5, max_grade=2) of 1 2 1 | 2 = (1/2 + 1/4 * 1) / (1 + 1/4)
            NERR10(max_rel=4) of - 4 | 2 = .9 / (1 + .9)
        """),
    )
    p: float = parameter(PROPER, default=0.9, words="how likely the user goes on after a document that gains nothing")
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return self.p * (1.0 - gain)


class NERR11(ReadsOn, Measure):
    """The gain per document of a user who wants a total gain of T, and goes on less after good documents."""

    facts = reader_facts(
        title="Nearly expected reciprocal rank, equation 11",
        formula=r"\frac{\sum_r g_r \prod_{i<r} C_i}{\sum_r \prod_{i<r} C_i}, \quad "
        r"C_r = \left(\frac{r + 2T - 1}{r + 2T}\right)^2 (1 - g_r)",
        reference="Azzopardi, Mackenzie & Moffat, ERR is not C/W/L, ICTIR 2021 (equation 11)",
        examples=read_examples("""
            NERR11(max_grade=2) of 1 2 1 | 2 = (1/2 + (2/3)**2 * 1/2) / (1 + (2/3)**2 * 1/2)
            NERR11(T=2, max_rel=4) of - 4 | 2 = (4/5)**2 / (1 + (4/5)**2)
        """),
    )
    T: float = wanted_gain()
    min_grade: float = lowest_grade()
    max_grade: float = OPEN

    def goes_on(self, ranks: FloatArray, gain: FloatArray, gained: FloatArray) -> FloatArray:
        return ((ranks + 2.0 * self.T - 1.0) / (ranks + 2.0 * self.T)) ** 2 * (1.0 - gain)
