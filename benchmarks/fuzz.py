"""Fuzzing of every reader with atheris, which changes files towards code that they have not reached.

    python -m benchmarks.fuzz [READER …] [--minutes 10] [--jobs 1]

Any bytes have to end in a result or in a RankGaugeError within bounded memory. What does not is written to
`out/fuzz/READER`, and is to become a test.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MEGABYTES = 2_000
LONGEST = 4_096
"""The largest file that is tried: small ones reach as much and are tried more often."""
OUT = Path("out/fuzz")
INSTRUMENTED = [
    "rankgauge.files",
    "rankgauge.labelling.label_formats",
    "rankgauge.labelling.pool_rows",
    "rankgauge.files",
]
INSTRUMENTED += ["rankgauge.training.ranker", "rankgauge.ranking.scan", "rankgauge.romip"]
"""Where new paths through the code count."""


def main() -> None:
    """Every reader in a process of its own, some at a time, and a table of what came of them."""
    from tests.fuzz.readers import readers

    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz")
    parser.add_argument("readers", nargs="*", default=sorted(readers()))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--jobs", type=int, default=1, help="readers at a time")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        _fuzz(given.readers[0], given.minutes * 60)
        return
    print("| reader | files tried | seconds | |\n|---|---:|---:|---|", flush=True)
    with ThreadPoolExecutor(given.jobs) as pool:
        ended = list(pool.map(lambda name: _ended(name, given.minutes), given.readers))
    sys.exit(0 if all(ended) else 1)


def _ended(name: str, minutes: float) -> bool:
    """Whether a reader, fuzzed in a process of its own, ended well; says so."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "benchmarks.fuzz", name, "--minutes", str(minutes), "--one"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    folder = OUT / name.replace(" ", "-")
    said = "no failure" if done.returncode == 0 else f"FAILED, see {folder}"
    print(f"| {name} | {_tried(done.stderr)} | {time.perf_counter() - started:.0f} | {said} |", flush=True)
    if done.returncode:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "log.txt").write_text(done.stderr)
    return done.returncode == 0


def _tried(log: str) -> str:
    """How many files libFuzzer says that it tried."""
    counts = [line.split("\t")[0].removeprefix("#").split()[0] for line in log.splitlines() if line.startswith("#")]
    return f"{int(counts[-1]):,}" if counts and counts[-1].isdigit() else "?"


def _fuzz(name: str, seconds: float) -> None:
    """One reader, until the time is over or something breaks."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from rankgauge.errors import RankGaugeError
        from tests.fuzz.readers import readers
    reader = readers()[name]
    folder = OUT / name.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        corpus, path = Path(scratch) / "corpus", Path(scratch) / reader.name
        corpus.mkdir()
        (corpus / "sound").write_bytes(reader.sound)

        def one(content: bytes) -> None:
            path.write_bytes(content)
            with contextlib.suppress(RankGaugeError):
                reader.read(path)

        options = [f"-max_total_time={int(seconds)}", f"-max_len={LONGEST}", f"-rss_limit_mb={MEGABYTES}"]
        options += [f"-artifact_prefix={folder}/", "-timeout=30", "-print_final_stats=1"]
        atheris.Setup([sys.argv[0], *options, str(corpus)], one)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
