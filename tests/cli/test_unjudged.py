"""No verdict from what nobody judged: ids that do not match, queries in the wrong order, runs judged unequally."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest

from rankgauge.comparison import compare
from tests.cli.conftest import Command

QUERIES = [f"q{number:02}" for number in range(30)]
WORDS = ("compare", "qrels.txt", "old=old.txt", "--baseline", "old", "--fail-if-worse", "nDCG@10")


def summary(command: Command, *more: str, code: int) -> str:
    """The first line of the gate's summary after its heading."""
    command(*WORDS, "new=new.txt", *more, "-o", "pr.md", code=code)
    text = Path("pr.md").read_text(encoding="utf-8")
    return text[text.index("## Gate: ") :].split("\n\n")[1]


def lines(documents: Callable[[int], list[str]]) -> str:
    """A run: for each query its documents, best first."""
    return "".join(
        f"{query} Q0 {document} {rank} {-rank} x\n"
        for number, query in enumerate(QUERIES)
        for rank, document in enumerate(documents(number), start=1)
    )


@pytest.fixture
def shop(folder: Path) -> Path:
    """Thirty queries with ten judged documents each, half of them relevant, which the old run puts first."""
    grades = [3, 1, 2, 1, 1, 0, 0, 0, 0, 0]
    rows = [
        f"{q} 0 {n}-{d} {g}" for n, q in enumerate(QUERIES) for d, g in enumerate(grades[n % 3 :] + grades[: n % 3])
    ]
    (folder / "qrels.txt").write_text("\n".join(rows) + "\n")
    (folder / "old.txt").write_text(lines(lambda n: [f"{n}-{d}" for d in range(10)]))
    return folder


def test_ids_that_do_not_match(command: Command, shop: Path) -> None:
    """A run whose ids begin with something that judgments lack has no value, and no verdict but how to mend it."""
    (shop / "new.txt").write_text(lines(lambda n: [f"sku-{n}-{d}" for d in range(10)]))
    told = command("evaluate", "qrels.txt", "new.txt", "-m", "nDCG@10", code=2)
    assert told.startswith("rankgauge: new.txt: no document of the run is judged")
    assert "Ids match without the 'sku-' that those of the run begin with" in told
    assert "--unjudged not-relevant" in told
    gate = summary(command, code=3)
    assert gate.startswith("Cannot tell against old: hardly anything of new is judged: none of the 300 documents")
    assert "sed 's/sku-//'" in gate
    text = (shop / "pr.md").read_text(encoding="utf-8")
    assert text.index("Judged: 100 % (old), 0 % (new) of the top 10") < text.index("## Gate: undecided")


def test_a_user_who_says_so_is_believed(command: Command, shop: Path) -> None:
    """With --unjudged not-relevant a run without judged documents is worth 0, and worse than one that has some."""
    (shop / "new.txt").write_text(lines(lambda n: [f"other-{n}-x{d}" for d in range(10)]))
    assert "The run has other-0-x0, other-0-x1, other-0-x2" in command("evaluate", "qrels.txt", "new.txt", code=2)
    said = ("--unjudged", "not-relevant")
    assert command("evaluate", "qrels.txt", "new.txt", "-m", "nDCG@10", *said).startswith("Warning: hardly anything")
    assert summary(command, *said, code=1).startswith("Worse than old by more than luck")


def test_queries_in_the_wrong_order(command: Command, shop: Path) -> None:
    """Documents that are judged, but for other queries, are told from documents that nobody knows."""
    text = lines(lambda n: [f"{(n + 1) % 30}-{d}" for d in range(9)] + [f"{n}-0"])
    (shop / "new.txt").write_text(text)
    shown = " ".join(command("evaluate", "qrels.txt", "new.txt", "-m", "nDCG@10").split())
    assert shown.startswith("Warning: hardly anything of new.txt is judged: 30 of the 300 documents in the top 10 are")
    assert "270 of its 300 documents are judged, but for other queries: 1-0 is listed for query q00 and" in shown
    assert "Are the queries in the order in which they were asked (--queries)" in shown
    assert "but for other queries" in summary(command, code=3)
    data = json.loads(command("evaluate", "qrels.txt", "new.txt", "-m", "nDCG@10", "-o", "json"))
    assert (data["judged"][0]["share"], data["judged"][0]["enough"]) == (0.1, False)
    assert next(iter(data)) == "judged"


