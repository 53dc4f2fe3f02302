"""Formulas for a page."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from rankgauge.measures import MEASURES, Measure
from rankgauge.reference.site import draw_formulas
from rankgauge.render.formulas import mathml


@pytest.mark.parametrize(
    ("latex", "element"),
    [
        (r"\frac{1}{R}", "<mfrac><mrow><mn>1</mn></mrow><mrow><mi>R</mi></mrow></mfrac>"),
        (r"g^*_r", "<msubsup><mi>g</mi><mi>r</mi><mo>*</mo></msubsup>"),
        (r"\sum_r p", "<munder><mo>∑</mo><mi>r</mi></munder><mi>p</mi>"),
        (r"\log_2 x", "<msub><mi>log</mi><mn>2</mn></msub><mi>x</mi>"),
        (r"a < \mathrm{rel}", '<mi>a</mi><mo>&lt;</mo><mi mathvariant="normal">rel</mi>'),
        (r"0.9 \quad \text{ of } n", '<mn>0.9</mn><mspace width="1em"/><mtext>\u00a0of\u00a0</mtext><mi>n</mi>'),
        (r"\left(1 - p\right)", "<mo>(</mo><mn>1</mn><mo>−</mo><mi>p</mi><mo>)</mo>"),
    ],
)
def test_elements(latex: str, element: str) -> None:
    """Fractions, scripts, sums, numbers and words become the elements that a browser draws."""
    assert mathml(latex) == f'<math display="inline">{element}</math>'


@pytest.mark.parametrize("kind", MEASURES.values(), ids=lambda kind: kind.facts.name)
def test_every_formula_is_drawn(kind: type[Measure]) -> None:
    """The formula of every measure is a well-formed element with nothing of LaTeX left in it."""
    whole = ElementTree.fromstring(mathml(kind.facts.formula, block=True))
    text = "".join(whole.itertext())
    assert text
    assert not set(text) & set("\\$^_")


def test_unknown_latex_is_refused() -> None:
    """What has no element is an error, so that no page shows half a formula."""
    with pytest.raises(ValueError, match="oint"):
        mathml(r"\oint x")
    with pytest.raises(ValueError, match="closing brace"):
        mathml("x}y")


def test_code_is_left_alone() -> None:
    """Formulas of a page are drawn, in a line and by themselves; dollars in code and prices are not formulas."""
    code = "```console\n$ echo $HOME $PATH 1 ± 2\n```\n`$x$` costs $5 or $TREC_EVAL\n\n    echo $HOME $PATH\n"
    assert draw_formulas(code) == code
    assert draw_formulas("the grade $g$.") == 'the grade <span><math display="inline"><mi>g</mi></math></span>.'
    assert draw_formulas("$$\n1\n$$") == '<math display="block"><mn>1</mn></math>'


def test_numbers_stay_together() -> None:
    """A number and its error, or its sign of per cent, are not torn apart at the end of a line."""
    assert draw_formulas("80 % of 0.3 ± 0.1 or 2 × 3") == "80\u00a0% of 0.3\u00a0±\u00a00.1 or 2\u00a0× 3"
