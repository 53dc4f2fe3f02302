"""Tables as people have them: spreadsheets, and text that spreadsheet programs wrote."""

from __future__ import annotations

import builtins
import math
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

import rankgauge
from rankgauge import files
from rankgauge.errors import InputError, InputWarning, MissingExtraError
from rankgauge.files.formats import xlsx
from rankgauge.input_notes import collecting_notes

ROWS = [("Query", "Doc ID", "Rating"), ("shoes", 7, 2), ("shoes ", "b", 0.5), ("boots", "007", None)]
READ = [("shoes", "7", 2.0), ("shoes", "b", 0.5)]


def excel(path: Path, rows: list[tuple[Any, ...]], *, before: int = 0) -> Path:
    """A workbook with a sheet of remarks and a sheet of these rows, below so many blank ones."""
    book = openpyxl.Workbook()
    book.active.append(["Remarks"])
    sheet = book.create_sheet("ratings")
    for _ in range(before):
        sheet.append([])
    for row in rows:
        sheet.append(row)
    book.save(path)
    return path


@pytest.mark.parametrize("before", [0, 2])
def test_a_workbook_of_excel(tmp_path: Path, before: int) -> None:
    """The sheet that is a table counts; ids that are numbers have no point, blanks do not count, nor do empty cells."""
    path = excel(tmp_path / "j.xlsx", ROWS, before=before)
    assert files.detect(path).kind is files.Kind.JUDGMENTS
    with pytest.warns(InputWarning, match=f"^{path}: 1 row has no grade and is left out$"):
        assert files.read_judgments(path).rows() == READ


def test_row_numbers_and_a_title(tmp_path: Path) -> None:
    """As pandas writes a frame by default, with a column that has no name; and as people write, with a title above."""
    frame = pd.DataFrame(ROWS[1:3], columns=ROWS[0])
    frame.to_excel(tmp_path / "numbered.xlsx")
    titled = excel(tmp_path / "titled.xlsx", [("Ratings of May",), (), *ROWS[:3]])
    for path in (tmp_path / "numbered.xlsx", titled):
        assert files.read_judgments(path).rows() == READ


def test_a_sheet_by_its_name(tmp_path: Path) -> None:
    """FILE#SHEET is one of several; a name that no sheet has is an error that lists them."""
    path = tmp_path / "runs.xlsx"
    with pd.ExcelWriter(path) as book:
        for name, order in (("before", ["a", "b"]), ("after", ["b", "a"])):
            rows = [("q1", document, place) for place, document in enumerate(order, start=1)]
            pd.DataFrame(rows, columns=["query", "document", "rank"]).to_excel(book, sheet_name=name, index=False)
    assert files.read_run(f"{path}#after")["document"].to_list() == ["b", "a"]
    with pytest.raises(InputError, match=r"holds 2 sheets that could be meant: before, after\n.*runs\.xlsx#before"):
        files.read_run(path)
    with pytest.raises(InputError, match="holds 2 sheets, and none is called other: before, after"):
        files.read_run(f"{path}#other")


