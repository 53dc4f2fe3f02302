"""The classification track's denominators, and annotations judged by different numbers of assessors."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge import romip
from rankgauge.files.formats.romip import Classification
from rankgauge.romip import derive
from rankgauge.romip.tracks import Truth, read_truth

DOCUMENTS = [f"d{number}" for number in range(6)]
memberships = st.lists(st.sets(st.sampled_from(DOCUMENTS), min_size=1), min_size=1, max_size=4)


def pairs(members: list[set[str]]) -> pl.DataFrame:
    """Category and document, a row each."""
    rows = [(f"c{number}", d) for number, chosen in enumerate(members) for d in sorted(chosen)]
    return pl.DataFrame(rows, schema={"query": pl.String, "document": pl.String}, orient="row")


def labels(members: list[set[str]]) -> Classification:
    """A classification of the documents."""
    return Classification(pairs=pairs(members), documents=pl.Series("document", DOCUMENTS))


@given(truth=memberships, answer=memberships)
def test_micro_accuracy_is_macro_accuracy(truth: list[set[str]], answer: list[set[str]]) -> None:
    """Every category has the same denominator, so the mean of its shares is the share of the sums."""
    judged = Truth(
        belonging={"truth": pairs(truth)},
        categories=tuple(f"c{number}" for number in range(len(truth))),
        documents=pl.Series("document", DOCUMENTS),
    )
    outcome = romip.classification(judged, {"run": labels(answer)})
    for metric in ("accuracy", "error"):
        micro, macro = (outcome.value("truth", metric, "run", average) for average in ("micro", "macro"))
        assert micro == pytest.approx(macro, abs=1e-12)
    right = outcome.value("truth", "accuracy", "run")
    assert right + outcome.value("truth", "error", "run") == pytest.approx(1.0)


def test_denominator_is_every_document_judged_for_some_category(tmp_path: Path) -> None:
    """d2 was judged for c1 only, yet it counts for c0 too: accuracy of c0 is 2/3, not 1/2; strangers do not count."""
    (tmp_path / "t.xml").write_text(
        '<taskDocumentMatrix><task id="c0"><document id="d0" relevance="vital"/>'
        '<document id="d1" relevance="vital"/></task>'
        '<task id="c1"><document id="d2" relevance="vital"/></task>'
        '<task id="c2"><document id="d1" relevance="notrelevant"/></task></taskDocumentMatrix>'
    )
    outcome = romip.classification(read_truth(tmp_path / "t.xml"), {"run": labels([{"d0", "d5"}, set(), {"d2"}])})
    each = outcome.values.filter(pl.col("table") == "vital", pl.col("metric") == "accuracy")
    assert dict(each.select("query", "value").iter_rows()) == {"c0": (1 + 1) / 3, "c1": (0 + 2) / 3}
    assert outcome.used.filter(pl.col("table") == "vital").row(0) == ("vital", 2, 1)
    (note,) = [note for note in outcome.notes if note.code == "unjudged"]
    assert note.fields == {"run": "run", "documents": 1, "categories": 0}


def test_one_assessor_of_documents_and_two_of_annotations() -> None:
    """The documents' only table is compared with the AND and the OR of the annotations."""
    documents = derive(pl.DataFrame({"query": "q", "document": ["a", "b"], "grade": [1.0, 0.0]}))
    said = {"query": "q", "document": ["a", "b", "a", "b"], "grade": [1.0, 1.0, 0.0, 0.0], "assessor": list("xxyy")}
    outcome = romip.annotation(documents, {"run": derive(pl.DataFrame(said))})
    assert outcome.tables[:2] == ("and_relevant-minus", "or_relevant-minus")
    assert outcome.value("or_relevant-minus", "precision", "run") == 1 / 2
    assert outcome.value("and_relevant-minus", "precision", "run") == 0.0
    assert outcome.value("and_relevant-minus", "accuracy", "run") == 1 / 2
