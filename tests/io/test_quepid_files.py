"""Quepid's exports and RRE's ratings.

The shapes are those of o19s/quepid (app/views/api/v1/export/**, app/views/api/v1/snapshots/_snapshot.json.jbuilder,
app/assets/javascripts/services/caseCSVSvc.js, app/controllers/api/v1/books_controller.rb) and of
SeaseLtd/rated-ranking-evaluator (**/ratings/ratings_example.json, rre-tools/**/ratings.json).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankgauge import evaluate, files
from rankgauge.errors import InputWarning

QUERY = {"arranged_at": 0, "arranged_next": None, "options": {}, "notes": None, "information_need": None}


def written(folder: Path, content: object, name: str = "file.json") -> Path:
    """A file with the content, as it is if it is text and else as JSON."""
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_a_case_and_its_snapshot(tmp_path: Path) -> None:
    """Queries are called by their texts; what a snapshot shows only because it was rated is no result."""
    ratings = {"d1": 3.0, "d7": 0.0, "d9": None}
    case = {"case_name": "Shop", "queries": [{**QUERY, "query_text": "red dress", "ratings": ratings}], "try": {}}
    docs = [{"id": "d7"}, {"id": "d1", "explain": "{}", "rated_only": False}, {"id": "d5", "rated_only": True}]
    query = {**QUERY, "query_id": 12, "query_text": "red dress", "ratings": {"d1": 3}}
    snapshot = {"id": 1, "name": "s", "time": "…", "docs": {"12": docs}, "queries": [query], "scores": []}
    judged, run = written(tmp_path, case, "case.json"), written(tmp_path, snapshot, "snapshot.json")
    assert files.read_judgments(judged).rows() == [("red dress", "d1", 3.0), ("red dress", "d7", 0.0)]
    assert files.read_run(run).rows() == [("red dress", "d7", -1.0), ("red dress", "d1", -2.0)]
    assert evaluate(judged, run, "RR")["RR"] == 1 / 2


def test_older_cases_list_their_ratings(tmp_path: Path) -> None:
    """Each with its document and rater."""
    rated = [{"doc_id": "d1", "rating": 2, "user_email": "a@example.org"}]
    path = written(tmp_path, {"case_name": "Shop", "queries": [{"query_text": "q", "ratings": rated}]})
    assert files.read_judgments(path).rows() == [("q", "d1", 2.0)]


def test_exported_ratings(tmp_path: Path) -> None:
    """The ratings alone, as JSON."""
    path = written(tmp_path, {"queries": [{"query": "q", "ratings": {"d1": 2.0}}, {"query": "r", "ratings": {}}]})
    assert files.read_judgments(path).rows() == [("q", "d1", 2.0)]


def test_books_name_their_judges(tmp_path: Path) -> None:
    """As JSON by their addresses, as CSV by a column each; what nobody rated is no judgment."""
    judged = [
        {"rating": 3, "unrateable": False, "user_email": "anna@example.org"},
        {"rating": None, "unrateable": True, "user_email": "ben@example.org"},
        {"rating": 1, "unrateable": False},
    ]
    pair = {"query_text": "q", "doc_id": "d1", "position": 1, "document_fields": "{}", "judgements": judged}
    book = written(tmp_path, {"name": "b", "query_doc_pairs": [pair]})
    assert files.read_judgments(book).rows() == [("q", "d1", 3.0, "anna@example.org"), ("q", "d1", 1.0, "unknown")]
    table = written(tmp_path, "query,docid,Anna B.,Unknown\nq,d1,3,\nq,d2,0,1\n", "book_7_export.csv")
    assert files.detect(table).format.name == "quepid-book"
    with pytest.warns(InputWarning, match="Anna B., Unknown are taken for the grades of 2 judges"):
        judgments = files.read_judgments(table)
    assert judgments.drop("assessor").rows() == [("q", "d1", 3.0), ("q", "d2", 0.0), ("q", "d2", 1.0)]
    assert judgments["assessor"].n_unique() == 2


@pytest.mark.parametrize("relevant", [{"d1": {"gain": 3}, "d2": {"gain": 1}}, {"3": ["d1"], "1": ["d2"]}])
def test_ratings_of_rre(tmp_path: Path, relevant: dict[str, object]) -> None:
    """Topics and groups may be there or not; every query of a group has its documents."""
    queries = [{"template": "t.json", "placeholders": {"$query": text, "$vector": "[0.1]"}} for text in ("a", "b")]
    group = {"name": "g", "queries": queries, "relevant_documents": relevant}
    whole = {"index": "shop", "id_field": "id", "topics": [{"description": "t", "query_groups": [group]}]}
    flat = {"index": "shop", "query_placeholder": "$query", "query_groups": [group]}
    expected = [(query, document, grade) for query in "ab" for document, grade in (("d1", 3.0), ("d2", 1.0))]
    for content in (whole, flat):
        assert files.read_judgments(written(tmp_path, content)).rows() == expected
    exported = {"id_field": "id", "queries": [{"placeholders": {"$query": "a"}, "relevant_documents": relevant}]}
    assert files.read_judgments(written(tmp_path, exported)).rows() == expected[:2]
