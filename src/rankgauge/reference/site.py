"""The pages that the site is built from: those of a folder, with parts of the README where the index asks for them.

Formulas become MathML here, which browsers draw without a script; in the folder they stay as GitHub shows them.

python -m rankgauge.reference.site docs README.md build/docs
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from rankgauge.render.formulas import mathml

INDEX = "index.md"

_INCLUDED = re.compile(r"^<!-- readme: (\w+) -->$", re.MULTILINE)
"""Where the index shows a part of the README."""

_PARTS = re.compile(
    r"""
    ^```.*?^```$ | ^[ ]{4}[^\n]* | `[^`\n]+`                             # code
    | ^\$\$\n(?P<block>.+?)\n\$\$$                                       # a formula by itself
    | (?<![\w$]) \$(?P<line>[^$\s](?:[^$\n`]*[^$\s])?)\$ (?![\w$])       # a formula in a line
    | (?P<gap>(?<=\d)[ ](?=[%×±]) | (?<=±)[ ](?=\d))                     # 80 %, 0.3 ± 0.1
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)


def collect(pages: Path, readme: Path, target: Path) -> list[Path]:
    """Copy the pages, and put the marked parts of the README into the index, with links that lead from there."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(pages, target)
    text = re.sub(rf"\]\({re.escape(pages.name)}/", "](", readme.read_text(encoding="utf-8"))
    index = (target / INDEX).read_text(encoding="utf-8")

    def cut_part(part: re.Match[str]) -> str:
        """Return the part of the README between `<!-- name -->` and `<!-- /name -->`."""
        return text.partition(f"<!-- {part[1]} -->\n")[2].partition(f"<!-- /{part[1]} -->")[0].strip("\n")

    (target / INDEX).write_text(_INCLUDED.sub(cut_part, index), encoding="utf-8")
    copies = sorted(target.glob("*.md"))
    for page in copies:
        page.write_text(draw_formulas(page.read_text(encoding="utf-8")), encoding="utf-8")
    return copies


def draw_formulas(text: str) -> str:
    """Draw a page's formulas as MathML, and keep numbers together at the ends of lines; code is left as it is."""

    def element(part: re.Match[str]) -> str:
        if part["block"]:
            return mathml(part["block"], block=True)
        if part["gap"]:
            return "\u00a0"
        # Markdown takes an element <math> at the beginning of a paragraph for a block of its own, but never a <span>.
        return f"<span>{mathml(part['line'])}</span>" if part["line"] else part[0]

    return _PARTS.sub(element, text)


def main() -> None:
    """Run the command: pages, README, target."""
    pages, readme, target = map(Path, sys.argv[1:4])
    print(f"{len(collect(pages, readme, target))} pages in {target}")


if __name__ == "__main__":
    main()
