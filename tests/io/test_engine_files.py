"""Files of search engines and of the tools around them: Elasticsearch, OpenSearch, Solr, Vespa, Typesense.

The shapes are those of the programs' own documentation and source:

- `_search`, `_msearch`, `_rank_eval`: elastic/elasticsearch, docs/reference/elasticsearch/rest-apis/
  search-rank-eval.md, and the API pages of `_search` and `_msearch`;
- Search Relevance Workbench: opensearch-project/documentation-website, _search-plugins/search-relevance/judgments.md,
  evaluate-search-quality.md, compare-query-sets.md;
- Solr: the reference guide's "Response Writers"; Typesense: `SearchResult` and `MultiSearchResult` of its OpenAPI
  description, as typesense_codegen prints them; Vespa: the reference's "Default JSON Result Format".
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankgauge import compare, evaluate, files
from rankgauge.errors import InputError, InputWarning
from rankgauge.evaluation import judged_share
from rankgauge.input_notes import collecting_notes
from rankgauge.policies import FailedResponse

JUDGED = {"red dress": {"d1": 3, "d7": 0}, "blue jeans": {"d3": 2}}


def hits(*ids: str, **more: Any) -> dict[str, Any]:
    """A response of Elasticsearch with those documents."""
    found = [{"_index": "shop", "_id": one, "_score": 9.0 - n, "_source": {"t": "…"}} for n, one in enumerate(ids)]
    return {"took": 1, "hits": {"total": {"value": len(ids)}, "max_score": 9.0, "hits": found}, **more}


def written(folder: Path, content: Any, name: str = "run.json", **options: Any) -> Path:
    """A file with the content as JSON."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, **options))
    return path


def lists(path: Path, **options: Any) -> dict[str, list[str]]:
    """The documents of each query in a run, the best first."""
    frame = files.read_run(path, **options).sort("score", descending=True, maintain_order=True)
    return {str(query): rows["document"].to_list() for (query,), rows in frame.group_by("query", maintain_order=True)}


RESPONSES = [hits("d7", "d1"), hits("d3")]
NAMES = ["red dress", "blue jeans"]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.filterwarnings("ignore:.*do not name their queries")
def test_responses_come_in_every_wrapping(tmp_path: Path, indent: int | None) -> None:
    """Several responses: of _msearch, one per line or in a row, in a list, or by query."""
    ways: dict[str, Any] = {"together": {"took": 2, "responses": RESPONSES}, "list": RESPONSES}
    for name, content in ways.items():
        path = written(tmp_path, content, f"{name}.json", indent=indent)
        assert lists(path) == {"1": ["d7", "d1"], "2": ["d3"]}
    rows = tmp_path / "rows.json"
    rows.write_text("\n".join(json.dumps(one, indent=indent) for one in RESPONSES))
    assert lists(rows) == {"1": ["d7", "d1"], "2": ["d3"]}
    named = written(tmp_path, dict(zip(NAMES, RESPONSES, strict=True)), "named.json", indent=indent)
    assert lists(named) == {"red dress": ["d7", "d1"], "blue jeans": ["d3"]}


def test_a_response_alone_is_named_for_its_file(tmp_path: Path) -> None:
    """Also if it is packed, if its name has dots, and if the search was asynchronous."""
    assert lists(written(tmp_path, hits("d7"), "red dress.json")) == {"red dress": ["d7"]}
    assert lists(written(tmp_path, {"id": "x", "response": hits("d7")}, "v1.5 dress.json")) == {"v1.5 dress": ["d7"]}


def test_a_folder_of_responses_is_a_run(tmp_path: Path) -> None:
    """Each file is named for its query; any other file beside them is an error that says so."""
    for name, response in zip(NAMES, RESPONSES, strict=True):
        written(tmp_path / "bm25", response, f"{name}.json")
    assert lists(tmp_path / "bm25") == {"blue jeans": ["d3"], "red dress": ["d7", "d1"]}
    assert evaluate(JUDGED, tmp_path / "bm25", "RR")["RR"] == (1 / 2 + 1) / 2
    (tmp_path / "bm25" / "notes.txt").write_text("…")
    with pytest.raises(InputError, match=r"is a directory.*\n.*nothing but search responses"):
        lists(tmp_path / "bm25")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("queries.txt", "red dress\n\nblue jeans\n"),
        ("queries.tsv", "red dress\tclothes\nblue jeans\tclothes\n"),
        ("queries.csv", 'n,query\n1,red dress\n2,"blue jeans"\n'),
        ("run.queries.txt", "red dress\nblue jeans\n"),
    ],
)
def test_a_list_of_queries_names_responses(tmp_path: Path, name: str, text: str) -> None:
    """A list beside the file is found by its name; any other is given."""
    path = written(tmp_path, {"responses": RESPONSES})
    (tmp_path / name).write_text(text)
    expected = {"red dress": ["d7", "d1"], "blue jeans": ["d3"]}
    with pytest.warns(InputWarning, match="names the queries of its responses"):
        assert lists(path) == expected
    assert lists(path, queries=tmp_path / name) == lists(path, queries=NAMES) == expected
    found = evaluate(JUDGED, path, "RR")
    assert found["RR"] == (1 / 2 + 1) / 2
    assert any("names the queries" in note for note in found.notes)


