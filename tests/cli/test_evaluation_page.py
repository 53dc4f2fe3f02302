"""`rankgauge evaluate -o report.html`: how values spread, the worst and best queries with documents, every query."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.web.visitors import CHROMIUM, QUIET, needs_chromium

Command = Callable[..., str]

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d9 1\nq1 0 d8 3\nq2 0 d3 1\n"
FIRST = "q1 Q0 d2 1 9 a\nq1 Q0 d1 2 8 a\nq1 Q0 new 3 7 a\nq2 Q0 d3 1 5 a\n"
SECOND = "q1 Q0 d1 1 9 b\nq1 Q0 d2 2 9 b\nq2 Q0 d4 1 6 b\nq2 Q0 d3 2 5 b\n"


@pytest.fixture
def written(command: Command, folder: Path) -> Callable[..., str]:
    """Writes a page and reads it, as text in one line and with its tags left out."""
    for name, text in {"small.qrels": QRELS, "first.txt": FIRST, "second.txt": SECOND}.items():
        (folder / name).write_text(text)

    def page(*arguments: str) -> str:
        assert command("evaluate", *arguments, "-o", "report.html") == ""
        text = (folder / "report.html").read_text(encoding="utf-8")
        assert "://" not in text
        assert not re.search(r"\b(?:src|href)=", text)
        assert not re.search(r"\bnan\b", text)
        body = re.sub(r"<(?:style|script|svg).*?</(?:style|script|svg)>", "", text, flags=re.DOTALL)
        return re.sub(r"[\s|]+", " ", re.sub(r"<[^>]+>", "|", body))

    return page


def test_documents_of_a_query(written: Callable[..., str]) -> None:
    """A query is shown with its first documents in the run's order, their grades, and the relevant ones it lacks."""
    page = written("small.qrels", "first.txt", "-m", "nDCG@10")
    assert "Worst q1: 0.2650 rank document grade 1 d2 0 2 d1 2 3 new not judged" in page
    assert "Relevant, but not at the top: d8 (grade 3, not retrieved), d9 (grade 1, not retrieved)." in page
    assert "Best q2: 1.0000 rank document grade 1 d3 1" in page
    assert "are left out" not in page


def test_queries_with_nothing_relevant_are_no_worst(written: Callable[..., str], folder: Path) -> None:
    """Where no list is good or bad, none is shown as bad; the table of every query has its value."""
    (folder / "small.qrels").write_text(f"{QRELS}q0 0 d1 0\n")
    page = written("small.qrels", "first.txt", "-m", "nDCG@10")
    assert "Queries for which it is 0/0, as nothing is relevant, are left out." in page
    assert "Worst q1: 0.2650" in page
    assert "q0 0.0000" in page.partition("Every query")[2]


def test_runs_side_by_side(written: Callable[..., str]) -> None:
    """Several runs stand beside each other, tied documents are marked, and of many runs the best are shown."""
    page = written("small.qrels", "first.txt", "second.txt", "-m", "nDCG@10")
    assert "rank first.txt grade second.txt grade 1 d2 0 d1 = 2 2 d1 2 d2 = 0 3 new not judged" in page
    assert "Relevant, but not at the top in second.txt: d8 (grade 3, not retrieved), d9 (grade 1" in page
    copies = [f"copy{n}=first.txt" for n in range(4)]
    many = written("small.qrels", *copies, "second.txt", "-m", "P@1,AP")
    assert "The best 4 of 5 runs are shown." in many
    assert "query copy0 copy1 copy2 copy3 second.txt q1 0.0000 0.0000 0.0000 0.0000 0.5000 q2" in many


def test_every_query_by_name_and_text(written: Callable[..., str], folder: Path) -> None:
    """All queries are listed with their values, and with what people typed if a file of queries says it."""
    values = " ".join(f"q{n:02}" for n in range(1, 25))
    page = written("qrels.txt", "bm25.txt", "-m", "AP")
    assert re.findall(r"\bq\d\d\b", page.partition("Every query")[2])[:24] == values.split()
    (folder / "topics.tsv").write_text("q1\tred dress\nq2\tblue jeans\n")
    page = written("small.qrels", "first.txt", "-m", "AP", "--queries", "topics.tsv")
    assert "query text AP q1 red dress 0.1667 q2 blue jeans 1.0000" in page
    assert "red dress q1 : 0.1667" in page  # the id is small
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "red dress"}\n{"_id": "q2", "text": "jeans"}\n')
    assert "q2 jeans 1.0000" in written("small.qrels", "first.txt", "-m", "AP", "--queries", "queries.jsonl")


def test_a_pipe_is_read_once(written: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A run from a pipe cannot be read again for its documents: the queries are named without them."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FIRST.encode())))
    page = written("small.qrels", "run=-", "-m", "nDCG@10")
    assert "Worst q1: 0.2650 Best q2: 1.0000" in page


def test_what_is_no_amount_has_no_interval(written: Callable[..., str], command: Command) -> None:
    """A count has no distribution, a text neither interval nor chart; and neither of them compares runs."""
    page = written("small.qrels", "first.txt", "-m", "NumQ,RelString@3,AP")
    assert re.search(r"NumQ 2 2 RelString@3 [^ ]+ 2 AP 0\.5833", page)
    assert "How values spread over the queries For each" in page
    for name, why in (("NumQ", "the same for all"), ("RelString@3", "about means")):
        assert why in command("compare", "small.qrels", "first.txt", "second.txt", "-m", name, code=4)


@needs_chromium
def test_in_a_browser(written: Callable[..., str], folder: Path) -> None:
    """On a phone nothing is wider than the screen; a heading that is pressed sorts its table, both ways."""
    written("qrels.txt", "bm25.txt", "dense.txt.gz")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*QUIET])
        page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
        page.goto((folder / "report.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        first = page.locator("table.sortable").first
        first.get_by_role("button", name="dense.txt").click()
        assert first.locator("tbody tr").first.inner_text().split() == ["q05", "0.9197", "0.0000"]
        first.get_by_role("button", name="dense.txt").click()
        assert first.locator("tbody tr").first.inner_text().split()[2] == "1.0000"
        browser.close()
