"""The jobs of a long experiment, run in parallel; each leaves its result in a file, so that nothing is done twice.

A job is done if its file exists and was made from the same settings, data and code. The file is written under another
name and then renamed, so an interruption never leaves half a file.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, TypeAlias

Work: TypeAlias = Callable[[Any, "ExperimentJob"], Any]
"""Computes a job's result, which must be JSON, from the data that all jobs share."""

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with how many jobs are done, of how many, and the name of the last one."""

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RANKGAUGE_THREADS")
"""What libraries of linear algebra, and our own kernels, read how many threads they may use from."""

HEARING = 0.2
"""Seconds between checks for Ctrl-C."""


def report_nothing(done: int, jobs: int, name: str) -> None:
    """Report nothing."""


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, kw_only=True)
class ExperimentJob:
    """A part of an experiment: its name, which also names its file, and everything that its result depends on."""

    name: str
    settings: Mapping[str, Any]

    @property
    def key(self) -> str:
        """A digest of the settings."""
        return hashlib.sha256(json.dumps(self.settings, sort_keys=True).encode()).hexdigest()

    def path(self, folder: Path) -> Path:
        """Return the file of its result."""
        return folder / f"{self.name}.json"

    def result(self, folder: Path) -> Any | None:
        """Return its result, or None if it is still to be done."""
        try:
            document = json.loads(self.path(folder).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        return document["result"] if isinstance(document, dict) and document.get("key") == self.key else None

    def finish(self, result: Any, folder: Path) -> None:
        """Write the result into the folder."""
        content = {"key": self.key, "settings": dict(self.settings), "result": result}
        new = folder / f"{self.name}.{os.getpid()}.new"
        new.write_text(json.dumps(content) + "\n", encoding="utf-8")
        new.replace(self.path(folder))


def run_jobs(
    jobs: Sequence[ExperimentJob],
    work: Work,
    data: Any,
    *,
    folder: Path | None,
    workers: int,
    progress: Progress = report_nothing,
) -> dict[str, Any]:
    """Return the result of each job by its name; jobs that the folder has results for are not run again."""
    with TemporaryDirectory() as passing:
        folder = folder or Path(passing)
        folder.mkdir(parents=True, exist_ok=True)
        open_jobs = [job for job in jobs if job.result(folder) is None]
        done = len(jobs) - len(open_jobs)
        progress(done, len(jobs), "")
        for count, job in enumerate(_do_jobs(open_jobs, work, data, folder, workers), start=done + 1):
            progress(count, len(jobs), job.name)
        return {job.name: job.result(folder) for job in jobs}


def _do_jobs(
    jobs: Sequence[ExperimentJob], work: Work, data: Any, folder: Path, workers: int
) -> Iterator[ExperimentJob]:
    """Yield the jobs, each when it is done."""
    if min(workers, len(jobs)) < 2:
        for job in jobs:
            job.finish(work(data, job), folder)
            yield job
        return
    with _one_thread_each(), _processes(min(workers, len(jobs)), (work, data, folder)) as pool:
        with _unheard():
            waiting = {pool.submit(_work, job): job for job in jobs}
        while waiting:
            # Short waits: with the handler that polars installs, a long wait would not notice Ctrl-C.
            for future in wait(waiting, timeout=HEARING, return_when=FIRST_COMPLETED).done:
                future.result()
                yield waiting.pop(future)


@contextmanager
def _unheard() -> Iterator[None]:
    """Blocks Ctrl-C: processes started meanwhile never receive it, even while they load their modules."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let the processes that are started compute with one thread: with more they would wait for each other.

    What the user has set stays.
    """
    ours = {name: "1" for name in THREADS if name not in os.environ}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            del os.environ[name]


@contextmanager
def _processes(workers: int, shared: tuple[Work, Any, Path]) -> Iterator[ProcessPoolExecutor]:
    """Processes that hold the data; if the work is interrupted, they end at once.

    They are spawned, not forked: a fork of a process with threads, such as those of polars, may hang for ever.
    """
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_begin, initargs=shared)
    try:
        yield pool
    except BaseException:
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        pool.shutdown(wait=True, cancel_futures=True)
        raise
    pool.shutdown()


_SHARED: tuple[Work, Any, Path] | None = None


def _begin(work: Work, data: Any, folder: Path) -> None:
    """Take what all jobs share. Only the parent handles Ctrl-C; when the parent is gone, the process ends."""
    global _SHARED
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _SHARED = work, data, folder


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _work(job: ExperimentJob) -> None:
    assert _SHARED is not None
    work, data, folder = _SHARED
    job.finish(work(data, job), folder)
