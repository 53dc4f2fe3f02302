"""The pages that the site is built from: those of a folder, and the README as the first of them.

python -m rankgauge.report.site docs README.md build/docs
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

__all__ = ["collect", "main"]

INDEX = "index.md"


def collect(pages: Path, readme: Path, target: Path) -> list[Path]:
    """Copies the pages; what the README links to in their folder stands beside it on the site."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(pages, target)
    text = re.sub(rf"\]\({re.escape(pages.name)}/", "](", readme.read_text(encoding="utf-8"))
    (target / INDEX).write_text(re.sub(r"\[([^\]]+)\]\(LICENSE\)", r"\1", text), encoding="utf-8")
    return sorted(target.glob("*.md"))


def main() -> None:
    """The command: pages, README, target."""
    pages, readme, target = map(Path, sys.argv[1:4])
    print(f"{len(collect(pages, readme, target))} pages in {target}")


if __name__ == "__main__":
    main()
