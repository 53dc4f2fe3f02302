"""Comparisons as reports: every format, and the command."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from rankgauge import compare
from rankgauge.cli.main import run
from rankgauge.comparison import page as figures
from rankgauge.comparison.report import ComparisonReport
from rankgauge.comparison.report_tables import latex_means, ranges, tell_standing
from rankgauge.demo import generate, write
from rankgauge.measures import parse
from rankgauge.render.formats.tex import escape

pytestmark = pytest.mark.process  # computes for long


Command = Callable[..., str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small collection with a third run, whose name LaTeX and HTML have to escape."""
    found = tmp_path_factory.mktemp("collection")
    write(generate(rng=np.random.default_rng(0)), found)
    lines = (found / "bm25.txt").read_text(encoding="utf-8").splitlines()
    fields = [line.split() for line in lines]
    mixed = [" ".join((*f[:4], str(float(f[4]) + 2 * (f[2][-1] in "13579")), *f[5:])) for f in fields]
    (found / "a_&_b.txt").write_text("\n".join(mixed) + "\n", encoding="utf-8")
    return found


@pytest.fixture
def command(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """`rankgauge compare` beside the files: arguments in, what it prints out; it must end with the code given."""
    monkeypatch.chdir(folder)

    def call(*arguments: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["rankgauge", "compare", "qrels.txt", *arguments])
        with pytest.raises(SystemExit) as ended:
            run()
        printed = capsys.readouterr()
        assert (ended.value.code or 0) == code, printed.err
        return printed.err if code else printed.out

    return call


THREE = ("bm25.txt", "dense.txt.gz", "a_&_b.txt")


class Page(HTMLParser):
    """A page's tags, each closed by its own end."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.counts: dict[str, int] = {}
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag opens."""
        self.counts[tag] = self.counts.get(tag, 0) + 1
        assert not {"src", "href"} & {name for name, _ in attrs}
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag that ends at once."""
        self.counts[tag] = self.counts.get(tag, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        """A tag closes: the last one that was opened."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Words between tags."""
        self.words.append(data)


def test_table(command: Command) -> None:
    """The text has the means, the pairs with their verdicts, who is above whom, the queries, the measures, notes."""
    printed = command(*THREE, "-m", "nDCG@10,AP")
    for title in ("Pairs", "Who is above whom by AP", "Queries that differ most", "How alike measures order the runs"):
        assert f"\n{title}\n" in printed
    assert re.search(r"dense\.txt +bm25\.txt +\+0\.1636 +\[0\.0028, 0\.3244\] +0\.0465", printed)
    assert "Student's paired t test" in printed


def test_page_is_whole_and_alone(command: Command, folder: Path) -> None:
    """The page is well-formed, refers to nothing outside, escapes names, and draws every kind of chart."""
    assert command(*THREE, "-o", "compare.html") == ""
    text = (folder / "compare.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert "://" not in text
    assert "a_&amp;_b.txt" in text
    assert not re.search(r"\bnan\b", text)
    # Two measures: two charts of bars, four of differences, two grids; two kinds of curves, three runs each.
    assert page.counts["svg"] == 2 + 4 + 2
    assert text.count('class="verdicts"') == 2
    assert page.counts["i"] == 2 * 3 * 3 + 3  # a square for each two runs, and a key for each line
    assert page.counts["polyline"] == 2 * 3


def test_latex(command: Command) -> None:
    """Every row of a table has as many cells as its head names, and special characters are escaped."""
    printed = command(*THREE, "-o", "tex", "--tables", "means,pairs,matrix,queries,measures")
    assert r"a\_\&\_b.txt" in printed
    tables = re.findall(r"\\begin\{tabular\}\{(\S+)\}\n\\toprule\n(.*?)\\bottomrule", printed, re.DOTALL)
    assert len(tables) == 7
    for sides, body in tables:
        for line in body.replace("\\midrule\n", "").strip().split("\n"):
            assert line.endswith(r"\\")
            spanned = line.count(r"\multicolumn{2}")
            assert len(re.findall(r"(?<!\\)&", line)) + spanned == len(sides.replace("@{}", "")) - 1
    assert re.search(r"b & dense\.txt & \\textbf\{0\.7199\} &", printed)
    assert escape("50% of −1 < $x^2$") == r"50\% of $-$1 $<$ \$x\textasciicircum{}2\$"


def test_latex_is_one_table_to_paste(command: Command) -> None:
    """By default there are the means alone, with caption and label, as many decimals as asked for, marks beside."""
    printed = command(*THREE, "-m", "nDCG@10,AP", "-o", "tex", "--digits", "3")
    assert printed.count(r"\begin{tabular}{llr@{}lr@{}l}") == printed.count(r"\begin{table}") == 1
    assert r"\caption{nDCG@10, AP of 3 runs, means over 24 queries." in printed
    assert r"\label{tab:ndcg10-ap}" in printed
    assert re.search(r"b & dense\.txt & \\textbf\{0\.720\} &.* & \\textbf\{0\.682\} & \$\^\{ac\}\$", printed)
    assert re.findall(r"\\(begin|end)\{(\w+)\}", printed) == [
        ("begin", "table"),
        ("begin", "tabular"),
        ("end", "tabular"),
        ("end", "table"),
    ]
    assert "Did you mean pairs" in command(*THREE, "--tables", "pears", code=3)


@pytest.mark.parametrize("copies", [2, 10])
def test_a_mark_means_the_same_of_any_number_of_runs(command: Command, folder: Path, copies: int) -> None:
    """Superscripts name the runs that one is significantly above, be they three or eleven; equal best means are all
    bold."""
    names = [f"copy{n}.txt" for n in range(copies)]
    for name in names:
        (folder / name).write_text((folder / "bm25.txt").read_text(encoding="utf-8"), encoding="utf-8")
    again = folder / "again.txt.gz"
    again.write_bytes((folder / "dense.txt.gz").read_bytes())
    printed = command("dense.txt.gz", *names, again.name, "-m", "AP", "-o", "tex", "--correction", "none")
    marks = ranges([chr(ord("b") + n) for n in range(copies)]).replace("–", r"\textrm{--}")
    assert f"a & dense.txt & \\textbf{{0.6824}} & $^{{{marks}}}$" in printed
    assert printed.count(r"\textbf{0.6824}") == 2
    assert "A superscript names the runs that a run is significantly above" in printed
    assert "dagger" not in printed
    assert ranges("abcefh") == "a–cefh"
    assert ranges(["1", "2", "3", "12"]) == "1–3,12"


def test_means_over_different_queries_have_no_best(command: Command) -> None:
    """Where a tool leaves out what a run does not answer, no mean is bold, and the caption says why."""
    printed = command("bm25.txt", "dense.txt.gz", "-m", "AP", "-d", "trec_eval", "-o", "tex")
    assert "textbf" not in printed
    assert "none is bold where runs have different queries" in printed
    assert "rankgauge compare uses" not in printed


def test_the_mark_of_a_baseline(command: Command) -> None:
    """With a baseline the caption says that the mark is of runs significantly above it."""
    printed = command("bm25.txt", "dense.txt.gz", "--baseline", "bm25.txt", "-m", "AP", "-o", "tex")
    assert "A superscript a marks runs that are significantly above bm25.txt" in printed


def test_csv(command: Command) -> None:
    """A line per measure and pair, with numbers in full."""
    rows = list(csv.DictReader(io.StringIO(command(*THREE, "-m", "AP", "-m", "RR", "-o", "csv"))))
    assert [(row["measure"], row["run"], row["other"]) for row in rows[:2]] == [
        ("AP", "dense.txt", "bm25.txt"),
        ("AP", "a_&_b.txt", "bm25.txt"),
    ]
    assert len(rows) == 2 * 3
    assert 0 < float(rows[0]["p"]) < float(rows[0]["corrected"]) < 1


def test_json(command: Command) -> None:
    """One object with the choices, all tables and the notes."""
    found = json.loads(command(*THREE, "--test", "bootstrap", "--seed", "3", "--draws", "200", "-o", "json"))
    assert (found["test"], found["seed"], found["draws"], found["correction"]) == ("bootstrap", 3, 200, "holm")
    assert (len(found["means"]), len(found["pairs"]), len(found["agreement"])) == (2 * 3, 2 * 3, 1)
    assert found["pairs"][0]["p"] >= 1 / 201


def test_markdown(command: Command) -> None:
    """Every table stands under a heading, every row has the cells of its head."""
    printed = command(*THREE, "-o", "md")
    assert printed.startswith("Judged: ")
    assert printed.partition("\n\n")[2].startswith("## Means\n\n| measure |")
    for part in printed.split("## ")[1:]:
        rows = [line for line in part.splitlines() if line.startswith("| ")]
        assert len({line.count("|") for line in rows}) == 1


def test_baseline_by_its_name_or_stem(command: Command) -> None:
    """The baseline is named as its file, packed or not, or as what stands before the dot; a wrong name is an error."""
    plain = command(*THREE, "--baseline", "dense.txt")
    assert plain == command(*THREE, "--baseline", "dense") == command(*THREE, "--baseline", "./dense.txt.gz")
    assert "Did you mean dense.txt" in command(*THREE, "--baseline", "dense.tx", code=3)
    printed = command(*THREE, "--baseline", "bm25", "-o", "csv")
    assert {row["other"] for row in csv.DictReader(io.StringIO(printed))} == {"bm25.txt"}


def test_agreement_of_measures_on_demand(command: Command) -> None:
    """Two runs have no order to compare unless it is asked for; three have, unless it is not wanted."""
    title = "How alike measures order the runs"
    assert title not in command(*THREE[:2])
    assert title in command(*THREE[:2], "--measures-agree")
    assert title not in command(*THREE, "--no-measures-agree")


def test_too_few_draws_are_told(command: Command) -> None:
    """Where so few draws cannot bring a corrected p-value below the level, the notes say so."""
    assert "raise --draws" in " ".join(command(*THREE, "--test", "randomisation", "--draws", "20").split())
    assert "raise --draws" not in " ".join(command(*THREE, "--test", "randomisation").split())


@pytest.mark.parametrize(
    "name", [name for name, one in ComparisonReport.formats().items() if one.endings and name not in ("png", "junit")]
)
def test_every_format_has_its_file(command: Command, folder: Path, name: str) -> None:
    """The ending of a file says its format, and the file holds what the format's name prints (junit needs a gate)."""
    ending = ComparisonReport.formats()[name].endings[0]
    command(*THREE, "-m", "P@5", "-o", f"out{ending}")
    assert (folder / f"out{ending}").read_text(encoding="utf-8") == command(*THREE, "-m", "P@5", "-o", name)


def test_pictures(command: Command, folder: Path) -> None:
    """The picture is one SVG file that needs nothing from outside; as PNG it has twice as many dots each way."""
    command(*THREE, "-o", "compare.svg")
    root = ElementTree.fromstring((folder / "compare.svg").read_text(encoding="utf-8"))
    assert "a_&_b.txt" in {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    pytest.importorskip("vl_convert")
    command(*THREE, "-o", "compare.png")
    png = (folder / "compare.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20]) == 2 * float(root.get("width", ""))


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("bm25.txt",), 2, "One run alone: rankgauge evaluate qrels.txt bm25.txt"),
        ((*THREE, "--test", "student"), 3, "no test called 'student'"),
        ((*THREE, "--correction", "bonf"), 3, "Did you mean bonferroni"),
        ((*THREE, "-o", "pdf"), 3, "output format"),
        ((*THREE, "-o", "out.tsv"), 2, "It writes csv, html, json, jsonl, junit, md, ndeval, png, svg, table, tex."),
        ((*THREE, "--alpha", "5"), 4, "between 0 and 1"),
        ((*THREE, "-m", "GMAP"), 4, "such as AP"),
    ],
)
def test_wrong_use(command: Command, arguments: tuple[str, ...], code: int, words: str) -> None:
    """What a user can get wrong is one message that says what was expected."""
    assert words in command(*arguments, code=code)


def test_the_headline_says_which_way() -> None:
    """Against a baseline, a run that is worse is said to be below it, and several are counted each way."""
    measure = parse("AP")
    assert tell_standing(measure, "main", {"new": "−"}) == "new is below main by more than luck (AP)"
    assert tell_standing(measure, "main", {"new": "·"}) == "new and main do not differ by more than luck (AP)"
    counted = "Of 3 runs, 2 are above and 1 is below main by more than luck (AP)"
    assert tell_standing(measure, "main", {"a": "+", "b": "+", "c": "−"}) == counted


def test_the_headline_of_a_count() -> None:
    """Where more is not better, a run is higher or lower, not above or below."""
    measure = parse("NumRet")
    assert tell_standing(measure, "main", {"new": "−"}) == "new is lower than main by more than luck (NumRet)"
    counted = "Of 2 runs, 1 is higher than and 1 is lower than main by more than luck (NumRet)"
    assert tell_standing(measure, "main", {"a": "+", "c": "−"}) == counted


def test_a_verdict_on_few_queries_that_differ_is_noted() -> None:
    """A t test may separate runs that four queries of forty tell apart, which luck puts on one side once in eight."""
    judgments = {f"q{n}": {"a": 1, "b": 0} for n in range(40)}
    same = {query: {"a": 2.0, "b": 1.0} for query in judgments}
    for changed, noted in ((4, True), (6, False)):
        other = {query: {"a": 1.0 + (n >= changed), "b": 1.5} for n, query in enumerate(judgments)}
        found = compare(judgments, {"other": other, "same": same}, "RR")
        assert found.pairs["verdict"].to_list() == ["better"]
        notes = dict(ComparisonReport(comparison=found).notes())
        assert (
            f"by RR only {changed} of 40 queries tell same from other; fewer than 6 " in notes.get("few", "")
        ) == noted
    exact = compare(
        judgments, {"other": other | {"q4": same["q4"], "q5": same["q5"]}, "same": same}, "RR", test="randomisation"
    )
    assert exact.pairs["verdict"].to_list() == ["open"]


def test_words_for_verdicts_of_segments_are_explained() -> None:
    """What `equal` and `cannot tell` mean is said also where segments alone have such a verdict."""
    queries = [f"q{n}" for n in range(30)]
    judgments = {query: {f"d{d}": 1 + d % 2 for d in range(6)} | {f"e{d}": 0 for d in range(6)} for query in queries}
    old = {query: {f"d{d}": 9.0 - d for d in range(6)} for query in queries}
    new = old | {query: {f"new{d}": 9.0 - d for d in range(5)} | {"d0": 1.0} for query in queries[:7]}
    by = {query: "a" if n < 7 else "b" for n, query in enumerate(queries)}
    found = compare(judgments, {"old": old, "new": new}, "nDCG@10", by=by, unjudged="not-relevant")
    assert set(found.segments["verdict"]) == {"worse", "equal"}
    assert "or equal where no query differs" in dict(ComparisonReport(comparison=found).notes())["verdict"]
    told = compare(judgments, {"old": old, "new": new}, "nDCG@10", by=by)
    assert ("cannot tell" in set(told.segments["verdict"]), told.pairs["verdict"].to_list()) == (True, ["worse"])
    assert "too little of a run is judged" in dict(ComparisonReport(comparison=told).notes())["cannot tell"]


def test_a_pair_has_one_direction() -> None:
    """By every measure the run named second is held against the first, whichever is ahead; colours stay with runs."""
    judgments: dict[str, dict[str, int]] = {}
    first: dict[str, dict[str, float]] = {}
    second: dict[str, dict[str, float]] = {}
    for number in range(8):  # the second run has the one relevant document first, and the others not at all
        query, others = f"q{number}", {f"{letter}{number}": 1 for letter in "bcd"}
        judgments[query] = {f"a{number}": 3, **others}
        second[query] = {f"a{number}": 9.0, "x": 8.0, "y": 7.0, "z": 6.0}
        first[query] = {"x": 9.0, "y": 8.5} | {name: 5.0 - place for place, name in enumerate(others)}
    found = compare(judgments, {"first": first, "second": second}, ["RR", "R@10"], unjudged="not-relevant")
    assert found.ordered(found.measures[0]) != found.ordered(found.measures[1])
    assert list(figures.differences(found)) == ["RR: second − first", "R@10: second − first"]
    assert ComparisonReport(comparison=found).headline() == "second is above first by more than luck (RR)"
    turned = compare(judgments, {"first": first, "second": second}, ["R@10", "RR"], unjudged="not-relevant")
    assert ComparisonReport(comparison=turned).headline() == "second is below first by more than luck (R@10)"
    assert figures.colours(found) == figures.colours(turned)


def test_every_query(command: Command, folder: Path) -> None:
    """-q lists both values and the difference of each query, in tables, CSV and JSON."""
    runs = ("bm25.txt", "dense.txt.gz", "-m", "AP", "-m", "RR")
    rows = list(csv.DictReader(io.StringIO(command(*runs, "-q", "-o", "csv"))))
    found = compare(folder / "qrels.txt", [folder / "bm25.txt", folder / "dense.txt.gz"], ["AP", "RR"])
    assert len(rows) == 2 * len(found.queries) > 2 * 5
    for row in rows:
        assert float(row["difference"]) == pytest.approx(float(row["value"]) - float(row["other_value"]), abs=1e-12)
    for row in found.pairs.iter_rows(named=True):
        own = [float(one["difference"]) for one in rows if one["measure"] == row["measure"]]
        assert sum(own) / len(own) == pytest.approx(row["difference"])
    assert len(json.loads(command(*runs, "-q", "-o", "json"))["queries"]) == len(rows)
    shown = command(*runs, "-q").split("Every query\n")[1]
    assert len(shown.split("\n\n")[0].splitlines()) == 1 + len(rows)
    assert command(*runs, "-q", "-o", "tex").count("dense.txt & bm25.txt") == len(rows)
    assert "add queries to --tables" in command(*runs, "-q", "--tables", "pairs", code=4)


def test_a_caption_says_what_the_means_are_of() -> None:
    """Different numbers of queries, the dialect, the threshold, the test, and what every superscript means."""
    judgments = {f"q{q}": {"a": 3, "b": 1, "c": 0} for q in range(9)}
    good = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in judgments}
    bad = {query: {"c": 3.0, "b": 2.0 + (query > "q6"), "a": 1.0} for query in list(judgments)[1:]}
    comparison = compare(
        judgments,
        {"good": good, "bad": bad},
        ["AP", "nDCG@3"],
        baseline="good",
        correction="tukey",
        dialect="trec_eval",
        rel=2,
        unjudged="skip",
    )
    caption = latex_means(comparison).caption
    assert "means over 8 to 9 queries (bad 8, otherwise 9)." in caption
    assert "Dialect: trec_eval, changed: unjudged=skip; a grade of 2 or more counts as relevant (AP)." in caption
    assert "(Tukey's HSD by randomisation at 0.05)" in caption
    assert "Student" not in caption
    assert (
        "a marks runs that are significantly above good, those of good name the runs that it is significantly"
        in caption
    )
    assert "(8 queries, trec_eval, changed: unjudged=skip; relevant grades: 2 or more" in repr(
        comparison.results["bad"]
    )


def test_draws_need_a_test_that_draws(command: Command) -> None:
    """An option that changes nothing is an error that names what it goes with."""
    told = command(*THREE, "--draws", "50", code=4)
    assert "--test randomisation" in " ".join(told.split())
