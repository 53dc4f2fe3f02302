"""A new campaign in steps: what the files were taken for, what to expect, and nothing before the last step."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import httpx
import pytest

from rankgauge.labelling import Pool
from rankgauge.labelling.campaign import BoardCampaign, Campaign
from rankgauge.labelling.pools import make_pool
from rankgauge.room.database import DRAFT_FILES
from rankgauge.room.drafts import MOST, safe_name
from rankgauge.room.pages.new_campaign import EXAMPLES
from tests.web.boards import RUNS, board_files
from tests.web.house import House, csrf, open_house, parquet, pool


def begin(client: httpx.Client, *files: tuple[str, tuple[str, bytes]]) -> str:
    """The address of a new draft of these files."""
    answer = client.post("/drafts", data={"csrf": csrf(client)}, files=list(files))
    assert answer.status_code == 303, words(answer)
    return answer.headers["location"].rpartition("/")[0]


def a_pool() -> tuple[str, tuple[str, bytes]]:
    """A pool's table, as it is uploaded."""
    return "lists", ("autumn.parquet", parquet(pool().drop("grade")))


def words(answer: httpx.Response) -> str:
    """The text of a page."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


@pytest.fixture
def room(tmp_path: Path) -> House:
    with open_house(f"sqlite:///{tmp_path / 'room.db'}", upload_megabytes=2) as opened:
        yield opened


def test_judged_before(house: House) -> None:
    """Earlier judgments count as far as they are of the pool's queries; a note tells of the rest, and names files."""
    client = house.admin()
    run = b"001 Q0 a 1 2 r\n001 Q0 b 2 1 r\n002 Q0 c 1 1 r\n"
    old = b"query,document,grade\n001,a,1\n001,z,0\n1,b,2\n2,c,1\n002,c,\n"
    draft = begin(client, ("lists", ("r.txt", run)), ("judged", ("old.csv", old)))
    page = words(client.get(f"{draft}/pool"))
    assert "Documents 4" in page
    assert "Judged before 2" in page
    assert "2 earlier judgments are of queries that no run answers, and left out: 1, 2" in page
    assert " old.csv: 1 row has no grade and is left out" in page


def test_texts_that_differ(house: House) -> None:
    """A table with two texts for one document says that the first counts; a row that is only repeated is nothing."""
    client = house.admin()
    run, same = b"q1 Q0 a 1 2 r\nq1 Q0 b 2 1 r\n", b"query,document,title,text\nq1,a,A,old\nq1,b,B,b\nq1,b,B,b\n"
    said = "documents.csv: 1 document comes twice or more with different texts, of which the first counts: a"
    for table, noted in ((same, False), (same + b"q1,a,A,new\n", True)):
        draft = begin(client, ("lists", ("r.txt", run)), ("documents", ("documents.csv", table)))
        assert (said in words(client.get(f"{draft}/pool"))) == noted


def test_upload_and_make(house: House) -> None:
    """The quick path: upload, make, with a budget as it is written. Nothing is made before."""
    client = house.admin()
    draft = begin(client, a_pool())
    assert "No campaigns yet" in client.get("/").text
    assert client.post(f"{draft}/plan", data={"csrf": csrf(client), "budget": "1,000"}).status_code == 303
    assert "Budget 1,000 of" in words(client.get(f"{draft}/make"))
    made = client.post(f"{draft}/make", data={"csrf": csrf(client)})
    assert made.headers["location"] == "/campaigns/1"
    campaign = house.room.campaigns.get(1).campaign
    assert isinstance(campaign, Campaign)
    assert (campaign.name, campaign.settings.measure, campaign.settings.grades) == ("autumn", "ERR@10", (0.0, 1.0, 2.0))
    assert campaign.settings.budget == 1000
    assert client.get(f"{draft}/pool").status_code == 404, "a draft that was made is gone"
    with house.room.engine.connect() as connection:
        assert not connection.execute(DRAFT_FILES.select()).all()


