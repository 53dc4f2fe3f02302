"""Files that go to other programs: nothing in them computes, and nothing forges a line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgauge.errors import InputError
from rankgauge.files.output import as_text, as_written, text_columns
from rankgauge.labelling.label_format import read_labels, write_tasks
from rankgauge.labelling.labels import Task
from rankgauge.labelling.pool import Pool
from rankgauge.room.client import RoomClient
from tests.web.house import LEVELS, House, parquet, truth
from tests.web.test_api import token

FORMULAS = [
    *("=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'=1", "''+1", '=HYPERLINK("http://evil.example")'),
    *("＝1+1", "＋1", "－1", "＠SUM(A1)"),
]


@given(st.text(alphabet="'=+-@\t\r\na0＝＋－＠"))
def test_a_cell_is_read_as_it_was(cell: str) -> None:
    """What is written as text begins with none of the signs of a formula, and is read back as it was."""
    written = as_text(cell)
    assert as_written(written) == cell
    assert not written or written[0] not in "=+-@\t\r\n＝＋－＠"
    frame = text_columns(pl.DataFrame({"cell": [cell], "number": [-1.0]}))
    assert frame.row(0) == (written, -1.0)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("formula", FORMULAS)
def test_labels_do_not_compute(house: House, formula: str) -> None:
    """A comment or an id that is a formula is text in labels.csv; raw it is as it was sent; and it goes back in."""
    ids = ["=x" if formula[0] in "\t\r\n" else formula, "b", "c"]
    frame = pl.DataFrame({"query": ["q"] * 3, "document": ids, "score": [3.0, 2.0, 1.0]})
    params = {
        "name": "f",
        "measure": "P@3",
        "budget": 3,
        "levels": LEVELS,
        "filename": "p.parquet",
        "method": "passive",
    }
    made = house.program().post("/api/v1/campaigns", params=params, content=parquet(frame))
    assert made.status_code == 201, made.text
    number = made.json()["id"]
    with RoomClient(house.base, token=token(house)) as room:
        tasks = room.tasks(number, 3)
        labels = [{"query": "q", "document": task["document"], "grade": 1, "comment": formula} for task in tasks]
        room.record(number, labels)
        safe, raw = (room.file(number, "labels.csv", raw=raw) for raw in (False, True))
        cells = [cell for row in csv.reader(io.StringIO(safe.decode(), newline="")) for cell in row]
        assert not any(cell[:1] in set("=+-@\t\r\n＝＋－＠") for cell in cells)
        found = list(csv.DictReader(io.StringIO(raw.decode(), newline="")))
        assert {row["document"] for row in found} == set(ids)
        assert {row["comment"] for row in found} == {formula.strip()}
        page, admin = f"/campaigns/{number}/labels/labels.csv", house.admin()
        filtered = [admin.get(page, params={"kind": "grade", "raw": as_it_is}).content for as_it_is in (False, True)]
        assert sorted(filtered[0].splitlines()) == sorted(safe.splitlines())
        assert sorted(filtered[1].splitlines()) == sorted(raw.splitlines())


def test_who_imported_is_in_the_files(house: House) -> None:
    """Every label names who sent it, in all labels, in those that pass a filter, in the API and on the page."""
    number = house.campaign(method="passive")
    (query, document), *_ = truth()
    boss, robot = house.admin(), house.program("robot")
    sent = {"query": query, "document": document, "grade": 1, "assessor": "eve"}
    assert robot.post(f"/api/v1/campaigns/{number}/labels", json={"labels": [sent]}).json()["imported"] == 1
    (row,) = robot.get(f"/api/v1/campaigns/{number}/labels").json()
    assert row["sender_name"] == "robot"
    for address in ("files/labels", "labels/labels"):
        text = boss.get(f"/campaigns/{number}/{address}.csv").text
        (line,) = csv.DictReader(io.StringIO(text, newline=""))
        assert (line["assessor"], line["person"], line["origin"]) == ("eve", "", "imported")
        assert (line["sender"], line["sender_name"]) == (str(row["sender"]), "robot")
        assert json.loads(boss.get(f"/campaigns/{number}/{address}.jsonl").text)["sender_name"] == "robot"
    assert "imported by robot" in boss.get(f"/campaigns/{number}/labels").text


def test_tasks_do_not_compute(tmp_path: Path) -> None:
    """Tasks that assessors open in a spreadsheet hold no formula, and their ids come back as they were."""
    tasks = [
        Task(place=0, query="=q", document="-d", assessor="ann", until=0.0, texts={"title": "@x", "text": "plain"})
    ]
    write_tasks(tasks, tmp_path / "tasks.csv")
    rows = list(csv.reader(io.StringIO((tmp_path / "tasks.csv").read_text())))
    assert rows[1][:4] == ["'=q", "'-d", "'@x", "plain"]
    rows[1][4] = "1"
    (tmp_path / "tasks.csv").write_text("\n".join(",".join(row) for row in rows))
    (label,) = read_labels(tmp_path / "tasks.csv", assessor="x").labels
    assert (label.query, label.document) == ("=q", "-d")


@pytest.mark.parametrize("evil", ["d1 0\nq 0 d2 3", "a\tb", "a\rb", "a\u2028b", "a\x85b"])
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
@pytest.mark.parametrize("column", ["query", "document"])
def test_ids_forge_no_lines(house: House, column: str, evil: str) -> None:
    """A line break or a tab in an id is refused when the pool comes in, with the row; at the command line, too."""
    frame = pl.DataFrame({"query": ["q1", "q2"], "document": ["d1", "d2"], "score": [1.0, 1.0]})
    frame = frame.with_columns(pl.Series(column, ["fine", evil]))
    params = {"name": "evil", "budget": 2, "filename": "pool.parquet"}
    answer = house.program().post("/api/v1/campaigns", params=params, content=parquet(frame))
    assert answer.status_code == 400
    assert f"row 2: the {column} id" in answer.json()["detail"]
    with pytest.raises(InputError, match=f"row 2: the {column} id"):
        Pool.of(frame, grades=[0, 1])


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_blanks_do_not_move_fields(house: House) -> None:
    """Ids with blanks can be judged, but a qrels file of them is refused: it would say something else."""
    frame = pl.DataFrame({"query": ["a query"] * 2, "document": ["d1", "d2"], "score": [2.0, 1.0]})
    params = {"name": "blanks", "measure": "P@2", "budget": 2, "levels": LEVELS, "filename": "p.parquet"}
    program = house.program()
    number = program.post("/api/v1/campaigns", params=params, content=parquet(frame)).json()["id"]
    tasks = program.post(f"/api/v1/campaigns/{number}/tasks?n=2").json()
    labels = [{"query": one["query"], "document": one["document"], "grade": 1} for one in tasks]
    program.post(f"/api/v1/campaigns/{number}/labels", json={"labels": labels})
    answer = program.get(f"/api/v1/campaigns/{number}/files/judgments.txt")
    assert (answer.status_code, "holds white space" in answer.text) == (400, True)
    assert program.get(f"/api/v1/campaigns/{number}/files/labels.csv").status_code == 200


@given(st.lists(st.text(alphabet="ab;=+-@,'\"\t\n\r ＝", max_size=12), min_size=1, max_size=4))
def test_no_spreadsheet_computes_a_cell(cells: list[str]) -> None:
    """Whether commas, semicolons or tabs separate cells, none begins as a formula does; and all are read back."""
    written = text_columns(pl.DataFrame({"cell": cells})).write_csv(include_header=False)
    for delimiter in ",;\t":
        rows = csv.reader(io.StringIO(written, newline=""), delimiter=delimiter)
        assert [cell for row in rows for cell in row if cell[:1] in tuple("=+-@＝")] == []
    assert [as_written(as_text(cell)) for cell in cells] == cells


def test_a_formula_behind_a_semicolon() -> None:
    """The cell that German, French and Russian settings would compute."""
    assert as_text("a;=1+1") == "a;'=1+1"
