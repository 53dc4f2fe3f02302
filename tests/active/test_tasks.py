"""Tasks go out and labels come in: every format, and what is wrong in a file by its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankgauge.errors import InputError, UnknownNameError
from rankgauge.labelling.campaign import Campaign
from rankgauge.labelling.label_format import LABEL_FORMATS, read_labels, write_tasks
from rankgauge.labelling.labels import Label, Task
from tests.active.campaigns import pool
from tests.shared import shared

TASKS = [
    Task(
        place=0,
        query="q,1",
        document="d 1",
        assessor="anna",
        until=9.0,
        texts={"title": 'A "b", c', "text": "two\nlines"},
    ),
    Task(place=1, query="q,1", document="00", assessor="anna", until=9.0, texts={"title": "é"}),
]


def labels(folder: Path, name: str, text: str) -> list[Label]:
    """The labels in a file of that name with that text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return list(read_labels(path, assessor="nobody").labels)


@pytest.mark.parametrize("name", ["tasks.csv", "tasks.jsonl"])
def test_tasks_come_back(name: str, tmp_path: Path) -> None:
    """Tasks have an empty place for the grade; filled in, they are labels of the same ids and assessor."""
    write_tasks(TASKS, tmp_path / name)
    written = (tmp_path / name).read_text(encoding="utf-8")
    blank = read_labels(tmp_path / name, assessor="nobody")
    assert (blank.labels, blank.blank) == ((), 2)
    filled = written.replace('"grade": null', '"grade": 2').replace('lines",,', 'lines",2,').replace("é,,,", "é,,2,")
    found = labels(tmp_path, name, filled)
    assert [(label.query, label.document, float(label.grade or 0), label.assessor) for label in found] == [
        ("q,1", "d 1", 2, "anna"),
        ("q,1", "00", 2, "anna"),
    ]


def test_label_studio(tmp_path: Path) -> None:
    """Label Studio's export: choices, ratings, comments, several annotators, and what was skipped."""
    write_tasks(TASKS, tmp_path / "tasks.json")
    items = json.loads((tmp_path / "tasks.json").read_text(encoding="utf-8"))
    assert items[1]["data"] == {"title": "é", "query": "q,1", "document": "00"}
    choice = {"type": "choices", "value": {"choices": ["2"]}}
    remark = {"type": "textarea", "value": {"text": ["odd"]}}
    items[0]["annotations"] = [
        {"completed_by": {"email": "anna@example.org"}, "result": [choice, remark]},
        {"completed_by": 7, "result": [{"type": "rating", "value": {"rating": 1}}]},
    ]
    items[1]["annotations"] = [{"was_cancelled": True, "result": []}, {"completed_by": 7, "result": []}]
    found = labels(tmp_path, "export.json", json.dumps(items, indent=1))
    said = [(label.document, label.grade, label.assessor, label.comment) for label in found]
    assert said == [("d 1", "2", "anna@example.org", "odd"), ("d 1", "1", "7", None), ("00", None, "nobody", None)]
    small = json.dumps([{"query": "q,1", "document": "00", "grade": "1", "annotator": 3}])
    (label,) = labels(tmp_path, "min.json", small)
    assert (label.document, label.grade, label.assessor) == ("00", "1", "3")


def test_kinds_of_tables(tmp_path: Path) -> None:
    """Other tools' column names, other separators, a column for each assessor, words for what cannot be judged."""
    (label,) = labels(tmp_path, "a.csv", "qid;docno;relevance\n1;x;0\n")
    assert label == Label(query="1", document="x", grade="0", assessor="nobody")
    wide = labels(tmp_path, "b.csv", "query,document,anna_rating,ben_rating\nq,d,1,\nq,e,skip,2\n")
    assert [(label.document, label.grade, label.assessor) for label in wide] == [
        ("d", "1", "anna"),
        ("e", None, "anna"),
        ("e", "2", "ben"),
    ]
    (label,) = labels(tmp_path, "c.qrels", "# a comment\n\n7 0 doc 3\r\n")
    assert (label.query, label.document, label.grade, label.line) == ("7", "doc", "3", 3)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.csv", "query,document,grade\nq,d,1\n,d,1\n", r"a\.csv:3: there is no query"),
        ("a.csv", "query,document\nq,d\n", "no column for grade"),
        ("a.jsonl", '{"query": "q", "document": "d", "grade": 1}\n[]\n', r"a\.jsonl:2: expected one JSON object"),
        ("a.jsonl", '\n{"query": "q", "grade": 1}\n', r"a\.jsonl:2: there is no document"),
        ("a.json", '[{"data": {"query": "q"}}]', r"a\.json:1: there is no document"),
        ("a.json", '[\n{"query": "q",\n', r"a\.json:2: is not JSON"),
        ("a.json", "[\n1]", r"a\.json:2: expected an array"),
        ("a.json", '[{"data": {}}]', r"a\.json:1: there is no query"),
        ("a.json", '[{"data": []}]', r"a\.json:1: the task's data is no JSON object"),
        ("a.txt", "q 0 d 1\nq 0 d\n", r"a\.txt:2: expected query, iteration, document and grade"),
    ],
    ids=range(10),
)
def test_faults(name: str, text: str, told: str, tmp_path: Path) -> None:
    """What is wrong in a file is told with the line on which it stands."""
    with pytest.raises(InputError, match=told):
        labels(tmp_path, name, text)