def test_machine_formats_warn_beside(command: Command, shop: Path) -> None:
    """A format of bare values says on the standard error how much is judged, and that it is too little."""
    (shop / "new.txt").write_text(lines(lambda n: [f"x{n}-{d}" for d in range(9)] + [f"{n}-0"]))
    told = command("evaluate", "qrels.txt", "new.txt", "-m", "nDCG@10", "-o", "tsv", stderr=True)
    assert "warning: hardly anything of new.txt is judged" in told
    assert "judged: 10 % of the top 10; an unjudged document counts as not relevant" in told


def test_unequally_judged_runs(command: Command, shop: Path) -> None:
    """A loss that judgments of the new run's own documents could turn is no verdict: it says which to judge."""
    (shop / "old.txt").write_text(lines(lambda n: [f"{n}-{d}" for d in (5, 0, 6, 1, 7, 2, 8, 3, 9, 4)]))
    (shop / "new.txt").write_text(lines(lambda n: [f"new-{n}-{d}" for d in range(5)] + [f"{n}-{d}" for d in range(5)]))
    gate = summary(command, "-o", "pr.html", code=3)
    assert gate.startswith("Cannot tell against old: nDCG@10 of new −")
    assert "but 50 % of the top 10 of new is unjudged (0 % of old's)" in gate
    assert (
        "Judge these 150 documents (rankgauge pool make new.txt --depth 10 --judgments qrels.txt -o pool.csv)" in gate
    )
    text = (shop / "pr.md").read_text(encoding="utf-8")
    assert text.startswith("Judged: 100 % (old), 50 % (new) of the top 10")
    assert "## Judged unequally" in text
    caption = command("compare", "qrels.txt", "old.txt", "new.txt", "-m", "nDCG@10", "-o", "tex").split(r"\caption")[1]
    assert "; 1 pair that missing judgments alone may separate has none; " in caption
    page = (shop / "pr.html").read_text(encoding="utf-8")
    assert page.index("judged: 100 % (old), 50 % (new) of the top 10") < page.index("new cannot be told from old")
    command(*WORDS, "new=new.txt", "-o", "pr.json", code=3)
    row = json.loads((shop / "pr.json").read_text(encoding="utf-8"))["gate"]["rows"][0]
    assert (row["verdict"], row["reason"], row["judged"], row["other_judged"]) == (
        "undecided",
        "unequally judged",
        0.5,
        1,
    )
    assert row["least"] <= row["difference"] + 1e-9 < 0 < row["as_good"] <= row["most"] + 1e-9
    assert summary(command, "--unjudged", "not-relevant", code=1).startswith("Worse than")


def test_pairs_that_cannot_be_told_are_not_separated(shop: Path) -> None:
    """A pair without a verdict counts for no measure that tells runs apart."""
    (shop / "old.txt").write_text(lines(lambda n: [f"{n}-{d}" for d in (5, 0, 6, 1, 7, 2, 8, 3, 9, 4)]))
    (shop / "new.txt").write_text(lines(lambda n: [f"new-{n}-{d}" for d in range(5)] + [f"{n}-{d}" for d in range(5)]))
    found = compare(shop / "qrels.txt", {"old": shop / "old.txt", "new": shop / "new.txt"}, "nDCG@10")
    assert found.pairs["verdict"].to_list() == ["cannot tell"]
    assert found.sensitivity.select("separated_alone", "separated", "share").row(0) == (0, 0, 0.0)


def test_segments_that_are_judged_unequally(command: Command, shop: Path) -> None:
    """A loss in a segment that judgments of the new run's own documents could turn is no verdict there either."""
    (shop / "old.txt").write_text(lines(lambda n: [f"{n}-{d}" for d in (5, 0, 6, 1, 7, 2, 8, 3, 9, 4)]))
    (shop / "new.txt").write_text(lines(lambda n: [f"new-{n}-{d}" for d in range(5)] + [f"{n}-{d}" for d in range(5)]))
    (shop / "by.csv").write_text("query,kind\n" + "".join(f"{q},{'ab'[n % 2]}\n" for n, q in enumerate(QUERIES)))
    words = ("compare", "qrels.txt", "old.txt", "new.txt", "-m", "nDCG@10", "--by", "by.csv", "-o", "json")
    told = {row["verdict"] for row in json.loads(command(*words))["segments"]}
    assert told == {"cannot tell"}
    said = {row["verdict"] for row in json.loads(command(*words, "--unjudged", "not-relevant"))["segments"]}
    assert said == {"worse"}


