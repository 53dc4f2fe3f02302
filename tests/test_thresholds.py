"""The lowest relevant grade: a scale carries it, the user's word comes first, and every report names it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import rankgauge
from rankgauge import dialects
from rankgauge.audit.tools import audit
from rankgauge.files.scales import SCALES
from rankgauge.labelling.campaign import BoardCampaign, Campaign
from rankgauge.labelling.campaign.settings import CampaignSettings
from rankgauge.labelling.pool import Pool
from rankgauge.room.app import create_app
from rankgauge.room.new_campaign import NewCampaign, PlannedCampaign, single_file
from rankgauge.room.settings import RoomSettings
from tests.active.campaigns import spend
from tests.program import invoke

pytestmark = pytest.mark.process  # computes for long


JUDGMENTS = {"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"a": 3, "b": 1, "c": 1}}
RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"b": 3.0, "a": 2.0, "c": 1.0}}
OTHER = {"q1": {"b": 3.0, "a": 2.0, "c": 1.0}, "q2": {"c": 3.0, "b": 2.0, "a": 1.0}}
LOW, HIGH = 1.0, (1 / 2 + 1 / 2) / 2
"""AP where a grade of 1 is relevant, and where a grade of 2 is: rank 2 in both lists."""

SCALE = ("--scale", "trec-dl")
NOTE = "a grade of {} or more counts as relevant"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Judgments and two runs."""
    tables = {
        "qrels.txt": [f"{q} 0 {d} {g}" for q, judged in JUDGMENTS.items() for d, g in judged.items()],
        "run.txt": [f"{q} Q0 {d} 0 {s} run" for q, hits in RUN.items() for d, s in hits.items()],
        "other.txt": [f"{q} Q0 {d} 0 {s} other" for q, hits in OTHER.items() for d, s in hits.items()],
    }
    for name, lines in tables.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [str(tmp_path / name) for name in tables]


def said(*arguments: str) -> str:
    """What a command prints, on one line."""
    found = invoke(arguments, catch_exceptions=False)
    return " ".join(found.stdout.split())


def told(*arguments: str) -> Any:
    """What a command gives as JSON."""
    return json.loads(invoke([*arguments, "-o", "json"], catch_exceptions=False).stdout)


def notes(found: Any) -> dict[str, str]:
    """The notes of a report, by subject."""
    return {note["subject"]: note["words"] for note in found["notes"]}


def test_known_scales_carry_their_threshold() -> None:
    """TREC's deep learning track counts passages from grade 2 on; the scale of five levels has no agreed threshold."""
    found = {name: known.rel for name, known in SCALES.items()}
    assert found == {"binary": 1, "romip": 1, "0-4": None, "trec-web": 1, "trec-dl": 2, "esci": 1}
    assert rankgauge.scale("good=2,fair=1,bad=0").rel is None


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({}, LOW),
        ({"scale": "trec-dl"}, HIGH),
        ({"scale": "trec-web"}, LOW),
        ({"scale": "good=3,fair=2,poor=1,bad=0"}, LOW),
        ({"scale": "trec-dl", "rel": 1}, LOW),
        ({"rel": 2}, HIGH),
        ({"scale": "trec-dl", "dialect": "ranklib"}, LOW),  # which has a threshold of its own
    ],
)
def test_in_python(options: dict[str, Any], value: float) -> None:
    """The scale's threshold counts unless the user or the tool has another one."""
    assert rankgauge.evaluate(JUDGMENTS, RUN, "AP", **options)["AP"] == pytest.approx(value)
    compared = rankgauge.compare(JUDGMENTS, {"run": RUN, "other": OTHER}, "AP", **options)
    assert compared.results["run"]["AP"] == pytest.approx(value)


def test_in_a_notebook() -> None:
    """The tables of notebooks name the threshold too."""
    found = rankgauge.evaluate(JUDGMENTS, RUN, ["nDCG", "AP"], scale="trec-dl")
    compared = rankgauge.compare(JUDGMENTS, {"run": RUN, "other": OTHER}, "AP")
    assert "dialect standard; relevant grades: 2 or more" in found._repr_html_()
    assert "dialect standard; relevant grades: 1 or more" in compared._repr_html_()
    assert "relevant" not in rankgauge.evaluate(JUDGMENTS, RUN, "nDCG")._repr_html_()


