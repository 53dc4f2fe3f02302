"""The reference pages, written from the registries: `python -m rankgauge.reference.reference docs`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from rankgauge.reference.pages import cli, dialects, formats, measures, policies

NOTICE = "<!-- Made by `make docs` from the registries; edits here are lost. -->\n\n"

PAGES: Mapping[str, Callable[[], str]] = {
    "measures.md": measures.page,
    "dialects.md": dialects.page,
    "policies.md": policies.page,
    "cli.md": cli.page,
    "formats.md": formats.page,
}
PARTS: Mapping[str, Callable[[], str]] = {"measures": measures.overview, "dialects": dialects.overview}
"""The parts of the README between `<!-- name -->` and `<!-- /name -->`."""


def write(folder: Path) -> list[Path]:
    """The pages in the folder, and the parts in the README beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in PAGES]
    for path in paths:
        path.write_text(NOTICE + PAGES[path.name](), encoding="utf-8")
    readme = folder.parent / "README.md"
    if readme.exists():
        readme.write_text(filled(readme.read_text(encoding="utf-8")), encoding="utf-8")
        paths.append(readme)
    return paths


def filled(text: str) -> str:
    """The text with every marked part written again."""
    for name, part in PARTS.items():
        text = replaced(text, name, part())
    return text


def replaced(text: str, name: str, made: str) -> str:
    """The text with the part of that name, between `<!-- name -->` and `<!-- /name -->`, as it was made."""
    marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    return marked.sub(lambda found: f"{found[1]}\n{made}\n{found[2]}", text)


if __name__ == "__main__":
    for written in write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs")):
        print(written)