def test_a_board_with_a_judge(house: House) -> None:
    """Several runs, a language model's grades and texts: the pool as it was understood, the plan, the campaign."""
    client, files = house.admin(), board_files()
    draft = begin(client, *files.sent())
    understood = words(client.get(f"{draft}/pool"))
    assert "Queries 20 Documents 300 Runs 4 Judges 1" in understood
    assert "gpt 100 % 0, 1, 2, 3" in understood
    assert all(run in understood for run in RUNS)
    assert "query_text the query's text" in understood
    sent = {"csrf": csrf(client), "measure": "nDCG@5, P@5", "budget": "120", "goal": "best"}
    assert client.post(f"{draft}/plan", data={**sent, "go": "stay"}).headers["location"] == f"{draft}/plan"
    plan = client.get(f"{draft}/plan")
    assert "With a budget of 120" in words(plan)
    assert "<svg" in plan.text
    assert "how to mend a q00 tyre" in words(client.get(f"{draft}/judging"))
    assert client.post(f"{draft}/make", data={"csrf": csrf(client), "name": "board"}).status_code == 303
    board = house.room.campaigns.get(1).campaign
    assert isinstance(board, BoardCampaign)
    assert board.pool.runs == tuple(RUNS)
    assert board.settings.measures == ("nDCG@5", "P@5")
    assert (board.settings.goal, board.settings.grades) == ("best", (0.0, 1.0, 2.0, 3.0))
    assert [judge.name for judge in board.pool.judges] == ["gpt"]


def test_a_draft_counts_the_documents_that_it_pools(house: House) -> None:
    """Long lists are pooled as deep as the measure looks: the usual budget and the last page are about that pool. A
    measure that the dashboard warns of keeps its name at the beginning of a sentence."""
    client = house.admin()
    names = ("a", "b", "c")
    lines = {run: [f"q{q} Q0 {run}{q}-{d} 0 {-d} {run}\n" for q in range(12) for d in range(60)] for run in names}
    draft = begin(client, *(("lists", (f"{run}.run", "".join(lines[run]).encode())) for run in names))
    assert "Documents 2,160" in words(client.get(f"{draft}/pool"))
    assert 'name="budget" value="100"' in client.get(f"{draft}/plan").text, "as 36 of 360 would be few, and 180 half"
    sent = {"csrf": csrf(client), "measure": "nDCG@5", "budget": "60"}
    client.post(f"{draft}/plan", data=sent)
    assert "12 queries, 180 documents, 3 runs" in words(client.get(f"{draft}/make"))
    client.post(f"{draft}/make", data={"csrf": csrf(client)})
    board = house.room.campaigns.get(1).campaign
    board.record([(task.query, task.document, 1) for task in board.lease(10)])
    dashboard = words(client.get("/campaigns/1"))
    assert "Few labels: nDCG@5: ±" in dashboard
    assert "NDCG" not in dashboard


def test_a_table_with_a_column_for_each_run(room: House) -> None:
    """A pool that one table holds, with ranks of several runs, makes a board too."""
    client = room.admin()
    rows = [f"q{q},q{q}d{d},query {q},title {d},{d + 1},{9 - d},{1 + d * 7 % 10}" for q in range(12) for d in range(9)]
    table = "\n".join(["query,document,query_text,title,rank_a,rank_b,rank_c", *rows])
    draft = begin(client, ("lists", ("pool.csv", table.encode())))
    assert "rank_b ranks of b" in words(client.get(f"{draft}/pool"))
    assert client.post(f"{draft}/make", data={"csrf": csrf(client)}).status_code == 303
    board = room.room.campaigns.get(1).campaign
    assert isinstance(board, BoardCampaign)
    assert board.pool.runs == ("a", "b", "c")
    assert board.lease()[0].texts.keys() == {"query_text", "title"}


def test_a_made_pool_with_texts_beside_it(room: House, tmp_path: Path) -> None:
    """What `rankgauge pool make` writes is a board of its runs, and a table of documents gives it something to read."""
    files = board_files()
    for name, content in files.lists:
        (tmp_path / name).write_bytes(content)
    made = make_pool({run: tmp_path / f"{run}.run" for run in RUNS}, depth=3).frame()
    client = room.admin()
    draft = begin(client, ("lists", ("made.csv", made.write_csv().encode())), ("documents", files.documents))
    understood = words(client.get(f"{draft}/pool"))
    assert f"Documents {len(made)} Runs {len(RUNS)}" in understood
    assert all(f"ranks of {run}" in understood for run in RUNS)
    assert "nothing for assessors to read" not in understood
    assert "is mended with glue" in words(client.get(f"{draft}/judging"))
    client.post(f"{draft}/make", data={"csrf": csrf(client)})
    campaign = room.room.campaigns.get(1).campaign
    assert isinstance(campaign, BoardCampaign)
    assert campaign.pool.runs == tuple(RUNS)
    assert "mended" in str(campaign.lease(1, "ann")[0].texts)