def test_a_measure_that_states_its_threshold_keeps_it() -> None:
    """AP(rel=1) is what it says, whatever the scale."""
    found = rankgauge.evaluate(JUDGMENTS, RUN, ["AP(rel=1)", "AP"], scale="trec-dl")
    assert (found["AP(rel=1)"], found["AP"]) == (pytest.approx(LOW), pytest.approx(HIGH))


@pytest.mark.parametrize(
    ("options", "value", "rel"),
    [
        ([], LOW, 1),
        (["--scale", "trec-dl"], HIGH, 2),
        (["--scale", "trec-dl", "-l", "1"], LOW, 1),
        (["--scale", "trec-dl", "--set", "rel=1"], LOW, 1),
        (["-l", "2"], HIGH, 2),
    ],
)
def test_at_the_command_line(files: list[str], options: list[str], value: float, rel: int) -> None:
    """`evaluate` and `compare` follow the scale, and their notes name the threshold in every format."""
    found = told("evaluate", *files[:2], "-m", "AP", *options)
    assert found["runs"][0]["summary"][0]["mean"] == pytest.approx(value)
    assert notes(found)["relevant"] == NOTE.format(rel)
    for format_ in ("table", "md", "tex"):
        assert NOTE.format(rel) in said("evaluate", *files[:2], "-m", "AP", *options, "-o", format_)
    assert notes(told("compare", *files, "-m", "AP", *options))["relevant"] == NOTE.format(rel)


def test_the_note_names_the_measures_that_it_is_about(files: list[str]) -> None:
    """nDCG has no threshold; measures with different ones are told apart."""
    found = notes(told("evaluate", *files[:2], "-m", "nDCG@3,AP,P(rel=2)@2,RR"))
    assert found["relevant"] == f"{NOTE.format(1)} (AP, RR); {NOTE.format(2)} (P(rel=2)@2)"
    assert "relevant" not in notes(told("evaluate", *files[:2], "-m", "nDCG@3"))


def test_a_measures_own_threshold_of_0_is_told(files: list[str]) -> None:
    """A measure may count every judged document as relevant, and a note says that it does."""
    output = invoke(["evaluate", *files[:2], "-m", "AP(rel=0),AP,nDCG"]).output
    assert "a grade of 0 or more counts as relevant (AP(rel=0)); a grade of 1 or" in " ".join(output.split())


def test_counts_of_all_documents_have_no_threshold(files: list[str]) -> None:
    """NumRet counts whatever was retrieved: no note or caption calls a grade of minus infinity relevant."""
    assert "inf or more" not in said("compare", *files, "-m", "NumRet,AP", "-o", "tex")
    assert "inf or more" not in said("evaluate", *files[:2], "-m", "NumRet,AP")


def test_runs_that_are_equal_have_no_mark_to_explain(files: list[str]) -> None:
    """The mark of the best run is explained only where a run has it."""
    assert "the best of the runs" not in said("evaluate", files[0], f"A={files[1]}", f"B={files[1]}", "-m", "AP")
    assert "the best of the runs" in said("evaluate", *files, "-m", "nDCG@3")


def test_parameters_for_all_measures_are_named_once(files: list[str]) -> None:
    """The dialect names a parameter that was set for all measures, and a note says where it changes nothing."""
    found = notes(told("evaluate", *files[:2], "-m", "nDCG@3,AP", "--set", "rel=2"))
    assert found["dialect"] == "standard, changed: rel=2"
    assert "no effect" not in found
    assert notes(told("evaluate", *files[:2], "-m", "nDCG@3", "--set", "rel=2"))["no effect"] == (
        "rel=2 changes nothing for nDCG@3"
    )


def test_measures_that_skip_unjudged_documents_say_so(tmp_path: Path, files: list[str]) -> None:
    """Where a measure takes unjudged documents out of the list, they are not said to count as not relevant."""
    run = tmp_path / "unjudged.txt"
    run.write_text("q1 Q0 x 1 9 r\nq1 Q0 a 2 8 r\nq2 Q0 a 1 9 r\n", encoding="utf-8")
    skipping = said("evaluate", files[0], str(run), "-m", "AP(judged_only=True)")
    assert "unjudged documents are taken out of the ranking" in skipping
    assert "counts as not relevant" not in skipping
    both = said("evaluate", files[0], str(run), "-m", "RR,AP(judged_only=True)")
    assert "counts as not relevant; by AP(judged_only=True), unjudged documents are taken out" in both


