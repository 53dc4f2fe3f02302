"""rankgauge active plan, next, record and estimate for a board of runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from rankgauge.labelling import BoardCampaign
from tests.active.board.collection import noisy_judge, tables

Command = Callable[..., str]


@pytest.fixture
def runs(folder: Path, tmp_path: Path) -> list[str]:
    """The runs of the collection as TREC files."""
    found = []
    for n, run in enumerate(tables()[1].values()):
        path = tmp_path / f"run{n}.txt"
        rows = run.sort("query", "score", descending=[False, True])
        lines = [f"{query} Q0 {document} 1 {score} run" for query, document, score in rows.iter_rows()]
        path.write_text("\n".join(lines) + "\n")
        found.append(str(path))
    return found


def judge(tasks: Path) -> None:
    """Fills the grades in."""
    truth = tables()[0].select("query", "document", pl.col("grade").cast(pl.Int64))
    read = pl.read_csv(tasks, infer_schema=False).drop("grade")
    read.join(truth, on=["query", "document"], how="left", maintain_order="left").write_csv(tasks)


def test_judgments_of_several_assessors(command: Command, runs: list[str], tmp_path: Path) -> None:
    """Earlier judgments of several people are refused until somebody says how to combine them: the last never wins."""
    judged = tables()[0].head(4)
    both = [judged.with_columns(assessor=pl.lit(name), grade=pl.lit(grade)) for name, grade in (("a", 0), ("b", 3))]
    pl.concat(both).write_csv(tmp_path / "old.csv")
    options = ("--judgments", str(tmp_path / "old.csv"), "--budget", "50", "-o", str(tmp_path / "c.rg"))
    told = command("active", "plan", *runs, *options, code=2)
    assert "2 assessors judged these documents" in told
    assert not (tmp_path / "c.rg").exists()


def test_judgments_of_other_queries(command: Command, runs: list[str], tmp_path: Path) -> None:
    """Earlier judgments of queries that no run has, as where leading zeros were lost, are not dropped silently."""
    judged = tables()[0].head(4).select("query", "document", "grade")
    options = ("--judgments", str(tmp_path / "old.csv"), "--budget", "50", "-o")
    judged.write_csv(tmp_path / "old.csv")
    assert "no run answers" not in command("active", "plan", *runs, *options, str(tmp_path / "a.rg"))
    elsewhere = judged.with_columns(query="0" + pl.col("query"))
    pl.concat([judged, elsewhere.head(2)]).write_csv(tmp_path / "old.csv")
    told = " ".join(command("active", "plan", *runs, *options, str(tmp_path / "b.rg")).split())
    assert f"2 earlier judgments are of a query that no run answers, and left out: {elsewhere['query'][0]}" in told


def test_expected_of_a_whole_pool(command: Command, runs: list[str], tmp_path: Path) -> None:
    """With every document judged nothing is left to guess: the expected interval is 0, not some zeros of a number."""
    options = ("-m", "nDCG@5", "--depth", "5", "--grades", "0,1,2,3", "--budget", "5000", "-o", str(tmp_path / "c.rg"))
    row = next(line for line in command("active", "plan", *runs, *options).splitlines() if line.startswith("nDCG@5"))
    assert row.split()[-1] == "0"


def test_whole_way(command: Command, runs: list[str], tmp_path: Path) -> None:
    """Runs are planned, judged and ranked: the board says what it rests on, in every format."""
    made, tasks = str(tmp_path / "c.rg"), tmp_path / "tasks.csv"
    options = ("-m", "nDCG@5", "-m", "AP", "--grades", "0,1,2,3", "--budget", "240", "-o", made)
    shown = command("active", "plan", f"first={runs[0]}", *runs[1:], *options)
    assert "nDCG@5, AP of 5 runs" in shown
    assert "all of each run, as AP looks at whole lists; the first 10 take" in shown
    assert "that of the pool, as if all of it were judged" in shown
    assert "Expected interval" in shown
    assert "no document is judged yet" in command("active", "estimate", made)
    assert "240 documents to judge" in command("active", "next", made, "-n", "300", "-o", str(tasks))
    judge(tasks)
    command("active", "record", made, str(tasks))
    assert "nothing is handed out: " in command("active", "next", made, "-o", str(tasks), code=6)
    text = command("active", "estimate", made)
    assert "nDCG@5: first is best of 5 runs" in text
    assert "on new queries" in text
    found = json.loads(command("active", "estimate", made, "-o", "json"))
    rows = found["board"]
    assert {row["measure"] for row in rows} == {"nDCG@5", "AP"}
    assert all(row["half_width"] <= row["joint_half_width"] for row in rows)
    assert all(1 <= row["rank_low"] <= row["rank_high"] <= 5 for row in rows)
    assert len(found["next"]) == 10
    ranks = {(row["measure"], row["run"]): (row["rank_low"], row["rank_high"]) for row in rows}
    for measure, pairs in found["pairs"].items():
        assert all(ranks[measure, better][0] < ranks[measure, worse][1] for better, worse in pairs)
        assert len(pairs) == sum(low - 1 for (name, _), (low, _) in ranks.items() if name == measure)
    assert "between 0 and 1" in command("active", "estimate", made, "--level", "2", code=4)
    assert "for a board" in command("active", "estimate", made, "--interval", "sequence", code=4)
    assert command("active", "estimate", made, "-o", "csv").startswith("measure,run,value")
    for ending in ("html", "svg"):
        page = tmp_path / f"board.{ending}"
        command("active", "estimate", made, "-o", str(page))
        assert "<svg" in page.read_text(encoding="utf-8")


def test_a_deep_pool(command: Command, tmp_path: Path) -> None:
    """With 100 documents a query and more, a plan states intervals; with fewer, what they are at least."""
    for documents, bound in ((100, False), (99, True)):
        for run in ("a", "b", "c"):
            lines = [f"q{n} Q0 d{rank} {rank + 1} {-rank} {run}" for n in (1, 2) for rank in range(documents)]
            (tmp_path / run).write_text("\n".join(lines) + "\n")
        asked = ("-m", "nDCG@5", "--grades", "0,1", "--budget", "50", "-o", str(tmp_path / f"{documents}.rg"))
        asked = (*asked, "--depth", "100")
        shown = command("active", "plan", *(str(tmp_path / run) for run in "abc"), *asked)
        assert ("≥" in shown) == bound


def test_a_run_that_came_later(command: Command, runs: list[str], tmp_path: Path) -> None:
    """A run that had no part in the pool is estimated, or it is said which of its documents must be judged first."""
    made, tasks = str(tmp_path / "c.rg"), tmp_path / "tasks.csv"
    asked = ("-m", "P@5", "--grades", "0,1,2,3", "--budget", "200", "--method", "leaderboard")
    command("active", "plan", *runs[:4], *asked, "-o", made)
    assert "nothing is known" in command("active", "estimate", made, "--run", runs[4], code=2)
    command("active", "next", made, "-n", "200", "-o", str(tasks))
    judge(tasks)
    command("active", "record", made, str(tasks))
    text = command("active", "estimate", made, "--run", f"late={runs[4]}")
    assert "Runs that came later" in text
    found = json.loads(command("active", "estimate", made, "--run", f"late={runs[4]}", "-o", "json"))["later"]
    assert [one["run"] for one in found] == ["late"]
    assert found[0]["estimates"][0]["measure"] == "P@5"
    assert (found[0]["estimates"][0]["value"] is None) == (found[0]["estimates"][0]["reason"] is not None)
    assert "already" in command("active", "estimate", made, "--run", f"run1.txt={runs[4]}", code=2)


def test_which_runs_make_a_board(command: Command, runs: list[str], tmp_path: Path) -> None:
    """One or two runs that the posterior serves make a board by any measure; other methods for them are named."""
    two = (*runs[:2], "--grades", "0,1,2,3", "--budget", "60", "-o")
    named = ("-m", "ERR", "--method", "document")
    assert "the mean ERR" in command("active", "plan", *two, str(tmp_path / "a.rg"), *named)
    model, stream = "posterior: a model of the grades", "leaderboard: single documents"
    asks = {("-m", "nDCG@5"): model, ("-m", "ERR"): model, ("--method", "leaderboard"): stream}
    asks |= {("-m", "AP"): stream, ("-m", "Bpref"): model}
    for number, (asked, words) in enumerate(asks.items()):
        assert words in command("active", "plan", *two, str(tmp_path / f"{number}.rg"), *asked)


def test_a_file_that_has_a_campaign_is_not_overwritten(command: Command, runs: list[str], tmp_path: Path) -> None:
    """Who plans again is told to name another file."""
    plan = ("active", "plan", *runs, "-m", "nDCG@5", "--budget", "50", "-o", str(tmp_path / "a.rg"))
    assert "looks at whole lists" not in command(*plan)
    assert "Choose another file" in command(*plan, code=2)


def test_earlier_judgments_name_the_scale(command: Command, runs: list[str], tmp_path: Path) -> None:
    """With judgments the scale is theirs; without any it is 0 to 3, and the plan says so."""
    rows = tables()[0][:100].select("query", pl.lit("0"), "document", pl.col("grade").cast(pl.Int64))
    (tmp_path / "old.qrels").write_text("\n".join(" ".join(map(str, row)) for row in rows.iter_rows()) + "\n")
    common = ("-m", "nDCG@5", "--budget", "50", "-o")
    shown = command(
        "active", "plan", *runs, "--judgments", str(tmp_path / "old.qrels"), *common, str(tmp_path / "a.rg")
    )
    assert "judged before" in shown
    assert "scale      0, 1, 2, 3, as earlier judgments grade (--grades)" in shown
    shown = command("active", "plan", *runs, *common, str(tmp_path / "b.rg"))
    assert "0, 1, 2, 3, as nothing says which grades people give" in " ".join(shown.split())


def test_a_plan_needs_runs_a_measure_and_a_budget(
    command: Command, runs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The campaign's file, the scale and the depth have defaults; the plan says which, and what to type next."""
    monkeypatch.chdir(tmp_path)
    shown = " ".join(command("active", "plan", *runs, "-m", "nDCG@5", "--budget", "60").split())
    assert "depth the first 5 of each run, as deep as nDCG@5 looks (--depth)" in shown
    assert "best run settled by" in shown
    assert "rankgauge active next campaign.rg -n 20 -o tasks.csv" in shown
    with BoardCampaign.open("campaign.rg") as campaign:
        assert (campaign.settings.grades, campaign.settings.method) == ((0.0, 1.0, 2.0, 3.0), "posterior")
    assert "campaign.rg" in command("active", "plan", *runs, "-m", "nDCG@5", "--budget", "60", code=2), "never replaced"


