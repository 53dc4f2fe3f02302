"""The map in docs/design.md is the package's: its folders, and the rooms where one file adds something."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import rankgauge
from rankgauge.registry import Registry
from tests.docs.blocks import ROOT
from tests.test_registry import NOVELTIES

PACKAGE = Path(rankgauge.__file__).parent
DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    """The cells of the table under a heading, without its head."""
    rows = [
        line for line in DESIGN.partition(f"## {heading}\n")[2].partition("\n## ")[0].splitlines() if line[:1] == "|"
    ]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def paths(cell: str) -> list[str]:
    """The files and folders that a cell names."""
    return re.findall(r"`([\w/.]+)`", cell)


def registries() -> dict[str, tuple[str, Registry[object]]]:
    """Every registry of the package that has a room: its rooms' folders, and the module that makes it."""
    found: dict[str, tuple[str, Registry[object]]] = {}
    for module in pkgutil.walk_packages([str(PACKAGE)], "rankgauge."):
        if "Registry(" not in _source(module.name):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Registry):
                for room in value.rooms:
                    found[room.removeprefix("rankgauge.").replace(".", "/") + "/"] = (module.name, value)
    return found


def _source(module: str) -> str:
    path = PACKAGE.parent / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file.read_text(encoding="utf-8")


def test_the_map_is_complete() -> None:
    """Every folder and module of the package is in the map, and nothing else is."""
    named = [path.rstrip("/") for cells in table("The map") for path in paths(cells[0])]
    there = {path.name for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert sorted(named) == sorted(there - {"__init__.py"})


@pytest.mark.parametrize("page", ["design.md", "extending.md"])
def test_files_that_a_page_names_are_there(page: str) -> None:
    """A folder or file of the package that is named in backticks exists."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    named = {path for path in re.findall(r"`([a-z_]+/[\w/]+(?:\.py|/))`", text) if path.partition("/")[0] in folders}
    assert len(named) > 5
    assert not {path for path in named if not (PACKAGE / path).exists()}


def test_every_room_is_listed() -> None:
    """The rooms where one file adds something are the rooms of the registries, no more and no fewer."""
    listed = [room for cells in table("What you can add with one file") for room in paths(cells[2])]
    assert sorted(listed) == sorted(registries())


@pytest.mark.parametrize("cells", table("What you can add with one file"), ids=lambda cells: cells[0])
def test_the_room_is_its_registrys(cells: list[str]) -> None:
    """The file named as the contract makes the registry, and the registry finds something in each of its rooms."""
    (contract,) = paths(cells[1])
    known = registries()
    for room in paths(cells[2]):
        module, registry = known[room]
        assert module == f"rankgauge.{contract.removesuffix('.py').replace('/', '.')}"
        assert any(True for _ in pkgutil.iter_modules([str(PACKAGE / room)]))
        assert len(registry) > 0


@pytest.mark.parametrize("cells", table("What you can add with one file"), ids=lambda cells: cells[0])
def test_one_file_is_tried(cells: list[str]) -> None:
    """Of every kind in the table, `tests/test_registry.py` adds one by a file and looks for it at the command line."""
    tried = {novelty.room.removeprefix("rankgauge.").replace(".", "/") + "/" for novelty in NOVELTIES.values()}
    assert tried & set(paths(cells[2]))


def test_no_two_classes_share_a_name() -> None:
    """A class is found by its name: no other class of the package has it, and no module is called `base` or `utils`."""
    files = list(PACKAGE.rglob("*.py"))
    homes: dict[str, list[str]] = {}
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(str(file.relative_to(PACKAGE)))
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}
    assert not {"base", "utils", "helpers", "common"} & {file.stem for file in files}
