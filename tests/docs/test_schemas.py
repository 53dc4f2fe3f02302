"""The JSON Schemas: one for each kind of report that has `-o json`, and what commands print follows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankgauge.cli.command import ROOT as COMMANDS
from rankgauge.cli.command import Command
from tests.docs.blocks import ROOT
from tools import schemas

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
pytestmark = pytest.mark.xdist_group("schemas")

OTHERS = {
    "compare": f"compare {schemas.TWO} -m RR,ERR --correction none",
    "evaluate": "evaluate test.txt scores.txt -m nDCG@5 -d yahoo",
    "audit": "audit qrels.txt bm25.txt -m AP",
    "fuse": "fuse bm25.txt dense.txt.gz --method combsum --report json",
    "catalogue": "catalogue dense.txt.gz --items items.csv -k 5",
    "audit-judge": "audit judge qrels.txt bm25=judge.qrels bm25.txt -m AP",
}
"""Command lines that no schema was learned from."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the collections."""
    made = tmp_path_factory.mktemp("schemas")
    schemas.prepare(made)
    return made


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_printed_follows_the_schema(name: str, folder: Path) -> None:
    """A command line that its schema has not seen prints what the schema describes."""
    schema = json.loads((ROOT / "docs" / "schemas" / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(schemas.output(OTHERS[name], folder), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({}, schema)


def test_every_command_with_json_has_a_schema() -> None:
    """Where the help of an output option offers json, there is a schema, and the index leads to all of them."""
    written = {path.stem for path in (ROOT / "docs" / "schemas").glob("*.json")}
    assert written == {*schemas.COMMANDS}
    offering = {command.name for command in _below(COMMANDS) if _offers_json(command)}
    lacking = {name for name in offering if not any(f"{one}-".startswith(f"{_stem(name)}-") for one in written)}
    assert not lacking
    assert "docs/schemas)" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


def _stem(name: str) -> str:
    """The beginning of a schema's name: `check` writes what `compare` writes, all tracks of ROMIP the same."""
    return {"check": "compare", "audit run": "audit"}.get(
        name, "romip" if name.startswith("romip") else name.replace(" ", "-")
    )


def _below(command: Command) -> list[Command]:
    children = command.children().values() if command.is_group else ()
    return [command, *(one for child in children for one in _below(child))]


def _offers_json(command: Command) -> bool:
    flags = ("--output", "--report")
    offers = [one.offer("", ()) for one in command.parameters if {*flags} & {*one.flags} and one.offer]
    return any(name == "json" for offered in offers for name, _ in offered)
