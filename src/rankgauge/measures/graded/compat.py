"""Compat: compatibility, the rank-biased overlap with the nearest ideal ranking."""

import numpy as np

from rankgauge.measures.measure import PROPER, Facts, Measure, choice, parameter, read_examples
from rankgauge.numeric import FloatArray
from rankgauge.policies import ABOVE_ZERO
from rankgauge.ranking import RankedLists, total
from rankgauge.ranking.lists import group_edges

DEPTH = 1000
"""How deep the authors' program compares (DEPTH in compatibility.py), however short the lists are."""

ENDS = ("1000", "longer")
"""Where a comparison ends: at the authors' depth, or at the end of the longer list, as in ir-measures."""


class Compat(Measure):
    """How similar the list is to the ideal ranking that is most similar to it, by rank-biased overlap.

    An ideal ranking has the documents above grade 0 by falling grade, in any order where grades are equal; grades may
    stand for preferences, since only their order counts. Lists are compared to rank 1,000 even if both are shorter.
    """

    facts = Facts(
        title="Compatibility",
        formula=r"\frac{\sum_{d=1}^{D} p^{d-1} \, |L_{1:d} \cap I_{1:d}| / d}"
        r"{\sum_{d=1}^{D} p^{d-1} \, |I_{1:d}| / d}, \quad D = 1000",
        reference="Clarke, Vtyurina & Smucker, Assessing top-k preferences, TOIS 2021",
        graded=True,
        counts_unjudged=True,
        examples=read_examples("""
            # The sum of p**(d − 1) / d over all d is −log(1 − p) / p.
            Compat(p=0.5) of 1 - 3 | 2 = (4*log(2) - 2 - 1/2) / (1 + 1/2 + 1/4 + 3 * (2*log(2) - 1 - 1/4 - 1/12))
            Compat(p=0.5, normalize=False) of 1 - 2 0 = (1/4 + 2 * (2*log(2) - 1 - 1/4)) / 2
            Compat(until='longer') of 0 2 1 | 1 = (.95 / 2 + .95**2 * 2 / 3) / (1 + .95 + .95**2)
            Compat(p=0.5, normalize=False, until='longer') of 1 - 2 0 = (.5 / 2 + .5**2 * 2/3 + .5**3 * 2/4) \
                / (2 - 2 * .5**4)
        """),
    )
    p: float = parameter(PROPER, default=0.95, words="how likely the reader goes on to the next rank")
    normalize: bool = parameter(default=True, words="divide by the value of an ideal ranking")
    until: str | None = choice("end of a comparison", ENDS)

    def amounts(self, lists: RankedLists) -> FloatArray:
        """Return what each hit adds: it is in both tops from the lower of its two ranks on."""
        table = self._overlaps(lists)
        whole = table[self._depth(lists).astype(np.intp)][..., np.newaxis]
        place = _ideal_ranks(lists)
        weight = whole - _up_to(table, np.maximum(place, np.where(lists.hits, lists.ranks, 1.0)))
        if lists.first is not None:
            weight = np.where(lists.size == 1.0, weight, _tied_weights(lists, place, table, whole))
        return np.where(place > 0, weight, 0.0)

    def divisor(self, lists: RankedLists) -> FloatArray:
        """Return the value of an ideal ranking, or of one that never ends."""
        depth = self._depth(lists)
        if not self.normalize:
            return np.asarray((1.0 - self.p**depth) / (1.0 - self.p))
        # Added up as the amounts of an ideal list are, so that its value is 1 to the last bit.
        table, ideal = self._overlaps(lists), lists.total_relevant(ABOVE_ZERO)[..., np.newaxis]
        ranks = np.arange(1.0, float(ideal.max(initial=0.0)) + 1)
        whole = table[depth.astype(np.intp)][..., np.newaxis]
        return total(np.where(ranks <= ideal, whole - _up_to(table, ranks), 0.0))

    def _depth(self, lists: RankedLists) -> FloatArray:
        ideal = lists.total_relevant(ABOVE_ZERO)
        return np.maximum(lists.retrieved, ideal) if self.until == "longer" else np.full_like(ideal, DEPTH)

    def _overlaps(self, lists: RankedLists) -> FloatArray:
        """Return what a document in both tops from rank 1 to each depth adds."""
        ranks = np.arange(1.0, float(self._depth(lists).max(initial=0.0)) + 1)
        return np.concatenate([[0.0], np.cumsum(self.p ** (ranks - 1.0) / ranks)])


