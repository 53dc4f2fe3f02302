"""The demo: every step runs, twice in one folder, and leaves one page to show."""

from __future__ import annotations

import re
from pathlib import Path

from rankgauge.cli.commands.demo import PAGES, STEPS
from rankgauge.render.html import BoundPage, bind
from tests.program import rankgauge, unexpected


def test_the_demo_leaves_a_page_to_show(tmp_path: Path) -> None:
    """Every command is shown and runs, also where a demo was before; the page holds what each part found."""
    for _ in range(2):
        done = rankgauge(["demo", "here"], tmp_path)
        assert done.code == 0, done.err
        assert not unexpected(done.err)
    shown = [line for line in done.out.splitlines() if line.startswith("$ rankgauge ")]
    assert len(shown) == sum(len(step.commands) for step in STEPS)
    page = (tmp_path / "here" / "report.html").read_text(encoding="utf-8")
    assert page.count("<iframe") == len(PAGES)
    assert re.search(r"ERR@10 0\.\d{4} ± 0\.\d{4}", page)
    assert not re.search(r'(?:src|href)=(?:"|&quot;)https?:', page), "the page needs nothing from elsewhere"


def test_bound_pages_are_shown_as_they_are() -> None:
    """A page inside the file keeps its quotes and tags; words on the cover are words."""
    bound = bind("A & B", "hint", [BoundPage(name="one", question="<q>", finding="f", page='<p class="x">&amp;</p>')])
    assert "A &amp; B" in bound
    assert "&lt;q&gt;" in bound
    assert 'srcdoc="&lt;p class=&#34;x&#34;&gt;&amp;amp;&lt;/p&gt;"' in bound
