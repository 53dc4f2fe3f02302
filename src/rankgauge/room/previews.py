"""Documents as assessors see them: HTML and Markdown as a page for a sandboxed frame, images, and marked words.

Three things keep a document harmless, each by itself: nh3 leaves only the elements and attributes that are named here,
the frame is a sandbox in which no script runs, and its policy loads nothing but images that are part of the pool or
come from an allowed address. Pages are made in a process with limits, so that no document keeps the others waiting.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from rankgauge.room.sandbox import Sandbox, SandboxBusyError, SandboxError

LONGEST = 500_000
"""Of a longer document the rest is left out."""

LONGEST_MARKDOWN = 60_000
"""Of longer Markdown, which takes longer to read, the rest is left out."""

LONGEST_UNLAID = 50_000
"""Of a longer document that is shown as text, since making its page takes too long, the rest is left out."""

DEEPEST = 200
"""A document is cut where more elements than that are open: reading them takes as long as their depth squared."""

SECONDS, MEGABYTES = 5.0, 256
"""What making a page may take: time, and memory."""

_BLOCKS = "article aside blockquote div dd dl dt figcaption figure footer header hr li main ol p pre section ul"
_HEADINGS = "h1 h2 h3 h4 h5 h6"
_TABLES = "caption table tbody td tfoot th thead tr"
_WORDS = "a abbr b br cite code del em i ins kbd mark q s small span strong sub sup u"
ELEMENTS = frozenset(" ".join((_BLOCKS, _HEADINGS, _TABLES, _WORDS)).split())
"""The elements that stay; of others only the text does."""

HIDDEN = frozenset({"script", "style", "title", "textarea", "template", "noscript", "iframe", "object"})
"""The elements whose text is left out too."""

ATTRIBUTES = frozenset({"colspan", "rowspan", "dir", "lang"})

STYLE = (
    "body{font:16px/1.55 system-ui,sans-serif;color:#1d2733;margin:10px;overflow-wrap:anywhere}"
    "mark{background:#fff1c2;color:inherit}pre{white-space:pre-wrap}img{max-width:100%}"
    "table{border-collapse:collapse}th,td{border:1px solid #8a97a5;padding:3px 8px;text-align:left}"
)
STYLE_HASH = f"'sha256-{base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()}'"
"""By which a security policy knows the style, and no other."""

REST = "The rest is left out."
UNLAID = "This document takes too long to lay out; here is its source."
BUSY = "Too many documents are being laid out at the moment; here is the source of this one."

SHORTEST, MOST_WORDS = 3, 50
"""Words with fewer letters (of, in) are not marked, nor are more than so many words of a query."""

_ALONE = "area base br col colgroup dd dt embed hr img input li link meta option p param source"
_ENDLESS = frozenset(f"{_ALONE} tbody td tfoot th thead tr wbr".split())
"""The elements that need no end tag."""

_OPENED = re.compile(r"<(/?)([a-zA-Z][\w:-]*)[^<>]*?(/?)>")
_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_MARKED = re.compile(r"&\w*;|\w+")
_TAG = re.compile(r"(<(?:\"[^\"]*\"|[^\">])*>)")
"""A tag as nh3 writes it: it escapes every other <, and quotes every value."""

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
"""The reader of Markdown, for which HTML is text."""

_SANDBOX = Sandbox(__name__, megabytes=MEGABYTES, waiting=24, idle=600.0)


def preview(texts: Mapping[str, str], query: str, origins: Sequence[str] = ()) -> str | None:
    """Return the page of a document for its frame, with the words of the query marked; None if it is plain text."""
    for kind in ("html", "markdown"):
        if texts.get(kind):
            try:
                return _page(kind, texts[kind], query, tuple(origins))
            except SandboxBusyError:  # not remembered: it may be laid out the next time
                return _source(texts[kind], BUSY, tuple(origins))
    return None


@lru_cache(maxsize=256)
def _page(kind: str, source: str, query: str, origins: tuple[str, ...]) -> str:
    try:
        return _SANDBOX.run(render, kind, source, query, origins, seconds=SECONDS)
    except SandboxBusyError:
        raise
    except SandboxError:
        return _source(source, UNLAID, origins)


def _source(source: str, words: str, origins: tuple[str, ...]) -> str:
    """Return a page with the source of a document, and why it is not laid out."""
    return _frame(_note(words) + Markup("<pre>{}</pre>").format(source[:LONGEST_UNLAID]), origins)


def render(kind: str, source: str, query: str, origins: tuple[str, ...]) -> str:
    """Make the page of a document of HTML or Markdown."""
    longest = LONGEST_MARKDOWN if kind == "markdown" else LONGEST
    shown = source[:longest]
    if len(source) > longest and shown.rfind("<") > shown.rfind(">"):
        shown = shown[: shown.rfind("<")]  # not half a tag
    shown = shown if kind == "markdown" else shown[: _end_of_depth(shown)]
    clean = nh3.clean(
        _MARKDOWN.render(shown) if kind == "markdown" else shown,
        tags=set(ELEMENTS | {"img"}),
        clean_content_tags=set(HIDDEN),
        attributes={"*": set(ATTRIBUTES), "img": {"src", "alt"}},
        attribute_filter=lambda tag, name, value: safe_image(value, origins) if name == "src" else value,
        url_schemes={"data", "http", "https"},
        link_rel=None,
    )
    pieces = _TAG.split(clean)
    marked = Markup("").join(Markup(piece) if n % 2 else _mark(piece, query) for n, piece in enumerate(pieces))
    return _frame(marked + (_note(REST) if len(shown) < len(source) else Markup("")), origins)


def _end_of_depth(source: str) -> int:
    """Return where too many elements are open at once, or else the end."""
    opened, depth = Counter[str](), 0
    for tag in _OPENED.finditer(source):
        name = tag[2].lower()
        if name in _ENDLESS or (tag[3] and name not in ELEMENTS):
            continue
        if not tag[1]:
            opened[name] += 1
            depth += 1
        elif opened[name]:
            opened[name] -= 1
            depth -= 1
        if depth > DEEPEST:
            return tag.start()
    return len(source)


def _frame(body: Markup, origins: tuple[str, ...]) -> str:
    policy = f"default-src 'none'; style-src {STYLE_HASH}; img-src {' '.join(('data:', *origins))}"
    head = '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
    head += f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}"><style>{STYLE}</style>'
    return head + str(body)


def _note(words: str) -> Markup:
    return Markup("<p><em>{}</em></p>").format(words)


def safe_image(source: str, origins: Sequence[str] = ()) -> str | None:
    """Return the address of an image that is part of the text (data:) or at an allowed address; otherwise None."""
    source = source.strip()
    if _IMAGE.match(source):
        return source
    return source if any(source.startswith(f"{origin}/") for origin in origins) else None


def highlight(text: str, query: str) -> Markup:
    """Mark the words of the query in a text, whatever their endings."""
    return _mark(str(escape(text)), query)


def _mark(escaped: str, query: str) -> Markup:
    """Mark the words of the query in text that is escaped; a reference such as &amp; is no word."""
    begins = _beginnings(query)
    if begins is None:
        return Markup(escaped)
    return Markup(_MARKED.sub(lambda word: f"<mark>{word[0]}</mark>" if begins(word[0]) else word[0], escaped))


@lru_cache(maxsize=256)
def _beginnings(query: str) -> Callable[[str], bool] | None:
    """Return what tells whether a word begins as a word of the query does; None if all of them are too short."""
    words = [word for word in _WORD.findall(query[:LONGEST_MARKDOWN].casefold()) if len(word) >= SHORTEST]
    stems = {word.removesuffix("s") for word in words[:MOST_WORDS]}
    lengths = sorted({len(stem) for stem in stems})
    return (lambda word: any(word[:length].casefold() in stems for length in lengths)) if stems else None
