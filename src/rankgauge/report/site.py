"""The pages that the site is built from: those of a folder, and the README as the first of them.

Formulas become MathML here, which browsers draw without a script; in the folder they stay as GitHub shows them.

python -m rankgauge.report.site docs README.md build/docs
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from rankgauge.report.mathml import mathml

__all__ = ["collect", "drawn", "main"]

INDEX = "index.md"

_CODE_OR_FORMULA = re.compile(
    r"^```.*?^```$|`[^`\n]+`|^\$\$\n(?P<block>.+?)\n\$\$$|(?<![\w$])\$(?P<line>[^$\s](?:[^$\n`]*[^$\s])?)\$(?![\w$])",
    re.DOTALL | re.MULTILINE,
)


def collect(pages: Path, readme: Path, target: Path) -> list[Path]:
    """Copies the pages; what the README links to in their folder stands beside it on the site."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(pages, target)
    text = re.sub(rf"\]\({re.escape(pages.name)}/", "](", readme.read_text(encoding="utf-8"))
    (target / INDEX).write_text(re.sub(r"\[([^\]]+)\]\(LICENSE\)", r"\1", text), encoding="utf-8")
    found = sorted(target.glob("*.md"))
    for page in found:
        page.write_text(drawn(page.read_text(encoding="utf-8")), encoding="utf-8")
    return found


def drawn(text: str) -> str:
    """The page with its formulas as MathML; code is left as it is."""

    def element(found: re.Match[str]) -> str:
        if found["block"]:
            return mathml(found["block"], block=True)
        return mathml(found["line"]) if found["line"] else found[0]

    return _CODE_OR_FORMULA.sub(element, text)


def main() -> None:
    """The command: pages, README, target."""
    pages, readme, target = map(Path, sys.argv[1:4])
    print(f"{len(collect(pages, readme, target))} pages in {target}")


if __name__ == "__main__":
    main()
