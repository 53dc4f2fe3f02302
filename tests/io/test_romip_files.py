"""ROMIP's XML."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgauge import files
from rankgauge.errors import InputError

MATRIX = """<?xml version="1.0" encoding="{encoding}"?>
<{prefix}taskDocumentMatrix type="or (relevant-minus)">
<{prefix}task id="arw1"><{prefix}document id="д1" relevance="vital"/>
<{prefix}document id="d2" relevance="RELEVANT_PLUS"/>
<{prefix}document id="d3" relevance="relevant-minus"/></{prefix}task>
<{prefix}task id="arw2"><{prefix}document id="d1" relevance="notrelevant"/>
<{prefix}document id="d2" relevance="cantbejudged"/><{prefix}document id="d3" relevance="relevant"/></{prefix}task>
</{prefix}taskDocumentMatrix>
"""
GRADED = [
    ("arw1", "д1", 3),
    ("arw1", "d2", 2),
    ("arw1", "d3", 1),
    ("arw2", "d1", 0),
    ("arw2", "d2", 0),
    ("arw2", "d3", 1),
]
RUNS = {
    "attribute": '<romip:taskresult xmlns:romip="u"><romip:run><romip:runID>r</romip:runID></romip:run>'
    '<doclist taskID="1"><docID>a</docID><docID> b </docID></doclist><doclist taskID="2"><docID>a</docID></doclist>'
    "</romip:taskresult>",
    "undeclared prefix": '<romip:taskresult><doclist taskID="1"><docID>a</docID><docID>b</docID></doclist>'
    '<doclist taskID="2"><docID>a</docID></doclist></romip:taskresult>',
    "older": "<taskresult><doclist><taskID>1</taskID><docID>a</docID><docID>b</docID></doclist>"
    "<doclist><taskID>2</taskID><docID>a</docID></doclist></taskresult>",
    "classes 2008": '<result><doclist topicID="1"><docID>a</docID><docID>b</docID></doclist>'
    '<doclist topicID="2"><docID>a</docID></doclist></result>',
    "classes 2007": '<result><document name="a"><topic>1</topic><topic>2</topic></document>'
    '<document name="b"><topic>1</topic></document></result>',
}


@pytest.mark.parametrize("encoding", ["UTF-8", "windows-1251"])
@pytest.mark.parametrize("prefix", ["", "romip:"])
def test_names_become_grades_in_any_encoding(tmp_path: Path, encoding: str, prefix: str) -> None:
    """vital 3, plus 2, minus 1, relevant 1, the rest 0; namespaces and letter case do not matter."""
    path = tmp_path / "table.xml"
    path.write_bytes(MATRIX.format(encoding=encoding, prefix=prefix).encode(encoding))
    assert files.read_judgments(path).rows() == GRADED


@pytest.mark.parametrize("text", RUNS.values(), ids=RUNS)
def test_the_order_of_a_run_is_its_ranking(tmp_path: Path, text: str) -> None:
    """The r-th document of a query gets the score −r, in every year's spelling."""
    path = tmp_path / "run.xml"
    path.write_text(text)
    assert sorted(files.read_run(path).rows()) == [("1", "a", -1.0), ("1", "b", -2.0), ("2", "a", -1.0)]


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ('<!DOCTYPE x [<!ENTITY e "e">]>\n<taskDocumentMatrix/>', "document type or entities", 1),
        (
            '<?xml version="1.0"?>\n<!DOCTYPE x SYSTEM "file:///etc/passwd">\n<taskresult/>',
            "document type or entities",
            2,
        ),
        ("<taskDocumentMatrix>\n<task id='1'>\n</taskDocumentMatrix>", "not well-formed XML: mismatched tag", 3),
        ('<task id="1">\n<document id="a" relevance="good"/></task>', "no relevance called 'good'", 2),
        ('<m><task id="1">\n<document relevance="vital"/></task></m>', "there is no document", 2),
        (
            '<m><task id="1"><document id="a" relevance="vital"/>\n<document id="a" relevance="vital"/></task></m>',
            "twice",
            2,
        ),
        ("<taskresult></taskresult>", "there are no rows", None),
    ],
)
def test_bad_and_dangerous_xml_is_refused(tmp_path: Path, text: str, problem: str, line: int | None) -> None:
    """Entities and document types are refused before anything is expanded; other faults are named by line."""
    path = tmp_path / "file.xml"
    path.write_text(text)
    read = files.read_run if "taskresult" in text else files.read_judgments
    with pytest.raises(InputError, match=problem) as caught:
        read(path)
    assert caught.value.line == line


def test_a_grade_without_a_name_is_not_written(tmp_path: Path) -> None:
    """ROMIP's scale has four steps."""
    with pytest.raises(InputError, match=r"no name for the grade 0\.5"):
        files.write_judgments({"q": {"d": 0.5}}, tmp_path / "j.xml")


def test_a_run_is_written_in_the_order_of_its_scores(tmp_path: Path) -> None:
    """The ranking comes back as the order of the documents; XML's own signs are escaped."""
    files.write_run({"<q&>": {"a": 1.5, '"b"': 9.0}, "r": {"c": 0.0}}, tmp_path / "r.xml", tag="mine & ours")
    assert files.read_run(tmp_path / "r.xml").rows() == [("<q&>", '"b"', -1.0), ("<q&>", "a", -2.0), ("r", "c", -1.0)]
    assert "<runID>mine &amp; ours</runID>" in (tmp_path / "r.xml").read_text()
