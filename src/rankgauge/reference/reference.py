"""The parts of reference pages that registries give, written anew: `python -m rankgauge.reference.reference docs`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from rankgauge.reference import parts
from rankgauge.reference.api import describe_names

PAGES: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "measures.md": {"names": parts.list_other_names, "measures": parts.list_measures},
    "dialects.md": {"dialects": parts.list_dialects},
    "policies.md": {"policies": parts.list_policies, "rules": parts.list_rules},
    "cli.md": {"commands": parts.list_commands},
    "api.md": {"names": describe_names},
    "formats.md": {"formats": parts.list_formats},
}
"""By page the parts between marks of that name; the rest of a page is written by people."""


def update(name: str, text: str) -> str:
    """Return the text of a page with its parts made anew."""
    for part, make in PAGES[name].items():
        text = replace_part(text, part, make().strip("\n") + "\n")
    return text


def replace_part(text: str, name: str, made: str) -> str:
    """Return the text with the part of that name, between `<!-- name -->` and `<!-- /name -->`, as it was made."""
    marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    return marked.sub(lambda found: f"{found[1]}\n{made}\n{found[2]}", text)


if __name__ == "__main__":
    for path in (Path(sys.argv[1] if len(sys.argv) > 1 else "docs") / name for name in PAGES):
        path.write_text(update(path.name, path.read_text(encoding="utf-8")), encoding="utf-8")
        print(path)
