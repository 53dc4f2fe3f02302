"""CSV, TSV, JSONL, Parquet and Arrow: tables under the names that other tools give to their columns."""

from __future__ import annotations

import bz2
import gzip
from io import BytesIO
from pathlib import Path

import polars as pl
import pytest

from rankgauge import files
from rankgauge.errors import InputError, InputWarning
from tests.shared import shared

JUDGED = [("007", "d1", 2.0), ("007", "d2", 0.0)]
HEADERS = {
    "ir-measures": "query_id,doc_id,relevance",
    "PyTerrier": "qid,docno,label",
    "BEIR": "query-id,corpus-id,score",
    "Quepid": "query,docid,rating",
    "RankGauge": "query,document,grade",
    "capitals": "Query,DocID,Rating",
}


def written(folder: Path, text: str, name: str) -> Path:
    """A file with that text."""
    path = folder / name
    path.write_bytes(text.encode())
    return path


def lines(path: Path, *rows: str) -> Path:
    """A file with those lines."""
    return written(path.parent, "\n".join(rows) + "\n", path.name)


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
@pytest.mark.parametrize("separator", [",", "\t", ";"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_columns_of_other_tools_are_known(tmp_path: Path, header: str, separator: str, end: str) -> None:
    """Whatever a tool calls its columns, the table is the same; ids stay text."""
    text = end.join([header, "007,d1,2", "007,d2,0", ""]).replace(",", separator)
    for name in ("file.csv", "file.tsv", "file.txt"):
        assert files.read_judgments(written(tmp_path, text, name)).rows() == JUDGED


def test_the_id_is_preferred_to_the_text_of_a_query(tmp_path: Path) -> None:
    """PyTerrier's results hold `qid` and `query`, `docno` and `docid`: the ids are the first of each."""
    path = written(tmp_path, "qid,docid,docno,rank,score,query\n1,17,d1,0,2.5,black cat\n", "r.csv")
    assert files.read_run(path).rows() == [("1", "d1", 2.5, 0)]


def test_a_run_without_scores_is_ordered_by_rank(tmp_path: Path) -> None:
    """Rank r is the score −r."""
    path = written(tmp_path, "query,document,rank\nq,a,1\nq,b,2\n", "r.csv")
    assert files.read_run(path)["score"].to_list() == [-1.0, -2.0]


def test_a_rank_below_0_is_none(tmp_path: Path) -> None:
    """Programs write -1 for a document that was not found, which would come first."""
    path = written(tmp_path, "query,document,rank\nq,d1,1\nq,d2,-1\n", "run.csv")
    with pytest.raises(InputError, match=r"the rank -1 is not a whole number from 0 on\n.*has no row"):
        files.read_run(path)


def test_a_column_that_is_there_twice_is_not_guessed(tmp_path: Path) -> None:
    """Neither in delimited text nor in a spreadsheet; a column that does not count may be there twice."""
    openpyxl = pytest.importorskip("openpyxl")
    rows = [["query", "document", "Rating", "Rating"], ["q", "d1", 0, 2]]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "judged.xlsx")
    text = "\n".join(",".join(map(str, row)) for row in rows)
    for path in (tmp_path / "judged.xlsx", written(tmp_path, text, "judged.csv")):
        with pytest.raises(InputError, match=r"2 columns are called Rating\n.*rename one of them"):
            files.read_judgments(path)
    other = "query,document,price,price,grade\nq,d1,1,2,3\n"
    assert files.read_judgments(written(tmp_path, other, "other.csv")).rows() == [("q", "d1", 3.0)]


def test_ranks_that_contradict_scores_are_noted(tmp_path: Path) -> None:
    """Distances rise from rank to rank: the scores decide, unless a user names the ranks alone."""
    rows = ["q1,b,1,0.1", "q1,a,2,0.2", "q1,c,3,0.2", "q2,a,1,0.3"]
    path = lines(tmp_path / "run.csv", "query,document,position,score", *rows)
    with pytest.warns(InputWarning, match=r"scores rise from rank to rank, .* --columns rank=position orders it"):
        assert files.read_run(path)["score"].to_list() == [0.1, 0.2, 0.2, 0.3]
    assert files.read_run(path, columns="rank=position")["score"].to_list() == [-1, -2, -3, -1]
    mixed = lines(tmp_path / "mixed.csv", "query,document,position,score", *rows[:3], "q1,d,4,0.1", rows[3])
    with pytest.warns(InputWarning, match="in 1 of 2 queries the ranks contradict the scores, which order a run"):
        files.read_run(mixed)
    equal = lines(tmp_path / "equal.csv", "query,document,rank,score", "q1,a,0,1", "q1,b,0,2")
    assert len(files.read_run(equal)) == 2


def test_a_table_without_a_header_says_so(tmp_path: Path) -> None:
    """A first line of data is no list of columns, and the error does not treat it as one."""
    for rows, header in ((["q1,d1,3"], "query,document,grade"), (["q1;d1;3;9,5"], "query,document,grade")):
        path = lines(tmp_path / "ratings.csv", *rows)
        with pytest.raises(InputError, match=rf"its first line is no header: q1, d1, 3.*\n.* as in {header}"):
            files.read_judgments(path)


def test_the_separator_that_excel_declares(tmp_path: Path) -> None:
    """A first line `sep=;` is no header; an error still names the right line."""
    path = lines(tmp_path / "ratings.csv", "sep=;", "query;document;grade", "q1;d,1;3", "", "q1;d2;x")
    with pytest.raises(InputError, match=r"ratings.csv:5: the grade 'x'"):
        files.read_judgments(path)
    path = lines(tmp_path / "ratings.csv", "sep=|", "query|document|grade", "q1|d;1|3", "q1|d2|0")
    assert files.read_judgments(path)["document"].to_list() == ["d;1", "d2"]


def test_words_for_nothing_are_blank(tmp_path: Path) -> None:
    """What pandas, Excel and databases write where there is no grade is left out and counted."""
    rows = [f"q1,d{n},{word}" for n, word in enumerate(("3", "NaN", "n/a", "NULL", " - ", "#N/A"))]
    path = lines(tmp_path / "ratings.csv", "query,document,grade", *rows)
    with pytest.warns(InputWarning, match="5 rows have no grade and are left out"):
        assert files.read_judgments(path)["document"].to_list() == ["d0"]
    path = lines(tmp_path / "words.csv", "query,document,grade", "q1,a,none", "q1,b,some")
    assert files.read_judgments(path, scale="some=1,none=0")["grade"].to_list() == [0, 1]


def test_a_run_is_not_taken_for_judgments(tmp_path: Path) -> None:
    """A score is taken for a grade only if nothing else marks the table as a run."""
    path = written(tmp_path, "qid,docno,rank,score\n1,d1,0,2.5\n", "r.csv")
    with pytest.raises(InputError, match="contains a run"):
        files.read_judgments(path)


def test_raters_in_columns_become_assessors(tmp_path: Path) -> None:
    """One row per assessor; an empty cell is no judgment, and a final rating no assessor."""
    path = written(tmp_path, "query,docid,a_rating,b_rating,final_rating\nq,d,1,2,2\nq,e,,3,3\n", "j.csv")
    assert files.read_judgments(path).rows() == [("q", "d", 1.0, "a"), ("q", "d", 2.0, "b"), ("q", "e", 3.0, "b")]


def test_chorus_has_three_raters() -> None:
    """The three raters' 3,188 pairs each; all three agree on 2,278 of them."""
    judgments = files.read_judgments(shared("data/chorus_quepid/Broad_Query_Set_individual_ratings.csv"))
    counts = judgments["assessor"].value_counts().sort("assessor").rows()
    assert counts == [("agent_1", 3188), ("agent_2", 3188), ("agent_3", 3188)]
    agreed = judgments.group_by("query", "document").agg(pl.col("grade").n_unique() == 1)
    assert (agreed["grade"].sum(), judgments["query"].n_unique()) == (2278, 135)


@pytest.mark.parametrize(
    ("name", "text", "line", "problem"),
    [
        ("j.csv", "query,docid,rating\nq,d,1\nq,e,x\n", 3, "the grade 'x' is not a finite number"),
        ("j.csv", 'query,docid,rating\n"q\nr",d,1\nq,,2\n', 4, "there is no document"),
        ("j.csv", "query,docid,rating\nq,d,1\nq,d,2\n", 3, "judged twice"),
        ("j.csv", "query,name,rating\nq,d,1\n", None, "no column for document"),
        ("j.csv", "query,docid,rating\n", None, "there are no rows"),
        ("j.jsonl", '{"query": 1, "document": "d", "grade": 1}\n\n{"query": 2, "grade": 1}\n', 3, "no document"),
        ("j.jsonl", '{"query": 1, "document": "d", "grade": 1}\nnot json\n', 2, "one JSON object per line"),
        ("j.jsonl", '{"query": 1, "document": "d", "grade": 1}\n[1]\n', 2, "one JSON object per line"),
        ("j.jsonl", '{"query": 1, "document": "d", "grade": "high"}\n', 1, "the grade 'high'"),
        ("j.jsonl", '{"query": 1, "grade": 1}\n', None, "no column for document"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, name: str, text: str, line: int | None, problem: str) -> None:
    """An error names the line on which the record begins."""
    with pytest.raises(InputError, match=problem) as caught:
        files.read_judgments(written(tmp_path, text, name))
    assert caught.value.line == line
    assert str(caught.value.path).endswith(name)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("007,d2,A dress, long,0", "the row has 5 cells, and the header names 4"),
        ('007,d2,"A dress,0', "a quoted cell of this row does not end"),
        ('007,d2,"A" dress,0', "is not a valid table: ',' expected"),
    ],
)
def test_a_row_of_another_shape_is_named(tmp_path: Path, row: str, problem: str) -> None:
    """In our words, with its line: cells that moved to another column could be taken for grades."""
    path = lines(tmp_path / "j.csv", "query,docid,title,rating", "007,d1,A hat,2", row, "007,d3,A scarf,1")
    with pytest.raises(InputError, match=problem) as caught:
        files.read_judgments(path)
    assert (caught.value.line, "polars" in str(caught.value), "Schema" in str(caught.value)) == (3, False, False)


@pytest.mark.parametrize("end", ["", ",,"])
def test_inches_and_cells_without_a_name(tmp_path: Path, end: str) -> None:
    """A quotation mark within a cell is text, and empty cells at the end of a row are none."""
    rows = [f'007,d1,A 19" rack,2{end}', f"007,d2,A scarf,0{end}"]
    assert files.read_judgments(lines(tmp_path / "j.csv", "query,docid,title,rating", *rows)).rows() == JUDGED


def test_json_ids_may_be_numbers_and_numbers_text(tmp_path: Path) -> None:
    """The id 7 is the text "7"; the score "2.5" is the number 2.5; unknown keys are ignored."""
    text = '{"qid": 7, "docno": "é😀", "score": 1, "x": [1]}\n{"qid": "8", "docno": 9, "score": "2.5"}\n'
    assert files.read_run(written(tmp_path, text, "r.jsonl")).rows() == [("7", "é😀", 1.0), ("8", "9", 2.5)]


def test_parquet_and_arrow_cast_what_they_hold(tmp_path: Path) -> None:
    """Whole numbers as ids become text, any number a double, and other columns are left out."""
    frame = pl.DataFrame({"qid": [1, 2], "docno": ["a", "b"], "label": [1, 0], "text": ["…", "…"]})
    frame.write_parquet(tmp_path / "j.parquet")
    frame.write_ipc(tmp_path / "j.arrow")
    frame.write_ipc_stream(tmp_path / "j.ipc")
    for name in ("j.parquet", "j.arrow", "j.ipc"):
        assert files.read_judgments(tmp_path / name).rows() == [("1", "a", 1.0), ("2", "b", 0.0)]


def test_a_damaged_parquet_file_is_an_input_error(tmp_path: Path) -> None:
    """A file that begins as Parquet and goes on as junk is refused by name."""
    path = tmp_path / "j.parquet"
    path.write_bytes(b"PAR1" + bytes(range(256)))
    with pytest.raises(InputError, match="cannot be read"):
        files.read_judgments(path)


def test_a_run_in_parquet_is_known_as_one(tmp_path: Path) -> None:
    """The columns tell judgments from a run, so two swapped files are found out."""
    pl.DataFrame({"qid": [1], "docno": ["a"], "score": [1.0], "rank": [1]}).write_parquet(tmp_path / "r.parquet")
    pl.DataFrame({"qid": [1], "docno": ["a"], "label": [1]}).write_parquet(tmp_path / "j.parquet")
    assert files.detect(tmp_path / "r.parquet").kind is files.Kind.RUN
    with pytest.raises(InputError, match="wrong order"):
        files.read_pair(tmp_path / "r.parquet", tmp_path / "j.parquet")


def test_blank_lines_are_no_rows(tmp_path: Path) -> None:
    """A table may have blank lines anywhere after its header; errors still name the right line."""
    text = "query,document,grade\n\nq,d,1\n\nq,e,x\n"
    assert files.read_judgments(written(tmp_path, text.replace("x", "0"), "j.csv")).height == 2
    with pytest.raises(InputError, match="the grade 'x'") as caught:
        files.read_judgments(written(tmp_path, text, "j.csv"))
    assert caught.value.line == 5
    assert files.read_table(tmp_path / "j.csv").height == 2


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.csv.gz", "t.jsonl.bz2"])
def test_a_table_is_read_with_all_its_columns(tmp_path: Path, name: str) -> None:
    """Columns that are neither judgments nor a run stay, packed or not, and ids stay text."""
    frame = pl.DataFrame({"query": ["007"], "document": ["d"], "score_1": ["0.5"], "title": ["a, b"]})
    stream = BytesIO()
    if "json" in name:
        frame.write_ndjson(stream)
    else:
        frame.write_csv(stream, separator="\t" if name == "t.tsv" else ",")
    pack = {".gz": gzip.compress, ".bz2": bz2.compress}.get(Path(name).suffix, bytes)
    (tmp_path / name).write_bytes(pack(stream.getvalue()))
    assert files.read_table(tmp_path / name).equals(frame)
    with pytest.raises(InputError, match=r"'\.txt' is not a table format"):
        files.read_table(written(tmp_path, "", "t.txt"))


def test_bytes_that_are_no_text_are_named_by_line(tmp_path: Path) -> None:
    """CSV and JSON lines alike are UTF-8."""
    for name, text in (("j.csv", b"query,document,grade\nq,\xff,1\n"), ("j.jsonl", b'{"query": 1}\n{"q": "\xff"}\n')):
        (tmp_path / name).write_bytes(text)
        with pytest.raises(InputError, match="is not UTF-8 text") as caught:
            files.read_judgments(tmp_path / name)
        assert caught.value.line == 2