def test_a_campaigns_file_is_taken_over(room: House) -> None:
    """A file of `rankgauge active plan` comes alone and keeps its settings."""
    client = room.admin()
    room.campaign("planned")
    content = client.get("/campaigns/1/files/campaign.rg").content
    draft = begin(client, ("lists", ("planned.rg", content)))
    assert "brings its pool" in words(client.get(f"{draft}/pool"))
    assert all(client.get(f"{draft}/{step}").status_code == 200 for step in ("plan", "judging", "make"))
    assert client.post(f"{draft}/make", data={"csrf": csrf(client), "name": "again"}).status_code == 303
    assert room.room.campaigns.get(2).campaign.settings == room.room.campaigns.get(1).campaign.settings


def test_levels_are_named_in_the_table(room: House) -> None:
    """The names and meanings typed beside each grade are the campaign's."""
    client = room.admin()
    draft = begin(client, a_pool())
    named = {"level_2": "good", "meaning_2": "answers it", "level_1": "fair", "level_0": "bad"}
    sent = {"csrf": csrf(client), "scale": "pool", "name": "named", "guide": "Read it all.", **named}
    assert client.post(f"{draft}/judging", data=sent).headers["location"] == f"{draft}/make"
    client.post(f"{draft}/make", data={"csrf": csrf(client)})
    guide = room.room.campaigns.get(1).rules.guide
    assert dict(guide.names) == {"2": "good", "1": "fair", "0": "bad"}
    assert (dict(guide.meanings), guide.words) == ({"2": "answers it"}, "Read it all.")


def test_another_scale_replaces_the_levels(room: House) -> None:
    """Choosing a scale shows its levels, and the names typed for the one before are gone."""
    client = room.admin()
    draft = begin(client, ("lists", ("a.run", board_files().lists[0][1])))
    sent = {"csrf": csrf(client), "scale": "binary", "level_4": "four", "name": "x", "go": "stay"}
    client.post(f"{draft}/judging", data=sent)
    shown = client.get(f"{draft}/judging").text
    assert 'value="relevant"' in shown
    assert "four" not in shown


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"measure": "nDGC@10"}, "Did you mean nDCG"),
        ({"measure": " , "}, "measure: name at least one measure, such as"),
        ({"budget": "many"}, "budget: Input should be a valid number"),
        ({"budget": "inf"}, "budget"),
        ({"stop_at": "-1"}, "stop at: Input should be greater than 0"),
        ({"cost": "weight"}, "weight"),
        ({"method": "zzz"}, "There is no method called 'zzz'"),
        ({"method": "document", "measure": "nDCG@5"}, "must be a linear or cascade measure"),
    ],
)
def test_a_wrong_setting_is_said_at_once(room: House, fields: dict[str, str], said: str) -> None:
    """A plan that makes no sense is shown again with what is wrong, and is not kept."""
    client = room.admin()
    draft = begin(client, a_pool())
    answer = client.post(f"{draft}/plan", data={"csrf": csrf(client), **fields})
    assert answer.status_code == 400
    assert said in words(answer)
    assert client.get(f"{draft}/plan").status_code == 200


