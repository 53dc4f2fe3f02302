"""The fast path gives what the general path gives, or leaves the file to it."""

from __future__ import annotations

import itertools
import os
import random
import struct
import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgauge import evaluate, files
from rankgauge.errors import InputError
from rankgauge.policies import NegativeGrade, Ties, Unjudged
from rankgauge.ranking import Hits, Ranking, rank, rank_stream
from rankgauge.ranking.scan import run as run_scan
from rankgauge.ranking.scan import scan, scan_judgments
from rankgauge.ranking.scan.lines import LONGEST_ID, MARGIN, chunks, decimals
from rankgauge.ranking.sorts import SORTS
from tests.examples import examples
from tests.io.test_packing import PACKERS

Line = tuple[str, str, str]


def general(run: list[Line], judgments: list[Line], how: Ranking) -> Hits:
    """The hits by way of frames."""
    frames = [
        pl.DataFrame(lines, schema=["query", "document", last], orient="row").with_columns(pl.col(last).cast(float))
        for lines, last in ((run, "score"), (judgments, "grade"))
    ]
    return rank(frames[0], frames[1], how)


def written(folder: Path, run: list[Line], judgments: list[Line], *, blank: str = " ", end: str = "\n") -> list[Path]:
    """The same lines as files."""
    texts = (
        [blank.join((query, "Q0", document, "1", score, "tag")) for query, document, score in run],
        [blank.join((query, "0", document, grade)) for query, document, grade in judgments],
    )
    paths = [folder / "run", folder / "qrels"]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(("\n".join(text) + end).encode())
    return paths


