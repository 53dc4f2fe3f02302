"""`rankgauge compare -o compare.html`: every query with its documents side by side, by what people call them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Command

HOSTILE = '<img src=x onerror="alert(1)"> & \x1b[31mred\x1b[0m'

TITLES = {"d1": "Red dress", "d2": HOSTILE, "d3": "Blue\n  jeans", "d4": "x" * 300}

TEXTS = {"q1": "red dress", "q2": "</script><script>alert(1)</script>", "q3": "jeans"}

OLD = {"q1": ["d2", "d1"], "q2": ["d2", "d4"], "q3": ["d3"]}

NEW = {"q1": ["d1", "d2"], "q2": ["d4", "d2"], "q3": ["d3"]}

JUDGED = "q1 0 d1 2\nq1 0 d9 1\nq2 0 d2 1\nq3 0 d3 1\n"


def response(documents: list[str]) -> dict:
    """A response of Elasticsearch with the titles of its documents."""
    hits = [{"_id": one, "_score": -at, "_source": {"title": TITLES[one]}} for at, one in enumerate(documents)]
    return {"hits": {"hits": hits}}


@pytest.fixture
def shop(folder: Path) -> Path:
    """Judgments, the responses of two engines, and the list of their queries."""
    (folder / "judged.txt").write_text(JUDGED)
    for name, run in (("old", OLD), ("new", NEW)):
        (folder / f"{name}.json").write_text(json.dumps({"responses": [response(run[query]) for query in TEXTS]}))
    (folder / "typed.tsv").write_text("".join(f"{query}\t{text}\n" for query, text in TEXTS.items()))
    return folder


def read(path: Path) -> tuple[str, str]:
    """A page as it is, and as the text in its tags."""
    page = path.read_text(encoding="utf-8")
    body = re.sub(r"<(?:style|script|svg).*?</(?:style|script|svg)>", "", page, flags=re.DOTALL)
    return page, re.sub(r"[\s|]+", " ", re.sub(r"<[^>]+>", "|", body))


COMPARED = ("compare", "judged.txt", "old.json", "new.json", "--queries", "typed.tsv", "-m", "RR")


def test_every_query_with_its_documents(command: Command, shop: Path) -> None:
    """Queries are grouped by what became of them, the largest change first, with both lists and their grades."""
    command(*COMPARED, "-o", "compare.html")
    _, text = read(shop / "compare.html")
    every = text.partition("Every query")[2]
    assert "Worse: 1 query &lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; q2 : 1.0000 → 0.5000 (−0.5000)" in every
    assert "Better: 1 query red dress q1 : 0.5000 → 1.0000 (+0.5000)" in every
    assert "No difference: 1 query jeans q3 : 1.0000 → 1.0000 (+0.0000)" in every
    red = "&lt;img src=x onerror=&#34;alert(1)&#34;&gt; &amp; \\x1b[31mred\\x1b[0m d2"
    assert f"rank old.json grade new.json grade 1 {red} not judged Red dress d1 2 2 Red dress d1 2 {red}" in every
    assert "Relevant, but not at the top in new.json: d9 (grade 1, not retrieved)." in every
    assert "Blue jeans d3" in every


def fail(shop: Path) -> None:
    """Let the new engine's search for the last query fail."""
    failed = {"error": {"type": "timeout", "reason": "too slow"}, "status": 503}
    answers = [response(NEW[query]) for query in list(TEXTS)[:-1]]
    (shop / "new.json").write_text(json.dumps({"responses": [*answers, failed]}))


def test_a_failed_search_is_no_equal_query(command: Command, shop: Path) -> None:
    """A query that one run has no value for is not among those without a difference."""
    fail(shop)
    command(*COMPARED, "-o", "compare.html")
    _, text = read(shop / "compare.html")
    assert "No difference" not in text
    assert "Without a value in one of the runs: 1 query jeans q3 : 1.0000 → –" in text


def test_means_over_different_queries_have_no_best(command: Command, shop: Path) -> None:
    """Where a failed search leaves a query out of one run, no run is marked as the best, and a note says why."""
    call = ("evaluate", *COMPARED[1:-1], "nDCG@10,P@1")
    assert "the best of the runs" in command(*call)
    fail(shop)
    told = " ".join(command(*call).split())
    assert " * " not in told
    assert "no best the runs' means rest on different queries" in told


@pytest.mark.parametrize("call", [COMPARED, ("evaluate", *COMPARED[1:])])
def test_texts_from_files_are_no_markup(command: Command, shop: Path, call: tuple[str, ...]) -> None:
    """Titles and texts that hold tags, ends of lines, control characters or far too much are shown as short text."""
    command(*call, "-o", "page.html")
    page, _ = read(shop / "page.html")
    assert "<img" not in page
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "Red dress" in page
    assert "x" * 99 + "…" in page
    assert "x" * 100 not in page


def test_texts_of_the_list_beside_responses(command: Command, shop: Path) -> None:
    """The list that names the responses names them on the page, too."""
    (shop / "typed.tsv").rename(shop / "queries.tsv")
    command("evaluate", "judged.txt", "new.json", "-m", "RR", "-o", "page.html")
    assert "red dress q1 : 1.0000" in read(shop / "page.html")[1]


def test_titles_of_other_engines(command: Command, folder: Path) -> None:
    """Solr's documents have their titles among their fields, single or in a list."""
    docs = [{"id": "a", "title": ["Apple pie"]}, {"id": "b", "name": "Banana"}]
    solr = {"responseHeader": {"params": {"q": "fruit"}}, "response": {"numFound": 2, "docs": docs}}
    (folder / "q7.json").write_text(json.dumps(solr))
    (folder / "judged.txt").write_text("q7 0 a 1\n")
    (folder / "list.txt").write_text("q7\n")
    command("evaluate", "judged.txt", "q7.json", "--queries", "list.txt", "-m", "RR", "-o", "page.html")
    _, text = read(folder / "page.html")
    assert "1 Apple pie a 1 2 Banana b not judged" in text
    assert "fruit q7 : 1.0000" in text


def test_many_queries_are_unfolded_in_parts(command: Command, folder: Path) -> None:
    """Ten queries of a group are listed, others fifty at a time; with several runs there is one group."""
    names = [f"q{n:03}" for n in range(75)]
    (folder / "judged.txt").write_text("".join(f"{query} 0 d 1\n" for query in names))
    for run, order in (("old", "de"), ("new", "ed"), ("third", "d")):
        lines = [f"{q} Q0 {d} {at} {-at} {run}\n" for q in names for at, d in enumerate(order, start=1)]
        (folder / f"{run}.txt").write_text("".join(lines))
    command("compare", "judged.txt", "old.txt", "new.txt", "-m", "RR", "-o", "two.html")
    _, text = read(folder / "two.html")
    assert "Worse: 75 queries" in text
    assert "queries 11 to 60 of 75" in text
    assert "queries 61 to 75 of 75" in text
    assert "all 75 queries as a table query old.txt new.txt difference q000 1.0000 0.5000 −0.5000" in text
    command("compare", "judged.txt", "old.txt", "new.txt", "third.txt", "-m", "RR", "-o", "three.html")
    assert "q000: old.txt 1.0000, new.txt 0.5000, third.txt 1.0000" in read(folder / "three.html")[1]
