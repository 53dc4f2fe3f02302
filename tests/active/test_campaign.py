"""Campaigns: draws, labels and estimates, on SQLite and on PostgreSQL."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge.errors import InputError, ParameterError, UnknownNameError
from rankgauge.labelling.campaign import Campaign, CampaignSettings, leases
from rankgauge.labelling.campaign.rules import Idle
from rankgauge.labelling.campaign.state import remainder
from rankgauge.labelling.labels import Label
from rankgauge.labelling.target import Target
from tests.active.campaigns import frame, grades, judged, pool, spend, truth
from tests.examples import examples

METHODS = ("passive", "passive-iid", "paper", "greg", "document", "auto")


@pytest.fixture
def campaign(database: str) -> Iterator[Campaign]:
    """A campaign that spends 40 documents on whole queries of 4."""
    with Campaign.create(database, pool(), "ERR", budget=40, method="passive", seed=7) as made:
        yield made


@pytest.mark.parametrize("method", METHODS)
def test_resumed(method: str, tmp_path: Path) -> None:
    """A campaign that is closed after every call hands out the same documents and says the same as one that is not."""
    whole = tmp_path / "whole.rg"
    with Campaign.create(whole, pool(), "ERR", budget=40, method=method, seed=3) as campaign:
        wanted, found = spend(campaign, truth()), campaign.estimate()
    torn = tmp_path / "torn.rg"
    Campaign.create(torn, pool(), "ERR", budget=40, method=method, seed=3).close()
    handed: list[tuple[str, str]] = []
    while True:
        with Campaign.open(torn) as campaign:
            tasks = campaign.lease(5)
        if not tasks:
            break
        with Campaign.open(torn) as campaign:
            campaign.record(judged(tasks, truth()))
        handed += [(task.query, task.document) for task in tasks]
    with Campaign.open(torn) as campaign:
        assert (handed, campaign.estimate()) == (wanted, found)


def test_mean_of_the_draws(campaign: Campaign) -> None:
    """The passive estimate is the mean value of the queries drawn: 40 documents are 10 queries of 4."""
    spend(campaign, truth())
    found, known = campaign.pool, grades(campaign.pool, truth())
    values = Target.of("ERR", found).values(found, known)
    drawn = [campaign.plans[0].query(j) for j in range(10)]
    estimate, progress = campaign.estimate(), campaign.progress()
    assert estimate is not None
    assert estimate.value == pytest.approx(np.mean(values[drawn]), abs=1e-12)
    assert (progress.spent, progress.complete, progress.labels, progress.out) == (40, 10, 40, 0)
    assert campaign.curve()["cost"].to_list()[-1] == 40
    assert campaign.judgments().height == 40


def test_prefix(campaign: Campaign) -> None:
    """An estimate uses only draws before the first that lacks a label, however many after it are complete."""
    tasks = campaign.lease(40)
    campaign.record(judged(tasks[:2] + tasks[3:], truth()))
    assert campaign.estimate() is None
    assert campaign.progress().complete == 0
    campaign.record(judged([tasks[2]], truth()))
    assert campaign.progress().complete == 10


@pytest.mark.parametrize("method", ["paper", "document"])
def test_order_of_labels(method: str, tmp_path: Path) -> None:
    """Labels in any order, one by one or together, give the same estimate to the last digit."""
    with Campaign.create(tmp_path / "0.rg", pool(), "ERR", budget=200, method=method) as campaign:
        spend(campaign, truth())
        wanted = campaign.estimate()
        labels = [tuple(row) for row in campaign.labels().select("query", "document", "grade").iter_rows()]
    for seed in (1, 2):
        random.Random(seed).shuffle(labels)
        with Campaign.create(tmp_path / f"{seed}.rg", pool(), "ERR", budget=200, method=method) as campaign:
            for start in range(0, len(labels), 7):
                campaign.record(labels[start : start + 7])
            assert not campaign.lease(1), "every document that a draw asks for is judged already"
            assert campaign.estimate() == wanted


@settings(max_examples=examples(12), deadline=None)
@given(
    st.sampled_from(METHODS),
    st.floats(1, 60),
    st.sampled_from([0.0, 2.5]),
    st.lists(st.tuples(st.integers(1, 9), st.sampled_from("ab"), st.booleans()), max_size=12),
)
def test_budget(
    tmp_path_factory: pytest.TempPathFactory,
    method: str,
    budget: float,
    overhead: float,
    steps: list[tuple[int, str, bool]],
) -> None:
    """Whatever is handed out to whom, judged or not, what was asked for costs at most the budget."""
    made = type(pool()).of(frame().drop("grade"), cost="documents", overhead=overhead)
    with Campaign.create(tmp_path_factory.mktemp("b") / "c.rg", made, "ERR", budget=budget, method=method) as campaign:
        for n, assessor, records in steps:
            tasks = campaign.lease(n, assessor)
            if records:
                campaign.record(judged(tasks, truth()))
        progress = campaign.progress()
        assert progress.spent <= budget * (1 + 1e-9)
        assert progress.spent == pytest.approx(progress.asked + overhead * progress.queries)
        assert not campaign.estimate() or progress.complete >= 2


def test_assessors(database: str) -> None:
    """With two assessors per document each document goes to two people, nobody gets it twice, and it costs double."""
    with Campaign.create(database, pool(), "ERR", budget=40, method="passive", assessors=2) as campaign:
        hands = {name: campaign.lease(50, name) for name in ("anna", "ben", "cleo")}
        places = {name: {task.place for task in tasks} for name, tasks in hands.items()}
        assert places["anna"] == places["ben"]
        assert len(places["anna"]) == 20
        assert not places["cleo"]
        campaign.record(judged(hands["anna"], truth()))
        assert campaign.progress().judged == 0
        campaign.record(judged(hands["ben"], truth()))
        progress = campaign.progress()
        assert (progress.judged, progress.spent, progress.assessors, progress.labels) == (20, 40, 2, 40)


@pytest.mark.parametrize(("rule", "grade"), [("mean", 1.5), ("max", 2.0), ("or@2", 1.0), ("and@2", 0.0)])
def test_rule_of_several(rule: str, grade: float, tmp_path: Path) -> None:
    """The grades 1 and 2 of two assessors become one by the campaign's rule."""
    with Campaign.create(
        tmp_path / "c.rg", pool(), "ERR", budget=40, method="passive", assessors=2, combine=rule
    ) as campaign:
        (task,) = campaign.lease(1, "anna")
        campaign.record([(task.query, task.document, 1, "anna"), (task.query, task.document, 2, "ben")])
        assert campaign.judgments().row(0) == (task.query, task.document, grade)


