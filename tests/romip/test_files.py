"""ROMIP's files: what is written comes back, every year's spelling is understood, and what is wrong is named."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from rankgauge import files
from rankgauge.demo.romip import RomipCollection
from rankgauge.errors import InputError
from rankgauge.files.formats.romip import read_classification, read_relevance
from rankgauge.romip import derive, read_tables
from rankgauge.romip.tracks import read_truth


def table(*rows: tuple[str, str], kind: str = "", assessor: str = "") -> str:
    """A relevance table of one query."""
    documents = "".join(f'<document id="{d}" relevance="{word}"/>' for d, word in rows)
    return (
        f'<taskDocumentMatrix type="{kind}" assessor="{assessor}"><task id="q">{documents}</task></taskDocumentMatrix>'
    )


def grades(frame: pl.DataFrame) -> dict[str, float]:
    """Document → grade."""
    return dict(frame.select("document", "grade").iter_rows())


def test_assessors_come_back(collection: RomipCollection, folder: Path) -> None:
    """Query, document, word and assessor survive the XML, in windows-1251 and in UTF-8."""
    for number, (assessor, rows) in enumerate(collection.tables.items(), start=1):
        path = folder / f"search/tables/assessor-{number}.xml"
        assert (b"windows-1251" in path.read_bytes()) == (number % 2 == 0)
        matrix = read_relevance(path)
        assert matrix.rows.select("query", "document", "word").rows() == list(rows)
        assert matrix.rows["assessor"].unique().to_list() == [assessor]
    assert read_tables(folder / "search/tables").assessors == tuple(collection.tables)


def test_runs_come_back(collection: RomipCollection, folder: Path) -> None:
    """Both forms of a run keep the order of every list."""
    for place, runs in (("search", collection.runs), ("qa", collection.answer_runs)):
        for system, lists in runs.items():
            run = files.read_run(folder / f"{place}/runs/{system}.xml")
            assert {q: tuple(rows["document"]) for (q,), rows in run.group_by("query", maintain_order=True)} == lists


def test_classifications_come_back(collection: RomipCollection, folder: Path) -> None:
    """The forms of 2007 and 2008 keep every category; the first also documents that belong nowhere."""
    truth = read_truth(folder / "classification/truth.xml")
    wanted = {(category, d) for category, members in collection.truth.items() for d in members}
    assert set(truth.belonging["truth"].iter_rows()) == wanted
    assert set(truth.documents) == set(collection.documents) > {d for _, d in wanted}
    for system, lists in collection.results.items():
        pairs = read_classification(folder / f"classification/results/{system}.xml").pairs
        assert set(pairs.iter_rows()) == {(category, d) for category, members in lists.items() for d in members}


def test_and_or_and_mean(tmp_path: Path) -> None:
    """and: every assessor reached the level; or: one did; graded: the mean. A file without a name lends its own."""
    (tmp_path / "ann.xml").write_text(table(("a", "vital"), ("b", "RELEVANT_PLUS"), ("c", "cantbejudged")))
    (tmp_path / "bob.xml").write_text(table(("a", "relevant-plus"), ("b", "notrelevant"), ("c", "relevant-minus")))
    tables = read_tables(tmp_path)
    assert tables.assessors == ("ann", "bob")
    assert {one.name: grades(one.judgments) for one in tables.binary} == {
        "and_relevant-minus": {"a": 1, "b": 0, "c": 0},
        "or_relevant-minus": {"a": 1, "b": 1, "c": 1},
        "and_relevant-plus": {"a": 1, "b": 0, "c": 0},
        "or_relevant-plus": {"a": 1, "b": 1, "c": 0},
        "and_vital": {"a": 0, "b": 0, "c": 0},
        "or_vital": {"a": 1, "b": 0, "c": 0},
    }
    assert tables.graded is not None
    assert grades(tables.graded) == {"a": 2.5, "b": 1.0, "c": 0.5}


@pytest.mark.parametrize("kind", ["or (relevant-plus)", "OR(RELEVANT_PLUS)", "or_relevant-plus", "or relevant-plus"])
def test_ready_made_tables(tmp_path: Path, kind: str) -> None:
    """A table whose type names rule and level is used as it is; `relevant` means that its level was reached."""
    path = tmp_path / "table.xml"
    path.write_text(table(("a", "relevant"), ("b", "vital"), ("c", "relevant-minus"), ("d", "notrelevant"), kind=kind))
    (only,) = read_tables(path).binary
    assert only.name == "or_relevant-plus"
    assert grades(only.judgments) == {"a": 1, "b": 1, "c": 0, "d": 0}
    assert read_tables(path).graded is None


def test_ready_made_tables_go_before_derived_ones(tmp_path: Path) -> None:
    """Beside the assessors' own grades a ready-made table replaces the one of its name."""
    (tmp_path / "ann.xml").write_text(table(("a", "notrelevant")))
    (tmp_path / "bob.xml").write_text(table(("a", "vital")))
    (tmp_path / "ready.xml").write_text(table(("a", "vital"), kind="and (vital)"))
    found = {one.name: grades(one.judgments)["a"] for one in read_tables(tmp_path).binary}
    assert found["and_vital"] == 1
    assert found["and_relevant-plus"] == 0
    assert len(found) == 6


