"""The README as PyPI shows it: its links lead to the repository, since PyPI has no other file of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

FILES = "https://github.com/rankgauge/rankgauge/blob/main/"
IMAGES = "https://raw.githubusercontent.com/rankgauge/rankgauge/main/"


class ReadmeHook(MetadataHookInterface):
    """Called by hatchling whenever it builds the package's metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fills in the field `readme`, which pyproject.toml declares dynamic."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": with_full_links(text)}


def with_full_links(text: str) -> str:
    """The page with each relative link as a full address."""
    return re.sub(
        r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)",
        lambda link: f"{link[1]}[{link[2]}]({IMAGES if link[1] else FILES}{link[3]})",
        text,
    )
