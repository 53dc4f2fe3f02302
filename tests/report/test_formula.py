"""Formulas for a terminal."""

from __future__ import annotations

import pytest

from rankgauge.measures import MEASURES, Measure
from rankgauge.render.formulas import readable


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{1}{R}\sum_{r=1}^{k} P@r", "1/R Σ(r=1..k) P@r"),
        (r"\frac{a + b}{2^{g_{max}}}", "(a + b)/2^g_max"),
        (r"[g_r \ge \mathrm{rel}] \, p^{r-1}", "[g_r ≥ rel] p^(r-1)"),
        (r"\min(k, n), \quad n \text{ documents}", "min(k, n),  n documents"),
        (r"\prod_{i<r} (1 - p_i)", "Π(i<r) (1 - p_i)"),
        (r"g^*_r", "g*_r"),
    ],
)
def test_readable(latex: str, text: str) -> None:
    """Fractions, sums, scripts, symbols and words become one line of plain text."""
    assert readable(latex) == text


@pytest.mark.parametrize("kind", MEASURES.values(), ids=lambda kind: kind.facts.name)
def test_every_formula_is_readable(kind: type[Measure]) -> None:
    """Nothing of LaTeX is left in the formula of any measure."""
    text = readable(kind.facts.formula)
    assert text
    assert not set(text) & set("\\$")
    assert text.count("(") == text.count(")")


def test_unknown_latex_is_refused() -> None:
    """What has no plain text is an error, so that no measure shows half a formula."""
    with pytest.raises(ValueError, match="oint"):
        readable(r"\oint x")
