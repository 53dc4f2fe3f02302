"""The site is built from the pages without a warning, and loads nothing from elsewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rankgauge.reference.site import collect
from tests.docs.blocks import ROOT


def test_the_site_is_built(tmp_path: Path) -> None:
    """Every page is in the site's contents, every link leads somewhere, and no page asks another host for anything."""
    pytest.importorskip("mkdocs", reason="mkdocs is not installed")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    pages = collect(ROOT / "docs", ROOT / "README.md", tmp_path / "build" / "docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    made = {path.stem for path in (tmp_path / "site").glob("*.html")}
    assert made >= {page.stem for page in pages}
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert [page.name for page in pages if page.name not in listed] == []
    for path in (tmp_path / "site").glob("*.html"):
        fetched = re.findall(
            r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', path.read_text(encoding="utf-8")
        )
        assert fetched == [], path.name
