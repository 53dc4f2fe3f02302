"""The reference pages, written from the registries: `python -m rankgauge.reference.reference docs`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from rankgauge.reference.pages import api, cli, dialects, formats, measures, policies

NOTICE = "<!-- Made by `make docs` from the registries; edits here are lost. -->\n\n"

PAGES: Mapping[str, Callable[[], str]] = {
    "measures.md": measures.page,
    "dialects.md": dialects.page,
    "policies.md": policies.page,
    "cli.md": cli.page,
    "api.md": api.page,
    "formats.md": formats.page,
}


def write(folder: Path) -> list[Path]:
    """Write the pages into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in PAGES]
    for path in paths:
        path.write_text(NOTICE + PAGES[path.name](), encoding="utf-8")
    return paths


def replaced(text: str, name: str, made: str) -> str:
    """The text with the part of that name, between `<!-- name -->` and `<!-- /name -->`, as it was made."""
    marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    return marked.sub(lambda found: f"{found[1]}\n{made}\n{found[2]}", text)


if __name__ == "__main__":
    for written in write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs")):
        print(written)