def test_query_texts_reach_assessors(command: Command, runs: list[str], tmp_path: Path) -> None:
    """What people typed stands in every file of tasks, beside the texts of documents or without any."""
    queries = tables()[0]["query"].unique(maintain_order=True).to_list()
    (tmp_path / "queries.tsv").write_text("".join(f"{query}\twhat is {query}?\n" for query in queries))
    made, options = str(tmp_path / "c.rg"), ("--queries", str(tmp_path / "queries.tsv"), "--budget", "60")
    command("active", "plan", *runs, "-m", "nDCG@5", *options, "-o", made)
    for ending in ("csv", "json", "jsonl"):
        command("active", "next", made, "-n", "2", "--again", "-o", str(tmp_path / f"tasks.{ending}"))
        assert "what is q" in (tmp_path / f"tasks.{ending}").read_text()


@pytest.mark.parametrize("method", ["posterior", "leaderboard"])
def test_a_pilot(method: str, command: Command, runs: list[str], tmp_path: Path) -> None:
    """The first documents are drawn with equal chances, whatever the scores; an audit reads their labels, and they
    count afterwards."""
    noisy_judge().write_csv(tmp_path / "llm.csv")
    judged, made, tasks = str(tmp_path / "llm.csv"), str(tmp_path / "c.rg"), tmp_path / "pilot.csv"
    asked = ("--judge", judged, "--budget", "90", "--pilot", "30", "--method", method, "-o", made)
    assert "30 documents are drawn at random" in command("active", "plan", *runs, "-m", "nDCG@5", *asked)
    command("active", "next", made, "-n", "30", "-o", str(tasks))
    judge(tasks)
    command("active", "record", made, str(tasks))
    assert "llm tells relevant documents from others" in command(
        "audit", "judge", str(tasks), judged, *runs, "-m", "nDCG@5"
    )
    command("active", "next", made, "-n", "60", "-o", str(tmp_path / "tasks.csv"))
    judge(tmp_path / "tasks.csv")
    command("active", "record", made, str(tmp_path / "tasks.csv"))
    board = json.loads(command("active", "estimate", made, "-o", "json"))
    assert board["progress"]["judged"] == 90
    assert all(row["half_width"] is not None for row in board["board"]), "an answer with every label that was paid for"
    drawn, later = (pl.read_csv(path)["document"].to_list() for path in (tasks, tmp_path / "tasks.csv"))
    assert not {*drawn} & {*later}


