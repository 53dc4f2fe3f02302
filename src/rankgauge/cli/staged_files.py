"""Files as they are staged, in git's index: what a commit will hold, whatever the working tree looks like by now."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rankgauge.cli.git_files import is_git, run_git
from rankgauge.cli.project import ProjectFile
from rankgauge.errors import InputError
from rankgauge.input_notes import note


@contextmanager
def staged_project(path: Path) -> Iterator[ProjectFile]:
    """Give the project's file as it is staged, in a temporary copy of its folder with the staged files that it names.

    Files that git does not track are taken as they are, with a note.
    """
    import tempfile

    folder = path.resolve().parent
    top = Path(_asked("rev-parse", "--show-toplevel", folder=folder))
    with tempfile.TemporaryDirectory() as made:
        root, part = Path(made).resolve(), folder.relative_to(top)
        (root / part).mkdir(parents=True, exist_ok=True)
        # The copy is a second working tree of the same repository: git:REF:PATH is read there as it is here.
        (root / ".git").write_text(f"gitdir: {_asked('rev-parse', '--absolute-git-dir', folder=folder)}\n")
        _copy(path.name, top, root, part)
        project = ProjectFile.read(root / part / path.name)
        for name in project.files():
            _copy(name, top, root, part)
        yield project


def _copy(name: str, top: Path, root: Path, part: Path) -> None:
    """Write one staged file, or all of a folder, into the copy; link to it where git does not track it.

    `top` and `root` are the working tree and its copy, `part` is the folder of the project's file in them.
    """
    folder = top / part
    if is_git(Path(name)) or Path(name).is_absolute():
        return
    name = name.rpartition("#")[0] if not (folder / name).exists() and "#" in name else name
    listed = run_git("ls-files", "-z", "--", name, folder=folder, env=_index(top)).stdout
    if listed:
        words = ("checkout-index", "--force", "--stdin", "-z", f"--prefix={root}/")
        done = run_git(*words, folder=folder, env=_index(top), input=listed)
        if done.returncode:
            raise InputError(f"git cannot give it: {done.stderr.decode(errors='replace').strip()}", path=name)
    elif (folder / name).exists():
        note("git does not track it: the file of the working tree is taken", name)
        linked = root / part / name
        linked.parent.mkdir(parents=True, exist_ok=True)
        linked.symlink_to(folder / name)


def _index(top: Path) -> dict[str, str]:
    """The index that git tells a hook: `git commit -a` and `git commit FILE` have one of their own."""
    return {"GIT_INDEX_FILE": str(top / told)} if (told := os.environ.get("GIT_INDEX_FILE")) else {}


def _asked(*words: str, folder: Path) -> str:
    """Ask git one thing."""
    done = run_git(*words, folder=folder)
    if done.returncode:
        raise InputError(
            "is in no repository of git, so that nothing is staged", path=folder, hint="Leave out --staged."
        )
    return os.fsdecode(done.stdout).rstrip("\n")