def test_settled(database: str) -> None:
    """A label that settles a disagreement counts in place of the others', and of two such the later one."""
    with Campaign.create(database, pool(), "ERR", budget=40, method="passive", assessors=2) as campaign:
        (task,) = campaign.lease(1, "anna")
        ids = {"query": task.query, "document": task.document}
        campaign.record([Label(**ids, grade=0, assessor="anna"), Label(**ids, grade=2, assessor="ben")])
        assert campaign.judgments()["grade"].to_list() == [1]
        campaign.record([Label(**ids, grade=2, assessor="chief", settles=True)])
        assert campaign.judgments()["grade"].to_list() == [2]
        campaign.record([Label(**ids, grade=0, assessor="chief", settles=True)])
        assert campaign.judgments()["grade"].to_list() == [0]


def test_leases(database: str) -> None:
    """A document is one assessor's until the lease runs out; then another gets it, and nothing is paid twice."""
    now = 1000.0
    made = Campaign.create(database, pool(), "ERR", budget=4, method="passive", clock=lambda: now)
    with made as campaign:
        first = campaign.lease(4, "anna", seconds=60)
        assert len(first) == 4
        assert not campaign.lease(4, "ben")
        assert campaign.lease(4, "anna") == []
        again = campaign.lease(4, "anna", seconds=60, again=True)
        assert [task.place for task in again] == [task.place for task in first]
        campaign.release(again[:1])
        assert [task.place for task in campaign.lease(4, "ben", seconds=60)] == [first[0].place]
        now += 61
        assert len(campaign.lease(4, "cleo")) == 4
        assert campaign.progress().spent == 4