def test_judges(command: Command, runs: list[str], tmp_path: Path) -> None:
    """A judge's grades are beliefs of a board and of one value, and the plan says who it was and what it is worth."""
    noisy_judge().write_csv(tmp_path / "llm.csv")
    for name, frame in (("people", tables()[0]), ("there", noisy_judge())):
        frame.with_columns(document="x" + pl.col("document")).write_csv(tmp_path / f"{name}.csv")
    common = ("--judge", f"model={tmp_path / 'llm.csv'}", "--grades", "0,1,2,3", "--budget", "60", "-o")
    shown = " ".join(command("active", "plan", *runs, "-m", "nDCG@5", *common, str(tmp_path / "a.rg")).split())
    assert "model (graded 100 % of the pool): the grades are first guesses; people's labels correct them" in shown
    assert "nDCG@5" in command("active", "estimate", str(tmp_path / "a.rg"))
    elsewhere = ("--calibrate-on", str(tmp_path / "people.csv"), str(tmp_path / "there.csv"))
    shown = " ".join(
        command("active", "plan", *runs, "-m", "nDCG@5", *elsewhere, *common, str(tmp_path / "b.rg")).split()
    )
    assert "calibrated model: expected to do as on the other collection" in shown
    assert "the posterior, which takes fewer labels here, knows no judge from elsewhere: leave --calibrate-on" in shown
    alone = ("-m", "ERR@5", "--depth", "5", "--method", "document")
    one = command("active", "plan", runs[0], *alone, *common, str(tmp_path / "c.rg"))
    assert "given for each document" in one
    assert "judges     model: beliefs come from these grades" in one
    refused = command("active", "plan", runs[0], "-m", "ERR@5", *elsewhere, *common, str(tmp_path / "d.rg"), code=2)
    assert "--calibrate-on is for a board of runs" in " ".join(refused.split())
    assert not (tmp_path / "d.rg").exists()