def test_a_threshold_without_effect_is_told(files: list[str]) -> None:
    """`-l 2` changes neither nDCG nor a measure that states its own threshold."""
    found = notes(told("evaluate", *files[:2], "-m", "nDCG@3", "-l", "2"))
    assert found["no effect"] == "a threshold of 2 changes nothing for nDCG@3 (nDCG(rel=2)@3 has one)"
    found = notes(told("compare", *files, "-m", "AP,ERR@3,P(rel=1)@2", "-l", "2"))
    assert found["no effect"] == "a threshold of 2 changes nothing for ERR@3, P(rel=1)@2"
    assert "no effect" not in notes(told("evaluate", *files[:2], "-m", "nDCG@3,AP"))
    for measures in ("nDCG@3", "nDCG@3,AP"):  # the user gave no threshold
        assert "no effect" not in notes(told("evaluate", *files[:2], "-m", measures, "--scale", "trec-dl"))
    for measures in ("nDCG@3", "nDCG@3,ERR@3"):  # as does a top grade that no measure asks for
        found = notes(told("evaluate", *files[:2], "-m", measures, "--max-grade", "9"))
        assert ("a top grade of 9 changes nothing for nDCG@3" in found.get("no effect", "")) is ("ERR" not in measures)
    words = "rel=2 changes nothing for nDCG@3"
    found = rankgauge.evaluate(JUDGMENTS, RUN, ["nDCG@3", "AP"], rel=2)
    assert words in repr(found)
    assert words in found._repr_html_()
    assert words not in repr(rankgauge.evaluate(JUDGMENTS, RUN, ["nDCG@3", "AP"], scale="trec-dl"))


def test_the_dialect_says_where_its_threshold_is_from(files: list[str]) -> None:
    """What the user did not type is not told as if he had."""
    found = [notes(told("evaluate", *files[:2], "-m", "AP", *options)) for options in (["-l", "2"], SCALE)]
    assert [one["dialect"] for one in found] == [
        "standard, changed: rel=2",
        "standard, changed: rel=2 of the scale trec-dl",
    ]


@pytest.mark.parametrize("format_", ["csv", "tsv", "jsonl", "trec"])
def test_bare_values_have_the_threshold_beside_them(files: list[str], format_: str) -> None:
    """Formats without notes name a threshold other than 1 on stderr, and one without effect."""

    def beside(*options: str) -> str:
        return invoke(["evaluate", *files[:2], *options, "-o", format_], catch_exceptions=False).stderr

    assert f"note: relevant: {NOTE.format(2)}" in beside("-m", "AP", *SCALE)
    assert f"note: relevant: {NOTE.format(0)}" in beside("-m", "AP(rel=0)")
    assert "note: no effect: a threshold of 2 changes nothing for nDCG@3" in beside("-m", "nDCG@3", "-l", "2")
    assert not {"relevant", "no effect"} & {line.split(": ")[2] for line in beside("-m", "AP,nDCG@3").splitlines()}