def test_the_verdict_has_the_share_that_is_judged(command: Command, shop: Path) -> None:
    """A verdict that fails for want of judgments says how much is judged, and how much a verdict needs."""
    (shop / "new.txt").write_text(lines(lambda n: [f"{n}-0", *(f"x{n}-{d}" for d in range(9))]))
    assert "30 of the 300 documents in the top 10 are (10 %)" in summary(command, code=3)
    (shop / "new.txt").write_text(lines(lambda n: [f"{n}-{d}" for d in range(4)] + [f"x{n}-{d}" for d in range(6)]))
    told = summary(command, "--min-judged", "0.5", code=3)
    assert "120 of the 300 documents in the top 10 of new that could be judged are (40 %)" in told
    assert "fewer than --min-judged 0.5 asks for" in told


def test_a_clear_loss_stays_a_loss(command: Command, shop: Path) -> None:
    """A run that is worse even if its unjudged documents are as good as the others gets its verdict."""
    text = lines(lambda n: [f"{n}-{d}" for d in (9, 8, 7, 6, 5)] + [f"new-{n}"])
    (shop / "new.txt").write_text(text)
    rotated = (shop / "qrels.txt").read_text().splitlines()
    (shop / "qrels.txt").write_text("".join(f"{r[:-1]}{int(r.split()[2][-1] == '0')}\n" for r in rotated))
    command(*WORDS, "new=new.txt", "-o", "pr.md", code=1)


def test_few_unjudged_documents_block_nothing(command: Command, shop: Path) -> None:
    """Three in a hundred unjudged documents in both runs change no verdict."""
    swapped = lines(lambda n: [f"{n}-{d}" for d in reversed(range(10))])
    for name, text in (("old", (shop / "old.txt").read_text()), ("new", swapped)):
        rows = text.splitlines(keepends=True)
        rows[9::100] = [row.replace(" Q0 ", " Q0 unknown-") for row in rows[9::100]]
        (shop / f"{name}.txt").write_text("".join(rows))
    command(*WORDS, "new=new.txt", "-o", "pr.md", code=1)


def test_judgments_that_list_relevant_documents_only(command: Command, shop: Path) -> None:
    """If all judged documents have one grade nobody knows what else was looked at: this is said and blocks nothing."""
    rows = [f"{query} 0 {number}-0 1" for number, query in enumerate(QUERIES)]
    (shop / "qrels.txt").write_text("\n".join(rows) + "\n")
    (shop / "new.txt").write_text(lines(lambda n: [f"{n}-{d}" for d in (range(10) if n % 3 else range(1, 11))]))
    command(*WORDS, "new=new.txt", "-o", "pr.md", code=1)
    assert "every judged document has the same grade" in (shop / "pr.md").read_text(encoding="utf-8")


def test_the_share_is_that_of_the_measures_depth(command: Command, shop: Path) -> None:
    """The top 5 may be judged throughout while most of what was retrieved is not."""
    (shop / "new.txt").write_text(lines(lambda n: [f"{n}-{d}" for d in range(5)] + [f"y{n}-{d}" for d in range(15)]))
    shown = command("evaluate", "qrels.txt", "new.txt", "-m", "nDCG@5,AP")
    assert shown.startswith("Judged: 100 % of the top 5 and 25 % of all retrieved documents;")


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        (lambda n, d: f"sku-{n}-{d}", "Ids match without the 'sku-'"),
        (lambda n, d: f"{n + 1 if n < 9 else 0}-{d}", "are judged, but for other queries: 1-0 is listed for query q00"),
        (lambda n, d: f"{n}-0{d}", "Judge its documents (rankgauge pool make new.txt"),
    ],
)
def test_queries_without_a_judged_document_show_nothing(
    command: Command, shop: Path, change: Callable[[int, int], str], hint: str
) -> None:
    """The same ranking, of which a third of the queries do not match the judgments: no verdict, but why that may be."""
    (shop / "new.txt").write_text(lines(lambda n: [change(n, d) if n < 10 else f"{n}-{d}" for d in range(10)]))
    gate = summary(command, "-m", "RR", "--fail-if-worse", "RR", code=3)
    assert "nDCG@10 of new −" in gate
    assert "nothing in the top 10 of new is judged for 10 of 30 queries (q00, q01, q02, …)" in gate
    assert hint in gate
    command(*WORDS, "new=new.txt", "-o", "pr.json", code=3)
    told = json.loads((shop / "pr.json").read_text(encoding="utf-8"))
    assert (told["gate"]["rows"][0]["reason"], told["pairs"][0]["verdict"]) == ("nothing judged", "cannot tell")
    assert summary(command, "--unjudged", "not-relevant", code=1).startswith("Worse than")