def solr(query: str, *documents: str, start: int = 0, **header: object) -> dict[str, object]:
    """A response of Solr that repeats its query."""
    head = {"status": 0, "params": {"q": query}, **header}
    return {"responseHeader": head, "response": {"start": start, "docs": [{"id": document} for document in documents]}}


@pytest.mark.filterwarnings("ignore:.*names the queries of its responses")
def test_a_list_comes_before_what_a_response_repeats(tmp_path: Path) -> None:
    """Solr repeats its own syntax, and a response alone has its file's name; names that the list has too are kept.

    A list of another length is about other files of the folder.
    """
    asked = written(tmp_path, [solr("t:(red dress)", "d7"), solr("t:(blue jeans)", "d3")])
    alone = [written(tmp_path, one, f"one{n}.json") for n, one in enumerate((hits("d7"), solr("t:(red dress)", "d7")))]
    assert lists(asked) == {"t:(red dress)": ["d7"], "t:(blue jeans)": ["d3"]}
    (tmp_path / "queries.txt").write_text("red dress\nblue jeans\n")
    assert lists(asked) == {"red dress": ["d7"], "blue jeans": ["d3"]}
    assert [lists(path) for path in alone] == [{"one0": ["d7"]}, {"t:(red dress)": ["d7"]}]
    for path in alone:
        path.with_suffix(".queries.txt").write_text("red dress\n")
        assert lists(path) == {"red dress": ["d7"]}
    other_order = written(tmp_path, [solr("blue jeans", "d3"), solr("red dress", "d7")], "other.json")
    assert lists(other_order) == {"blue jeans": ["d3"], "red dress": ["d7"]}


def test_a_list_of_another_length_is_refused(tmp_path: Path) -> None:
    """Nothing is named by guessing."""
    path = written(tmp_path, {"responses": RESPONSES})
    with pytest.raises(InputError, match="2 responses in it, and 1 queries in the list"):
        lists(path, queries=["red dress"])


def test_responses_without_names_say_what_to_do(tmp_path: Path) -> None:
    """Where no number is a judged query, the error names the file to write, or how to call the response."""
    path = written(tmp_path, {"responses": RESPONSES})
    with pytest.raises(InputError, match=r"run has 1, 2(.|\n)*list these in queries.txt beside the file"):
        evaluate(JUDGED, path, "RR")
    with pytest.raises(InputError, match=r"name the file for it \(QUERY.json\)"):
        evaluate(JUDGED, written(tmp_path, hits("d1"), "response.json"), "RR")
    for n in range(2):
        written(tmp_path / "numbered", solr(NAMES[n], "d1"), f"{n}.json")
    with pytest.raises(InputError, match=r"Each file of the folder is named for its query"):
        evaluate(JUDGED, tmp_path / "numbered", "RR")
    named = written(tmp_path, dict(zip(("RED DRESS", "BLUE JEANS"), RESPONSES, strict=True)), "named.json")
    with pytest.raises(InputError, match="--ids casefold") as caught:  # these say which queries they answer
        evaluate(JUDGED, named, "RR")
    assert "queries.txt" not in str(caught.value)
    numbered = {"1": {"d1": 1}, "2": {"d3": 1}}
    by_number = evaluate(numbered, path, "RR")
    assert by_number["RR"] == (1 / 2 + 1) / 2
    assert any("do not name their queries: numbered 1, 2, 3, … in their order" in said for said in by_number.notes)


FAILED = {"error": {"type": "index_not_found_exception", "reason": "no such index [shop]"}, "status": 404}