def test_one_assessor_needs_no_rule(tmp_path: Path) -> None:
    """With one assessor AND and OR are the same, so that the tables carry the levels' names."""
    (tmp_path / "t.xml").write_text(table(("a", "vital")))
    assert [one.name for one in read_tables(tmp_path).binary] == ["relevant-minus", "relevant-plus", "vital"]


def test_other_formats_are_tables_too(tmp_path: Path) -> None:
    """Grades 0 to 3 of named assessors in a CSV file make the same tables."""
    (tmp_path / "r.csv").write_text("query,document,grade,assessor\nq,a,3,x\nq,a,1,y\nq,b,0,x\n")
    tables = read_tables(tmp_path / "r.csv")
    assert tables.assessors == ("x", "y")
    assert tables.graded is not None
    assert grades(tables.graded) == {"a": 2.0, "b": 0.0}


def test_undeclared_windows_1251(tmp_path: Path) -> None:
    """A file that names no encoding and is not UTF-8 is read as windows-1251."""
    path = tmp_path / "t.xml"
    path.write_bytes(table(("документ", "vital"), assessor="Анна").encode("windows-1251"))
    assert read_relevance(path).rows.select("document", "assessor").rows() == [("документ", "Анна")]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]><result><doclist topicID="1"/></result>', "entities"),
        ('<result><doclist topicID="1"><docID>a</docID></result>', "not well-formed"),
        ("<result></result>", "no documents"),
        ("<result><doclist><docID>a</docID></doclist></result>", "no category"),
        ('<result><document><topic>1</topic></document><document name="b"/></result>', "no document"),
    ],
)
def test_bad_classifications(tmp_path: Path, text: str, problem: str) -> None:
    """What cannot be understood is an error that names the file."""
    path = tmp_path / "r.xml"
    path.write_text(text)
    with pytest.raises(InputError, match=problem) as caught:
        read_classification(path)
    assert str(caught.value).startswith(str(path))


def test_a_truth_is_one_file(folder: Path) -> None:
    """Several classifications in a folder are no truth: nothing says how they become one."""
    with pytest.raises(InputError, match="several files"):
        read_truth(folder / "classification/results")


def test_bad_tables(tmp_path: Path) -> None:
    """No judgments, a document judged twice by one assessor, an empty folder, grades off the scale."""
    (tmp_path / "run.xml").write_text('<taskresult><doclist taskID="1"><docID>a</docID></doclist></taskresult>')
    with pytest.raises(InputError, match="no judgments"):
        read_tables(tmp_path / "run.xml")
    (tmp_path / "twice.xml").write_text(table(("a", "vital"), ("a", "vital")))
    with pytest.raises(InputError, match="twice"):
        read_tables(tmp_path / "twice.xml")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="folder without files"):
        read_tables(tmp_path / "empty")
    with pytest.raises(InputError, match="a grade of 4 is above ROMIP's highest"):
        derive(pl.DataFrame({"query": ["q"], "document": ["a"], "grade": [4.0]}))