def test_a_verdict_does_not_need_queries_that_show_nothing(command: Command, shop: Path) -> None:
    """One query of thirty without a judged document changes no verdict that the others give."""
    worse = (9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
    (shop / "new.txt").write_text(lines(lambda n: [f"{n}-{d}" if n else f"x{d}" for d in worse]))
    command(*WORDS, "new=new.txt", "-o", "pr.md", code=1)
    (shop / "new.txt").write_text(lines(lambda n: [f"{n}-{d}" if n else f"x{d}" for d in range(10)]))
    command(*WORDS, "new=new.txt", "-o", "pr.md", code=3)


def test_reciprocal_rank_depends_on_unjudged_documents(command: Command, shop: Path) -> None:
    """Unjudged documents below the first relevant one change no RR here, but they could: it is judged unequally too."""
    (shop / "old.txt").write_text(lines(lambda n: [f"{n}-{d}" for d in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)]))
    (shop / "new.txt").write_text(lines(lambda n: [f"{n}-5", f"{n}-0", *(f"new-{n}-{d}" for d in range(8))]))
    command(*WORDS, "new=new.txt", "-m", "RR,Bpref", "--fail-if-worse", "RR,Bpref", "-o", "pr.json", code=1)
    rows = json.loads((shop / "pr.json").read_text(encoding="utf-8"))["gate"]["rows"]
    told = {row["measure"]: row["as_good"] is not None for row in rows}
    assert told == {"nDCG@10": True, "RR": True, "Bpref": False}


def test_segments_have_their_own_share(command: Command, shop: Path) -> None:
    """A segment of which nothing is judged is undecided, in JUnit too, and shares are those of its queries."""
    (shop / "new.txt").write_text(lines(lambda n: [f"{n}-{d}" if n >= 10 else f"x{n}-{d}" for d in range(10)]))
    kinds = "".join(f"{query},{'boss' if n < 10 else 'nike'}\n" for n, query in enumerate(QUERIES))
    (shop / "kinds.csv").write_text(f"query,brand\n{kinds}")
    command(*WORDS, "new=new.txt", "--by", "kinds.csv", "-o", "pr.json", "-o", "pr.xml", code=3)
    gate = json.loads((shop / "pr.json").read_text(encoding="utf-8"))["gate"]
    told = [(row["segment"], row["verdict"], row["judged"], row["reason"]) for row in gate["segments"]]
    assert told == [("boss", "undecided", 0, "few judged"), ("nike", "pass", 1, "")]
    assert gate["segment_level"] == 0.975
    xml = (shop / "pr.xml").read_text(encoding="utf-8")
    assert xml.count("<skipped") == 2
    assert "few judged" in xml


def test_ids_of_which_some_are_spelled_otherwise(command: Command, shop: Path) -> None:
    """Zeros before every other id of the judgments: the verdict's line says so, whatever the verdict is."""
    rows = [line.split() for line in (shop / "qrels.txt").read_text().splitlines()]
    text = "".join(f"{q} 0 {'00' * (n % 2)}{d.replace('-', '')} {g}\n" for n, (q, _, d, g) in enumerate(rows))
    (shop / "qrels.txt").write_text(text)
    for name in ("old.txt", "new.txt"):
        (shop / name).write_text(lines(lambda n: [f"{n}{d}" for d in range(10)]))
    gate = summary(command, code=0)
    assert gate.startswith("Pass against old: nDCG@10 of new +0.0000. In old 300 of 300 documents are judged under")
    assert "--ids number" in gate