def test_a_failed_search_is_left_out_and_named(tmp_path: Path) -> None:
    """The rest goes on: the failed query counts neither as an empty list nor as a query of this run."""
    path = written(tmp_path, {"took": 1, "responses": [hits("d7", "d1"), FAILED, hits()]})
    (tmp_path / "queries.txt").write_text("red dress\nblue jeans\nsocks\n")
    judged = {**JUDGED, "socks": {"d8": 1}}
    result = evaluate(judged, path, "RR")
    assert dict(zip(result.names, result.matrix[:, 0].tolist(), strict=True)) == {"red dress": 1 / 2, "socks": 0}
    failed, empty = (note for note in result.notes if " of 3 " in note)
    assert failed.endswith(
        "1 search of 3 failed, left out of this run's means, not scored 0: blue jeans (no such index [shop])"
    )
    assert empty.endswith("1 response of 3 without hits, counted as an empty list: socks")
    with collecting_notes() as notes:
        assert lists(path) == {"red dress": ["d7", "d1"]}
    assert any("1 search of 3 failed, left out of the run: blue jeans" in note for note in notes)


def test_many_failed_searches_are_said_first(tmp_path: Path) -> None:
    """Before any value: that its mean rests on the few queries whose searches did not fail."""
    path = written(tmp_path, {"took": 1, "responses": [hits("d7", "d1"), FAILED, FAILED]})
    (tmp_path / "queries.txt").write_text("red dress\nblue jeans\nsocks\n")
    result = evaluate({**JUDGED, "socks": {"d8": 1}}, path, "RR")
    (told,) = judged_share.warnings({"new": result})
    assert told == "2 of 3 searches of new failed, so its means rest on 1 query alone. Search again"


@pytest.mark.filterwarnings("ignore:.*do not name their queries")
def test_failed_searches_may_stop_or_count_as_empty(tmp_path: Path) -> None:
    """As a user says; and if all failed there is nothing to go on with."""
    path = written(tmp_path, {"took": 1, "responses": [hits("d1"), FAILED]})
    with pytest.raises(
        InputError, match=r"1 search of 2 failed: 2 \(no such index \[shop\]\)\n.*--on-failure leave-out"
    ):
        lists(path, on_failure="stop")
    with collecting_notes() as notes:
        assert (
            evaluate({"1": {"d1": 1}, "2": {"d1": 1}}, files.spell(path, None, on_failure=FailedResponse.EMPTY), "RR")[
                "RR"
            ]
            == 1 / 2
        )
    for content in ({"took": 1, "responses": [FAILED, FAILED]}, FAILED):
        with pytest.raises(InputError, match=r"(2 searches of 2|1 search of 1) failed: .*\n  Search again\.$"):
            lists(written(tmp_path, content))
    assert not notes


def test_runs_are_compared_on_what_both_answered(tmp_path: Path) -> None:
    """A query whose search failed in one run says nothing of the difference."""
    before = written(tmp_path, dict(zip(NAMES, [hits("d7", "d1"), FAILED], strict=True)), "before.json")
    after = written(tmp_path, dict(zip(NAMES, [hits("d7", "d1"), hits("d3")], strict=True)), "after.json")
    pair = compare(JUDGED, {"before": before, "after": after}, "RR")
    assert np.nanmax(np.abs(pair.differences)) == 0


MATCH = {"query": {"bool": {"must": {"match": {"title": "red dress"}}, "filter": {"match": {"shop": "north"}}}}}
MULTI = {"query": {"multi_match": {"query": "blue jeans", "fields": ["title", "text"]}}}
TEMPLATE = {"id": "shop-search", "params": {"query_string": "blue jeans", "size": 10}}


@pytest.mark.parametrize("second", [MULTI, TEMPLATE])
def test_the_request_names_the_queries(tmp_path: Path, second: dict[str, Any]) -> None:
    """The body of _msearch is a list of queries: each is called what was typed."""
    requests = tmp_path / "requests.ndjson"
    requests.write_text("".join(f'{{"index": "shop"}}\n{json.dumps(one)}\n' for one in (MATCH, second)))
    path = written(tmp_path, {"responses": RESPONSES})
    assert list(lists(path, queries=requests)) == NAMES