def test_bytes_and_names(tmp_path: Path) -> None:
    """A file that is no text, and formats that do not exist, are refused by name."""
    (tmp_path / "a.csv").write_bytes(b"query,document,grade\nq,\xff,1\n")
    with pytest.raises(InputError, match=r"a\.csv:2: is not UTF-8"):
        read_labels(tmp_path / "a.csv", assessor="nobody")
    with pytest.raises(UnknownNameError, match="format of labels"):
        read_labels(tmp_path / "a.csv", "cvs", assessor="nobody")
    with pytest.raises(InputError, match=r"no format of tasks has the ending \.qrels"):
        write_tasks(TASKS, tmp_path / "tasks.qrels")
    assert set(LABEL_FORMATS) == {"csv", "doccano", "jsonl", "label-studio", "qrels", "quepid"}


def test_line_of_a_bad_label(tmp_path: Path) -> None:
    """A grade that is not on the scale is told with its file and line, and nothing of the file is recorded."""
    with Campaign.create(tmp_path / "c.rg", pool(), "ERR", budget=9, method="passive") as campaign:
        path = tmp_path / "judged.csv"
        path.write_text('query,document,grade,comment\nq00,d0,1,"two\nlines"\nq00,d1,7,\n', encoding="utf-8")
        with pytest.raises(InputError, match=r"judged\.csv:4: the grade '7' is not on the scale"):
            campaign.record(path)
        assert campaign.labels(history=True).is_empty()
        path.write_text('query,document,grade,comment\nq00,d0,1,"two\nlines"\nq00,d1,,\n', encoding="utf-8")
        count = campaign.record(path)
        assert (count.new, count.blank, count.unasked) == (1, 1, 1)
        assert campaign.labels()["comment"].to_list() == ["two\nlines"]


def test_doccano(tmp_path: Path) -> None:
    """doccano's export: one label in a list, fields of the task beside it or under meta, comments, who it was."""
    write_tasks(TASKS, tmp_path / "tasks.out", "doccano")
    lines = [json.loads(line) for line in (tmp_path / "tasks.out").read_text(encoding="utf-8").splitlines()]
    assert lines[1] == {"title": "é", "text": "é", "label": [], "query": "q,1", "document": "00"}
    blank = read_labels(tmp_path / "tasks.out", assessor="nobody")
    assert (blank.labels, blank.blank) == ((), 2)
    first = {"id": 15, **lines[0], "label": ["2"], "Comments": ["odd", "long"], "username": "ann"}
    second = {"id": 16, "text": "é", "labels": ["cannot be judged"], "meta": {"query": "q,1", "document": "00"}}
    said = [
        ("q,1", "d 1", "2", "ann", "odd; long"),
        ("q,1", "00", None, "nobody", None),
    ]
    for text in ("\n".join(map(json.dumps, (first, second))), json.dumps([first, second])):
        found = labels(tmp_path, "export", text)
        assert [(one.query, one.document, one.grade, one.assessor, one.comment) for one in found] == said
    with pytest.raises(InputError, match="the document has 2 labels: 1, 2"):
        labels(tmp_path, "export", json.dumps({**first, "label": ["1", "2"]}))


def test_quepid_books(tmp_path: Path) -> None:
    """Quepid's book as JSON: every judge's rating and reason, what is unrateable; what was put off is no label."""
    judged = [
        {"rating": 3.0, "unrateable": False, "user_email": "anna@example.org", "explanation": "right size"},
        {"rating": None, "unrateable": True, "judge_later": False, "user_email": "ben@example.org"},
        {"rating": None, "unrateable": False, "judge_later": True, "user_email": "cleo@example.org"},
    ]
    book = {"name": "Shop", "query_doc_pairs": [{"query_text": "red dress", "doc_id": "d1", "judgements": judged}]}
    found = labels(tmp_path, "book.json", json.dumps(book, indent=1))
    assert [(one.query, one.document, one.grade, one.assessor, one.comment) for one in found] == [
        ("red dress", "d1", "3.0", "anna@example.org", "right size"),
        ("red dress", "d1", None, "ben@example.org", None),
    ]


def test_quepid_tables_and_cases(tmp_path: Path) -> None:
    """A book as CSV has a column for each judge; a case's ratings are nobody's in particular."""
    found = labels(tmp_path, "book.csv", "query,docid,Anna,Ben\nred dress,d1,3,2\nred dress,d7,0,\n")
    assert [(one.document, one.grade, one.assessor, one.line) for one in found] == [
        ("d1", "3", "Anna", 2),
        ("d1", "2", "Ben", 2),
        ("d7", "0", "Anna", 3),
    ]
    case = {"case_name": "Shop", "queries": [{"query_text": "red dress", "ratings": {"d1": 3.0, "d7": None}}]}
    (one,) = labels(tmp_path, "case.json", json.dumps(case))
    assert (one.query, one.document, one.grade, one.assessor) == ("red dress", "d1", "3.0", "nobody")


def test_quepid_s_full_export() -> None:
    """A real export with a column for each rater and a final rating, which is nobody's label."""
    path = shared("data/chorus_quepid/Broad_Query_Set_individual_ratings.csv")
    found = read_labels(path, assessor="nobody").labels
    assert {one.assessor for one in found} == {"agent_1", "agent_2", "agent_3"}
    assert [(one.query, one.document, one.grade) for one in found[:2]] == [
        ("bluetooth speaker", "1993197", "2"),
        ("bluetooth speaker", "1993197", "3"),
    ]
