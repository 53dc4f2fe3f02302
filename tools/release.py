"""Builds the package, checks its metadata, and tries the wheel on every supported Python of this machine.

Each Python gets an empty environment outside the repository, with the wheel and whatever pip finds for it: first the
wheel alone, then with all extras. `rankgauge demo` must run in both. Nothing is uploaded.

    python tools/release.py
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
OLDEST = (3, 11)
EXTRAS = ("", "[all]")


def main() -> None:
    """The whole check; it stops at the first failure."""
    wheel = build()
    pythons = supported_pythons()
    print("Pythons found:", ", ".join(pythons), flush=True)
    for version, python in pythons.items():
        try_wheel(wheel, version, python)
    print(f"\nReady to publish: twine upload {DIST.name}/*")


def build() -> Path:
    """The wheel. It is made from the source archive, so that the archive is known to be complete."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT))
    run(sys.executable, "-m", "twine", "check", "--strict", *map(str, sorted(DIST.iterdir())))
    (wheel,) = DIST.glob("*.whl")
    return wheel


def supported_pythons() -> dict[str, str]:
    """The newest interpreter of each supported minor version, from PATH and from pyenv."""
    folders = [Path(folder) for folder in os.get_exec_path()]
    folders += sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin"))
    found: dict[tuple[int, ...], str] = {}
    for folder in folders:
        for path in folder.glob("python3.*"):
            if re.fullmatch(r"python3\.\d+", path.name) and (version := version_of(path)) >= OLDEST:
                found.setdefault(version, str(path))
    newest = {version[:2]: version for version in sorted(found)}
    return {".".join(map(str, version)): found[version] for version in newest.values()}


def version_of(python: Path) -> tuple[int, ...]:
    """Its version; empty if it does not start (pyenv's shims do not for every version) or cannot make environments."""
    code = "import ensurepip, venv, sys; print(*sys.version_info[:3])"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True)
    except OSError:
        return ()
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else ()


def try_wheel(wheel: Path, version: str, python: str) -> None:
    """Installs the wheel without and with the extras, and runs the demo each time."""
    with tempfile.TemporaryDirectory(prefix="rankgauge-release-") as name:
        folder = Path(name)
        run(python, "-m", "venv", str(folder / "venv"))
        programs = folder / "venv" / "bin"
        for extras in EXTRAS:
            run(
                str(programs / "python"),
                "-m",
                "pip",
                "install",
                "-q",
                "--disable-pip-version-check",
                f"{wheel}{extras}",
            )
            told = run(str(programs / "rankgauge"), "demo", cwd=folder)
            assert (folder / "out" / "demo" / "report.html").exists(), told
            assert not extras or "left out" not in told, told
            print(f"Python {version}: the demo runs with rankgauge{extras}", flush=True)


def run(*command: str, cwd: Path = ROOT) -> str:
    """What the command prints; it sees neither the repository nor another environment."""
    hidden = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
