"""The GitHub action and the pre-commit hook, run as shell commands in a scratch repository: pass, worse, undecided."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

FOLDER = ROOT / "integrations"
CONFIG = """judgments = "qrels.txt"
runs = {main = "git:main:run.txt", new = "run.txt"}
baseline = "main"
fail-if-worse = ["RULE"]
"""
CHANGES = {
    "pass": ("dense.txt", "nDCG@10:0.01"),
    "worse": ("short.txt", "AP"),
    "undecided": ("short.txt", "nDCG@10:0.01"),
}
"""By verdict, the run that replaces the one on the main branch, and the gate."""


def shell(command: list[str], cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Runs a command with this Python's programs, and without what a hook around the tests may have set."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    people = {
        f"GIT_{who}_{what}": "tester@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = kept | people | {"PATH": path, "GIT_CONFIG_GLOBAL": os.devnull} | more
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, encoding="utf-8")


@pytest.fixture(params=list(CHANGES))
def repository(request: pytest.FixtureRequest, folder: Path, tmp_path: Path) -> tuple[Path, str]:
    """A repository whose branch changes the run of the main branch, and the verdict that this deserves."""
    lines = (folder / "bm25.txt").read_text().splitlines(keepends=True)
    (folder / "short.txt").write_text("".join(line for line in lines if int(line.split()[3]) <= 8))
    subprocess.run(f"gzip -dc {folder}/dense.txt.gz > {folder}/dense.txt", shell=True, check=True)
    run, rule = CHANGES[request.param]
    made = tmp_path / "repository"
    made.mkdir()
    shutil.copy(folder / "qrels.txt", made)
    shutil.copy(folder / "bm25.txt", made / "run.txt")
    (made / "rankgauge.toml").write_text(CONFIG.replace("RULE", rule))
    for words in (["init", "-b", "main"], ["add", "."], ["commit", "-m", "main"], ["switch", "-c", "change"]):
        assert shell(["git", *words], made).returncode == 0
    shutil.copy(folder / run, made / "run.txt")
    return made, request.param


def steps(**inputs: str) -> list[tuple[str, dict[str, str]]]:
    """The commands of the action, each with its variables, as GitHub fills in the inputs."""
    action = yaml.safe_load((FOLDER / "github" / "action.yml").read_text(encoding="utf-8"))
    values = {name: one["default"] for name, one in action["inputs"].items()} | inputs
    fill = re.compile(r"\$\{\{ inputs\.(\w+) \}\}")
    return [
        (step["run"], {name: fill.sub(lambda found: values[found[1]], text) for name, text in step["env"].items()})
        for step in action["runs"]["steps"]
    ]


def test_the_action(repository: tuple[Path, str], tmp_path: Path) -> None:
    """The job fails for a worse run, and by choice for an undecided gate; summary and output say the verdict."""
    made, verdict = repository
    files = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "GITHUB_OUTPUT": str(tmp_path / "output")}
    codes = {}
    for undecided in ("pass", "fail"):
        for run, variables in steps(package="", undecided=undecided, outputs="report.html junit.xml"):
            done = shell(
                ["bash", "-e", "-o", "pipefail", "-c", run], made, RUNNER_TEMP=str(tmp_path), **files, **variables
            )
        codes[undecided] = done.returncode
    assert codes == {"pass": {"worse": 1}.get(verdict, 0), "fail": {"worse": 1, "undecided": 3}.get(verdict, 0)}
    judged, gate, _ = (tmp_path / "summary").read_text(encoding="utf-8").split("\n\n", 2)
    assert judged.startswith("Judged: ")
    assert gate == f"## Gate: {verdict}"
    told = f"verdict={verdict}\nsummary={tmp_path / 'rankgauge-summary.md'}\n"
    assert (tmp_path / "output").read_text() == told * 2
    assert (made / "report.html").is_file()
    failures = "1" if verdict == "worse" else "0"
    assert f'failures="{failures}"' in (made / "junit.xml").read_text(encoding="utf-8")


def test_an_error_is_no_verdict(repository: tuple[Path, str], tmp_path: Path) -> None:
    """A mistake in the file fails the job with its own code, and writes no verdict."""
    made, _ = repository
    (made / "rankgauge.toml").write_text(CONFIG.replace("RULE", "nDG@10"))
    run, variables = steps(package="")[-1]
    done = shell(
        ["bash", "-e", "-c", run], made, RUNNER_TEMP=str(tmp_path), GITHUB_OUTPUT=str(tmp_path / "o"), **variables
    )
    assert done.returncode == 2
    assert not (tmp_path / "o").exists()


def test_the_hook_of_git(repository: tuple[Path, str]) -> None:
    """git itself refuses the commit of a worse run, and of no other."""
    made, verdict = repository
    (made / ".git" / "hooks").mkdir(exist_ok=True)
    shutil.copy(FOLDER / "pre-commit" / "pre-commit", made / ".git" / "hooks" / "pre-commit")
    done = shell(["git", "commit", "-am", "change"], made)
    assert (done.returncode == 0) == (verdict != "worse"), done.stderr
    assert verdict in done.stdout + done.stderr
    assert shell(["git", "status", "--short"], made).stdout == (" M run.txt\n" if verdict == "worse" else "")


def test_the_hook_of_pre_commit(repository: tuple[Path, str]) -> None:
    """The entry of the example, as pre-commit runs it."""
    made, verdict = repository
    config = yaml.safe_load((FOLDER / "pre-commit" / "pre-commit-config.yaml").read_text(encoding="utf-8"))
    shell(["git", "add", "run.txt"], made)
    done = shell(["bash", "-c", config["repos"][0]["hooks"][0]["entry"]], made)
    assert (done.returncode == 0) == (verdict != "worse"), done.stderr


def test_the_example_uses_the_action() -> None:
    """The example fetches the baseline's branch, and names the action's folder and inputs that exist."""
    jobs = yaml.safe_load((FOLDER / "github" / "example-workflow.yml").read_text(encoding="utf-8"))["jobs"]
    checkout, _, check, comment = jobs["check"]["steps"]
    assert checkout["with"]["fetch-depth"] == 0
    assert check["uses"].startswith("rankgauge/rankgauge/integrations/github@")
    action = yaml.safe_load((FOLDER / "github" / "action.yml").read_text(encoding="utf-8"))
    assert check["with"].keys() <= action["inputs"].keys()
    assert f"steps.{check['id']}.outputs.summary" in comment["run"]
    assert "summary" in action["outputs"]


@pytest.mark.parametrize("repository", ["worse"], indirect=True)
def test_the_hook_judges_the_index(repository: tuple[Path, str], folder: Path) -> None:
    """A worse run that is staged is refused though the working tree is mended, and the other way round."""
    made, _ = repository
    hooks = made / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    shutil.copy(FOLDER / "pre-commit" / "pre-commit", hooks / "pre-commit")
    shell(["git", "add", "run.txt"], made)
    shutil.copy(folder / "dense.txt", made / "run.txt")
    refused = shell(["git", "commit", "-m", "worse"], made)
    assert refused.returncode == 1, refused.stdout
    assert "worse than main by more than luck" in refused.stdout + refused.stderr
    shell(["git", "add", "run.txt"], made)
    shutil.copy(folder / "short.txt", made / "run.txt")
    (made / "rankgauge.toml").write_text("broken = true")
    assert "pass against main" in (done := shell(["git", "commit", "-m", "better"], made)).stdout + done.stderr
    assert done.returncode == 0