@pytest.mark.parametrize(
    ("search", "problem"),
    [
        ({"query": {"match_all": {}}}, "the search has no text"),
        (
            {"query": {"bool": {"should": [{"match": {"a": "x"}}, {"match": {"a": "y"}}]}}},
            "the search has several texts.*: x, y",
        ),
    ],
)
def test_a_request_that_names_no_query_is_refused(tmp_path: Path, search: dict[str, Any], problem: str) -> None:
    """With its line, and what to do."""
    requests = tmp_path / "requests.ndjson"
    requests.write_text(f"{{}}\n{json.dumps(MATCH)}\n{{}}\n{json.dumps(search)}\n")
    with pytest.raises(InputError, match=rf"requests\.ndjson:4: {problem}(.|\n)*one per line"):
        lists(written(tmp_path, {"responses": RESPONSES}), queries=requests)


def test_the_order_of_hits_is_the_ranking(tmp_path: Path) -> None:
    """Hits that are sorted by another field have no scores, or scores that do not fall."""
    response = hits("a", "b", "c")
    for hit, score in zip(response["hits"]["hits"], (None, None, 5.0), strict=True):
        hit["_score"] = score
    assert lists(written(tmp_path, response, "q.json")) == {"q": ["a", "b", "c"]}


def test_a_large_response_is_recognised_by_its_beginning(tmp_path: Path) -> None:
    """A first hit of 200 kB leaves only a part of one response to look at."""
    response = hits("d1", "d7")
    response["hits"]["hits"][0]["_source"] = {"text": 'a "b", [c] ' * 20_000}
    assert lists(written(tmp_path, response, "q.json")) == {"q": ["d1", "d7"]}


def test_rank_eval_request_and_response(tmp_path: Path) -> None:
    """A request's ratings are judgments; a response holds the run, and the ratings of what was retrieved."""
    request = written(tmp_path, {"requests": [_rated("q1", d1=3, d2=0), _rated("q2", d3=1)], "metric": {}}, "ask.json")
    found = [{"hit": {"_id": "d2", "_score": 2.0}, "rating": 0}, {"hit": {"_id": "d1", "_score": 1.0}, "rating": 3}]
    details = {"q1": {"metric_score": 1, "unrated_docs": [], "hits": found}}
    response = written(tmp_path, {"rank_eval": {"metric_score": 1, "details": details}}, "answer.json")
    assert files.read_judgments(request).rows() == [("q1", "d1", 3.0), ("q1", "d2", 0.0), ("q2", "d3", 1.0)]
    assert lists(response) == {"q1": ["d2", "d1"]}
    assert files.read_judgments(response).rows() == [("q1", "d2", 0.0), ("q1", "d1", 3.0)]
    assert evaluate(request, response, "RR")["RR"] == (1 / 2 + 0) / 2


def _rated(name: str, **ratings: int) -> dict[str, Any]:
    listed = [{"_index": "shop", "_id": document, "rating": rating} for document, rating in ratings.items()]
    return {"id": name, "request": {"query": {"match_all": {}}}, "ratings": listed}


def test_workbench_lists_are_judgments(tmp_path: Path) -> None:
    """As they are sent and as the index gives them, with ratings as text."""
    ratings = [{"docId": "d1", "rating": "3.000"}, {"docId": "d7", "rating": 0}]
    sent = {"name": "x", "type": "IMPORT_JUDGMENT", "judgmentRatings": [{"query": "red dress", "ratings": ratings}]}
    found = {"took": 3, "hits": {"hits": [{"_index": "search-relevance-judgment", "_id": "b5", "_source": sent}]}}
    for content in (sent, found):
        path = written(tmp_path, content)
        assert files.read_judgments(path).rows() == [("red dress", "d1", 3.0), ("red dress", "d7", 0.0)]


def test_workbench_experiments_hold_a_run_per_configuration(tmp_path: Path) -> None:
    """Of several, one is asked for by the beginning of its id; results without documents say where these are."""
    inner = {"type": "PAIRWISE_COMPARISON", "searchConfigurationList": ["a5ac", "26c7"], "size": 2}
    older = {"tv": {"a5ac": ["d1", "d2"], "26c7": ["d3"], "pairwiseComparison": {"jaccard": 0.0}}}
    shots = [
        {"searchConfigurationId": "a5ac", "docIds": ["d1", "d2"]},
        {"searchConfigurationId": "26c7", "docIds": ["d3"]},
    ]
    newer = [{"queryText": "tv", "snapshots": shots, "metrics": []}]
    for results in (older, newer):
        path = written(tmp_path, {"hits": {"hits": [{"_id": "c", "_source": {**inner, "results": results}}]}})
        assert lists(Path(f"{path}#a5")) == {"tv": ["d1", "d2"]}
        assert lists(Path(f"{path}#26c7")) == {"tv": ["d3"]}
        with pytest.raises(InputError, match=r"holds 2 runs: a5ac, 26c7\n.*run.json#a5ac"):
            lists(path)
    evaluated = [{"evaluationId": "1", "searchConfigurationId": "a5ac", "queryText": "tv"}]
    with pytest.raises(InputError, match="not their documents"):
        lists(written(tmp_path, {**inner, "results": evaluated}))