def _up_to(table: FloatArray, ranks: FloatArray) -> FloatArray:
    """Return what a document adds at the depths above a rank; past the last depth it adds nothing."""
    return np.asarray(table[np.minimum(ranks.astype(np.intp) - 1, len(table) - 1)])


def _ideal_ranks(lists: RankedLists) -> FloatArray:
    """Return the rank of each hit in the ideal ranking that is nearest to the list; 0 for those that are not in it.

    Of documents of equal grade, those of the list come first, in its order.
    """
    place = np.zeros(lists.grades.shape)
    for grade in _levels(lists):
        same = lists.grades == grade
        above = np.asarray((lists.ideal > grade).sum(axis=-1))[..., np.newaxis]
        place = np.where(same, above + np.cumsum(same, axis=-1), place)
    return place


def _levels(lists: RankedLists) -> FloatArray:
    """Return the grades above 0."""
    return np.unique(lists.grades[lists.relevant(ABOVE_ZERO)])


def _tied_weights(lists: RankedLists, place: FloatArray, table: FloatArray, whole: FloatArray) -> FloatArray:
    """Return the mean weight of each hit over the orders of its tie group.

    Where m of a group's s documents have one grade, the j-th of them is t-th in the group with probability
    C(t − 1, j − 1) · C(s − t, m − j) / C(s, m).
    """
    assert lists.first is not None
    assert lists.size is not None
    j, m = _places_in_groups(lists)
    first, size = (np.where(lists.hits, x, 1.0).astype(np.intp) for x in (lists.first, lists.size))
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, float(size.max(initial=1)) + 1)))])
    mean = np.zeros(lists.grades.shape)
    for t in range(1, int(size.max(initial=0)) + 1):
        possible = (t >= j) & (size - t >= m - j) & (j > 0)
        before, after = np.where(possible, t - j, 0), np.where(possible, size - t - (m - j), 0)
        ways = _log_choose(logs, np.maximum(j - 1, 0), before) + _log_choose(logs, np.maximum(m - j, 0), after)
        chance = np.exp(ways - _log_choose(logs, m, np.maximum(size - m, 0)))
        rank = np.where(possible, np.maximum(place, first + t - 1.0), 1.0)
        mean += np.where(possible, chance * (whole - _up_to(table, rank)), 0.0)
    return mean


def _log_choose(logs: FloatArray, chosen: FloatArray, others: FloatArray) -> FloatArray:
    """Return the logarithm of in how many ways so many can be chosen, if so many others are left."""
    chosen, others = chosen.astype(np.intp), others.astype(np.intp)
    return np.asarray(logs[np.minimum(chosen + others, len(logs) - 1)] - logs[chosen] - logs[others])


def _places_in_groups(lists: RankedLists) -> tuple[FloatArray, FloatArray]:
    """Count which of its grade each hit above grade 0 is in its tie group, and how many of it the group has."""
    assert lists.first is not None
    start, end = group_edges(lists.first)
    j, m = np.zeros((2, *lists.grades.shape), dtype=np.intp)
    for grade in _levels(lists):
        same = lists.grades == grade
        running = np.cumsum(same, axis=-1)
        before = np.take_along_axis(running - same, start, axis=-1)
        j = np.where(same, running - before, j)
        m = np.where(same, np.take_along_axis(running, end, axis=-1) - before, m)
    return j, m
