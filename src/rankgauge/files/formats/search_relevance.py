"""search_relevance: judgment lists and experiments of OpenSearch's Search Relevance Workbench.

    judgment list       {"judgmentRatings": [{"query": "tv", "ratings": [{"docId": "d1", "rating": "3.0"}, …]}, …]}
    evaluation result   {"searchText": "tv", "searchConfigurationId": …, "documentIds": ["d7", …], …}
    pairwise results    {"results": {"tv": {CONFIGURATION: ["d7", …], …}, …}}
                        {"results": [{"queryText": "tv", "snapshots": [{"searchConfigurationId": …, "docIds": […]}]}]}

As they are sent, or as the workbench's indexes return them: hits of a search, each with such a `_source`. An experiment
has a run for each of its search configurations; if there are several, one is asked for as FILE#CONFIGURATION. A
judgment list is written as the workbench's API takes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import polars as pl

from rankgauge.errors import InputError
from rankgauge.files.format import Kind
from rankgauge.files.json_document import JsonShape, Row, json_format, list_objects, objects_at
from rankgauge.files.source import Source

JUDGMENTS = """{
  "name": "Imported Judgments", "type": "IMPORT_JUDGMENT",
  "judgmentRatings": [
    {"query": "red dress", "ratings": [{"docId": "d1", "rating": "3.000"}, {"docId": "d7", "rating": "0.000"}]}
  ]
}
"""
EVALUATION = """{
  "hits": {"hits": [
    {"_index": "search-relevance-evaluation-result", "_id": "10c60fee", "_source": {
      "searchConfigurationId": "4f90e474", "searchText": "red dress", "judgmentIds": ["d3d93bb3"],
      "documentIds": ["d7", "d1"], "metrics": [{"metric": "NDCG@8", "value": 0.6}]}}
  ]}
}
"""
PAIRWISE = """{
  "hits": {"hits": [
    {"_index": ".plugins-search-relevance-experiment", "_id": "cbd2c209", "_source": {
      "type": "PAIRWISE_COMPARISON", "searchConfigurationList": ["4f90e474"], "size": 10,
      "results": {"red dress": {"4f90e474": ["d7", "d1"], "pairwiseComparison": {"jaccard": 0.1}}}}}
  ]}
}
"""


def _sources(document: Any) -> list[Any]:
    """Return the workbench's documents: the one itself, or those among the hits of a search."""
    hits = [hit["_source"] for hit in objects_at(document, "hits", "hits") if isinstance(hit.get("_source"), dict)]
    return hits or list_objects([document])


def _is_run(document: Any) -> bool:
    sources = _sources(document)
    return any("documentIds" in source or {"results", "searchConfigurationList"} <= source.keys() for source in sources)


def _ratings(documents: list[Any], source: Source) -> Iterator[Row]:
    for one in (source_ for document in documents for source_ in _sources(document)):
        for judged in objects_at(one, "judgmentRatings"):
            ratings = judged.get("ratings")
            listed = [(one.get("docId"), one.get("rating")) for one in list_objects(ratings)]
            graded = ratings.items() if isinstance(ratings, dict) else listed
            yield from ((judged.get("query"), document, rating) for document, rating in graded)


def _run(documents: list[Any], source: Source) -> Iterator[Row]:
    """Yield the lists of one search configuration."""
    lists = [part for document in documents for one in _sources(document) for part in _lists(one)]
    if not lists:
        raise InputError(
            "the experiment names its evaluations, but not their documents",
            path=source.name,
            hint="Search the index search-relevance-evaluation-result for them, and keep that response.",
        )
    runs: dict[str, list[tuple[str, list[Any]]]] = {}
    for configuration, query, ids in lists:
        runs.setdefault(configuration, []).append((query, ids))
    for query, ids in source.one_of(runs):
        yield from ((query, document, -place) for place, document in enumerate(ids, start=1))


def _lists(one: dict[str, Any]) -> Iterator[tuple[str, str, list[Any]]]:
    """Yield the configuration, the query and the documents of each list in an evaluation or an experiment."""
    if isinstance(one.get("documentIds"), list):
        yield str(one.get("searchConfigurationId")), str(one.get("searchText")), one["documentIds"]
    results = one.get("results")
    for query, lists in results.items() if isinstance(results, dict) else ():
        for configuration, ids in lists.items() if isinstance(lists, dict) else ():
            if isinstance(ids, list):
                yield configuration, query, ids
    for result in list_objects(results):
        for shot in objects_at(result, "snapshots"):
            if isinstance(shot.get("docIds"), list):
                yield str(shot.get("searchConfigurationId")), str(result.get("queryText")), shot["docIds"]


def _write(frame: pl.DataFrame, file: BinaryIO) -> None:
    """Write a judgment list to import; the workbench takes ratings as texts."""
    rated = pl.struct(docId="document", rating=pl.col("grade").cast(pl.String))
    judged = frame.group_by("query", maintain_order=True).agg(ratings=rated).to_dicts()
    document = {"name": "RankGauge", "type": "IMPORT_JUDGMENT", "judgmentRatings": judged}
    file.write(json.dumps(document, indent=1, ensure_ascii=False).encode())


SEARCH_RELEVANCE = json_format(
    name="search_relevance",
    title="judgment lists and experiments of OpenSearch's Search Relevance Workbench",
    suffixes=(".json", ".srw"),
    holds_several=True,
    write_judgments=_write,
    shapes=(
        JsonShape(
            title="a judgment list of the Search Relevance Workbench",
            kind=Kind.JUDGMENTS,
            fits=lambda document: any("judgmentRatings" in source for source in _sources(document)),
            rows=_ratings,
            example=JUDGMENTS,
        ),
        JsonShape(
            title="evaluation results of the Search Relevance Workbench",
            kind=Kind.RUN,
            fits=_is_run,
            rows=_run,
            example=EVALUATION,
        ),
        JsonShape(
            title="an experiment that compares configurations", kind=Kind.RUN, fits=_is_run, rows=_run, example=PAIRWISE
        ),
    ),
).register()