def book(path: Path, sheets: dict[str, list[tuple[Any, ...]]], *merged: str) -> Path:
    """A workbook of those sheets, with those ranges of cells merged."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
        for cells in merged:
            sheet.merge_cells(cells)
    made.save(path)
    return path


HEADER = ("Query", "SKU", "Rating")


def test_a_sheet_for_each_assessor(tmp_path: Path) -> None:
    """Sheets of judgments with the same columns are read together, and give the assessors their names."""
    anna, ben = [HEADER, ("boots", "a", 3), ("boots", "b", 0)], [HEADER, ("boots", "a", 1), ("boots", "b", None)]
    path = book(tmp_path / "j.xlsx", {"Read me": [("3 is best",)], "Anna": anna, "Ben": ben})
    with collecting_notes() as notes:
        judgments = files.read_judgments(path)
    assert judgments.rows() == [("boots", "a", 3, "Anna"), ("boots", "b", 0, "Anna"), ("boots", "a", 1, "Ben")]
    assert any(
        note.startswith(f"{path}: its sheets are read as the grades of 2 assessors: Anna, Ben") for note in notes
    )
    assert files.read_judgments(f"{path}#Anna").rows() == [("boots", "a", 3), ("boots", "b", 0)]
    assert rankgauge.evaluate(path, {"boots": ["b", "a"]}, "DCG@2", assessors="mean")["DCG@2"] == 2 / math.log2(3)
    with pytest.raises(InputError, match=r"2 assessors judged these documents \(Anna, Ben\)[\s\S]*FILE#SHEET"):
        rankgauge.evaluate(path, {"boots": ["b", "a"]}, "DCG@2")


@pytest.mark.parametrize(
    "second",
    [
        [("query", "sku", "position"), ("boots", "a", 1)],
        [("query", "document", "grade"), ("boots", "a", 1)],
        [("query", "sku", "remark"), ("boots", "a", "fine")],
    ],
)
def test_sheets_of_different_layouts_are_named(tmp_path: Path, second: list[tuple[Any, ...]]) -> None:
    """None of them is chosen silently."""
    path = book(tmp_path / "j.xlsx", {"Ratings": [HEADER, ("boots", "a", 3)], "Other": second})
    with pytest.raises(InputError, match=r"holds 2 sheets that could be meant: Ratings, Other\n.*j\.xlsx#Ratings"):
        files.read_judgments(path)


BLANK = [HEADER, ("boots", "a", 3), (None, "b", 0), ("hat", "c", 2), (None, "d", 1)]
WHOLE = [("boots", "a", 3), ("boots", "b", 0), ("hat", "c", 2), ("hat", "d", 1)]


def test_merged_cells_are_filled_down(tmp_path: Path) -> None:
    """A query that is merged over its documents is that of each; where it merely stands once, a note says so."""
    assert files.read_judgments(book(tmp_path / "m.xlsx", {"S": BLANK}, "A2:A3", "A4:A5")).rows() == WHOLE
    with pytest.warns(InputWarning, match="2 rows have no query; the one above them is theirs"):
        assert files.read_judgments(book(tmp_path / "b.xlsx", {"S": BLANK})).rows() == WHOLE


@pytest.mark.parametrize(
    "rows",
    [
        [("boots", "a", 3), ("boots", "b", 0), (None, "c", 2)],
        [(None, "a", 3), ("boots", "b", 0)],
        [("boots", "a", 3), ("hat", "b", 0), ("cap", "c", 1), (None, "d", 2)],
    ],
)
def test_a_missing_query_is_not_guessed(tmp_path: Path, rows: list[tuple[Any, ...]]) -> None:
    """Where queries are repeated, or most are there, a blank cell is a fault."""
    with pytest.raises(InputError, match=r"j\.xlsx:\d: there is no query\n.*\n  Fill in the cell"):
        files.read_judgments(book(tmp_path / "j.xlsx", {"S": [HEADER, *rows]}))


@pytest.mark.parametrize("name", ["rank{}", "Rank {}", "position_{}", "Result #{}", "doc{}", "{}"])
def test_a_column_for_each_rank_is_a_run(tmp_path: Path, name: str) -> None:
    """In spreadsheets and in text; an empty cell is no document."""
    names = ["query", *(name.format(rank) for rank in range(1, 12))]
    rows = [("boots", *[f"d{n}" for n in range(11)]), ("hat", 7, None, "c", *[None] * 8)]
    path = book(tmp_path / "r.xlsx", {"S": [tuple(names), *rows]})
    text = tmp_path / "r.csv"
    text.write_text("\n".join(",".join("" if cell is None else str(cell) for cell in row) for row in [names, *rows]))
    for run in (path, text):
        assert files.detect(run).kind is files.Kind.RUN
        with pytest.warns(InputWarning, match="are read as ranks, their cells as documents"):
            found = files.read_run(run)
        assert found["document"].to_list() == [*[f"d{n}" for n in range(11)], "7", "c"]
        assert found["score"].to_list() == [*range(-1, -12, -1), -1, -3]


def test_what_is_no_column_for_each_rank(tmp_path: Path) -> None:
    """Numbers that do not count from 1 are no ranks; a document that is listed twice is an error."""
    path = tmp_path / "r.csv"
    path.write_text("query,rank1,rank5,rank10\nboots,a,b,c\n")
    with pytest.raises(InputError, match="no column for document, score"):
        files.read_run(path)
    path.write_text("query,rank1,rank2\nboots,a,a\n")
    with pytest.raises(InputError, match="lists document a more than once for query boots"), collecting_notes():
        rankgauge.evaluate({"boots": {"a": 1}}, path, "AP")


@pytest.mark.parametrize("name", ["{}", "item{}", "doc_{}"])
def test_numbers_in_numbered_columns_may_be_scores(tmp_path: Path, name: str) -> None:
    """A matrix of queries by documents is refused, not read as ranks; columns named as ranks are ranks, with a note."""
    path, names = tmp_path / "r.csv", [name.format(rank) for rank in (1, 2, 3)]
    path.write_text(f"query,{','.join(names)}\n1,3,2,1\n2,1,3,\n")
    with pytest.raises(InputError, match=r"(?s)either they are ranks .* or they are documents .*rank1.*melt"):
        files.read_run(path)
    with pytest.raises(InputError, match="either they are ranks"):
        rankgauge.evaluate([("1", "1", 1)], pd.DataFrame([["1", 3, 2]], columns=["query", *names[:2]]), "RR")
    path.write_text("query,rank1,rank2,rank3\n1,3,2,1\n2,1,3,\n")
    found = rankgauge.evaluate([("1", "2", 1)], path, "RR")
    assert found["RR"] == 0.5
    assert any("rank1 to rank3 are read as ranks" in note for note in found.notes)


def test_frames_are_told_what_files_are_told() -> None:
    """Ranks that contradict scores, and a column that is there twice."""
    run = pd.DataFrame({"query": ["q", "q"], "document": ["a", "b"], "rank": [1, 2], "score": [0.1, 0.2]})
    found = rankgauge.evaluate([("q", "a", 1)], run, "RR")
    assert any("scores rise from rank to rank" in note for note in found.notes)
    with pytest.raises(InputError, match="several columns score"):
        rankgauge.evaluate([("q", "a", 1)], pd.concat([run, run[["score"]]], axis=1), "RR")


def test_a_sheet_of_libreoffice(tmp_path: Path) -> None:
    """As pandas writes .ods by odfpy, under any name."""
    frame = pd.DataFrame(ROWS[1:3], columns=ROWS[0])
    frame.to_excel(tmp_path / "j.ods", engine="odf", index=False)
    (tmp_path / "ratings").write_bytes((tmp_path / "j.ods").read_bytes())
    for name in ("j.ods", "ratings"):
        assert files.read_judgments(tmp_path / name).rows() == READ


def test_a_run_in_a_workbook(tmp_path: Path) -> None:
    """Ranks order it; the evaluation is that of the same run in memory."""
    run = excel(tmp_path / "r.xlsx", [("keyword", "sku", "position"), ("shoes", "b", 1), ("shoes", 7, 2)])
    judgments = excel(tmp_path / "j.xlsx", ROWS[:3])
    found = rankgauge.evaluate(judgments, run, "nDCG@10")
    assert (
        found["nDCG@10"]
        == rankgauge.evaluate([("shoes", "7", 2), ("shoes", "b", 0.5)], {"shoes": {"b": 2, "7": 1}}, "nDCG@10")[
            "nDCG@10"
        ]
    )
    with pytest.raises(InputError, match="wrong order"):
        files.read_pair(run, judgments)


def test_an_error_names_the_row_of_the_sheet(tmp_path: Path) -> None:
    """Blank rows count as the program counts them."""
    path = excel(tmp_path / "j.xlsx", [*ROWS[:3], (), ("boots", "c", "great")], before=2)
    with pytest.raises(InputError, match="the grade 'great'") as caught:
        files.read_judgments(path)
    assert (caught.value.line, caught.value.text) == (7, "boots c great")


def test_spreadsheets_need_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its reader the error is the pip command."""
    path, load = excel(tmp_path / "j.xlsx", ROWS), builtins.__import__

    def lacking(name: str, *rest: Any, **more: Any) -> Any:
        if name == "python_calamine":
            raise ImportError(name)
        return load(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", lacking)
    with pytest.raises(MissingExtraError, match=r"pip install 'rankgauge\[xlsx\]'"):
        files.read_judgments(path)


def test_empty_damaged_and_dangerous_workbooks(tmp_path: Path) -> None:
    """Each is one clear error."""
    openpyxl.Workbook().save(tmp_path / "empty.xlsx")
    with pytest.raises(InputError, match="the sheets are empty"):
        files.read_judgments(tmp_path / "empty.xlsx")
    whole = excel(tmp_path / "j.xlsx", ROWS).read_bytes()
    (tmp_path / "cut.xlsx").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "old.xls").write_bytes(xlsx.OLD + bytes(range(256)) * 4)
    for name in ("cut.xlsx", "old.xls"):
        with pytest.raises(InputError, match="cannot be read as a spreadsheet"):
            files.read_judgments(tmp_path / name)
    with zipfile.ZipFile(tmp_path / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/workbook.xml", bytes(1 << 24))
    with pytest.raises(InputError, match="unpacks to more than 500 times its size"):
        files.read_judgments(tmp_path / "bomb.xlsx")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
@pytest.mark.parametrize("separator", ["\t", ";", ","])
def test_text_as_excel_saves_it(tmp_path: Path, encoding: str, separator: str) -> None:
    """'Unicode text' is UTF-16 with tabs, 'CSV UTF-8' has a byte order mark, and half of Europe writes semicolons."""
    text = "Query,Doc ID,Rating\r\nчёрный кот,d1,2\r\nschuhe , d2,1\r\n".replace(",", separator)
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    (tmp_path / "ratings.txt").write_bytes((mark + text).encode(encoding))
    assert files.read_judgments(tmp_path / "ratings.txt").rows() == [("чёрный кот", "d1", 2.0), ("schuhe", "d2", 1.0)]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["0,5", "1", "2,25"], [0.5, 1, 2.25]),
        (["1.234,5", "1.234", "7"], [1234.5, 1234, 7]),
        (["1\u202f234,5", "12"], [1234.5, 12]),
        (["1'234.5", "3.5"], [1234.5, 3.5]),
        (['"1,234.5"', "0.25"], [1234.5, 0.25]),
        (['"1,234"', "5"], [1.234, 5]),
        ([" 1 ", "\u00a02"], [1, 2]),
        (["TRUE", "false", "Yes", "no"], [1, 0, 1, 0]),
    ],
)
def test_numbers_as_people_write_them(tmp_path: Path, cells: list[str], numbers: list[float]) -> None:
    """One column has one style; where it could be either, a comma is the decimal one beside semicolons."""
    path = tmp_path / "j.csv"
    path.write_text("query;document;grade\n" + "".join(f"q;d{n};{cell}\n" for n, cell in enumerate(cells)))
    assert files.read_judgments(path)["grade"].to_list() == numbers


def test_a_comma_between_commas_separates_thousands(tmp_path: Path) -> None:
    """As in English spreadsheets; of a number that is neither, the error names the line."""
    path = tmp_path / "r.csv"
    path.write_text('query,document,score\nq,d,"1,234"\nq,e,"12,345,678"\nq,f,7\n')
    assert files.read_run(path)["score"].to_list() == [1234, 12345678, 7]
    path.write_text('query,document,score\nq,d,"1,234"\nq,e,"1,5"\n')
    assert files.read_run(path)["score"].to_list() == [1.234, 1.5]
    path.write_text('query,document,score\nq,d,"1,234.5"\nq,e,"1,5"\n')
    with pytest.raises(InputError, match=r"r\.csv:2: the score '1,234\.5' is not a number"):
        files.read_run(path)


def test_blanks_that_were_meant_stay(tmp_path: Path) -> None:
    """A file that quotes its cells has them as they are."""
    (tmp_path / "j.csv").write_text('"query","document","grade"\n" q","d ","1"\n')
    assert files.read_judgments(tmp_path / "j.csv").rows() == [(" q", "d ", 1.0)]
