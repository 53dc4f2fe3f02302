"""What strangers send: broken bodies, bombs, and crafted campaign files. Each is refused whole, with a reason, and the
room answers everybody else meanwhile."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import polars as pl
import psutil
import pytest

from tests.web.house import House, csrf, fields, open_house, parquet, pool
from tests.web.test_previews import CASES, repeated

MIB = 1 << 20


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """An open room with a campaign."""
    with open_house(f"sqlite:///{tmp_path_factory.mktemp('room') / 'room.db'}") as house:
        house.campaign("news")
        yield house


@contextmanager
def watched(house: House) -> Iterator[None]:
    """The room answers whether it is well within a second all the while, and takes no more than 700 MB."""
    slowest, largest, over, answered = 0.0, 0, threading.Event(), set[int]()
    process = psutil.Process()
    before = process.memory_info().rss

    def look() -> None:
        nonlocal slowest, largest
        with httpx.Client(base_url=house.base, timeout=30) as client:
            while not over.wait(0.1):
                begun = time.perf_counter()
                answered.add(client.get("/healthz").status_code)
                slowest = max(slowest, time.perf_counter() - begun)
                largest = max(largest, process.memory_info().rss - before + sum(map(memory, process.children())))

    watcher = threading.Thread(target=look)
    watcher.start()
    yield
    over.set()
    watcher.join()
    assert answered <= {200}
    assert slowest < 1.0 + psutil.getloadavg()[0] / 8  # other tests may keep the processors busy
    assert largest < 700 * MIB


def memory(child: psutil.Process) -> int:
    """How many bytes a process takes that reads what strangers send; none if it is another, such as Spark's Java."""
    try:
        return int(child.memory_info().rss) if any("room.sandbox" in word for word in child.cmdline()) else 0
    except psutil.Error:  # it has just ended
        return 0


def test_hostile_documents(room: House) -> None:
    """An assessor judges 200 documents that are made to take long to show, one after another."""
    assert len(CASES) >= 200
    rows = [{"query": f"q{n}", "document": f"d{n}", "score": 1.0} for n in range(len(CASES))]
    for row, (kind, piece) in zip(rows, CASES, strict=True):
        text = repeated(piece, 6_000)
        row |= {"text": text, "query_text": text} if kind == "words" else {kind: text, "query_text": "battery range"}
    frame = pl.DataFrame(rows, infer_schema_length=None)
    settings = {"name": "hostile", "filename": "pool.parquet", "measure": "P@1", "method": "passive", "scale": "binary"}
    params = {**settings, "budget": len(CASES)}
    made = room.program().post("/api/v1/campaigns", params=params, content=parquet(frame))
    assert made.status_code == 201, made.text
    page, seen = f"/campaigns/{made.json()['id']}/judge", set[str]()
    ann = room.assessor(made.json()["id"], "ann")
    with watched(room):
        answer = ann.get(page)
        while "key" in (sent := fields(answer.text)):
            assert answer.status_code == 200, sent["document"]
            seen.add(sent["document"])
            answer = ann.post(page, data={**sent, "grade": "1"}, headers={"x-fragment": "1"})
    assert len(seen) == len(CASES)


LABEL = b'{"query":"q1","document":"d1","grade":1}'
GRADES = (b"1e400", b"-1", b"9", b"[]", b"{}", b'"1"', b"true", b"null", b"NaN", b"1e-400", b'"good"')
NAMES = (b"1", b'"\\u0000"', b'"\\ud800"', b'""', b"null", b"[]", b"{}", b"true", b'"' + b"x" * 3_000 + b'"')
BODIES = [
    b"",
    b"{",
    b"[" * 30_000,
    b'{"a":' * 30_000,
    b"nul",
    b"\xff\xfe",
    b'"' + b"x" * 100_000,
    b"{}",
    b"[]",
    b"7",
    b'"text"',
    b"null",
    b"true",
    b"1e999",
    b'{"labels":null}',
    b'{"labels":7}',
    b'{"labels":{}}',
    b'{"labels":[[]]}',
    b'{"labels":[{}],"replace":219}',
    b'{"labels":[null]}',
    b'{"labels":[' + LABEL + b"," * 50 + b"]}",
    b'{"labels":[' + b"1," * 500_000 + b"1]}",
    b'{"labels":[' + b"{}," * 99_999 + b"{}]}",
    b'{"labels":[' + (LABEL + b",") * 100_001 + LABEL + b"]}",
    b"[" + b"[]," * 1_000_000 + b"[]]",
    b'{"labels":[' + b"0," * 4_000_000,
    *(b'{"labels":[' + LABEL.replace(b"1}", value + b"}") + b"]}" for value in GRADES),
    *(b'{"labels":[' + LABEL.replace(b'"q1"', value) + b"]}" for value in NAMES),
    *(b'{"labels":[' + LABEL.replace(b'"d1"', value) + b"]}" for value in NAMES),
    *(LABEL.replace(b"grade", name) for name in (b"query", b"key", b"person", b"kind", b"assessor", b"reason")),
]