def test_mistakes(command: Command, runs: list[str], tmp_path: Path) -> None:
    """A measure that no board can estimate, a table without runs and options of other methods are refused in a line."""
    common = ("--grades", "0,1,2,3", "--budget", "50", "-o", str(tmp_path / "a.rg"))
    assert "add up what documents are worth" in command(
        "active", "plan", *runs, "-m", "Bpref", "--method", "leaderboard", *common, code=4
    )
    assert "one measure" in command(
        "active", "plan", *runs[:2], "-m", "ERR", "-m", "P@5", "--method", "greg", *common, code=4
    )
    assert "one or two runs" in command("active", "plan", *runs, "--method", "greg", *common, code=4)
    pl.DataFrame({"query": ["q"], "document": ["d"], "price": [1.0]}).write_csv(tmp_path / "pool.csv")
    said = command("active", "plan", str(tmp_path / "pool.csv"), "--goal", "best", *common, code=2)
    assert "no column of ranks or scores among query, document, price" in said


def test_a_paragraph_to_publish(command: Command, runs: list[str], tmp_path: Path) -> None:
    """It says what rests on people, what on the judge, and what the judge alone would have said."""
    noisy_judge().write_csv(tmp_path / "llm.csv")
    made, tasks = str(tmp_path / "a.rg"), tmp_path / "tasks.csv"
    asked = (
        "--judge",
        f"model={tmp_path / 'llm.csv'}",
        "--grades",
        "0,1,2,3",
        "-m",
        "nDCG@5",
        "-m",
        "P@5",
        "--budget",
        "80",
    )
    command("active", "plan", *runs, *asked, "-o", made)
    assert command("active", "estimate", made, "-o", "paragraph").endswith("no document is judged yet.\n")
    command("active", "next", made, "-n", "80", "-o", str(tasks))
    judge(tasks)
    command("active", "record", made, str(tasks))
    told = command("active", "estimate", made, "-o", "paragraph")
    assert "People judged 80 documents" in told
    assert "Grades by model (100 % of the pool) served as beliefs" in told
    assert "By model's grades alone P@5 would be" in told
    assert "no grade of a model counts as a label" in told
    assert "judge alone" in command("active", "estimate", made)


