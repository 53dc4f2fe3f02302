"""Which dialects are held against what their program printed, and how many of them the README claims."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rankgauge.dialects import DIALECTS, Dialect

TESTS = Path(__file__).parents[1]
WITHOUT = {
    "standard": "the usual definitions, no tool",
    "papers": "the definitions of papers, no tool",
    "romip": "an appendix that no program came with",
    "romip-1+p": "the same with the discount that was probably meant",
    "phoenix": "read in its source, not run",
    "llamaindex-0.12.1": "the later version was run, and the change read in its source",
    "elasticsearch": "a server that does not run here; the test writes its source out",
}
"""The dialects that no program's values are held against, and why."""

PROGRAM = re.compile(r"golden|importorskip|^import (ir_measures|pytrec_eval|ranx)$", re.IGNORECASE | re.MULTILINE)
"""What a test module says that has a program's values: it reads them from a file, or calls the program."""

CHECKED = [dialect for dialect in DIALECTS.values() if dialect.name not in WITHOUT]


@pytest.mark.parametrize("dialect", CHECKED, ids=lambda dialect: dialect.name)
def test_a_program_stands_behind_the_dialect(dialect: Dialect) -> None:
    """A test module that has values of programs names the dialect; one without any belongs in the list above."""
    texts = [
        path.read_text(encoding="utf-8") for folder in ("dialects", "peers") for path in (TESTS / folder).glob("*.py")
    ]
    assert any(f'"{dialect.name}"' in text and PROGRAM.search(text) for text in texts if "WITHOUT = {" not in text)


def test_the_readme_counts_these_alone() -> None:
    """The README claims no more tools than are held against their programs."""
    (claimed,) = re.findall(r"over (\d+) tools and versions, each", (TESTS.parent / "README.md").read_text())
    assert len(CHECKED) > int(claimed)
