"""trec_eval itself: that of $TREC_EVAL, that of the path, or the one that pyserini's archive on PyPI holds.

`python -m benchmarks.trec_eval` downloads that archive (160 MB) and keeps the program; nothing else downloads anything.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from functools import cache
from pathlib import Path

__all__ = ["build", "fetch", "program"]

KEPT = Path(__file__).parent / "data" / "trec_eval"
BUILDS = {
    ("Linux", "x86_64"): "linux-amd64",
    ("Darwin", "arm64"): "macosx-aarch64",
    ("Darwin", "x86_64"): "macosx-x86_64",
}
"""By system and machine, the build in the archive."""


@cache
def program() -> str | None:
    """The program; None where it is neither named, nor on the path, nor fetched."""
    named = os.environ.get("TREC_EVAL") or shutil.which("trec_eval")
    return named or next((str(path) for path in sorted(KEPT.glob("*/trec_eval"))), None)


@cache
def build() -> str:
    """The version of the program, and where its build comes from."""
    found = program()
    if found is None:
        return "trec_eval itself is not on this machine: $TREC_EVAL may name it, and make bench downloads it"
    done = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
    version = (done.stdout + done.stderr).strip().rpartition(" ")[2]
    path = Path(found)
    source = (
        f"the build of {path.parent.name}" if path.is_relative_to(KEPT) else f"a build of this machine, {path.name}"
    )
    return f"trec_eval {version}, {source}"


def fetch() -> str | None:
    """Downloads the program unless there is one; None where the archive has none for this machine."""
    machine = BUILDS.get((platform.system(), platform.machine()))
    if program() is not None or machine is None:
        return program()
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--dest", folder, "pyserini"], check=True)
        (archive,) = Path(folder).iterdir()
        made = KEPT / f"pyserini-{_version_of(archive)}-{machine}" / "trec_eval"
        made.parent.mkdir(parents=True)
        made.write_bytes(_member(archive, f"trec_eval/trec_eval-{machine}"))
    made.chmod(0o755)
    program.cache_clear()
    return program()


def _version_of(archive: Path) -> str:
    """The version in the name of an archive, `pyserini-1.6.0.tar.gz` or a wheel."""
    return archive.name.removesuffix(".tar.gz").split("-")[1]


def _member(archive: Path, name: str) -> bytes:
    """A file of the jar that the archive holds."""
    with tempfile.TemporaryFile() as jar:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as packed:
                (inside,) = [one for one in packed.namelist() if one.endswith(".jar")]
                with packed.open(inside) as stream:
                    shutil.copyfileobj(stream, jar)
        else:
            with tarfile.open(archive) as packed:
                (inside,) = [one for one in packed.getnames() if one.endswith(".jar")]
                stream = packed.extractfile(inside)
                assert stream is not None
                with stream:
                    shutil.copyfileobj(stream, jar)
        with zipfile.ZipFile(jar) as classes:
            return classes.read(name)


if __name__ == "__main__":
    fetch()
    print(build())
