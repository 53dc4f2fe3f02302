"""docs/formats.md: every kind of file that is read, with a small sample of each."""

from __future__ import annotations

from rankgauge.files import FORMATS, Format, Kind
from rankgauge.files.reading import written_format
from rankgauge.render.formats.md import table
from rankgauge.render.table import ReportTable

HEAD = """# Files

Judgments and runs are read from the files below as they are: what a file holds says what it is, not its name. Any of
them may be packed with gzip, bzip2, xz or zstd, come from a pipe (`-` is standard input), and stand beside any other.
`--format-judgments` and `--format-run` name a format where a file could be two things. In Python every function that
takes judgments or a run takes such a path.

## Responses of search engines

Most responses do not say which query they answer. The first of these that is there names it:

1. `{query: response}` in one file, or a folder of responses, each file named for its query: `red dress.json`;
2. a list of queries in the order of the requests: the one given by `--queries FILE`, else `queries.txt` beside the
   responses (or `NAME.queries.txt` for `NAME.json` alone). It has a query per line, as the judgments call it; of fields
   between tabs the first counts, and of a CSV file the column of the query. The body of the `_msearch` request
   (`--queries requests.ndjson`) names each query by the text that was typed;
3. the response itself, if it repeats the query (Solr, Typesense);
4. the file's name, if the response is alone in its file;
5. its position, from 1.

Several responses may be those of one `_msearch`, one per line, or in a list. The order of the hits is the ranking,
whatever the scores: engines sort by other fields too, and users see equal scores in that order.

A search that failed is not an empty list, and nobody knows what it would have retrieved. The rest goes on: its query is
left out of the evaluation of that run, a note names it with the engine's reason, and a comparison rests on the queries
that both runs answered. `--on-failure empty` counts it as an empty list, `--on-failure stop` makes it an error. A
response that says it is not complete (it timed out, or shards failed) is one, too: `empty` counts the hits that it has.
Keep failed responses in the file, so that responses and queries stay in step. A response without hits is an empty list,
which counts: its query is worth 0, and a note names it, too.

## Rows of RAG frameworks

ragas, MLflow, LlamaIndex, Haystack, TruLens, sentence-transformers, Phoenix, LangSmith and Evidently keep a row for
each question, with the documents that were retrieved and often those that were expected. Such a file is judgments, a
run, or both. Name it twice to evaluate it, and use its judgments for other runs:

    rankgauge evaluate ragas.jsonl ragas.jsonl -m nDCG@5
    rankgauge compare ragas.jsonl ragas.jsonl llama_index.json -m nDCG@5 -o page.html

Queries are called by the text of the question (`--columns query=NAME` takes another column), so that files of two
frameworks fit together. Documents are called by their ids; where there are only texts, by the text, and a long one by
its first letters and a digest. What is expected has grade 1 unless the file says more. A row with an empty list counts,
and a note names it. Documents that a framework evaluated one by one are a table like any: of Phoenix's
`get_retrieved_documents` with an evaluation beside it,
`--columns query=input,document=reference,rank=document_position,grade=score`.

## Several runs in one file

`FILE#NAME` is one of them: `experiment.json#a5ac` the run of the configuration whose id begins so, and
`predictions.json#en/test` that of a subset and a split. Without a name an error lists them. `ratings.xlsx#May` is a
sheet of a spreadsheet. Without a name several sheets of judgments with the same columns are those of several assessors,
called as the sheets are, with a note; any other sheets among which to choose are an error that lists them.
"""
_KINDS = {Kind.JUDGMENTS: "judgments", Kind.RUN: "run"}


def page() -> str:
    """The page."""
    known = sorted(FORMATS.values(), key=lambda one: one.name)
    rows = [(f"[`{one.name}`](#{_anchor(one)})", one.title, _holds(one), _written(one)) for one in known]
    overview = "## Formats\n\n" + table(ReportTable(columns=("format", "files", "read", "written"), rows=rows))
    return "\n".join([HEAD, overview, *map(_section, known)])


def _anchor(one: Format) -> str:
    return one.name.replace(" ", "-")


def _holds(one: Format) -> str:
    able = {"judgments": one.read_judgments, "runs": one.read_run or one.read_pair}
    return ", ".join(name for name, reader in able.items() if reader)


def _written(one: Format) -> str:
    if not one.write_judgments:
        return ""
    own = [suffix for suffix in one.suffixes if written_format(f"file{suffix}", None, "write_judgments") is one]
    return ", ".join(f"`{suffix}`" for suffix in own)


def _section(one: Format) -> str:
    parts = [f"### {one.name}\n\n{one.title[:1].upper()}{one.title[1:]}.\n"]
    for sample in one.samples:
        said = f"{sample.title[:1].upper()}{sample.title[1:]} ({_KINDS[sample.kind]}):"
        fence = "json" if sample.text.lstrip().startswith(("{", "[")) else "text"
        parts.append(f"{said}\n\n```{fence}\n{sample.text.rstrip()}\n```\n")
    return "\n".join(parts)
