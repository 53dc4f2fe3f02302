"""The drawing kit: ticks, scales, labels that keep clear of each other, files that need nothing from outside."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from xml.etree import ElementTree

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.labelling.reports.campaign import movement
from rankgauge.render.svg import Axis, Drawing, apart, sheet, ticks


@given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3))
def test_ticks_are_few_and_inside(low: float, span: float) -> None:
    """From two to eight values in the range, all the same step apart."""
    found = ticks(low, low + span)
    assert 2 <= len(found) <= 8
    assert low - 1e-6 * span <= found[0] <= found[-1] <= low + span * (1 + 1e-6)
    steps = [b - a for a, b in pairwise(found)]
    assert max(steps) == pytest.approx(min(steps), rel=1e-4)


def test_ticks_of_a_logarithmic_scale() -> None:
    """1, 2 and 5 of each power of ten."""
    assert ticks(0.9, 60, log=True) == [1, 2, 5, 10, 20, 50]


def test_places_on_an_axis() -> None:
    """The ends are at the ends, the middle in the middle; what is beyond stays at an end unless it may leave."""
    axis = Axis(low=1, high=100, start=0, end=200, log=True)
    assert [axis(value) for value in (1, 10, 100, 1000)] == pytest.approx([0, 100, 200, 200])
    assert Axis(low=0, high=1, start=10, end=0, bounded=False)(2) == -10


@given(st.lists(st.floats(0, 400), min_size=1, max_size=12))
def test_labels_keep_clear_of_each_other(wanted: list[float]) -> None:
    """No two labels are closer than the gap, and their order is that of what they label."""
    placed = apart(wanted, 0.0, 420.0, gap=17.0)
    assert all(b - a >= 17.0 - 1e-6 for a, b in pairwise(sorted(placed)))
    assert [place for _, place in sorted(zip(wanted, placed, strict=True))] == sorted(placed)


def test_a_campaign_stays_inside_its_chart() -> None:
    """The line and the whole band are between the ends of the axis, however wide the first intervals are."""
    curve = pl.DataFrame(
        {
            "cost": [10.0, 50.0, 60.0, 150.0],
            "draws": [1, 5, 8, 40],
            "value": [math.nan, 0.63, 0.6, 0.62],
            "low": [-math.inf, 0.01, 0.3, 0.6],
            "high": [math.inf, 1.0, 0.88, 0.64],
        }
    )
    plot = movement(curve, 150.0, "the estimate")
    assert plot is not None
    (band,) = re.findall(r'class="band" points="([^"]*)"', plot.__html__())
    heights = [float(point.partition(",")[2]) for point in band.split()]
    assert len(heights) == 2 * 3
    assert 12 < min(heights) < max(heights) < 276
    assert len(set(heights)) == 6  # nothing is cut off at an end


def test_a_sheet_is_a_file_of_its_own() -> None:
    """Charts under their captions, names escaped, colours written out."""
    chart = Drawing(460, 100, "a chart")
    chart.text((0, 10), "<a> & b", kind="tick")
    file = sheet("Two charts", {"one": chart, "two": chart}, {"run": "#1f6f8b"}).file()
    root = ElementTree.fromstring(file)
    words = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert words == ["Two charts", "run", "one", "<a> & b", "two", "<a> & b"]
    assert "var(" not in file
    assert "url(" not in file
