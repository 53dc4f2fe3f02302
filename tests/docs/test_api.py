"""The Python reference: it has every public name, and the examples in docstrings print what they show."""

from __future__ import annotations

import doctest
import importlib
import inspect

import pytest

import rankgauge
from rankgauge.reference.api import SECTIONS


def test_every_public_name_has_a_section() -> None:
    """The page lists each name of the package once, and a name that is not public nowhere."""
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == sorted(rankgauge.__all__)


def test_a_public_function_starts_with_a_verb() -> None:
    """A docstring says what the function does, not what it is: none begins with an article or a question word."""
    for name in rankgauge.__all__:
        thing = getattr(rankgauge, name)
        if inspect.isfunction(thing):
            assert (inspect.getdoc(thing) or "").split()[0] not in {"The", "A", "An", "One", "How", "Which", "What"}, (
                name
            )


@pytest.mark.parametrize("name", rankgauge.__all__)
def test_examples_in_docstrings(name: str) -> None:
    """An example in the docstring of a public name runs, and prints what the docstring shows."""
    thing = getattr(rankgauge, name)
    if not hasattr(thing, "__module__"):
        return
    module = importlib.import_module(thing.__module__)
    for test in doctest.DocTestFinder(recurse=False).find(thing, name, module=module):
        report: list[str] = []
        outcome = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
        assert outcome.failed == 0, "".join(report)
