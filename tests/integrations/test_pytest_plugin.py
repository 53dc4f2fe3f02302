"""The plugin for pytest, and measures that other packages add by entry points."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from rankgauge.errors import UnknownNameError
from rankgauge.measures import Measure, parse
from rankgauge.registry import Registry
from tests.docs.blocks import ROOT

TESTS = """
JUDGED = {f"q{n}": {"a": 1, "b": 0} for n in range(12)}
GOOD = {query: {"a": 2.0, "b": 1.0} for query in JUDGED}
BAD = {query: {"a": 1.0, "b": 2.0 if query != "q3" else 0.5} for query in JUDGED}

def test_better(assert_ranking):
    assert_ranking(JUDGED, GOOD, baseline=BAD, rules="RR")

def test_worse(assert_ranking):
    assert_ranking(JUDGED, BAD, baseline=GOOD, rules=["RR:0.01"])

def test_floor(assert_ranking):
    assert_ranking(JUDGED, BAD, floors={"RR": 0.6})

def test_no_baseline(assert_ranking):
    assert_ranking(JUDGED, BAD, rules=["RR"])
"""


def test_assert_ranking(tmp_path: Path) -> None:
    """A worse run and one below a floor fail their tests and say why; each gate is a property in the JUnit file."""
    (tmp_path / "test_search.py").write_text(TESTS, encoding="utf-8")
    words = [
        "-c",
        os.devnull,  # no settings of a folder above
        "-W",
        "error::pytest.PytestWarning",
        "-p",
        "rankgauge.integrations.pytest",
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
        "-q",
        "--junitxml=junit.xml",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    assert "3 failed" in done.stdout
    assert "needs a baseline" in done.stdout
    cases = ElementTree.parse(tmp_path / "junit.xml").iter("testcase")
    said = {case.get("name"): [one.get("value") for one in case.iter("property")] for case in cases}
    assert said["test_better"][0].startswith("pass: RR +0.4583 [")
    assert said["test_worse"][0].startswith("worse: RR -0.4583 [")
    assert said["test_floor"] == ["worse: RR 0.5417, at least 0.6"]


def test_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that an entry point names is imported when a name is unknown, once, and its things are known then."""
    registry: Registry[str] = Registry("thing", entry="rankgauge.things")
    loads: list[str] = []

    class Point:
        def load(self) -> None:
            loads.append("loaded")
            registry.add("value", "theirs")

    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda group: [Point()] if group == "rankgauge.things" else []
    )
    assert registry.find("theirs") == "value"
    with pytest.raises(UnknownNameError):
        registry.find("nobodys")
    assert loads == ["loaded"]
    assert isinstance(parse("nDCG@10"), Measure)


def test_recipes_name_what_the_package_needs() -> None:
    """The conda recipe has the version and the dependencies of the package; compose names services that exist."""
    import tomllib

    import rankgauge

    recipe = yaml.safe_load((ROOT / "integrations/conda/meta.yaml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert recipe["package"]["version"] == rankgauge.__version__
    needed = {line.replace(" ", "") for line in recipe["requirements"]["run"]}
    assert needed == {*project["dependencies"], f"python{project['requires-python']}"}
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    assert set(compose["services"]["room"]["depends_on"]) < set(compose["services"])
    copied = [
        line.split()[1:-1] for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines() if line[:5] == "COPY "
    ]
    assert all((ROOT / name).exists() for names in copied for name in names if not name.startswith(("--", "/")))
