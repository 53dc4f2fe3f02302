"""Markdown as HTML, as far as documents to judge need it: headings, lists, quotes, code, tables, emphasis, images.

What it gives is no page yet: `previews.py` rebuilds it like any HTML, so that nothing here has to be safe.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from itertools import groupby

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
_ITEM = re.compile(r"\s{0,8}(?:[-*+]|(\d{1,9})[.)])\s+(.*)$")
_QUOTE = re.compile(r"\s{0,3}>\s?(.*)$")
_RULE = re.compile(r"\s{0,3}(?:-{3,}|\*{3,}|_{3,})\s*$")
_ROW = re.compile(r"\s{0,3}\|(.*)\|\s*$")
_DIVIDER = re.compile(r"[\s|:-]+$")
_FENCE = "```"

_INLINE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"`([^`\n]{1,200})`"), r"<code>\1</code>"),
    (re.compile(r"!\[([^\]\n]{0,150})\]\(([^)\s]+)[^)\n]{0,300}\)"), r'<img alt="\1" src="\2">'),
    (re.compile(r"\[([^\]\n]{1,150})\]\([^)\n]{0,1000}\)"), r"<u>\1</u>"),
    (re.compile(r"\*\*([^*\n]{1,200})\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"(?<!\w)__([^_\n]{1,200})__(?!\w)"), r"<strong>\1</strong>"),
    (re.compile(r"\*([^*\s][^*\n]{0,200})\*"), r"<em>\1</em>"),
    (re.compile(r"(?<!\w)_([^_\s][^_\n]{0,200})_(?!\w)"), r"<em>\1</em>"),
)


def html_of(text: str) -> str:
    """The Markdown as HTML; a link keeps its words, not its address."""
    blocks = _fenced(text.splitlines())
    return "\n".join(made for code, lines in blocks for made in ([_code(lines)] if code else _blocks(lines)))


def _fenced(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """The lines outside and inside fences of code, in turns."""
    held, inside = list[str](), False
    for line in lines:
        if line.lstrip().startswith(_FENCE):
            yield inside, held
            held, inside = [], not inside
        else:
            held.append(line)
    yield inside, held


def _code(lines: list[str]) -> str:
    return f"<pre><code>{html.escape(chr(10).join(lines))}</code></pre>"


def _blocks(lines: list[str]) -> Iterator[str]:
    for kind, group in groupby(lines, key=_kind):
        yield _WRITERS[kind](list(group))


def _kind(line: str) -> str:
    """What a line is part of."""
    if not line.strip():
        return "blank"
    kinds = {"heading": _HEADING, "rule": _RULE, "item": _ITEM, "quote": _QUOTE, "row": _ROW}
    return next((kind for kind, pattern in kinds.items() if pattern.match(line)), "words")


def _inline(text: str) -> str:
    made = html.escape(text)
    for pattern, put in _INLINE:
        made = pattern.sub(put, made)
    return made


def _headings(lines: list[str]) -> str:
    found = [match for line in lines if (match := _HEADING.match(line))]
    return "".join(f"<h{len(one[1])}>{_inline(one[2])}</h{len(one[1])}>" for one in found)


def _items(lines: list[str]) -> str:
    found = [match for line in lines if (match := _ITEM.match(line))]
    tag = "ol" if found[0][1] else "ul"
    return f"<{tag}>{''.join(f'<li>{_inline(one[2])}</li>' for one in found)}</{tag}>"


def _quotes(lines: list[str]) -> str:
    words = " ".join(match[1] for line in lines if (match := _QUOTE.match(line)))
    return f"<blockquote>{_inline(words)}</blockquote>"


def _rows(lines: list[str]) -> str:
    cells = [line.strip().strip("|").split("|") for line in lines if not _DIVIDER.match(line)]
    headed = len(lines) > 1 and _DIVIDER.match(lines[1]) is not None
    rows = []
    for n, row in enumerate(cells):
        tag = "th" if headed and n == 0 else "td"
        rows.append("<tr>" + "".join(f"<{tag}>{_inline(cell.strip())}</{tag}>" for cell in row) + "</tr>")
    return f"<table>{''.join(rows)}</table>"


_WRITERS: dict[str, Callable[[list[str]], str]] = {
    "blank": lambda lines: "",
    "heading": _headings,
    "rule": lambda lines: "<hr>" * len(lines),
    "item": _items,
    "quote": _quotes,
    "row": _rows,
    "words": lambda lines: f"<p>{_inline(' '.join(lines))}</p>",
}