@pytest.mark.parametrize("path", ["labels", "gold"])
def test_broken_bodies(room: House, path: str) -> None:
    """Whatever JSON a program sends for labels or gold questions, the answer is short, quick and no fault of ours."""
    program = room.program()
    assert len(BODIES) >= 60
    with watched(room):
        for body in BODIES:
            begun = time.process_time()
            answer = program.post(f"/api/v1/campaigns/1/{path}", content=body)
            assert answer.status_code in (200, 201, 400, 413, 422), (body[:60], answer.text[:300])
            assert len(answer.content) < 10_000
            assert time.process_time() - begun < 3.0, body[:60]


def test_the_first_errors_are_listed(room: House) -> None:
    """Of many faulty labels the first twenty errors are told, with the numbers of their rows."""
    rows = [{"query": "q", "document": "d", "grade": 1}, *({"query": n} for n in range(1_000))]
    answer = room.program().post("/api/v1/campaigns/1/labels", json={"labels": rows})
    assert answer.status_code == 422
    places = [tuple(one["loc"]) for one in answer.json()["detail"]]
    assert len(places) == 20
    assert places[:3] == [
        ("body", "labels", 1, "query"),
        ("body", "labels", 1, "document"),
        ("body", "labels", 2, "query"),
    ]
    answer = room.program().post("/api/v1/campaigns/1/labels", json={"labels": [{"grade": 1}] * 2, "replace": 219})
    assert answer.status_code == 422
    assert [tuple(one["loc"]) for one in answer.json()["detail"]] == [
        ("body", "labels", 0, "query"),
        ("body", "labels", 0, "document"),
        ("body", "labels", 1, "query"),
        ("body", "labels", 1, "document"),
        ("body", "replace"),
    ]


def late(pack: type, start: bytes, times: int) -> bytes:
    """A file that looks like any other at its start and unpacks to much more at its end."""
    return pack.compress(start) + pack.compress(b"q1,d1,1\n" * 131_072) * times  # type: ignore[attr-defined]