@pytest.mark.parametrize("measure", EXAMPLES)
def test_every_measure_that_is_offered_can_be_planned(room: House, measure: str) -> None:
    """The plan of each of them is shown, with what to expect."""
    client = room.admin()
    draft = begin(client, a_pool())
    answer = client.post(f"{draft}/plan", data={"csrf": csrf(client), "measure": measure, "go": "stay"})
    assert answer.status_code == 303, words(answer)
    assert "What to expect" in client.get(f"{draft}/plan").text


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([], "no file was chosen"),
        ([("judge", ("llm.csv", b"query,document,grade\nq,d,1\n"))], "neither a pool nor a run nor a campaign"),
        ([("lists", ("pool.csv", b"query,score\nq,1\n"))], "pool.csv: no column for document among query, score"),
        ([("lists", ("a.run", b"q Q0 d 1 x tag\n"))], "a.run"),
        (
            [("lists", ("twice.csv", b"query,document,score\nq,a,3\nq,b,2\nq,a,1\n"))],
            "twice.csv: row 3: document a is listed twice for query q",
        ),
        ([("lists", ("p.csv", b"query,document,score\n"))], "p.csv: the pool has no rows"),
        ([("lists", ("p.csv", b"query,document\nq,a\nq,b\n"))], "p.csv: no column of ranks or scores"),
        ([("lists", ("p.csv", b"query,document,score\nq,a,high\nq,b,1\n"))], "p.csv: row 1: 'high' in the column"),
        ([("lists", ("p.csv", b"query,document,score\nq,,3\nq,b,1\n"))], "p.csv: row 1: there is no document"),
        (
            [("lists", ("p.csv", b"query,document,score,p_0,p_1\nq,a,3,0.9,0.9\nq,b,1,1,0\n"))],
            "p.csv: the beliefs about document a of query q are 0.9, 0.9",
        ),
        (
            [("lists", ("p.csv", b"query,document,score,p_0\nq,a,3,1\nq,b,1,1\n"))],
            "p.csv: the scale has one grade only",
        ),
        ([("lists", ("a.run", b"q Q0 d 1 2 t\nq Q0 d 2 1 t\n"))], "a.run: run 1: row 2: document d is listed twice"),
        ([("lists", ("c.rg", b"x")), ("judge", ("j.csv", b"x"))], "comes alone"),
    ],
)
def test_files_that_cannot_be_read_begin_nothing(
    room: House, files: list[tuple[str, tuple[str, bytes]]], said: str
) -> None:
    """One clear error with the file's own name, and no draft."""
    client = room.admin()
    answer = client.post("/drafts", data={"csrf": csrf(client)}, files=files)
    assert answer.status_code == 400
    assert said in words(answer)
    assert "/tmp" not in answer.text
    assert "Your drafts" not in client.get("/campaigns/new").text


def test_responses_of_a_search_engine_are_a_run(room: House) -> None:
    """JSON that is no table is read as evaluate reads it; what its reader has to say is told."""
    answers = {"red dress": {"hits": {"hits": [{"_id": "d1"}, {"_id": "d2"}]}}, "hat": {"error": {"reason": "boom"}}}
    client = room.admin()
    draft = begin(client, ("lists", ("es.json", json.dumps(answers).encode())))
    said = words(client.get(f"{draft}/pool"))
    assert "1 search of 2 failed, left out of the run: hat (boom)" in said
    assert client.post(f"{draft}/make", data={"csrf": csrf(client)}).status_code == 303


def test_files_are_added_and_removed(room: House) -> None:
    """A judge's grades can come later; the last list cannot go."""
    client, files = room.admin(), board_files()
    draft = begin(client, *(("lists", run) for run in files.lists))
    token = {"csrf": csrf(client)}
    assert client.post(f"{draft}/files", data=token, files=[("judge", files.judge)]).status_code == 303
    assert "Judges 1" in words(client.get(f"{draft}/pool"))
    numbers = re.findall(r"/files/(\d+)/remove", client.get(f"{draft}/files").text)
    assert len(numbers) == len(RUNS) + 1
    for number in numbers[1:]:
        assert client.post(f"{draft}/files/{number}/remove", data=token).status_code == 303
    assert client.post(f"{draft}/files/{numbers[0]}/remove", data=token).status_code == 400
    assert "Runs 1" in words(client.get(f"{draft}/pool"))


def test_a_rule_for_one_run_does_not_stop_a_board(room: House) -> None:
    """A stopping rule that was chosen before more runs came is not the board's, which has none."""
    client, files = room.admin(), board_files()
    draft = begin(client, ("lists", files.lists[0]))
    token = {"csrf": csrf(client)}
    assert client.post(f"{draft}/plan", data={**token, "measure": "P@5", "stop_at": "0.05"}).status_code == 303
    assert "when the interval is ±0.05" in words(client.get(f"{draft}/make"))
    client.post(f"{draft}/files", data=token, files=[("lists", run) for run in files.lists[1:]])
    page = words(client.get(f"{draft}/make"))
    assert "Name, guidelines and names of grades can." in page
    assert client.post(f"{draft}/make", data=token).status_code == 303
    assert isinstance(room.room.campaigns.get(1).campaign, BoardCampaign)


