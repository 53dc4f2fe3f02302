"""Writes a JSON Schema for the output of each command that has `-o json`: `python -m tools.schemas`.

A schema is learned from what the commands below print: the types of all values, which keys are always there, and which
objects are keyed by names from the data. Keys may be added later; those that a schema requires stay.
"""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from tests import program

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"
HOME = "https://github.com/rankgauge/rankgauge/blob/main/docs/schemas/"
TWO = "qrels.txt bm25.txt dense.txt.gz"

SETUP = (
    "demo --data-only .",
    "romip example romip",
    "active plan pool.csv -m ERR@10 --budget 60 -o one.rg",
    "active next one.rg -n 60 -o tasks.csv",
    "active record one.rg grades.csv",
    "active plan bm25.txt dense.txt.gz bm25=bm25.txt -m nDCG@10,AP --budget 40 --judgments qrels.txt -o board.rg",
)
COMMANDS: Mapping[str, Sequence[str]] = {
    "evaluate": (
        f"evaluate {TWO} -m nDCG@10,AP,num_ret -q --by segments.csv",
        "evaluate qrels.txt bm25.txt --empty leave-out --interval bca",
        f"evaluate {TWO} -d trec_eval -m official",
        "evaluate test.txt scores.txt -m nDCG@5 -d letor4",
    ),
    "compare": (
        f"compare {TWO} -m nDCG@10,AP --by segments.csv --similarity rbo --baseline bm25.txt --risk 1 "
        "--fail-if-worse nDCG@10:0.9 --min AP:0.1",
        f"compare {TWO} -m AP --test randomisation",
    ),
    "compare-collections": (
        "compare --collections markets -m nDCG@5",
        "compare --collections markets -m nDCG@5 --baseline bm25 --fail-if-worse nDCG@5:0.9",
    ),
    "fuse": (
        "fuse bm25.txt dense.txt.gz --report json",
        "fuse bm25.txt dense.txt.gz --judgments qrels.txt --tune --report json",
    ),
    "audit": ("audit test.txt scores.txt", f"audit {TWO} -d trec_eval,ranx"),
    "audit-value": (
        "audit test.txt scores.txt --value 0.5",
        "audit qrels.txt bm25.txt --value 0.5564 -m nDCG@10",
    ),
    "audit-judge": ("audit judge qrels.txt judge.qrels", f"audit judge qrels.txt judge.qrels {TWO[10:]} -m nDCG@10"),
    "catalogue": (
        "catalogue bm25.txt dense.txt.gz --items items.csv --judgments qrels.txt",
        "catalogue bm25.txt --items items.csv",
    ),
    "judgments-agreement": ("judgments agreement ratings.csv",),
    "pool-reuse": (
        f"pool reuse {TWO} --pool-depth 10",
        "pool reuse qrels.txt bm25.txt --new dense.txt.gz --pool-depth 10",
    ),
    "active-estimate": ("active estimate one.rg",),
    "active-estimate-board": ("active estimate board.rg",),
    "active-simulate": ("active simulate test.txt -m ERR --rankers rf --trials 2",),
    "active-simulate-board": (f"active simulate {TWO} --trials 2",),
    "romip": (
        "romip search romip/search/tables romip/search/runs",
        "romip classification romip/classification/truth.xml romip/classification/results",
    ),
}
"""The commands from which each schema is learned, on the demo's collection."""

KEYED = frozenset(
    ("means", "cutoffs", "values", "refused", "query_spread", "truth", "why", "readings", "by_measure", "parameters")
)
"""Keys whose objects are keyed by names of runs, tools, measures or queries."""