def test_the_gate_follows_the_scale(files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project's file may name the scale."""
    lines = ['judgments = "qrels.txt"', 'runs = {old = "run.txt", new = "other.txt"}', 'baseline = "old"']
    text = "\n".join([*lines, 'scale = "trec-dl"', 'fail-if-worse = ["AP:0.01"]'])
    (tmp_path / "rankgauge.toml").write_text(text + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert NOTE.format(2) in said("check", "-o", "md")


def test_audits_follow_the_scale() -> None:
    """What an audit calls standard is what `evaluate` says; a tool that has a threshold of its own keeps it."""
    found = audit(JUDGMENTS, RUN, "AP", dialects=["trec_eval", "ranklib"], scale="trec-dl")
    means = {dialect.name: found.mean("run", dialect) for dialect in found.dialects}
    assert means == pytest.approx({"standard": HIGH, "trec_eval": HIGH, "ranklib": LOW})


def test_a_number_is_sought_on_the_scale(files: list[str]) -> None:
    """`audit --value` begins with the scale's threshold, and the measure's name says it."""
    asked = ("audit", *files[:2], "-m", "AP", "-d", "standard", *SCALE)
    assert told(*asked, "--value", "1.0")["origins"][0]["measure"] == "AP(rel=1)"
    found = told(*asked, "--value", "0.5")
    assert found["origins"][0]["measure"] == "AP(rel=2)"
    assert 'evaluate JUDGMENTS RUN -d standard -m "AP(rel=2)"' in found["questions"][0]["words"]


def test_audits_of_judges_follow_the_scale(files: list[str]) -> None:
    """`audit judge` counts as relevant what the scale does, unless the user says otherwise."""
    judge = shutil.copy(files[0], Path(files[0]).with_name("judge.txt"))
    for options, rel in ((SCALE, 2), ((*SCALE, "-l", "3"), 3), ((), 1)):
        found = told("audit", "judge", files[0], f"judge={judge}", *options)
        assert found["rel"] == rel
        assert notes(found)["relevant"].startswith(f"a grade of {rel} or more")


def test_pools_follow_the_scale(files: list[str]) -> None:
    """`pool reuse` names the threshold of its values."""
    found = notes(told("pool", "reuse", *files, "-m", "AP", "--scale", "trec-dl", "--pool-depth", "3"))
    assert found["relevant"] == NOTE.format(2)


def test_campaigns_follow_the_scale(files: list[str], tmp_path: Path) -> None:
    """A new campaign on a scale with a threshold has it, and plan and estimate say so."""
    kept = str(tmp_path / "board.rg")
    plan = ["active", "plan", *files[1:], "-m", "nDCG@2", "-m", "AP", "--scale", "trec-dl", "--budget", "6", "-o", kept]
    assert f"{NOTE.format(2)} (AP)" in said(*plan)
    with BoardCampaign.open(kept) as campaign:
        assert campaign.settings.rel == 2
        spend(
            campaign,
            {(query, document): grade for query, judged in JUDGMENTS.items() for document, grade in judged.items()},
        )
    assert notes(told("active", "estimate", kept))["relevant"] == f"{NOTE.format(2)} (AP)"


def test_the_room_follows_the_scale(tmp_path: Path) -> None:
    """A campaign that is made on the page has the threshold too, whichever kind it is."""
    room = create_app(RoomSettings(database=f"sqlite:///{tmp_path / 'room.db'}", port=0)).state.room
    table = "query,document,score\n" + "".join(f"q{q},d{d},{9 - d}\n" for q in range(9) for d in range(5))
    for measure in ("AP", "P@3"):
        wanted = NewCampaign(name=measure, measure=measure, budget=20, scale="trec-dl")
        number = PlannedCampaign(wanted=wanted, contents=single_file(table.encode(), "pool.csv")).create(room.campaigns)
        assert room.campaigns.get(number).campaign.settings.rel == 2
    room.engine.dispose()


def test_campaigns_from_before_keep_what_they_have() -> None:
    """Settings that were stored without a threshold, or in another dialect, mean what they meant then."""
    old = {"measure": "AP", "dialect": "papers", "budget": 9, "grades": [0, 1, 2, 3], "scale": "trec-dl"}
    found = CampaignSettings.unpack(json.dumps(old), layout=9)
    assert (found.dialect, found.rel) == ("papers", None)
    assert found._own_dialect() == dialects.get("papers").topped(3.0)


def test_the_worth_of_grades_follows_the_threshold(tmp_path: Path) -> None:
    """What is estimated is what `evaluate` would say: grade 1 is worth nothing to P on the scale trec-dl."""
    table = Pool.of({"query": ["q"] * 3, "document": list("abc"), "score": [3.0, 2.0, 1.0]}, grades=[0, 1, 2, 3])
    with Campaign.create(tmp_path / "one.rg", table, "P@3", budget=3, scale="trec-dl") as campaign:
        assert campaign.target.worth.tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("rel", [0, -1.0])
def test_a_threshold_is_above_0(rel: float) -> None:
    """Grade 0 is not relevant: a threshold that says otherwise is an error, not another measure."""
    with pytest.raises(rankgauge.ParameterError, match="above 0"):
        rankgauge.evaluate(JUDGMENTS, RUN, "AP", rel=rel)
