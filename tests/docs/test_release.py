"""What a release says about itself: one version everywhere, a complete citation, links that work on PyPI."""

from __future__ import annotations

import re

import pytest
import yaml

import rankgauge
from tests.docs.blocks import ROOT, links
from tools.pypi_readme import with_full_links


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_there_is_one_version() -> None:
    """The changelog's newest section, the citation, the README and the security policy name the package's version."""
    assert re.findall(r"^## (\S+)", text("CHANGELOG.md"), re.MULTILINE)[0] == rankgauge.__version__
    assert re.findall(r"^version: (.+)$", text("CITATION.cff"), re.MULTILINE) == [rankgauge.__version__]
    assert f"version = {{{rankgauge.__version__}}}" in text("README.md")
    assert f"| {rankgauge.__version__.rpartition('.')[0]}.x | yes |" in text("SECURITY.md")


def test_the_citation_is_complete() -> None:
    """CITATION.cff has the fields that CFF 1.2 requires, for the software and for each paper."""
    citation = yaml.safe_load(text("CITATION.cff"))
    assert citation["cff-version"] == "1.2.0"
    assert citation.keys() >= {"message", "title", "authors", "type", "version", "date-released"}
    assert len(citation["references"]) >= 4
    for reference in citation["references"]:
        assert reference.keys() >= {"type", "title", "authors", "year"}


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_links_lead_to_files(name: str) -> None:
    """Every relative link of a page beside the README leads to a file."""
    for target in links(text(name)):
        assert (ROOT / target).exists(), target


def test_the_readme_works_on_pypi() -> None:
    """PyPI has no other file of the repository: every link of the README as it is published is a full address."""
    published = with_full_links(text("README.md"))
    assert links(published) == []
    assert "](https://github.com/rankgauge/rankgauge/blob/main/docs/tutorial.md)" in published
    assert "](https://raw.githubusercontent.com/rankgauge/rankgauge/main/docs/images/audit.svg)" in published