def main() -> None:
    """Write every schema."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        prepare(folder := Path(name))
        for schema, commands in COMMANDS.items():
            outputs = [output(command, folder) for command in commands]
            text = json.dumps(learn(schema, outputs), indent=1, ensure_ascii=False)
            (FOLDER / f"{schema}.json").write_text(text + "\n", encoding="utf-8")
            print(FOLDER / f"{schema}.json", flush=True)


def prepare(folder: Path) -> None:
    """Make the collections that the commands work on."""
    for command in SETUP:
        run(command, folder)
    lines = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    queries = sorted({line[0] for line in lines})
    (folder / "segments.csv").write_text("query,kind\n" + "".join(f"{q},{q[-1] < '5'}\n" for q in queries))
    run("fuse bm25.txt dense.txt.gz -o all.csv", folder)
    listed = {row.split(",")[1] for row in (folder / "all.csv").read_text().splitlines()[1:]}
    documents = sorted(listed | {line[2] for line in lines})
    (folder / "items.csv").write_text("document,genre\n" + "".join(f"{d},g{d[-1]}\n" for d in documents))
    for market in range(4):
        runs = folder / "markets" / str(market) / "runs"
        runs.mkdir(parents=True)
        run(f"demo --data-only {folder / 'small'} --seed {market}", folder)
        (runs.parent / "qrels.txt").write_bytes((folder / "small" / "qrels.txt").read_bytes())
        for name in ("bm25.txt", "dense.txt.gz"):
            (runs / name).write_bytes((folder / "small" / name).read_bytes())


def output(command: str, folder: Path) -> Any:
    """Return what a command prints with `-o json`."""
    return json.loads(run(command if "json" in command else f"{command} -o json", folder))


def run(command: str, folder: Path) -> str:
    """Return what a command of RankGauge prints."""
    done = program.rankgauge(shlex.split(command), folder)
    assert done.code == 0, f"{command}\n{done.err}"
    return done.out


def learn(name: str, outputs: Sequence[Any]) -> dict[str, Any]:
    """Return the schema that all of the outputs follow."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"{HOME}{name}.json"}
    return {
        **head,
        "title": f"rankgauge {name.replace('-', ' ')} -o json",
        **opened(reduce(merge, map(describe, outputs))),
    }


def opened(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with anything allowed where only null was seen, which says nothing of the values."""
    if schema == {"type": ["null"]}:
        return {}
    inner = {key: opened(schema[key]) for key in ("items", "additionalProperties") if key in schema}
    named = {name: opened(one) for name, one in schema.get("properties", {}).items()}
    return schema | inner | ({"properties": named} if "properties" in schema else {})


def describe(value: Any, keyed: bool = False) -> dict[str, Any]:
    """Return the schema of one value; that of a number that need not be whole allows null, which stands for NaN."""
    if isinstance(value, dict):
        if keyed:
            return {"type": ["object"], "additionalProperties": together(describe(one, True) for one in value.values())}
        properties = {name: describe(one, name in KEYED) for name, one in value.items()}
        return {"type": ["object"], "properties": properties, "required": sorted(value)}
    if isinstance(value, list):
        return {"type": ["array"], "items": together(describe(one) for one in value)}
    kinds = {bool: ["boolean"], int: ["integer"], float: ["null", "number"], str: ["string"]}
    return {"type": kinds.get(type(value), ["null"])}


def together(schemas: Any) -> dict[str, Any]:
    """Return the schema of several values; without a value anything may be there."""
    return reduce(merge, schemas, {})


def merge(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of what either of two schemas describes."""
    if not one or not other:
        return one or other
    types = {*one["type"], *other["type"]}
    merged: dict[str, Any] = {"type": sorted(types - ({"integer"} if "number" in types else set()))}
    if "properties" in one and "properties" in other:
        names = [*one["properties"], *(name for name in other["properties"] if name not in one["properties"])]
        merged["properties"] = {
            name: merge(one["properties"].get(name, {}), other["properties"].get(name, {})) for name in names
        }
        merged["required"] = sorted({*one["required"]} & {*other["required"]})
    else:
        merged |= {key: schema[key] for schema in (one, other) for key in ("properties", "required") if key in schema}
    for key in ("items", "additionalProperties"):
        if key in one or key in other:
            merged[key] = merge(one.get(key, {}), other.get(key, {}))
    return merged


if __name__ == "__main__":
    main()
