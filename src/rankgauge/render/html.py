"""Pages: a document as one HTML file that needs nothing from outside, and several such pages bound into one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rankgauge.render.format import ReportDocument
from rankgauge.render.passages import Figure, Heading, Passage
from rankgauge.render.table import ReportTable

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


@dataclass(frozen=True, kw_only=True)
class BoundPage:
    """A page to bind: what it is called, the question it answers, what it found, and itself."""

    name: str
    question: str
    finding: str
    page: str


def page(document: ReportDocument) -> str:
    """Return the document as a page."""
    return render("page.html", document=document, sections=list(_sections(document.passages)))


def bind(title: str, hint: str, pages: Sequence[BoundPage]) -> str:
    """One page with a tab for each; every page keeps its styles and scripts in a frame that the file itself holds."""
    return render("bound.html", title=title, hint=hint, pages=pages)


def render(template: str, **context: Any) -> str:
    """Return a template of `templates/`, filled."""
    return _environment().get_template(template).render(**context)


def table(block: ReportTable) -> Markup:
    """Return a table as a part of a page."""
    from markupsafe import Markup

    return Markup(getattr(_environment().get_template("passages.html").module, "table")(block))  # noqa: B009


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader

    made = Environment(loader=PackageLoader("rankgauge.render"), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    made.filters["grouped"] = lambda passages: [(beside, list(part)) for beside, part in groupby(passages, _beside)]
    return made


def _sections(passages: Iterable[Passage]) -> Iterator[tuple[Heading | None, list[Passage]]]:
    """Yield the passages under each top-level heading."""
    heading, held = None, list[Passage]()
    for passage in passages:
        if isinstance(passage, Heading) and passage.level <= 2:
            if heading or held:
                yield heading, held
            heading, held = passage, []
        else:
            held.append(passage)
    yield heading, held


def _beside(passage: Passage) -> bool:
    """Whether a passage is a figure that is set beside figures before and after it; one that is wide stays alone."""
    return isinstance(passage, Figure) and not getattr(passage.drawn, "wide", False)