def zipped(size: int) -> bytes:
    """A spreadsheet whose one sheet unpacks to that size."""
    with zipfile.ZipFile(buffer := io.BytesIO(), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<x/>")
        archive.writestr("xl/worksheets/sheet1.xml", b" " * size)
    return buffer.getvalue()


def uploads() -> dict[str, bytes]:
    """Files by name that no campaign can be made of, or only with care."""
    text = b"query,document,score\n" + b"".join(b"q%d,d%d,%d\n" % (n, n, n) for n in range(2_000))
    packed = {"gz": gzip, "bz2": bz2, "xz": lzma}
    files = {f"late.csv.{ending}": late(pack, text, 300) for ending, pack in packed.items()}
    files |= {f"noise{ending}": bytes(range(256)) * 40 for ending in ENDINGS}
    files |= {f"empty{ending}": b"" for ending in ENDINGS}
    files |= {f"cut{ending}": parquet(pool())[:-50] for ending in (".parquet", ".csv", ".xlsx", ".gz")}
    files["wide.csv"] = b",".join(b"c%d" % n for n in range(100_000)) + b"\n"
    files["line.csv"] = b"query,document,score\n" + b"x" * (20 * MIB)
    files["zeros.csv"] = b"query,document,score\n" + b"\0" * MIB
    files["quote.csv"] = b'query,document,score\n"' + b"a,b,1\n" * 100_000
    files["deep.jsonl"] = b"[" * 100_000 + b"\n"
    files["long.jsonl"] = b'{"query":"' + b"q" * 5_000_000
    files["deep.json"] = b'{"a":' * 100_000
    files["bomb.xlsx"] = zipped(300 * MIB)
    nested = pl.Series([[1]] * len(pool()))
    files |= {f"nested {name}.parquet": parquet(pool().with_columns(nested.alias(name))) for name in NESTED}
    files["rows.parquet"] = parquet(
        pl.DataFrame({"query": ["q"], "document": ["d"], "score": [1.0]}).select(
            pl.all().repeat_by(3_000_000).explode()
        )
    )
    return files


ENDINGS = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx", ".txt", ".rg", ".run", ".gz", ".zst", ".ndjson")


NESTED = ("text", "query", "score", "p_0")


def test_hostile_uploads(room: House) -> None:
    """Bombs, noise and broken tables are refused in words, by pages and API, for campaigns, labels and gold."""
    files, program, admin = uploads(), room.program(), room.admin()
    assert len(files) >= 40
    token = csrf(admin)
    with watched(room):
        for n, (name, content) in enumerate(files.items()):
            if n % 2:
                answer = program.post("/api/v1/drafts", params={"filename": name}, content=content)
            else:
                sent = {("lists", "labels", "file")[n // 2 % 3]: (name, content)}
                path = ("/drafts", "/campaigns/1/labels", "/campaigns/1/gold/labels")[n // 2 % 3]
                answer = admin.post(path, data={"csrf": token}, files=sent)
            assert answer.status_code in (400, 201, 200), (name, answer.text[-500:])
            assert answer.status_code == 400 or not name.startswith(("late", "bomb", "rows", "deep", "nested")), name
    late = program.post("/api/v1/drafts", params={"filename": "a.csv.bz2"}, content=files["late.csv.bz2"])
    assert "unpacks to more than 256 MB" in late.json()["detail"]


def test_a_large_pool_is_taken(room: House) -> None:
    """A table of 49 MB, less than may be uploaded, is read within the limits for files that nobody would send."""
    rows = (b"q%d,d%d,%d,%s\n" % (n % 50, n, n, b"word " * 100) for n in range(100_000))
    content = b"query,document,score,text\n" + b"".join(rows)
    with watched(room):
        made = room.program().post("/api/v1/drafts", params={"filename": "pool.csv"}, content=content)
    assert made.status_code == 201, made.text
    assert made.json()["documents"] == 100_000


NEST = '{"a":' * 50_000 + "1" + "}" * 50_000
COLUMNS = {
    "campaigns.settings": [NEST, "[]", "null", "{}", "", "{", '{"budget": 1, "grades": []}', "x" * 1000, b"\xff"],
    "campaigns.name": ["", "a\0b", "x" * 300, b"\x00", 7],
    "campaigns.format": [99, "two", -3],
    "campaigns.paused": [7, "no"],
    "campaigns.made": ["yesterday", 1e300],
    "pools.content": [b"", b"garbage" * 99, None, "text", parquet(pl.DataFrame({"a": [1]})), zipped(1000)],
    "stages.settings": [NEST, "{}", '{"method":"passive","budget":-1,"seed":1}', '{"method":"x","budget":1,"seed":1}'],
    "stages.number": [5, -1],
    "stages.beliefs": [b"garbage", b""],
    "stages.draws": [10**9],
    "draws.query": [10**6, -1, "q"],
    "tasks.place": [-5, 10**6, "a"],
    "tasks.cost": [-1.0, "free", 1e300],
    "leases.until": ["later", 1e300],
    "leases.assessor": [b"\xff\xfe", "", "a\nb"],
    "labels.place": [-5, 10**6, None],
    "labels.kind": ["x", "skip", b"grade"],
    "labels.grade": [99.0, "good", 1e300],
    "labels.assessor": [b"\x01", "", "\u202e"],
    "labels.made": ["now"],
    "labels.query": ["another", ""],
    "labels.origin": ["elsewhere"],
    "labels.replaces": ["first"],
    "texts.content": ["[]", '{"title": 5}', NEST, "{", '{"text": "\\u0000"}'],
}


def crafted(base: bytes, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Campaign files in which one thing is wrong."""
    for column, values in COLUMNS.items():
        table, name = column.split(".")
        for n, value in enumerate(values):
            path = folder / "crafted.rg"
            path.write_bytes(base)
            with closing(sqlite3.connect(path)) as connection:
                connection.execute(f"create table loose as select * from {table}")  # without its constraints
                connection.execute(f"drop table {table}")
                connection.execute(f"alter table loose rename to {table}")
                connection.execute(f"update {table} set {name} = ?", (value,))
                connection.commit()
            yield f"{column} {n}", path.read_bytes()
    yield "no database", b"SQLite format 3\0" + b"x" * 5000
    yield "half", base[: len(base) // 2]
    yield "noise inside", base[:9000] + b"\xaa" * 4096 + base[13096:]


def test_crafted_campaign_files(room: House, tmp_path: Path) -> None:
    """A campaign's file with anything wrong in it is refused whole and in words, or all of its pages can be shown."""
    program = room.program()
    for task in program.post("/api/v1/campaigns/1/tasks?n=4").json()[:3]:
        label = {"query": task["query"], "document": task["document"], "grade": 1}
        assert program.post("/api/v1/campaigns/1/labels", json={"labels": [label]}).status_code == 200
    base = program.get("/api/v1/campaigns/1/files/campaign.rg").content
    files = dict(crafted(base, tmp_path))
    assert len(files) >= 60
    before = len(program.get("/api/v1/campaigns").json())
    taken = []
    with watched(room):
        for name, content in files.items():
            params = {"filename": "a.rg", "name": f"copy {name}"}
            answer = program.post("/api/v1/campaigns", params=params, content=content)
            assert answer.status_code in (201, 400), (name, answer.text[:500])
            if answer.status_code == 201:
                taken.append((name, answer.json()["id"]))
            else:
                assert "campaign" in answer.json()["detail"], name
                assert len(answer.text) < 1000, name
    assert len(program.get("/api/v1/campaigns").json()) == before + len(taken)
    assert {name.split()[0] for name, _ in taken} <= {
        "campaigns.paused",
        "campaigns.name",
        "stages.draws",
        "leases.until",
    }
    admin = room.admin()
    for name, number in taken:
        for page in (
            "",
            "/labels",
            "/judge",
            "/queries",
            "/quality",
            "/files",
            "/settings",
            "/people",
            "/disagreements",
        ):
            assert admin.get(f"/campaigns/{number}{page}").status_code == 200, (name, page)
    sound = program.post("/api/v1/campaigns", params={"filename": "a.rg", "name": "sound"}, content=base)
    assert sound.status_code == 201
