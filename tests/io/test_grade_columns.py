"""Which column is the grade: never one that is merely a number."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from rankgauge import evaluate, files
from rankgauge.errors import InputError, InputWarning
from rankgauge.files import as_judgments
from rankgauge.files.grade_columns import is_count
from rankgauge.files.scales import scale_of_values

RUN = {"q": ["d", "e"]}


def table(folder: Path, header: str, *rows: str, name: str = "j.csv") -> Path:
    path = folder / name
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("header", "rows", "problem"),
    [
        ("query,docid,price", ("q,d,12.99", "q,e,3.50"), "price is a count or an amount, not a grade"),
        ("query,docid,price", ("q,d,2", "q,e,3"), "price is a count or an amount"),
        ("query,docid,clicks,impressions", ("q,d,1,3", "q,e,0,2"), "clicks and impressions are counts or amounts"),
        ("query,sku,numClicks", ("q,d,1", "q,e,0"), "numClicks is a count or an amount"),
        ("query,docid,width,height", ("q,d,17,3", "q,e,2,40"), "no column for grade among query, docid, width, height"),
        ("query,sku,star_rating", ("q,d,4.4", "q,e,3.9"), "no column for grade among query, sku, star_rating"),
        ("query,sku,web_rating", ("q,d,4.4", "q,e,3.9"), "web_rating has values such as .*: it may be the average"),
        ("query,sku,brand_id", ("q,d,1", "q,e,3"), "no column for grade among query, sku, brand_id"),
        ("qid,docno,docid", ("q,d,1", "q,e,3"), "no column for grade among qid, docno, docid"),
        ("query,sku,x,y", ("q,d,1,0", "q,e,3,1"), "the values of x and y are those of a scale"),
        ("query,sku,x", ("q,d,1", "q,e,1"), "no column for grade among query, sku, x"),
        (
            "query,sku,score",
            ("q,d,13.4", "q,e,1"),
            "the column score has values such as 13.4, which are those of no known",
        ),
    ],
)
def test_a_number_is_not_a_grade(tmp_path: Path, header: str, rows: tuple[str, ...], problem: str) -> None:
    """Prices, counts and whatever else is no grade is refused, and the error says how to insist."""
    path = table(tmp_path, header, *rows)
    with pytest.raises(InputError, match=rf"j\.csv: .*{problem}(.|\n)*--columns grade="):
        evaluate(path, RUN, "nDCG@10")


def test_the_user_may_insist(tmp_path: Path) -> None:
    """A column that the user names is the grade, whatever it holds."""
    path = table(tmp_path, "query,docid,price", "q,d,12.5", "q,e,3")
    assert files.read_judgments(path, columns="grade=price")["grade"].to_list() == [12.5, 3]
    scores = table(tmp_path, "query,sku,score", "q,d,12.5", "q,e,3")
    assert files.read_judgments(scores, columns="grade=score")["grade"].to_list() == [12.5, 3]


@pytest.mark.parametrize(("low", "high", "scale"), [(0, 1, "0–1"), (0, 3, "0–3"), (4, 0, "0–4"), (1, 5, "1–5")])
def test_the_only_column_on_a_scale_is_the_grade(tmp_path: Path, low: int, high: int, scale: str) -> None:
    """With a note, in files and in tables in memory."""
    note = f"the column x is taken for the grade, as its values are those of the scale {scale}; --columns grade=x"
    path = table(tmp_path, "query,docid,title,x,clicks", f"q,d,red,{low},1", f"q,e,blue,{high},0")
    with pytest.warns(InputWarning, match=note):
        assert files.read_judgments(path)["grade"].to_list() == [low, high]
    with pytest.warns(InputWarning, match=note):
        as_judgments(pl.DataFrame({"query": ["q", "q"], "document": ["d", "e"], "x": [low, high]}))


def test_a_name_goes_before_values(tmp_path: Path) -> None:
    """A column that is called grade is one without a note, whatever other columns hold."""
    path = table(tmp_path, "query,docid,grade,x", "q,d,7.5,1", "q,e,2,0")
    assert files.read_judgments(path)["grade"].to_list() == [7.5, 2]


def test_columns_of_people_are_theirs(tmp_path: Path) -> None:
    """Wide tables with a grade by each assessor stay; what is rated on a page of a shop is no assessor."""
    path = table(tmp_path, "query,sku,anna_rating,ben_rating,star_rating", "q,d,3,2,4.4", "q,e,0,1,3.9")
    assert set(files.read_judgments(path)["assessor"]) == {"anna", "ben"}


def test_scores_of_judgments_are_grades(tmp_path: Path) -> None:
    """As BEIR calls them: any under its header, those of a scale under another."""
    beir = table(tmp_path, "query-id\tcorpus-id\tscore", "q\td\t0.25", "q\te\t17", name="test.tsv")
    assert files.read_judgments(beir)["grade"].to_list() == [0.25, 17]
    other = table(tmp_path, "query,document,score", "q,d,2", "q,e,0")
    with pytest.warns(InputWarning, match="the column score is taken for the grade; --columns grade=score says"):
        assert files.read_judgments(other)["grade"].to_list() == [2, 0]


@pytest.mark.parametrize(
    "name", ["clicks", "Click Count", "n_orders", "numViews", "CTR", "add_to_cart", "price_eur", "klicks", "cnt"]
)
def test_counts_are_known_by_their_names(name: str) -> None:
    """In the spellings of shops and logs."""
    assert is_count(name)


@pytest.mark.parametrize("name", ["country", "stars", "Anna", "usefulness"])
def test_other_names_are_no_counts(name: str) -> None:
    """Whole words count, not their beginnings."""
    assert not is_count(name)


def test_values_name_their_scale() -> None:
    """The smallest scale that has them all; words by the scale's name."""
    assert scale_of_values(["0", "1.0", "3"]) == "0–3"
    assert scale_of_values(["Exact", "irrelevant"]) == "esci"
    assert scale_of_values([0.1, 1, 0]) == "0, 0.01, 0.1, 1"
    assert scale_of_values([0, 7]) is None


def test_a_column_of_a_file_without_names(tmp_path: Path) -> None:
    """A grade's column cannot be named where columns have no names: the fourth field would be taken in silence."""
    file = tmp_path / "qrels.txt"
    file.write_text("q 0 a 1\nq 0 b 2\n")
    with pytest.raises(InputError, match=r"qrels\.txt: .*no names of columns: grade=price"):
        files.read_judgments(file, columns={"grade": "price"})
    assert files.read_judgments(file, columns={"document": "sku"})["grade"].to_list() == [1, 2]


@pytest.mark.parametrize("other", ["relevance", "rating", "llm_grade"])
def test_a_second_grade_is_named(tmp_path: Path, other: str) -> None:
    """The column grade is the grade; that another one with such a name is left out is said."""
    path = table(tmp_path, f"query,document,grade,{other}", "q,d,1,0", "q,e,0,2")
    result = evaluate(path, RUN, "RR")
    assert result["RR"] == 1
    assert any(
        f"the column grade is the grade, not {other}; another: --columns grade={other}" in one for one in result.notes
    )
    assert evaluate(path, RUN, "RR", columns={"grade": other})["RR"] == 1 / 2
