"""Parts of a long experiment, worked on side by side; each leaves its result as a file, so that nothing is done twice.

A job is done when its file is there and was made from the same settings, data and code. The file is written beside its
place and then put there: what an interruption leaves is whole.
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
from threading import Thread
from typing import Any, TypeAlias

__all__ = ["ExperimentJob", "Progress", "run_jobs", "untold"]

Work: TypeAlias = Callable[[Any, "ExperimentJob"], Any]
"""Makes a job's result, which can be written as JSON, from the data that all jobs share."""

Progress: TypeAlias = Callable[[int, int, str], None]
"""Told how many jobs are done, of how many, and the name of the one that was done last."""

HEARING = 0.2
"""Seconds between looks for Ctrl-C."""


def untold(done: int, jobs: int, name: str) -> None:
    """Tells nobody."""


@dataclass(frozen=True, kw_only=True)
class ExperimentJob:
    """A part of an experiment: its name, which is its file's too, and all that its result depends on."""

    name: str
    settings: Mapping[str, Any]

    @property
    def key(self) -> str:
        """A digest of the settings."""
        return hashlib.sha256(json.dumps(self.settings, sort_keys=True).encode()).hexdigest()

    def path(self, folder: Path) -> Path:
        """Where its result lies."""
        return folder / f"{self.name}.json"

    def result(self, folder: Path) -> Any | None:
        """Its result, None where it is still to be worked on."""
        try:
            found = json.loads(self.path(folder).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        return found["result"] if isinstance(found, dict) and found.get("key") == self.key else None

    def finish(self, result: Any, folder: Path) -> None:
        """Leaves the result in the folder."""
        content = {"key": self.key, "settings": dict(self.settings), "result": result}
        new = folder / f"{self.name}.{os.getpid()}.new"
        new.write_text(json.dumps(content) + "\n", encoding="utf-8")
        new.replace(self.path(folder))


def run_jobs(
    jobs: Sequence[ExperimentJob], work: Work, data: Any, *, folder: Path, workers: int = 2, progress: Progress = untold
) -> dict[str, Any]:
    """The result of each job by its name; those that the folder has are not worked on again."""
    folder.mkdir(parents=True, exist_ok=True)
    open_jobs = [job for job in jobs if job.result(folder) is None]
    done = len(jobs) - len(open_jobs)
    progress(done, len(jobs), "")
    for count, job in enumerate(_worked(open_jobs, work, data, folder, workers), start=done + 1):
        progress(count, len(jobs), job.name)
    return {job.name: job.result(folder) for job in jobs}


def _worked(
    jobs: Sequence[ExperimentJob], work: Work, data: Any, folder: Path, workers: int
) -> Iterator[ExperimentJob]:
    """The jobs as they are done."""
    if min(workers, len(jobs)) < 2:
        for job in jobs:
            job.finish(work(data, job), folder)
            yield job
        return
    with _processes(min(workers, len(jobs)), (work, data, folder)) as pool:
        with _unheard():
            waiting = {pool.submit(_work, job): job for job in jobs}
        while waiting:
            # In short waits: with the handler that polars sets for Ctrl-C, a long one would not hear of it.
            for future in wait(waiting, timeout=HEARING, return_when=FIRST_COMPLETED).done:
                future.result()
                yield waiting.pop(future)


@contextmanager
def _unheard() -> Iterator[None]:
    """Ctrl-C waits: a process that is started meanwhile never hears of it, also while it still loads its modules."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _processes(workers: int, shared: tuple[Work, Any, Path]) -> Iterator[ProcessPoolExecutor]:
    """Processes that have the data; where the work is interrupted, they end at once.

    They start afresh: a copy of a process with threads, as polars has, may stand still for ever.
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
    """Takes what all jobs share. Ctrl-C is for the parent to hear; when the parent is gone, so is the work."""
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
