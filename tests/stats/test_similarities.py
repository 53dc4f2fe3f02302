"""Similarities of ranked lists: published examples, the definitions spelled out, and laws that each one keeps."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from rankgauge.errors import ParameterError, UnknownNameError
from rankgauge.statistics.correlation import kendall_tau_a, spearman_rho
from rankgauge.statistics.similarity import SIMILARITIES, Ranked, RankedPair, Similarity, rbo

each = pytest.mark.parametrize("kind", SIMILARITIES.values(), ids=list(SIMILARITIES))


def ranked(text: str) -> list[str | set[str]]:
    """A list as Corsi & Urbano write it: `a (b c) d` has b and c tied."""
    groups = [part.strip("()").split() for part in text.replace(" (", "|(").replace(") ", ")|").split("|")]
    entries: list[str | set[str]] = []
    for part, group in zip(text.replace(" (", "|(").replace(") ", ")|").split("|"), groups, strict=True):
        entries += [set(group)] if part.startswith("(") else group
    return entries


def drawn(rng: np.random.Generator, items: int = 9) -> list[str | set[str]]:
    """A list of some of the items, with ties."""
    order = [f"i{n}" for n in rng.permutation(items)[: rng.integers(1, items + 1)]]
    cuts = np.flatnonzero(rng.random(len(order) - 1) < 0.6) + 1
    parts = np.split(np.array(order), cuts)
    return [set(part.tolist()) if len(part) > 1 else str(part[0]) for part in parts]


def contributions(listed: Ranked, items: list[str], depth: int, shares: bool) -> np.ndarray:
    """How much of each item is in the list's top, to each depth."""
    table, start = np.zeros((len(items), depth)), 0
    for entry in listed:
        group = entry if isinstance(entry, set) else {entry}
        for item in group:
            for d in range(start + 1, depth + 1):
                table[items.index(str(item)), d - 1] = 1.0 if shares else min(1.0, (d - start) / len(group))
        start += len(group)
    return table


def defined(a: Ranked, b: Ranked, p: float, ties: str) -> tuple[float, float, float]:
    """RBO as Corsi & Urbano define it, item by item and depth by depth: extrapolated, minimum, residual."""
    sizes = [sum(len(entry) if isinstance(entry, set) else 1 for entry in listed) for listed in (a, b)]
    (short, long) = (a, b) if sizes[0] <= sizes[1] else (b, a)
    s, n = sorted(sizes)
    flat = [sorted(entry) if isinstance(entry, set) else [entry] for entry in long]
    alone = [item for group in flat for item in group if not _has(short, item)]
    items = sorted({str(x) for listed in (a, b) for e in listed for x in (e if isinstance(e, set) else {e})})
    one, two = (contributions(listed, items, n, ties == "w") for listed in (short, long))

    def agreement(d: int, overlap: float) -> float:
        left = one[:, d - 1] if d <= s else np.ones(d)  # past its end the shorter list goes on without ties
        right = two[:, d - 1]
        units = {"a": d, "w": (left.sum() + right.sum()) / 2, "b": math.sqrt((left**2).sum() * (right**2).sum())}
        return overlap / units[ties]

    seen = [float(one[:, d - 1] @ two[:, d - 1]) for d in range(1, n + 1)]
    at_end = agreement(s, seen[s - 1])
    least = guess = most = 0.0
    for d in range(1, n + 1):
        rest = [two[items.index(item), d - 1] for item in alone]
        there = [amount for amount in rest if amount > 0]
        unseen = max(d - s, 0)
        expected = unseen * at_end * (sum(there) / len(there)) if unseen else 0.0
        least += p**d * agreement(d, seen[d - 1])
        guess += p**d * agreement(d, seen[d - 1] + expected)
        most += p**d * agreement(d, seen[d - 1] + sum(rest[:unseen]))
    found, far = seen[-1], 4000
    least += sum(p**d * found / d for d in range(n + 1, far))
    guess += sum(p**d * (found + (n - s) * at_end) / n for d in range(n + 1, far))
    most += sum(p**d * min(1.0, (2 * d - n - s + found) / d) for d in range(n + 1, far))
    scale = (1 - p) / p
    return scale * guess, scale * least, scale * (most - least)


def _has(listed: Ranked, item: str) -> bool:
    return any(item in entry if isinstance(entry, set) else item == entry for entry in listed)


