"""The pages: their examples run and print what is shown; the generated ones are what the registries give."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pytest

from benchmarks import run as benchmark
from rankgauge import dialects
from rankgauge.measures import FAMILIES, MEASURES
from rankgauge.reference.reference import PAGES as GENERATED
from rankgauge.reference.reference import command_helps, update
from tests.docs.blocks import PAGES, ROOT, links, replayed
from tests.engines import lacking

SPARK = re.compile(r"^(?:\$ rankgauge .*--engine spark|from rankgauge\.spark import spark)", re.MULTILINE)
"""An example that starts Spark."""


def same(shown: str, made: str) -> None:
    """The page is what it should be, or the lines are shown in which it is not."""
    difference = "\n".join(difflib.unified_diff(shown.splitlines(), made.splitlines(), "page", "made", lineterm=""))
    assert shown == made, difference


def page_of(path: Path) -> object:
    """The page for a test; one that trains rankers for half a minute is a study."""
    marks = [pytest.mark.study] if "$ rankgauge reproduce ndcg-tools" in path.read_text(encoding="utf-8") else []
    return pytest.param(path, id=path.name, marks=marks)


@pytest.mark.parametrize("page", [page_of(path) for path in PAGES])
def test_examples_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    """Every command and every piece of Python on a page runs, and prints what the page says it prints."""
    text = page.read_text(encoding="utf-8")
    if SPARK.search(text) and (why := lacking()):
        pytest.skip(why)
    same(text, replayed(text, tmp_path))


@pytest.mark.parametrize("name", GENERATED)
def test_reference_is_up_to_date(name: str) -> None:
    """A reference page is what the registries give: `make docs` changes nothing."""
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert all(text.count(f"<!-- {part} -->") == text.count(f"<!-- /{part} -->") == 1 for part in GENERATED[name])
    same(text, update(name, text))


def test_the_readme_is_two_screens() -> None:
    """The front door stays small: what is longer belongs on a page."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    assert len(text.encode()) <= 12_000


def test_the_pages_are_few() -> None:
    """People write 28 pages at most; the others are made from registries, and one by the benchmarks, as a whole."""
    made = {*GENERATED, benchmark.PAGE.name}
    assert len([path for path in (ROOT / "docs").glob("*.md") if path.name not in made]) <= 28


def test_everything_is_documented() -> None:
    """Each measure, dialect and command has a heading of its own in the reference."""
    headings = {
        line.lstrip("# ").strip()
        for name in GENERATED
        for line in (ROOT / "docs" / name).read_text(encoding="utf-8").splitlines()
        if line.startswith("##")
    }
    commands = [name for name, _ in command_helps()]
    assert len(commands) >= 9
    assert not {*MEASURES, *dialects.DIALECTS, *commands} - headings


def test_every_page_is_reachable() -> None:
    """The index links to every page, the README to the index, and every link between pages leads to a file."""
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert "(docs/index.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "index.md" or f"({page.name})" in index
    for page in PAGES:
        for target in links(page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_page_on_measures_names_every_family() -> None:
    """Who adds a measure finds each folder that it may be in."""
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    assert all(f"`{family}`" in page.partition("```")[0] for family in FAMILIES)