def test_a_draft_is_its_owners(room: House) -> None:
    """Another admin does not see it, nor touch it."""
    draft = begin(room.admin(), a_pool())
    other = room.enter(room.room.people.admin_link("other"))
    assert "Your drafts" not in other.get("/campaigns/new").text
    for step in ("files", "pool", "plan", "judging", "make"):
        assert other.get(f"{draft}/{step}").status_code == 404
    assert other.post(f"{draft}/discard", data={"csrf": csrf(other)}).status_code == 404


def test_drafts_survive_a_restart_and_expire(tmp_path: Path) -> None:
    """They are in the database: the next process goes on with them, until they were not touched for too long."""
    database = f"sqlite:///{tmp_path / 'room.db'}"
    with open_house(database) as first:
        client = first.admin()
        draft = begin(client, a_pool())
        client.post(f"{draft}/plan", data={"csrf": csrf(client), "measure": "P@3", "budget": "30"})
        cookies = dict(client.cookies)
    with open_house(database) as second:
        client = second.guest(cookies=cookies)
        assert 'value="P@3"' in client.get(f"{draft}/plan").text
        assert "autumn.parquet" in client.get("/campaigns/new").text
        later = second.room.drafts._clock() + 15 * 86400
        second.room.drafts._clock = lambda: later
        assert client.get(f"{draft}/plan").status_code == 404
        assert "autumn.parquet" not in client.get("/campaigns/new").text
        with second.room.engine.connect() as connection:
            assert not connection.execute(DRAFT_FILES.select()).all()


def test_drafts_have_limits(room: House) -> None:
    """A person has so many drafts, a draft so many bytes."""
    client = room.admin()
    run = ("lists", ("a.run", b"q Q0 d 1 1 tag\n"))
    large = ("lists", ("b.run", b"q Q0 d2 1 1 tag\n" * 100_000))
    draft = begin(client, run)
    assert client.post(f"{draft}/files", data={"csrf": csrf(client)}, files=[large, large]).status_code in (400, 413)
    for _ in range(MOST - 1):
        begin(client, run)
    answer = client.post("/drafts", data={"csrf": csrf(client)}, files=[run])
    assert f"you have {MOST} drafts already" in words(answer)
    client.post(f"{draft}/discard", data={"csrf": csrf(client)})
    begin(client, run)


def test_names_of_files_are_made_safe() -> None:
    """Neither folders nor letters that a header, a page or a file system might misread are kept."""
    assert safe_name("../../etc/pass<wd>.csv") == "pass_wd_.csv"
    assert safe_name("C:\\data\\übung.run") == "übung.run"
    assert safe_name("a\0b.run") == "a_b.run"
    assert safe_name("..") == "file"


def test_a_campaigns_file_keeps_its_settings(house: House, tmp_path: Path) -> None:
    """Settings that a program sends beside a campaign's file are refused, as they would not count; a pool needs one."""
    with Campaign.create(tmp_path / "c.rg", Pool.of(pool().drop("grade")), "P@5", budget=9):
        pass
    program = house.program()
    sent = program.post("/api/v1/drafts", params={"filename": "c.rg"}, content=(tmp_path / "c.rg").read_bytes())
    make = f"/api/v1/drafts/{sent.json()['id']}/campaign"
    refused = program.post(make, json={"name": "autumn", "budget": 77})
    assert refused.status_code == 400
    assert "brings its settings along: leave out budget" in refused.text
    made = program.post(make, json={"name": "autumn"})
    assert made.status_code == 201
    assert made.json()["progress"]["budget"] == 9
    sent = program.post("/api/v1/drafts", params={"filename": "pool.parquet"}, content=a_pool()[1][1])
    refused = program.post(f"/api/v1/drafts/{sent.json()['id']}/campaign", json={"name": "spring"})
    assert "a pool needs one" in refused.text
