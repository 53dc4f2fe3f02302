"""Jobs: worked on side by side, done once, and whole after an interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rankgauge.labelling.simulations.jobs import ExperimentJob, run_jobs

JOBS = [ExperimentJob(name=f"job-{n}", settings={"n": n}) for n in range(5)]


def add(data: list[int], job: ExperimentJob) -> dict[str, int]:
    """The job's number more than the data's sum, and the process that did it."""
    return {"sum": sum(data) + job.settings["n"], "process": os.getpid()}


def fail(data: list[int], job: ExperimentJob) -> int:
    """The job's number; the third job fails."""
    if job.settings["n"] == 2:
        raise ValueError("two is too many")
    return int(job.settings["n"])


@pytest.mark.parametrize("workers", [1, 2])
def test_results(tmp_path: Path, workers: int) -> None:
    """Every job has its result, from the data that all share; progress is told from none to all."""
    told: list[int] = []
    found = run_jobs(JOBS, add, [1, 2], folder=tmp_path, workers=workers, progress=lambda n, of, name: told.append(n))
    assert [found[job.name]["sum"] for job in JOBS] == [3, 4, 5, 6, 7]
    assert told == [0, 1, 2, 3, 4, 5]
    processes = {result["process"] for result in found.values()}
    assert (os.getpid() in processes) == (workers == 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"job-{n}.json" for n in range(5)]


def test_done_once(tmp_path: Path) -> None:
    """A job whose file is there is not worked on again; one of other settings, or with a torn file, is."""
    run_jobs(JOBS, add, [1], folder=tmp_path, workers=1)
    (tmp_path / "job-1.json").write_text('{"key": "')
    changed = [*JOBS[:4], ExperimentJob(name="job-4", settings={"n": 40})]
    worked: list[str] = []

    def watched(data: list[int], job: ExperimentJob) -> int:
        worked.append(job.name)
        return 0

    found = run_jobs(changed, watched, [1], folder=tmp_path, workers=1)
    assert worked == ["job-1", "job-4"]
    assert found["job-0"]["sum"] == 1
    assert found["job-4"] == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_failures(tmp_path: Path, workers: int) -> None:
    """What goes wrong in a job is raised, and what was done before is kept."""
    with pytest.raises(ValueError, match="too many"):
        run_jobs(JOBS, fail, [], folder=tmp_path, workers=workers)
    assert JOBS[0].result(tmp_path) == 0
    assert JOBS[2].result(tmp_path) is None


SLOW = """
import sys, time
from pathlib import Path
from rankgauge.labelling.simulations.jobs import ExperimentJob, run_jobs

def work(data, job):
    time.sleep(0.05 if job.settings["n"] == 0 else 60)
    return 1

if __name__ == "__main__":
    jobs = [ExperimentJob(name=f"job-{n}", settings={"n": n}) for n in range(4)]
    try:
        run_jobs(jobs, work, None, folder=Path(sys.argv[1]), workers=2)
    except KeyboardInterrupt:
        sys.exit(130)
"""


def started(folder: Path) -> subprocess.Popen[bytes]:
    """A script in the middle of its work: the first job is done, two others take long."""
    (folder / "slow.py").write_text(SLOW)
    command = [sys.executable, str(folder / "slow.py"), str(folder / "out")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    limit = time.monotonic() + 40
    while not (folder / "out" / "job-0.json").exists() and time.monotonic() < limit:
        time.sleep(0.05)
    time.sleep(0.2)
    return process


def test_interruption(tmp_path: Path) -> None:
    """Ctrl-C ends the work and its processes at once, without a word, and leaves what was done."""
    process = started(tmp_path)
    os.killpg(process.pid, signal.SIGINT)  # a terminal tells the whole group
    output, _ = process.communicate(timeout=20)  # which ends when the last of them does
    assert (process.returncode, output) == (130, b"")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["job-0.json"]
    assert json.loads((tmp_path / "out" / "job-0.json").read_text())["result"] == 1


def test_processes_end_with_their_parent(tmp_path: Path) -> None:
    """No process goes on working for a parent that was killed."""
    process = started(tmp_path)
    process.kill()
    process.communicate(timeout=20)