def test_a_paragraph_on_a_whole_pool(command: Command, runs: list[str], tmp_path: Path) -> None:
    """A pool that is judged as a whole is 100 % of it, in plain digits."""
    for run in runs:
        lines = Path(run).read_text().splitlines(keepends=True)
        Path(run).write_text("".join(lines[:6]))
    made, tasks = str(tmp_path / "a.rg"), tmp_path / "tasks.csv"
    command("active", "plan", *runs, "--grades", "0,1,2,3", "-m", "P@5,ERR@5", "--budget", "100", "-o", made)
    command("active", "next", made, "-n", "100", "-o", str(tasks))
    judge(tasks)
    command("active", "record", made, str(tasks))
    told = command("active", "estimate", made, "-o", "paragraph")
    assert "documents (100 % of the pool)" in told
    assert "The top grade is 3." in told


def test_texts_need_no_header(command: Command, runs: list[str], tmp_path: Path) -> None:
    """Texts of documents come as MS MARCO has them too, tab-separated without a header, as for a language model."""
    documents = tables()[0]["document"].unique(maintain_order=True).to_list()
    (tmp_path / "docs.tsv").write_text("".join(f"{document}\tall about {document}\n" for document in documents))
    made = str(tmp_path / "c.rg")
    options = ("--documents", str(tmp_path / "docs.tsv"), "--budget", "60", "-o", made)
    command("active", "plan", *runs, "-m", "nDCG@5", *options)
    command("active", "next", made, "-n", "2", "-o", str(tmp_path / "tasks.csv"))
    assert "all about d" in (tmp_path / "tasks.csv").read_text()


@pytest.mark.parametrize(("option", "words"), [("--documents", "has none of the pool's"), ("--queries", "no text of")])
def test_texts_of_other_documents(option: str, words: str, command: Command, runs: list[str], tmp_path: Path) -> None:
    """Texts none of which belongs to the pool are refused: assessors would be shown ids, and nobody would know why."""
    (tmp_path / "texts.tsv").write_text("other-1\tof another collection\n")
    made = tmp_path / "c.rg"
    options = (option, str(tmp_path / "texts.tsv"), "--budget", "60", "-o", str(made))
    assert words in " ".join(command("active", "plan", *runs, "-m", "nDCG@5", *options, code=2).split())
    assert not made.exists()


def test_people_are_no_judge(command: Command, runs: list[str], tmp_path: Path) -> None:
    """One file as people's judgments and as a judge's is refused, in plans and audits: it would agree with itself."""
    tables()[0].write_csv(tmp_path / "people.csv")
    people = str(tmp_path / "people.csv")
    options = ("--judge", people, "--judgments", people, "--budget", "60", "-o", str(tmp_path / "c.rg"))
    assert "as people's and as a judge's" in command("active", "plan", *runs, "-m", "nDCG@5", *options, code=2)
    assert "as people's and as a judge's" in command("audit", "judge", people, f"model={people}", *runs, code=2)


def test_a_plan_says_what_it_took(command: Command, runs: list[str], tmp_path: Path) -> None:
    """Tied scores, whose order of the file stands, and the top of a scale that nobody named."""
    lines = Path(runs[1]).read_text().splitlines()
    (tmp_path / "tied.txt").write_text("".join(" ".join([*line.split()[:4], "1", "run\n"]) for line in lines))
    options = ("-m", "ERR@5", "--budget", "60", "-o")
    shown = " ".join(command("active", "plan", *runs, *options, str(tmp_path / "a.rg")).split())
    assert "top grade 3, that of the scale 0, 1, 2, 3" in shown
    assert "tied " not in shown
    shown = command("active", "plan", runs[0], str(tmp_path / "tied.txt"), *options, str(tmp_path / "b.rg"))
    assert "of tied.txt: on a board the order of the file counts" in " ".join(shown.split())
