"""mlflow: the table of an evaluation of a retriever, eval_results_table.json, with a row for each question.

    {"columns": ["question", "gt", "ret", "ndcg_at_3/score", …], "data": [["How high is K2?", ["d1"], ["d7", "d1"], …]]}

The ids that the retriever should find are in the column that the caller named as `targets`, those that it found in
`predictions`; the table does not say which is which, so their names have to (`gt`, `ground_truth`, `targets`,
`expected`, `relevant` … and `outputs`, `retrieved`, `predictions` …).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rankgauge.files.format import Kind, SampleFile
from rankgauge.files.query_rows import Cells, Graded, QueryRow, QueryRows

TABLE = """{
  "columns": ["question", "gt", "ret", "precision_at_3/score", "recall_at_3/score", "ndcg_at_3/score"],
  "data": [
    ["How high is K2?", ["d1", "d3"], ["d7", "d1"], 0.5, 0.5, 0.38685],
    ["Who climbed it first?", ["d4"], ["d4"], 1.0, 1.0, 1.0]
  ]
}
"""
SCORE = re.compile(r"(precision|recall|ndcg)_at_\d+(/score)?$")
EXPECTED = re.compile(r"(^|_)(gt|ground|gold|truth|targets?|expected|expectations|relevant|references?|labels?)")
RETRIEVED = re.compile(r"(^|_)(ret|retrieved|retrieval|outputs?|predictions?|predicted|results?|docs|documents)")
QUESTIONS = ("question", "questions", "query", "inputs", "input", "request")


def _holds(cells: Cells) -> tuple[Kind, ...]:
    if not any(SCORE.match(name) for name in cells):
        return ()
    return tuple(kind for kind, words in ((Kind.JUDGMENTS, EXPECTED), (Kind.RUN, RETRIEVED)) if _column(cells, words))


def _column(cells: Cells, words: re.Pattern[str]) -> str | None:
    """The column whose name has one of the words; what is expected may be called documents too."""
    named = [name for name in cells if words.search(name.lower()) and not SCORE.match(name)]
    others = [name for name in named if words is EXPECTED or not EXPECTED.search(name.lower())]
    return next((name for name in others if not isinstance(cells[name], int | float)), None)


def _ids(row: QueryRow, words: re.Pattern[str]) -> list[Any]:
    name = _column(row.cells, words)
    if name is None:
        names = ", ".join(name for name in row.cells if not SCORE.match(name))
        raise row.fault(
            f"nothing says which column holds the documents: {names}",
            "Call the column of relevant documents targets, and that of retrieved ones outputs.",
        )
    return row.items(name)


def _judgments_of(row: QueryRow) -> Iterator[Graded]:
    yield from ((document, 1) for document in _ids(row, EXPECTED))


def _question(row: QueryRow) -> Any:
    """The cell of a column that names questions, or else the number of the row."""
    cell = next((row.cells[name] for name in QUESTIONS if row.cells.get(name) is not None), row.number)
    return next(iter(cell.values()), None) if isinstance(cell, dict) and len(cell) == 1 else cell


MLFLOW = (
    QueryRows(holds=_holds, query=_question, judged=_judgments_of, ranked=lambda row: _ids(row, RETRIEVED))
    .format(
        name="mlflow",
        title="tables of MLflow's evaluations of retrievers (eval_results_table.json)",
        samples=(SampleFile(title="a table of MLflow", kind=Kind.RUN, text=TABLE),),
    )
    .register()
)
