"""Files of another commit: git:REF:PATH is PATH as it is at REF, as in git:origin/main:runs/search.txt."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rankgauge.errors import InputError

PREFIX = "git:"
HOOK = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}
"""What git tells a hook."""


def is_git(path: Path) -> bool:
    """Whether this names a file of another commit."""
    return str(path).startswith(PREFIX) and str(path).count(":") > 1


@contextmanager
def checked_out(paths: list[Path]) -> Iterator[list[Path]]:
    """The paths, with a temporary copy in the place of each file of another commit; an error names the original."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        copies = {path: Path(folder, str(number)) / path.name for number, path in enumerate(paths) if is_git(path)}
        for path, copy in copies.items():
            copy.parent.mkdir()
            copy.write_bytes(_content(path))
        try:
            yield [copies.get(path, path) for path in paths]
        except InputError as error:
            origins = {str(copy): str(path) for path, copy in copies.items()}
            error.path = origins.get(str(error.path), error.path)
            raise


def _content(path: Path) -> bytes:
    """What git has; PATH is relative to the working directory, as that of any file is."""
    import subprocess

    # In a hook git says where the repository is, relative to another folder than this one.
    environment = {name: value for name, value in os.environ.items() if name not in HOOK}
    ref, _, name = str(path).removeprefix(PREFIX).partition(":")
    if ref.startswith("-") or not ref:
        raise InputError("expected git:REF:PATH, such as git:origin/main:runs/search.txt", path=path)
    inside = name if Path(name).is_absolute() else f"./{name}"
    try:
        done = subprocess.run(["git", "show", f"{ref}:{inside}"], capture_output=True, env=environment)
    except OSError as error:
        raise InputError(f"git cannot be started: {error.strerror}", path=path) from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise InputError(
            f"git does not have it: {said[0] if said else 'no reason given'}",
            path=path,
            hint="A shallow clone has one commit only: 'git fetch --unshallow', or fetch-depth: 0 in a workflow.",
        )
    return done.stdout
