"""Imports that name queries by their texts, as Quepid does."""

from __future__ import annotations

import html
import json
from pathlib import Path

import httpx
import pytest

from tests.program import invoke
from tests.web.house import House, csrf, parquet, pool

TEXT, QUERY = pool()["query_text"][0], pool()["query"][0]
BOOK = {
    "name": "Shop",
    "query_doc_pairs": [
        {"query_text": TEXT, "doc_id": f"{QUERY}-d01", "judgements": [{"rating": 2.0, "user_email": "ann@example.org"}]}
    ],
}
CASE = {"case_name": "Shop", "queries": [{"query_text": TEXT, "ratings": {f"{QUERY}-d01": 2.0}}]}
FILES = {
    "raters": f"query,docid,Anna,Ben\n{TEXT},{QUERY}-d01,2,\n",
    "case": json.dumps(CASE),
    "book": json.dumps(BOOK),
    "table": f"query,document,grade\n {TEXT} ,{QUERY}-d01,2\n",
}


def upload(boss: httpx.Client, number: int, content: str | bytes) -> httpx.Response:
    """A file sent by the page Files."""
    return boss.post(f"/campaigns/{number}/labels", data={"csrf": csrf(boss)}, files={"labels": ("f", content)})


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_queries_by_their_texts(house: House, database: str, kind: str, tmp_path: Path) -> None:
    """Where a query is no id of the pool, its text finds it, on the page and at the command line, which say so."""
    number, boss = house.campaign("autumn", method="passive"), house.admin()
    answer = upload(boss, number, FILES[kind])
    assert answer.status_code == 200, html.unescape(answer.text)
    assert "1 with queries named by their texts" in answer.text
    (row,) = house.room.campaigns.get(number).campaign.labels().rows(named=True)
    assert (row["query"], row["document"], row["grade"]) == (QUERY, f"{QUERY}-d01", 2.0)
    (tmp_path / "labels").write_text(FILES[kind])
    said = invoke(["active", "record", f"{database}#autumn", str(tmp_path / "labels"), "--assessor", "x"])
    assert "1 with queries named by their texts" in said.output, said.exception
    gold = boss.post(
        f"/campaigns/{number}/gold/labels", data={"csrf": csrf(boss)}, files={"file": ("gold", FILES[kind])}
    )
    assert "1 gold question added" in gold.text
    assert [one.query for one in house.room.gold.questions(number)] == [QUERY]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_text_of_several_queries(house: House) -> None:
    """Which of them is meant is not guessed; a text of none is an unknown query; an id is no text."""
    frame = pool().drop("grade").with_columns(query_text=pool()["query_text"].replace({pool()["query_text"][-1]: TEXT}))
    params = {"name": "twins", "measure": "ERR@5", "budget": 30, "filename": "pool.parquet"}
    made = house.program().post("/api/v1/campaigns", params=params, content=parquet(frame)).json()["id"]
    boss = house.admin()
    several = upload(boss, made, FILES["table"])
    assert several.status_code == 400
    assert f"2 queries of the pool have the text '{TEXT}': {QUERY}, {pool()['query'][-1]}" in html.unescape(
        several.text
    )
    nobody = upload(boss, made, FILES["table"].replace(TEXT, "a query of nobody"))
    assert "the pool has no query 'a query of nobody'" in html.unescape(nobody.text)
    assert "named by their texts" not in upload(boss, made, FILES["table"].replace(f" {TEXT} ", QUERY)).text


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_everything_in_a_file_is_accounted_for(house: House) -> None:
    """Rows without a grade, labels that replace others, documents that cannot be judged, and columns not read."""
    number, boss = house.campaign("autumn", method="passive"), house.admin()
    said = upload(boss, number, f"query,document,grade,asessor\n{QUERY},{QUERY}-d01,2,ann\n{QUERY},{QUERY}-d02,,ann\n")
    assert "1 without a grade" in said.text
    assert "by admin" in said.text
    assert "columns that were not read: asessor" in said.text
    said = upload(
        boss,
        number,
        json.dumps({"query": QUERY, "document": f"{QUERY}-d03", "grade": "skip", "title": "", "colour": 1}),
    )
    assert "1 cannot be judged" in said.text
    assert "columns that were not read: colour</p>" in said.text
    files = {"labels": ("f", f"query,document,grade\n{QUERY},{QUERY}-d01,1\n")}
    said = boss.post(f"/campaigns/{number}/labels", data={"csrf": csrf(boss), "replace": "true"}, files=files)
    assert "1 replaced" in said.text
    assert "not read" not in said.text
    progress = house.room.campaigns.get(number).campaign.progress()
    assert (progress.labels, progress.imported, progress.replaced) == (2, 2, 1), "what was replaced counts no more"


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (f"query,document,title,grade\n{QUERY},{QUERY}-d01,A, 1,2\n", "the row has 5 cells, and the header names 4"),
        (f'query,document,grade,comment\n{QUERY},{QUERY}-d01,2,"x\n{QUERY},{QUERY}-d02,1,y\n', "does not end"),
        (b"PK\x03\x04\x14\0\xff\xfe", "is a spreadsheet or an archive"),
    ],
)
def test_labels_that_would_be_misread(house: House, content: str | bytes, problem: str) -> None:
    """A cell too many and a quote that does not end are errors: a title was taken for a grade, and rows were lost."""
    number, boss = house.campaign("autumn", method="passive"), house.admin()
    said = upload(boss, number, content)
    assert (said.status_code, problem in said.text) == (400, True)
    assert house.room.campaigns.get(number).campaign.progress().labels == 0


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_qrels_with_assessors(house: House) -> None:
    """The room's own qrels with assessors keep them: here they are known already, elsewhere they are theirs."""
    number, boss = house.campaign("autumn", method="passive"), house.admin()
    content = f"{QUERY} ann {QUERY}-d01 2\n{QUERY} bob_b {QUERY}-d01 1\n{QUERY} 0 {QUERY}-d02 0\n"
    assert "by admin, ann, bob_b" in upload(boss, number, content).text
    opened = house.room.campaigns.get(number)
    assert sorted(opened.campaign.labels()["assessor"]) == ["admin", "ann", "bob_b"]
    exported = boss.get(f"/campaigns/{number}/files/assessors.txt").text
    assert "0 new labels, marked as imported; 3 known already" in upload(boss, number, exported).text
    other = house.campaign("spring", method="passive")
    assert "3 new labels" in upload(boss, other, exported).text
    assert sorted(house.room.campaigns.get(other).campaign.labels()["assessor"]) == ["admin", "ann", "bob_b"]