def test_leases_that_labels_have_ended(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has judged a document has it no longer; leases that ended so are struck off now and then, not piled up."""
    monkeypatch.setattr(leases, "ENDED", 5)
    with Campaign.create(database, pool(), "ERR", budget=40, method="passive") as campaign:
        state, live = campaign._state, list[int]()
        for _ in range(12):
            (task,) = campaign.lease(1, "anna")
            campaign.record([(task.query, task.document, 1, "anna")])
            assert campaign.progress().leased == 0
            with state.looking() as connection:
                live.append(len(state.store.leases(connection, state.clock())))
        # The fifth label leaves five, which go when the sixth document is handed out.
        assert live == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2]


def test_same_label_again(campaign: Campaign) -> None:
    """The same label again is harmless and counted; another grade is an error that says what to do."""
    (task,) = campaign.lease(1)
    said = (task.query, task.document, 1)
    assert campaign.record([said]).new == 1
    assert campaign.record([said, said]).same == 2
    with pytest.raises(InputError, match=r"grade 1 then, grade 2 now(?s:.)*--replace"):
        campaign.record([(task.query, task.document, 2)])
    assert campaign.record([(task.query, task.document, 2)], replace=True).replaced == 1
    assert campaign.judgments()["grade"].to_list() == [2]
    assert campaign.labels()["grade"].to_list() == [2]
    assert campaign.labels(history=True)["grade"].to_list() == [1, 2]
    assert campaign.progress().replaced == 1


def test_keys(campaign: Campaign) -> None:
    """A label that is sent twice under one key is recorded once; a key that another label has is an error."""
    one, two = campaign.lease(2)
    said = [(one.query, one.document, 1, "anna", None, "k1")]
    assert campaign.record(said).new == 1
    campaign.record([(one.query, one.document, 2, "anna", None, "k2")], replace=True)
    assert campaign.record(said).same == 1, "a retry of what was replaced since does not bring it back"
    assert campaign.judgments()["grade"].to_list() == [2]
    with pytest.raises(InputError, match="belongs to another label"):
        campaign.record([(two.query, two.document, 1, "anna", None, "k1")])


def test_labels_outside_the_pool(tmp_path: Path) -> None:
    """Labels of documents that the pool lacks are counted and left out; if it has none of them, ids are wrong."""
    with Campaign.create(tmp_path / "c.rg", pool(), "ERR", budget=40, method="passive") as campaign:
        done = campaign.record([("q00", "d0", 1), ("q00", "d9", 1), ("q99", "d0", 1)])
        assert (done.new, done.outside) == (1, 2)
        assert len(campaign.labels()) == 1
        with pytest.raises(InputError, match="no document 'd9' of query 'q00'"):
            campaign.record([("q00", "d9", 1)])
        with pytest.raises(InputError, match="no query 'q99'"):
            campaign.record([("q99", "d0", 1)])


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (("q00", "d0", 3), "'?3'? is not on the scale(?s:.)*0, 1, 2"),
        (("q00", "d0", "good"), "'good' is not a number"),
        (("q00", "d0", float("nan")), "nan is not a number"),
        (("q00", "d0", 1, " "), "assessor's name"),
        (("q00", None, 1), "no document"),
    ],
)
def test_nothing_half_recorded(bad: tuple[object, ...], told: str, tmp_path: Path) -> None:
    """One label that cannot be stops all that came with it, and says what is wrong."""
    with Campaign.create(tmp_path / "c.rg", pool(), "ERR", budget=40, method="passive") as campaign:
        with pytest.raises(InputError, match=told):
            campaign.record([("q00", "d1", 1), bad])
        assert campaign.progress().labels == 0


def test_unasked(campaign: Campaign) -> None:
    """Labels that nobody asked for are kept apart; a draw that asks for such a document later finds it judged."""
    everything = [(query, document, grade) for (query, document), grade in truth().items()]
    count = campaign.record(everything)
    assert (count.new, count.unasked) == (96, 96)
    assert (campaign.progress().unasked, campaign.estimate(), campaign.progress().spent) == (96, None, 0)
    assert not campaign.lease(1)
    progress = campaign.progress()
    assert (progress.complete, progress.unasked, progress.spent) == (10, 96 - 40, 40)


def test_unjudgeable(database: str) -> None:
    """What nobody can judge counts as the lowest grade, unless it is to go to another assessor first."""
    with Campaign.create(f"{database}#lowest", pool(), "ERR", budget=4, method="passive") as campaign:
        (task,) = campaign.lease(1, "anna")
        assert campaign.record([Label(query=task.query, document=task.document, assessor="anna")]).skipped == 1
        assert campaign.judgments()["grade"].to_list() == [0]
        assert campaign.progress().unjudgeable == 1
    with Campaign.create(
        f"{database}#another", pool(), "ERR", budget=4, method="passive", unjudgeable="another"
    ) as campaign:
        (task,) = campaign.lease(1, "anna")
        campaign.record([Label(query=task.query, document=task.document, assessor="anna")])
        assert campaign.judgments().is_empty()
        assert task.place not in {other.place for other in campaign.lease(4, "anna")}
        assert [other.place for other in campaign.lease(4, "ben")] == [task.place]
        campaign.record([(task.query, task.document, 2, "ben")])
        assert campaign.judgments()["grade"].to_list() == [2]


def test_stages(database: str) -> None:
    """Stages count by their numbers of draws, and later ones are drawn anew, with the beliefs of their time."""
    with Campaign.create(database, pool(), "ERR", budget=60, method="paper", seed=5) as campaign:
        spend(campaign, truth(), n=4, rounds=3)
        campaign.lease(1)
        with pytest.raises(InputError, match="1 draws of this stage are open"):
            campaign.refit()
        campaign.record(judged(campaign.lease(4, again=True), truth()))
        first = campaign.estimate()
        campaign.refit()
        assert campaign.estimate() == first
        spend(campaign, truth())
        one, two = campaign.plans
        counts = [stage.complete(campaign._state.ledger) for stage in campaign._state.stages]
        known = campaign._state.ledger.grades
        parts = [plan.estimate(count, known).value for plan, count in zip((one, two), counts, strict=True)]
        found = campaign.estimate()
        assert found is not None
        assert found.value == pytest.approx((counts[0] * parts[0] + counts[1] * parts[1]) / sum(counts), abs=1e-12)
        assert not np.allclose(one.pool.beliefs, two.pool.beliefs)
        assert campaign.progress().spent <= 60
    with Campaign.open(database) as campaign:
        assert campaign.estimate() == found


def test_paused(campaign: Campaign) -> None:
    """A paused campaign hands nothing out and still takes labels."""
    tasks = campaign.lease(4)
    campaign.pause()
    with pytest.raises(InputError, match="paused"):
        campaign.lease(1)
    assert campaign.record(judged(tasks, truth())).new == 4
    assert campaign.progress().paused
    campaign.resume()
    assert campaign.lease(1)


def test_texts_and_names(database: str) -> None:
    """A database holds several campaigns by name, each with its texts; without a name the choice is asked for."""
    for name in ("one", "two"):
        Campaign.create(f"{database}#{name}", pool(), "ERR", budget=9, method="passive").close()
    with pytest.raises(InputError, match="2 campaigns in it: one, two"):
        Campaign.open(database)
    with pytest.raises(UnknownNameError, match="Did you mean two"):
        Campaign.open(f"{database}#twoo")
    with pytest.raises(InputError, match="called 'one' already"):
        Campaign.create(f"{database}#one", pool(), "ERR", budget=9, method="passive")
    with Campaign.open(f"{database}#two") as campaign:
        (task,) = campaign.lease(1)
        assert task.texts == {"title": f"title {task.place}"}


def test_what_is_no_campaign(tmp_path: Path) -> None:
    """A file that is missing, is no database, is empty, or is of a later version is refused by name."""
    path = tmp_path / "c.rg"
    with pytest.raises(InputError, match="no such campaign"):
        Campaign.open(path)
    path.write_text("query,document\n" * 100)
    with pytest.raises(InputError, match=r"c\.rg: is not a campaign"):
        Campaign.open(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("create table other (id integer)")
    with pytest.raises(InputError, match="there is no campaign in it"):
        Campaign.open(path)
    path.unlink()
    Campaign.create(path, pool(), "ERR", budget=9, method="passive").close()
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("update campaigns set format = 99")
    with pytest.raises(InputError, match="format 99"):
        Campaign.open(path)
    for url in ("oracel://here/there", "mysql://a/b", "postgresql+asyncpg:///a", "sqlite://", "sqlite:///:memory:"):
        with pytest.raises(InputError, match="unsupported kind"):
            Campaign.open(url)
    with pytest.raises(InputError, match="is not a database URL"):
        Campaign.open("postgresql://:::/there")


def test_other_draws_are_noticed(tmp_path: Path) -> None:
    """Draws that the seed no longer gives stop the campaign: an estimate of two designs would be none."""
    path = tmp_path / "c.rg"
    with Campaign.create(path, pool(), "ERR", budget=9, method="passive") as campaign:
        campaign.lease(1)
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("update draws set query = (query + 1) % 24")
    with pytest.raises(InputError, match="draw 0 of stage 1"):
        Campaign.open(path)


@pytest.mark.parametrize(
    ("choices", "told"),
    [
        ({"budget": 0}, "'budget'"),
        ({"assessors": 0}, "'assessors'"),
        ({"combine": "and"}, "and@1"),
        ({"scale": "0-4=1"}, "'scale'"),
    ],
)
def test_nonsense_makes_no_file(choices: dict[str, object], told: str, tmp_path: Path) -> None:
    """Settings that make no sense are refused before a file is made."""
    with pytest.raises(ParameterError, match=told):
        Campaign.create(tmp_path / "c.rg", pool(), "ERR", method="passive", **({"budget": 9} | choices))
    with pytest.raises(UnknownNameError, match="Did you mean"):
        Campaign.create(tmp_path / "c.rg", pool(), "ERR", method="pasive", budget=9)
    assert not list(tmp_path.iterdir())


def test_scale_with_words(tmp_path: Path) -> None:
    """On a scale with words a label may be one of them."""
    path, words = tmp_path / "c.rg", "good=2, fair=1, bad=0"
    with Campaign.create(path, pool(), "ERR", budget=9, method="passive", scale=words) as campaign:
        one, two = campaign.lease(2)
        campaign.record([(one.query, one.document, "Good"), (two.query, two.document, 1)])
        assert sorted(campaign.judgments()["grade"]) == [1, 2]
        with pytest.raises(InputError, match="level of the scale"):
            campaign.record([(one.query, one.document, "best")])


def test_the_scales_words_name_its_top(tmp_path: Path) -> None:
    """A scale with a level that no document of the pool can have ends at that level."""
    words = "perfect=4, good=2, fair=1, bad=0"
    for name, scale, top in (("a", None, 2), ("b", words, 4)):
        with Campaign.create(tmp_path / f"{name}.rg", pool(), "ERR", budget=9, method="passive", scale=scale):
            pass
        with Campaign.open(tmp_path / f"{name}.rg") as campaign:
            assert campaign.target.worth == pytest.approx([0, 1 / 2**top, 3 / 2**top])


def test_settings_of_the_first_version_keep_their_top() -> None:
    """Version 1 took 4 for the top of every scale, unless the measure or a tool had one of its own."""
    for measure, dialect, top in (("ERR", "standard", 4), ("ERR(max_grade=2)", "standard", 2), ("ERR", "letor4", 2)):
        made = CampaignSettings(measure=measure, dialect=dialect, budget=9, grades=(0.0, 1.0, 2.0))
        assert CampaignSettings.unpack(made.pack(), layout=2) == made
        old = CampaignSettings.unpack(made.pack(), layout=1)
        assert old.target(pool()).worth == pytest.approx([0, 1 / 2**top, 3 / 2**top])


@pytest.mark.parametrize("n", [1, 15])
def test_little_is_wasted(n: int, tmp_path: Path) -> None:
    """Where a draw asks for one document after another, many at a time leave no more than a tenth unused."""
    sizes = {"queries": 120, "documents": 8}
    with Campaign.create(tmp_path / "c.rg", pool(**sizes), "ERR", budget=100, method="document") as campaign:
        spend(campaign, truth(**sizes), n=n)
        assert campaign.curve()["cost"][-1] >= 0.9 * campaign.progress().spent


def test_remainder() -> None:
    """Draws that all stopped at once need nothing more; the longer draws have gone on, the more is set aside."""
    assert remainder([1] * 100, [False] * 100) < 0.3
    before = [1] * 8 + [6] * 4
    assert remainder([*before, 3], [False] * 12 + [True]) > remainder([*before, 1], [False] * 12 + [True])
    assert remainder([*before, 3, 3], [False] * 12 + [True] * 2) > remainder([*before, 3], [False] * 12 + [True])


def test_missing_extra() -> None:
    """Without SQLAlchemy a campaign names the pip command, and everything else of active evaluation works."""
    code = (
        "import sys; sys.modules['sqlalchemy'] = None\n"
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'sqlalchemy' else find(name, *rest)\n"
        "from rankgauge.labelling import Pool, forecast\n"
        "try:\n    from rankgauge.labelling import Campaign\n"
        "except Exception as error:\n    print(error)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout == "This needs SQLAlchemy, which is not installed: pip install 'rankgauge[active]'\n"


def test_why_there_is_nothing(tmp_path: Path) -> None:
    """A campaign without a document for somebody says why: leased, judged by them, budget, plan, pause."""
    known = truth()
    with Campaign.create(tmp_path / "two.rg", pool(), "ERR@4", budget=8, assessors=2, method="passive") as campaign:
        tasks = campaign.lease(9, "anna")
        assert campaign.why_idle("anna") is Idle.LEASED
        campaign.record(judged(tasks, known))
        assert campaign.lease(9, "anna") == []
        assert campaign.why_idle("anna") is Idle.WAITING
        campaign.record(judged(campaign.lease(9, "ben"), known))
        assert campaign.lease(9, "ben") == []
        assert campaign.why_idle("ben") is Idle.SPENT
        campaign.pause()
        assert campaign.why_idle("ben") is Idle.PAUSED
    with Campaign.create(tmp_path / "all.rg", pool(), "ERR@4", budget=1000, method="passive") as campaign:
        spend(campaign, known, n=50)
        assert campaign.why_idle() is Idle.COMPLETE
    with Campaign.create(tmp_path / "some.rg", pool(), "ERR@4", budget=30, method="auto") as campaign:
        spend(campaign, known, n=50)
        campaign.change_budget(1000)  # the plan stays that of the first budget
        spend(campaign, known, n=50)
        assert campaign.why_idle() is Idle.PLANNED
        assert "a new stage" in campaign.why_idle().words(campaign.rules)