@pytest.mark.parametrize("packed", [False, True])
def test_an_evaluation_says_that_ids_are_spelled_otherwise(command: Command, shop: Path, packed: bool) -> None:
    """Where every other document of a TREC run is in capitals, the share that is judged has its reason beside it."""
    text = lines(lambda n: [f"{n}-{d}x" if d % 2 else f"{n}-{d}X" for d in range(10)])
    rows = (line.split() for line in (shop / "qrels.txt").read_text().splitlines())
    (shop / "qrels.txt").write_text("".join(f"{q} 0 {document}x {grade}\n" for q, _, document, grade in rows))
    path = shop / ("new.txt.gz" if packed else "new.txt")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    told = " ".join(command("evaluate", "qrels.txt", path.name, "-m", "nDCG@10").split())
    assert "150 of its 150 unjudged documents are judged under another spelling, such as '0-0X' for '0-0x'" in told
    assert "another spelling" not in command("evaluate", "qrels.txt", path.name, "-m", "nDCG@10", "--ids", "casefold")


@pytest.mark.parametrize("renamed", [2, 3, 10])
def test_the_same_ranking_with_ids_that_match_nothing(command: Command, shop: Path, renamed: int) -> None:
    """A ranking of which some ids match nothing is never worse than itself, in the gate or among the pairs."""
    (shop / "new.txt").write_text(lines(lambda n: [f"{n}-{d}" if d % renamed else f"x{n}.{d}" for d in range(10)]))
    gate = summary(command, "-o", "pr.json", code=3)
    assert ("if those documents had the highest grade it would be" in gate) is (renamed < 4)
    told = json.loads((shop / "pr.json").read_text(encoding="utf-8"))
    assert told["pairs"][0]["verdict"] == "cannot tell"


def test_both_runs_without_a_judged_document_are_told_in_sentences(command: Command, shop: Path) -> None:
    """Two runs whose queries are in the wrong order: two sentences, each with its end and its beginning."""
    for name in ("old.txt", "new.txt"):
        (shop / name).write_text(lines(lambda n: [f"{(n + 1) % 30}-{d}" for d in range(10)]))
    assert "those of the judgments? Hardly anything of" in summary(command, code=3)


def test_a_segment_without_a_query_has_no_interval() -> None:
    """Where no query of a segment can be compared, nothing is said of it."""
    import numpy as np

    from rankgauge.comparison.gate import widen_intervals
    from rankgauge.statistics.intervals import t_interval

    nothing = np.full((3, 1), np.nan)
    assert np.isnan(widen_intervals(t_interval(nothing), nothing, 0.05).low).all()


@pytest.mark.parametrize("moved", [0, 5])
def test_queries_in_the_wrong_order_that_share_documents(command: Command, shop: Path, moved: int) -> None:
    """Where documents are judged for many queries, lists that are other queries' still get no verdict."""
    judged = [[f"d{one}" for one in Random(n).sample(range(30), 10)] for n in range(30)]
    rows = [f"{q} 0 {one} {at % 3}" for q, some in zip(QUERIES, judged, strict=True) for at, one in enumerate(some)]
    (shop / "qrels.txt").write_text("\n".join(rows) + "\n")
    (shop / "old.txt").write_text(lines(lambda n: judged[n]))
    (shop / "new.txt").write_text(lines(lambda n: judged[n if n < moved else (n + 1) % 30]))
    shown = " ".join(command("evaluate", "qrels.txt", "new.txt", "-m", "nDCG@10").split())
    assert shown.startswith("Warning: lists of new.txt seem to be other queries' (")
    assert " queries the first documents are rather those of another one: " in shown
    assert "--queries), and their ids those of the judgments? Judged:" in shown
    gate = summary(command, code=3)
    assert gate.startswith("Cannot tell against old: lists of new seem to be other queries'")
    assert summary(command, "--unjudged", "not-relevant", code=1).startswith("Worse than old by more than luck")
    data = json.loads(command("evaluate", "qrels.txt", "new.txt", "-m", "nDCG@10", "-o", "json"))
    assert data["judged"][0]["enough"] is False


def test_a_new_run_in_a_small_catalogue_is_not_misplaced(command: Command, shop: Path) -> None:
    """A run that shows much that is judged for other queries only keeps its verdict, if no list is another query's."""
    rows = [f"{q} 0 d{(7 * n + d) % 60} {d % 3}" for n, q in enumerate(QUERIES) for d in range(8)]
    (shop / "qrels.txt").write_text("\n".join(rows) + "\n")
    (shop / "old.txt").write_text(lines(lambda n: [f"d{(7 * n + d) % 60}" for d in range(10)]))
    (shop / "new.txt").write_text(lines(lambda n: [f"d{(7 * n + d * 5) % 60}" for d in range(10)]))
    assert "seem to be other" not in command("evaluate", "qrels.txt", "new.txt", "-m", "nDCG@10")