def assert_same(one: Hits, other: Hits) -> None:
    """Every array of the two is equal, to the last bit."""
    assert one.queries.to_list() == other.queries.to_list()
    for name in ("query", "rank", "grade", "first", "size", "retrieved", "pool_query", "pool_grade"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


policies = st.builds(
    Ranking,
    ties=st.sampled_from(sorted(set(Ties) - set(SORTS))),
    single_precision=st.booleans(),
    unjudged=st.sampled_from(list(Unjudged)),
    negative=st.sampled_from([NegativeGrade.UNJUDGED, NegativeGrade.ZERO, NegativeGrade.KEEP]),
    depth=st.sampled_from([None, 3]),
)
prefixes = st.sampled_from(["", "d", "msmarco_doc_00_", "GX029-35-", "clueweb12-0000tw-00-00000-and-more-"])
documents = st.builds(lambda p, n: (p + str(n))[:40], prefixes, st.integers(0, 60))
scores = st.one_of(
    st.integers(-3, 3).map(str),
    st.floats(-100, 100).map(repr),
    st.floats(0, 1, width=32).map(lambda x: f"{x:.6f}"),
    st.sampled_from(["1", "1.0", "1.", ".5", "5e-1", "0.5", "+1", "1e0", "-0.0", "16777217", "16777216", "1E2"]),
)
lists = st.lists(st.tuples(documents, scores), min_size=1, max_size=12, unique_by=lambda pair: pair[0])
grades = st.sampled_from(["0", "1", "2", "3", "-1", "-2", "0.5", "1.0"])
pools = st.lists(st.tuples(documents, grades), min_size=1, max_size=8, unique_by=lambda pair: pair[0])
queries = st.integers(0, 30).map(lambda n: f"q{n}" if n % 2 else str(1_000_000_000 + n))


def flat(tables: dict[str, list[tuple[str, str]]]) -> list[Line]:
    """The lines of some queries' tables."""
    return [(query, *pair) for query, table in tables.items() for pair in table]


@settings(max_examples=examples(300), deadline=None)
@given(
    run=st.dictionaries(queries, lists, min_size=1, max_size=6),
    judgments=st.dictionaries(queries, pools, min_size=1, max_size=6),
    how=policies,
    blank=st.sampled_from([" ", "\t"]),
    end=st.sampled_from(["\n", ""]),
    size=st.sampled_from([1 << 20, 128]),
)
def test_scan_gives_what_rank_gives(
    tmp_path_factory: pytest.TempPathFactory,
    run: dict[str, list[tuple[str, str]]],
    judgments: dict[str, list[tuple[str, str]]],
    how: Ranking,
    blank: str,
    end: str,
    size: int,
) -> None:
    """On regular files the two paths agree in every rank, grade and tie group, whatever the policies and chunks."""
    paths = written(tmp_path_factory.mktemp("scan"), flat(run), flat(judgments), blank=blank, end=end)
    hits = scan(paths[0], paths[1], how, chunk=size)
    assert hits is not None
    assert_same(hits, general(flat(run), flat(judgments), how))


def large(rng: random.Random, *, listed: int, judged: int) -> tuple[list[Line], list[Line]]:
    """Some forty queries; a third of the lists in disorder, a tenth of the scores tied."""
    run, judgments = [], []
    for query in rng.sample(range(10**6), 40):
        ids_ = [f"msmarco_doc_{n % 60:02d}_{n}" for n in rng.sample(range(10**7), listed + judged)]
        scores_ = sorted((round(rng.uniform(-5, 30), rng.choice([1, 6, 15])) for _ in range(listed)), reverse=True)
        if rng.random() < 1 / 3:
            rng.shuffle(scores_)
        chosen = rng.sample(ids_[:listed], judged // 2) + ids_[listed : listed + judged // 2]
        run += [(str(query), document, str(score)) for document, score in zip(ids_, scores_, strict=False)]
        judgments += [(str(query), document, str(rng.randint(-1, 4))) for document in chosen]
    return run, judgments


@pytest.mark.parametrize("ties", SORTS)
def test_a_sort_that_moves_ties_takes_the_general_path(tmp_path: Path, ties: Ties) -> None:
    """The order that a selection sort or a quicksort gives to ties is left to `rank`."""
    paths = written(tmp_path, *large(random.Random(7), listed=30, judged=5))
    assert scan(paths[0], paths[1], Ranking(ties=ties)) is None


@pytest.mark.parametrize("ties", sorted(set(Ties) - set(SORTS)))
@pytest.mark.parametrize("size", [1 << 20, 1 << 16, 1 << 12])
def test_scan_of_many_blocks_gives_what_rank_gives(tmp_path: Path, ties: Ties, size: int) -> None:
    """Neither the number of chunks nor a list longer than a chunk changes the hits."""
    run, judgments = large(random.Random(7), listed=300, judged=20)
    paths = written(tmp_path, run, judgments)
    how = Ranking(ties=ties, negative=NegativeGrade.UNJUDGED)
    hits = scan(paths[0], paths[1], how, chunk=size)
    assert hits is not None
    assert_same(hits, general(run, judgments, how))


@settings(max_examples=examples(150), deadline=None)
@given(
    shape=st.lists(
        st.tuples(st.integers(1, 70), st.integers(1, 3), st.integers(1, 9), st.integers(1, 12)), min_size=1, max_size=30
    ),
    blank=st.sampled_from([" ", "\t"]),
    seed=st.integers(0, 9),
)
def test_lines_that_differ_from_the_first(
    tmp_path_factory: pytest.TempPathFactory, shape: list[tuple[int, int, int, int]], blank: str, seed: int
) -> None:
    """Ids, second fields, ranks and tags of any length are found, line by line or all alike."""
    rng, folder = random.Random(seed), tmp_path_factory.mktemp("shapes")
    run, judgments, lines = [], [], []
    for number, (document, second, rank_, tag) in enumerate(shape):
        query, name, score = f"q{number // 7}", f"{number:x}".zfill(document), f"{rng.uniform(-5, 50):.{second}f}"
        run.append((query, name, score))
        judgments.append((query, name, str(number % 3)))
        lines.append(blank.join((query, "Q" * second, name, "1" * rank_, score, "t" * tag)))
    paths = written(folder, run, judgments)
    paths[0].write_text("\n".join(lines) + "\n")
    scanned = scan(paths[0], paths[1], Ranking(), chunk=rng.choice([256, 1 << 20]))
    if max(document for document, *_ in shape) <= LONGEST_ID:
        assert scanned is not None
    if scanned is not None:
        assert_same(scanned, general(run, judgments, Ranking()))


@pytest.mark.parametrize("places", range(8))
def test_short_decimals_equal_float(places: int) -> None:
    """Numbers of at most eight digits and one number of places, which are read in one go."""
    rng = random.Random(places)
    texts = [f"{rng.uniform(-1, 1) * 10 ** (7 - places):.{places}f}".encode() for _ in range(500)]
    assert read(texts).tolist() == [float(text) for text in texts]
    for odd in (b"1.5.0", b"12a4", b"1,5", b"-", b"."):
        data = bytearray(64) + texts[0] + b" " + odd + bytearray(64)
        start = np.array([64, 65 + len(texts[0])])
        assert decimals(data, start, start + np.array([len(texts[0]), len(odd)])) is None


@pytest.mark.parametrize("packing", PACKERS)
def test_packed_files_are_scanned(tmp_path: Path, packing: str) -> None:
    """A packed file is unpacked on the way: the same hits; one that is cut off is left to the general path."""
    paths = written(tmp_path, *large(random.Random(5), listed=100, judged=20))
    plain = scan(paths[0], paths[1], Ranking(), chunk=1 << 14)
    for path in paths:
        path.write_bytes(PACKERS[packing](path.read_bytes()))
    packed = scan(paths[0], paths[1], Ranking(), chunk=1 << 14)
    assert plain is not None
    assert packed is not None
    assert_same(packed, plain)
    paths[0].write_bytes(paths[0].read_bytes()[:-100])
    assert scan(paths[0], paths[1], Ranking()) is None
    with pytest.raises(InputError, match="cut off or damaged"):
        files.read_run(paths[0], "trec")


def test_judgments_may_be_a_table(tmp_path: Path) -> None:
    """Judgments that were prepared as a table give the hits that their file gives."""
    run, judgments = large(random.Random(8), listed=50, judged=10)
    paths = written(tmp_path, run, judgments)
    table = pl.DataFrame(judgments, schema=["query", "document", "grade"], orient="row")
    one = scan(paths[0], table.with_columns(pl.col("grade").cast(float)), Ranking())
    other = scan(paths[0], paths[1], Ranking())
    assert one is not None
    assert other is not None
    assert_same(one, other)


def test_scan_gives_what_the_readers_and_rank_give(tmp_path: Path) -> None:
    """The two ways from the same files: bytes to hits, and the readers of `io`, whole or as a stream, then `rank`."""
    run, judgments = large(random.Random(11), listed=80, judged=12)
    paths = written(tmp_path, run, judgments)
    for how in (Ranking(), Ranking(ties=Ties.DOCID, single_precision=True, negative=NegativeGrade.UNJUDGED)):
        hits = scan(paths[0], paths[1], how)
        assert hits is not None
        pool = files.read_judgments(paths[1])
        assert_same(hits, rank(files.read_run(paths[0]), pool, how))
        assert_same(hits, rank_stream(files.stream_run(paths[0], rows=500), pool, how))


REGULAR = "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\nq2 Q0 d1 1 2.5 tag\n"
IRREGULAR = {
    "a query that comes back": REGULAR + "q1 Q0 d3 3 1.0 tag\n",
    "two blanks": REGULAR.replace(" d2", "  d2"),
    "a blank at the end of a line": REGULAR.replace("tag\n", "tag \n", 1),
    "a blank at the start of a line": " " + REGULAR,
    "blanks and tabs mixed": REGULAR.replace(" d2", "\td2"),
    "too few fields": REGULAR + "q3 Q0 d1 1 1.0\n",
    "fields that only add up": "q1 Q0 d1 1 2.5\nq1 Q0 d2 2 1.5 tag more\n",
    "an empty line": REGULAR + "\n",
    "a comment": "#q Q0 d1 1 2.5 tag\n" + REGULAR,
    "Windows line ends": REGULAR.replace("\n", "\r\n"),
    "a letter above ASCII": REGULAR.replace("d2", "dé"),
    "a score that is no number": REGULAR.replace("1.5", "high"),
    "a score that is not a number": REGULAR.replace("1.5", "nan"),
    "an infinite score": REGULAR.replace("1.5", "inf"),
    "a score with an underscore": REGULAR.replace("1.5", "1_5"),
    "a score beyond the doubles": REGULAR.replace("1.5", "1e999"),
    "a document that stands twice": REGULAR.replace("d2", "d1"),
    "an id as long as a page": REGULAR.replace("d2", "d" * 100),
    "compressed bytes": "\x1f\x8b\x08\x00 binary",
    "nothing": "",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in IRREGULAR.items()])
def test_scan_leaves_irregular_runs_to_the_general_path(tmp_path: Path, text: str) -> None:
    """A run that is odd in any way gives None, never a wrong or partial result; in its regular form it is scanned."""
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    qrels.write_text("q1 0 d1 1\nq2 0 d1 1\n")
    run.write_bytes(REGULAR.encode())
    assert scan(run, qrels, Ranking()) is not None
    run.write_bytes(text.encode())
    assert scan(run, qrels, Ranking()) is None
    if text:
        assert scan(run, qrels, Ranking(), chunk=64) is None


@pytest.mark.parametrize(
    "text",
    [
        "q1 0 d1 1\nq2 0 d1 1\nq1 0 d2 1\n",  # a query comes back
        "q1 0 d1 1\nq1 0 d1 1\nq2 0 d1 1\n",  # judged twice, answered
        "q1 0 d1 1\nq3 0 d1 1\nq3 0 d1 2\n",  # judged twice, not answered
        "q1 0 d1\n",
        "q1 0 d1 relevant\n",
        "",
    ],
)
def test_scan_leaves_irregular_judgments_to_the_general_path(tmp_path: Path, text: str) -> None:
    """Judgments that are odd in any way give None."""
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_text(REGULAR)
    qrels.write_text(text)
    assert scan(run, qrels, Ranking()) is None


def test_refused_negative_grades_are_left_to_the_general_path(tmp_path: Path) -> None:
    """A negative grade under `refuse` gives None: the general path names the document."""
    run, qrels = written(tmp_path, [("q", "d", "1")], [("q", "d", "-1")])
    assert scan(run, qrels, Ranking(negative=NegativeGrade.REFUSE)) is None
    assert scan(run, qrels, Ranking(negative=NegativeGrade.KEEP)) is not None


def test_ids_of_every_length_are_told_apart(tmp_path: Path) -> None:
    """Ids of 1 to 40 bytes that are each other's prefixes are different documents."""
    names = ["x" * n for n in range(1, 41)]
    run = [("q", name, str(-n)) for n, name in enumerate(names)]
    judgments = [("q", name, str(n % 4)) for n, name in enumerate(names) if n % 3 == 0]
    paths = written(tmp_path, run, judgments)
    hits = scan(paths[0], paths[1], Ranking())
    assert hits is not None
    assert hits.rank.tolist() == [n + 1 for n in range(40) if n % 3 == 0]


def test_ids_are_let_go_as_the_last_run_uses_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of ids that were used are given back and the hits stay the same; a query that comes back is not scanned."""
    monkeypatch.setattr(run_scan, "SMALL", 0)
    monkeypatch.setattr(run_scan, "LARGE", 0)
    run, judgments = large(random.Random(5), listed=600, judged=400)
    paths = written(tmp_path, run, judgments)
    how = Ranking(negative=NegativeGrade.UNJUDGED)
    assert_same(scan(paths[0], paths[1], how, chunk=1 << 12), general(run, judgments, how))
    pool = scan_judgments(paths[1], how)
    assert pool is not None
    pages, used = run_scan.mapping_of(pool.documents), pool.documents.copy()
    pool.release(np.arange(30))
    kept = int(pool.starts[30])
    assert pages is None or not pool.documents[:kept].all()
    assert (pool.documents[kept:] == used[kept:]).all()
    paths = written(tmp_path, [*run, run[0]], judgments)
    assert scan(paths[0], paths[1], how, chunk=1 << 12) is None


def test_no_hash_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a hash of three values the hits are the same or the file is left to the general path, never wrong."""
    run, judgments = large(random.Random(9), listed=6, judged=4)
    paths = written(tmp_path, run, judgments)
    given_ = general(run, judgments, Ranking(negative=NegativeGrade.ZERO))
    scanned, hash_ids = 0, run_scan.hash_ids
    for values in (3, 1_000, 5_000):
        weak = np.uint64(values)
        monkeypatch.setattr(run_scan, "hash_ids", lambda rows, weak=weak: hash_ids(rows) % weak)
        hits = scan(paths[0], paths[1], Ranking(negative=NegativeGrade.ZERO), chunk=1_000)
        if hits is not None:
            scanned += 1
            assert_same(hits, given_)
    assert scanned < 3


@pytest.mark.parametrize("form", ["{:.6f}", "{!r}", "{:.17g}", "{:.3e}", "{:g}", "{:.0f}", "{:.12f}", "{:.18f}"])
def test_decimals_equal_float(form: str) -> None:
    """Every number is the one that Python's `float` reads, to the last bit."""
    rng = random.Random(form)
    numbers = [rng.uniform(-1, 1) * 10 ** rng.randint(-3, 6) for _ in range(3_000)]
    single = [struct.unpack("f", struct.pack("f", number))[0] for number in numbers[:1_000]]
    texts = [form.format(number).encode() for number in numbers + single]
    halfway = [b"9007199254740993", b"0.500000000000000166533453694", b"4503599627370497.5", b"9007199254740993.0"]
    texts += [*halfway, b"0", b"-0", b"00012.50", b"1.", b".5", b"-.5", b"+7", b"9999999999999999999"]
    assert read(texts).tolist() == [float(text) for text in texts]


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=17, min_value=-99, max_value=99), min_size=1))
def test_decimals_of_nineteen_digits_equal_float(numbers: list[object]) -> None:
    """Numbers of more digits than a double holds are rounded as `float` rounds them."""
    texts = [str(number).encode() for number in numbers]
    assert read(texts).tolist() == [float(text) for text in texts]