def test_other_engines(tmp_path: Path) -> None:
    """Solr and Typesense may repeat the query; Vespa's groups are no documents."""
    solr = {"responseHeader": {"params": {"q": "red dress"}}, "response": {"docs": [{"id": ["d7"]}, {"id": "d1"}]}}
    assert lists(written(tmp_path, solr)) == {"red dress": ["d7", "d1"]}
    del solr["responseHeader"]
    assert lists(written(tmp_path, solr, "q1.json")) == {"q1": ["d7", "d1"]}
    group = {"id": "group:root:0", "relevance": 1.0, "children": []}
    children = [group, {"id": "id:shop:product::d7", "relevance": 0.5, "source": "shop"}]
    vespa = {"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 1}, "children": children}}
    assert lists(written(tmp_path, vespa, "q1.json")) == {"q1": ["id:shop:product::d7"]}
    typesense = {"found": 1, "hits": [{"document": {"id": "d7"}}], "request_params": {"q": "red dress"}}
    other = {**typesense, "request_params": {"q": "blue jeans"}}
    assert lists(written(tmp_path, {"results": [typesense, other]})) == {"red dress": ["d7"], "blue jeans": ["d7"]}


def test_a_folder_takes_a_list_of_queries(tmp_path: Path) -> None:
    """Files that are numbered are named by the list, 2 before 10; those that have the queries' names keep them."""
    for number, documents in enumerate((["d7", "d1"], ["d3"], ["d5"]), start=1):
        written(tmp_path / "bm25", hits(*documents), f"{number if number < 3 else 10}.json")
    queries = ["red dress", "blue jeans", "wool hat"]
    with pytest.warns(InputWarning, match="names its responses in the order of their names, 1 first"):
        assert lists(tmp_path / "bm25", queries=queries)["wool hat"] == ["d5"]
    with pytest.raises(InputError, match="3 responses in it, and 2 queries in the list"):
        lists(tmp_path / "bm25", queries=queries[:2])
    assert set(lists(tmp_path / "bm25", queries=["10", "2", "1", "other"])) == {"1", "2", "10"}


def test_a_field_may_be_the_id(tmp_path: Path) -> None:
    """A user who judges by article number says so, and documents are called by it, as tables are read."""
    shop = [{"_id": f"x{n}", "_score": 1.0, "_source": {"sku": f"s{n}"}} for n in range(2)]
    fields = [{"_id": "x0", "fields": {"sku": ["s0"]}}]
    sku = {"columns": "document=sku"}
    assert lists(written(tmp_path, {"hits": {"hits": shop}}, "q.json"), **sku) == {"q": ["s0", "s1"]}
    assert lists(written(tmp_path, {"hits": {"hits": fields}}, "q.json"), **sku) == {"q": ["s0"]}
    solr = {"response": {"docs": [{"sku": "s7", "title": "dress", "id": "d7"}]}}
    assert lists(written(tmp_path, solr, "q.json"), **sku) == {"q": ["s7"]}
    typesense = {"found": 1, "hits": [{"document": {"id": "d7", "sku": "s7"}}]}
    assert lists(written(tmp_path, typesense, "q.json"), **sku) == {"q": ["s7"]}
    vespa = {"root": {"id": "top", "relevance": 1, "children": [{"id": "index:s/0/1", "fields": {"sku": "s7"}}]}}
    assert lists(written(tmp_path, vespa, "q.json"), **sku) == {"q": ["s7"]}
    with pytest.warns(InputWarning, match="no document has a field sku; its own id is taken"):
        assert lists(written(tmp_path, hits("d7"), "q.json"), **sku) == {"q": ["d7"]}
    with pytest.raises(InputError, match="document d7 has no field sku"):
        lists(written(tmp_path, {"hits": {"hits": [*shop, {"_id": "d7"}]}}, "q.json"), **sku)


@pytest.mark.filterwarnings("ignore:.*do not name their queries")
def test_vespa_says_what_it_could_not_do(tmp_path: Path) -> None:
    """An error in the place of hits is a failed search, and so is one of a part; a document has its own id."""
    root = {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 0}}
    failed = {"root": {**root, "errors": [{"code": 3, "summary": "Illegal query", "message": "no such field"}]}}
    with pytest.raises(InputError, match=r"1 search of 2 failed: 2 \(no such field\)"):
        lists(written(tmp_path, [{"root": root}, failed]), on_failure="stop")
    hit = {"id": "index:shop/0/1", "relevance": 0.5, "fields": {"documentid": "id:shop:product::d7"}}
    partial = {"root": {**root, "coverage": {"coverage": 60, "full": False}, "children": [hit]}}
    with pytest.warns(InputWarning, match=r"not complete, .* q \(60 % of the documents were searched\)"):
        assert lists(written(tmp_path, partial, "q.json"), on_failure="empty") == {"q": ["id:shop:product::d7"]}