def test_lists_that_have_documents_in_common_by_chance() -> None:
    """Random lists of few documents are no other query's, however many share half of their first ten with one."""
    from rankgauge import dialects
    from rankgauge.files.mismatch import explain_misplaced
    from tests.backends.collections import collection

    for seed in range(5):
        made = collection(dialects.get("standard"), seed=seed)
        assert explain_misplaced(made.judgments, made.run) is None


@pytest.fixture
def board(shop: Path) -> Path:
    """Two collections of the shop's queries, with the old run and a new one whose ids are none of the judgments'."""
    for name in ("de", "fr"):
        runs = shop / "board" / name / "runs"
        runs.mkdir(parents=True)
        (runs.parent / "qrels.txt").write_text((shop / "qrels.txt").read_text())
        (runs / "old.txt").write_text((shop / "old.txt").read_text())
        (runs / "new.txt").write_text(lines(lambda n: [f"sku-{n}-{d}" for d in range(10)]))
    return shop / "board"


BOARD = ("compare", "--collections", "board", "-m", "nDCG@10")
GATED = ("--fail-if-worse", "nDCG@10")


def test_collections_of_which_nothing_is_judged_have_no_verdict(command: Command, board: Path) -> None:
    """Over collections, too, a run whose ids do not match is neither worse, nor ranked, nor does it fail a gate."""
    told = " ".join(command(*BOARD).split())
    assert told.startswith("Warning: hardly anything of new on de is judged: none of the 300 documents")
    assert told.index("Judged: 0 % (new on de) to 100 % (old on ") < told.index("old leads")
    assert "old leads by nDCG@10: not told from new, as too little is judged" in told
    [pair] = json.loads(command(*BOARD, "-o", "json"))["pairs"]
    assert abs(pair["difference"]) > 0.5
    assert pair["verdict"] == "cannot tell"
    command(*BOARD, "--baseline", "old", *GATED, "-o", "gate.md", code=3)
    assert "Gate: undecided (too little is judged)" in Path("gate.md").read_text(encoding="utf-8")
    command(*BOARD, "--baseline", "old", *GATED, "--unjudged", "not-relevant", "-o", "gate.md", code=1)


def test_collections_that_are_judged_unequally_have_no_verdict(command: Command, board: Path) -> None:
    """A loss that would not be there if unjudged documents were as good as judged ones is none, alone or together."""
    for runs in board.glob("*/runs"):
        (runs / "old.txt").write_text(lines(lambda n: [f"{n}-{d}" for d in (5, 0, 6, 1, 7, 2, 8, 3, 9, 4)]))
        (runs / "new.txt").write_text(lines(lambda n: [f"{p}{n}-{d}" for p in ("new-", "") for d in range(5)]))
    [pair] = json.loads(command(*BOARD, "-o", "json"))["pairs"]
    assert pair["corrected"] < 0.01
    assert pair["verdict"] == "cannot tell"
    command(*BOARD, "--baseline", "old", *GATED, "-o", "gate.json", code=3)
    gate = json.loads(Path("gate.json").read_text(encoding="utf-8"))["gate"]
    assert {row["reason"] for row in (*gate["rows"], *gate["collections"])} == {"unequally judged"}


def test_a_pair_that_never_differs_does_not_blur_the_others() -> None:
    """Corrected p-values of other pairs stay what they are if two runs are the same."""
    rng = np.random.default_rng(0)
    grades = {f"q{n}": {"a": 1, "b": 0} for n in range(30)}
    good = {query: {"a": 2.0, "b": 1.0} for query in grades}
    late = {query: {"a": 1.0 + 2 * float(rng.random() < 0.5), "b": 2.0} for query in grades}
    runs = {"good": good, "late": late}
    boards = dict.fromkeys("xyz", (grades, runs))
    doubled = {name: (grades, runs | {"again": late}) for name in "xyz"}
    alone, beside = (compare(one, "RR").pair_table for one in (boards, doubled))
    assert alone["corrected"][0] < 0.01
    assert [row["corrected"] < 0.01 for row in beside.named() if "good" in (row["run"], row["other"])] == [True, True]