def read(texts: list[bytes]) -> np.ndarray:
    """The numbers of the texts, read as fields of a chunk."""
    data = bytearray(64) + bytearray(b" ".join(texts)) + bytearray(64)
    lengths = np.array([len(text) for text in texts])
    start = 64 + np.concatenate([[0], np.cumsum(lengths + 1)[:-1]])
    values = decimals(data, start, start + lengths)
    assert values is not None
    return values


@pytest.mark.parametrize("size", [64, 200, 1_000, 10_000])
def test_blocks_hold_whole_queries(tmp_path: Path, size: int) -> None:
    """Blocks put together are the file, and each begins with another query than the one before ended with."""
    run, judgments = large(random.Random(size), listed=5, judged=2)
    path = written(tmp_path, run, judgments)[0]
    with path.open("rb", buffering=0) as file:
        texts = [bytes(chunk.data[MARGIN : chunk.end]) for chunk in chunks(file, size)]
    assert b"".join(texts) == path.read_bytes()
    for before, after in itertools.pairwise(texts):
        assert before.splitlines()[-1].split()[0] != after.split()[0]


def test_a_stream_of_batches_gives_the_hits_of_the_whole() -> None:
    """Batches of whole queries give the hits of the run in one piece; a query in two batches is refused."""
    run, judgments = large(random.Random(3), listed=30, judged=10)
    table = pl.DataFrame(run, schema=["query", "document", "score"], orient="row").cast({"score": pl.Float64})
    pool = pl.DataFrame(judgments, schema=["query", "document", "grade"], orient="row").cast({"grade": pl.Float64})
    batches = table.partition_by("query", maintain_order=True)
    for how in (Ranking(), Ranking(ties=Ties.DOCID, single_precision=True)):
        assert_same(rank_stream(reversed(batches), pool, how), rank(table, pool, how))
    with pytest.raises(InputError, match="are not together"):
        rank_stream([batches[0][:10], batches[1], batches[0][10:]], pool, Ranking())