PUBLISHED = (
    # Corsi & Urbano's own checks of their code: x, y, p, and ext, min, res of w, a, b
    (
        "i13 i4 (i1 i2 i5 i6)",
        "i11 i14 i1 (i5 i6) (i3 i12) i8",
        0.936646766367491,
        (0.419724384588563, 0.222485580291386, 0.495958440512111),
        (0.400042334962327, 0.19648716951006, 0.495958440512111),
        (0.410333982781949, 0.203127599510132, 0.495958440512111),
    ),
    (
        "(i3 i5 i6 i8 i9)",
        "(i1 i6) (i8 i10) i11 i2 (i3 i4)",
        0.946588158477176,
        (0.481477824833812, 0.23269613702392, 0.569530727296368),
        (0.456505385192971, 0.207870074991659, 0.570262615339271),
        (0.482684075039396, 0.233899573241503, 0.570677036440887),
    ),
    (
        "i1 (i15 i16) i10 i12 i2 i14",
        "i16 (i1 i10 i11 i15) i2 (i4 i5 i6)",
        0.988786023528663,
        (0.691527178549045, 0.161742780873865, 0.806147106433969),
        (0.7056986088397, 0.157852652669937, 0.806223303274782),
        (0.718722074850857, 0.163365514575474, 0.806280902059836),
    ),
    (
        "i6 i5 (i2 i4 i7)",
        "i4 i18 i2 (i1 i5 i6 i7 i9 i14 i15 i17) i13 i11",
        0.984365085297715,
        (0.734068963712944, 0.172811297273872, 0.765844847397295),
        (0.680057896807246, 0.161475073718017, 0.765065334949129),
        (0.747819806375568, 0.169727262584421, 0.767443681080864),
    ),
    (
        "i21 i20 (i1 i16 i19) (i5 i10) i4",
        "(i12 i17) (i2 i3 i8 i11) (i15 i18) (i6 i13) (i7 i14) i9",
        0.930074017489188,
        (0.0, 0.0, 0.389142712252727),
        (0.0, 0.0, 0.38977330351866),
        (0.0, 0.0, 0.390116806797613),
    ),
)


@pytest.mark.parametrize(("x", "y", "p", "w", "a", "b"), PUBLISHED)
def test_published_overlaps(x: str, y: str, p: float, w: tuple[float], a: tuple[float], b: tuple[float]) -> None:
    """The three variants give what the authors' own code gives."""
    for ties, wanted in (("w", w), ("a", a), ("b", b)):
        got = rbo(ranked(x), ranked(y), p, ties)
        assert (got.extrapolated, got.minimum, got.residual) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("ties", "abw")
def test_overlaps_are_as_defined(ties: str) -> None:
    """On random lists with ties, of any lengths, each variant is what its definition gives."""
    rng = np.random.default_rng(2024)
    for _ in range(60):
        a, b = drawn(rng), drawn(rng)
        got = rbo(a, b, 0.8, ties)
        assert (got.extrapolated, got.minimum, got.residual) == pytest.approx(defined(a, b, 0.8, ties), abs=1e-9)


def test_correlations_are_scipys() -> None:
    """ρ is SciPy's Spearman with ties; τ_a is its mean over every order of the tied."""
    rng = np.random.default_rng(7)
    for _ in range(30):
        x, y = rng.integers(0, 4, (2, 12))
        assert spearman_rho(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, nan_ok=True)
    x, y = np.array([1, 1, 2, 3, 3]), np.array([2, 1, 1, 3, 2])
    broken = [x * 10 + order for order in itertools.permutations(range(5))]
    orders = [y * 10 + order for order in itertools.permutations(range(5))]
    mean = np.mean([stats.kendalltau(one, other).statistic for one in broken[::7] for other in orders[::11]])
    assert kendall_tau_a(x, y) == pytest.approx(mean, abs=0.03)


@each
def test_like_lists_are_alike(kind: Similarity) -> None:
    """Two equal lists without ties have similarity 1, and no two lists more; the order of the two does not matter."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        a, b = drawn(rng), drawn(rng)
        pair = RankedPair.from_lists(a, b)
        value = kind(pair).value
        assert math.isnan(value) or kind.lowest - 1e-12 <= value <= 1 + 1e-12
        assert kind(pair.flipped).value == pytest.approx(value, nan_ok=True)
    strict = list("abcdef")
    assert kind(RankedPair.from_lists(strict, strict)).value == pytest.approx(1.0)
    swapped = kind(RankedPair.from_lists(strict, list("bacdef"))).value
    assert kind(RankedPair.from_lists(strict, strict[::-1])).value < swapped < 1


@each
def test_unshared_documents_lower_it(kind: Similarity) -> None:
    """Documents that only one list has make lists less alike; taken out, they do not."""
    pair = RankedPair.from_lists(list("abcxyz"), list("abcuvw"))
    assert kind(pair).value < 1
    assert kind(pair.of_shared()).value == pytest.approx(1.0)
    assert pair.share == pytest.approx(3 / 9)


@each
def test_lists_without_an_order_have_no_value(kind: Similarity) -> None:
    """An empty list has no similarity, and a wrong p is an error."""
    assert math.isnan(kind(RankedPair.from_scores([], [])).value)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        kind(RankedPair.from_scores([1.0, 2.0], [1.0, 2.0]), 1.5)


def test_ties_of_other_kinds_are_refused() -> None:
    """The variants are a, b and w."""
    with pytest.raises(UnknownNameError, match="treatment of ties"):
        rbo("ab", "ab", ties="c")
