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
    """The document as a page."""
    return rendered("page.html", document=document, sections=list(_sections(document.passages)))


def bind(title: str, hint: str, pages: Sequence[BoundPage]) -> str:
    """One page with a tab for each; every page keeps its styles and scripts in a frame that the file itself holds."""
    return rendered("bound.html", title=title, hint=hint, pages=pages)


def rendered(template: str, **context: Any) -> str:
    """A template of `templates/`, filled."""
    return _environment().get_template(template).render(**context)


def table(block: ReportTable) -> Markup:
    """A table as a part of a page."""
    from markupsafe import Markup

    return Markup(getattr(_environment().get_template("passages.html").module, "table")(block))  # noqa: B009


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader

    made = Environment(loader=PackageLoader("rankgauge.render"), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    made.filters["grouped"] = _group
    return made


def _sections(passages: Iterable[Passage]) -> Iterator[tuple[Heading | None, list[Passage]]]:
    """The passages under each top-level heading."""
    heading, held = None, list[Passage]()
    for passage in passages:
        if isinstance(passage, Heading) and passage.level <= 2:
            if heading or held:
                yield heading, held
            heading, held = passage, []
        else:
            held.append(passage)
    yield heading, held


def _group(passages: Iterable[Passage]) -> Iterator[tuple[bool, list[Passage]]]:
    """The passages, with figures that follow each other together; one that is wide stays alone."""
    for beside, found in groupby(passages, _beside):
        yield beside, list(found)


def _beside(passage: Passage) -> bool:
    return isinstance(passage, Figure) and not getattr(passage.drawn, "wide", False)
