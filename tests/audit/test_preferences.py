"""Whether the tool decides which run is better."""

from __future__ import annotations

from rankgauge.audit.tools import Consensus, audit, preferences
from rankgauge.dialects import Dialect
from rankgauge.measures import parse
from tests.audit.house import LETOR, STANDARD, YAHOO

Run = dict[str, dict[str, float]]


def contest(judgments: Run, runs: dict[str, Run], *others: Dialect) -> tuple[Consensus, list[str], list[str]]:
    """The outcome by nDCG@10, and under which dialects the first and the second run are better."""
    found = audit(judgments, runs, dialects=[STANDARD, *others])
    (one,) = preferences(found).of(parse("nDCG@10"))
    return one.outcome, one.preferring(1), one.preferring(-1)


def ranked(best: bool, n: int) -> dict[str, float]:
    """A list of n documents with the relevant one first, or last."""
    return {f"d{place}": float(-place if best else place) for place in range(n)}


def setting(short: int, long: int) -> tuple[Run, dict[str, Run]]:
    """Queries of 5 documents on which run A is perfect and B is not, and queries of 12 the other way round."""
    sizes = {f"s{n}": 5 for n in range(short)} | {f"l{n}": 12 for n in range(long)}
    judgments = {query: {f"d{place}": float(place == 0) for place in range(n)} for query, n in sizes.items()}
    runs = {
        name: {query: ranked((n == 5) is first, n) for query, n in sizes.items()}
        for name, first in (("A", True), ("B", False))
    }
    return judgments, runs


def test_a_contradiction() -> None:
    """40 short queries favour A, 10 long ones B: the standard is sure of A, a tool that zeroes short lists of B."""
    outcome, first, second = contest(*setting(short=40, long=10), LETOR)
    assert (outcome, first, second) == (Consensus.CONTRADICTION, ["standard"], ["like letor"])


def test_noise() -> None:
    """Of few queries with small differences either order may be luck."""
    outcome, first, second = contest(*setting(short=4, long=2), LETOR)
    assert (outcome, first, second) == (Consensus.NOISE, ["standard"], ["like letor"])


def test_one_side_is_sure() -> None:
    """40 short queries make A surely better by the standard; 2 long ones make B better elsewhere, by luck perhaps."""
    assert contest(*setting(short=40, long=2), LETOR)[0] is Consensus.LEANING


def test_agreement() -> None:
    """What lifts all runs alike, such as the value of empty queries, turns no order."""
    judgments, runs = setting(short=5, long=0)
    assert contest(judgments, runs, YAHOO) == (Consensus.AGREE, ["standard", "like yahoo"], [])


def test_orders_at_every_cutoff() -> None:
    """The verdict has the order of the runs under each tool at the cutoffs 1 to 10; at 1 no list is short."""
    judgments, runs = setting(short=40, long=10)
    verdict = preferences(audit(judgments, runs, dialects=[STANDARD, LETOR]))
    assert [measure.depth for measure in verdict.measures] == list(range(1, 11))
    assert verdict.orders["like letor", "nDCG@1"] == ("A", "B")
    assert verdict.orders["like letor", "nDCG@10"] == ("B", "A")
    assert [verdict.has_dispute(measure) for measure in verdict.measures] == [False] * 5 + [True] * 5


def test_the_same_seed_the_same_verdict() -> None:
    """The tests' draws come from the seed."""
    found = audit(*setting(short=40, long=10), dialects=[STANDARD, LETOR])
    assert preferences(found, seed=3).contests == preferences(found, seed=3).contests