def test_a_line_of_blanks(tmp_path: Path) -> None:
    """A long line of nothing but blanks is left to the general path."""
    paths = written(tmp_path, *large(random.Random(3), listed=20, judged=5))
    paths[0].write_bytes(paths[0].read_bytes() + b" " * 600 + b"\n")
    assert scan(paths[0], paths[1], Ranking(), chunk=1 << 12) is None
    assert len(files.read_run(paths[0]))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system here")
def test_a_pipe_is_left_to_the_general_path(tmp_path: Path) -> None:
    """A pipe gives its bytes once: packed or irregular, they are all there for the general path."""
    paths = written(tmp_path, *large(random.Random(3), listed=20, judged=5))
    expected = evaluate(paths[1], paths[0], "nDCG@10")["nDCG@10"]
    os.mkfifo(tmp_path / "pipe")
    content = PACKERS["gz"](paths[0].read_bytes())
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(content,))
    writer.start()
    assert evaluate(paths[1], tmp_path / "pipe", "nDCG@10")["nDCG@10"] == expected
    writer.join()


def test_any_kind_of_path(tmp_path: Path) -> None:
    """Whatever stands for a path is one."""

    class Somewhere:
        def __init__(self, path: Path) -> None:
            self.path = path

        def __fspath__(self) -> str:
            return str(self.path)

    run, judgments = written(tmp_path, *large(random.Random(3), listed=20, judged=5))
    assert evaluate(Somewhere(judgments), Somewhere(run), "AP")["AP"] == evaluate(judgments, run, "AP")["AP"]


def test_a_stranger_who_comes_back(tmp_path: Path) -> None:
    """A query that nobody judged is named once, however often its lines come back."""
    lines = [("q1", "a", "1"), ("q9", "a", "1"), ("q2", "a", "1"), ("q9", "b", "1")]
    paths = written(tmp_path, lines, [("q1", "a", "1"), ("q2", "a", "1")])
    hits = scan(paths[0], paths[1], Ranking())
    assert hits is not None
    assert hits.strangers == ("q9",)