def test_solr_documents_without_an_id_are_refused(tmp_path: Path) -> None:
    """The error names the fields, and how to ask for the id."""
    solr = {"response": {"docs": [{"sku": "d7", "title": "dress", "score": 1.0}]}}
    with pytest.raises(InputError, match=r"no field 'id' among sku, title\n.*fl=id,score"):
        lists(written(tmp_path, solr))
    del solr["response"]["docs"][0]["title"]
    assert lists(written(tmp_path, solr)) == {"run": ["d7"]}


@pytest.mark.parametrize(
    "lack",
    [
        {"timed_out": True},
        {"_shards": {"total": 5, "successful": 3, "failed": 2}},
        {"_clusters": {"total": 3, "successful": 2, "skipped": 1}},
    ],
)
def test_an_incomplete_response_is_a_failed_search(tmp_path: Path, lack: dict[str, Any]) -> None:
    """What an engine could not look at is no document that it left out: its query is, unless hits are to count."""
    answers = {"a": RESPONSES[0], "b": RESPONSES[0] | lack, "c": RESPONSES[0] | lack}
    path = written(tmp_path, answers)
    with pytest.warns(InputWarning, match=r"2 searches of 3 failed, .*: b \(not complete: .*c \(not") as told:
        assert lists(path) == {"a": ["d7", "d1"]}
    assert len(told) == 1
    with pytest.warns(InputWarning, match=r"2 responses of 3 not complete, counted with the hits") as told:
        assert list(lists(path, on_failure="empty").values()) == [["d7", "d1"]] * 3
    assert len(told) == 1
    with pytest.raises(InputError, match=r"2 searches of 3 failed.*\n.*--on-failure empty"):
        lists(path, on_failure="stop")


def test_a_query_listed_twice_is_refused(tmp_path: Path) -> None:
    """Two responses to one query would be one list of ties."""
    path = written(tmp_path, {"responses": RESPONSES})
    with pytest.raises(InputError, match="red dress is listed twice"):
        lists(path, queries=["red dress", "red dress"])


def test_a_name_behind_a_file_with_one_run(tmp_path: Path) -> None:
    """A file that holds no runs by name is not read as if it did."""
    path = written(tmp_path, RESPONSES[0], "red dress.json")
    with pytest.raises(InputError, match="none is called other"):
        lists(f"{path}#other")


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"responseHeader": {"status": 400, "params": {"q": "b"}}, "error": {"msg": "no field x"}}, r"\(no field x\)"),
        (solr("b", "d9", partialResults=True), r"\(not complete: it has partialResults\)"),
        (solr("b", "d9", start=10), r"\(not complete: its first document is number 11, start=10\)"),
    ],
)
def test_solr_says_which_searches_failed(tmp_path: Path, other: dict[str, object], reason: str) -> None:
    """An error, an answer of a part of the index and a later page are no list to judge; the rest goes on."""
    path = written(tmp_path, [solr("a", "d1", "d2"), other])
    with pytest.warns(InputWarning, match=rf"1 search of 2 failed.*: b {reason}"):
        assert lists(path) == {"a": ["d1", "d2"]}


def test_two_responses_to_one_query_are_refused(tmp_path: Path) -> None:
    """Their ranks would be mixed, as if documents of equal rank were tied; a list of queries tells them apart."""
    path = written(tmp_path, [solr("a", "d1", "d2"), solr("a", "d3")])
    with pytest.raises(InputError, match=r"2 responses answer the query a\n.*--queries"):
        lists(path)
    assert lists(path, queries=["a, men", "a, women"]) == {"a, men": ["d1", "d2"], "a, women": ["d3"]}
