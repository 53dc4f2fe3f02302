"""Previews of documents: HTML and Markdown as a page for a sandboxed frame, and images.

Three things keep a document harmless, each by itself: the page is rebuilt from the few elements and attributes that
are known here, its frame is a sandbox in which no script runs, and its policy loads nothing but images that are part of
the pool or come from an allowed address. Scanning is linear in the length of the text, whatever it holds.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup, escape

from rankgauge.room.filters import highlighted
from rankgauge.room.markdown import html_of

LONGEST = 500_000
"""Of a longer document the rest is left out."""

LONGEST_MARKDOWN = 100_000
"""The same of Markdown, which takes longer to read."""

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

_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]", re.IGNORECASE)
_NAME = re.compile(r"/?([a-zA-Z][a-zA-Z0-9]*)(?=[\s/>]|$)")
_ATTRIBUTE = re.compile(r"([a-zA-Z-]{1,40})\s{0,9}=\s{0,9}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")


def preview(texts: Mapping[str, str], query: str, origins: Sequence[str] = ()) -> str | None:
    """The page of a document for its frame, with the words of the query marked; None if it is plain text."""
    source = texts.get("html") or (html_of(texts["markdown"][:LONGEST_MARKDOWN]) if texts.get("markdown") else None)
    if not source:
        return None
    policy = f"default-src 'none'; style-src {STYLE_HASH}; img-src {' '.join(('data:', *origins))}"
    head = Markup('<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{}">')
    shown, rest = _cut(source)
    body = Markup("").join(_rebuilt(shown, query, origins))
    return str(head.format(policy) + Markup(f"<style>{STYLE}</style>") + body + rest)


def safe_image(source: str, origins: Sequence[str] = ()) -> str | None:
    """The address of an image if it is part of the text (data:) or at one of the allowed addresses; otherwise None."""
    source = source.strip()
    if _IMAGE.match(source):
        return source
    return source if any(source.startswith(f"{origin}/") for origin in origins) else None


def _cut(source: str) -> tuple[str, Markup]:
    """The beginning of a page that is too long, without half a tag at its end, and the word that there is more."""
    if len(source) <= LONGEST:
        return source, Markup("")
    begun = source[:LONGEST]
    whole = begun[: begun.rfind("<")] if begun.rfind("<") > begun.rfind(">") else begun
    return whole, Markup("<p><em>The rest is left out.</em></p>")


def _rebuilt(source: str, query: str, origins: Sequence[str]) -> Iterator[Markup]:
    """The known elements of a page and its text."""
    for text, tag in _pieces(source):
        if text:
            yield highlighted(html.unescape(text), query)
        name = _NAME.match(tag)
        known = "" if name is None else name[1].lower()
        if known == "img":
            yield _image(tag, origins)
        elif known in ELEMENTS:
            yield Markup("</{}>").format(known) if tag[0] == "/" else Markup("<{}{}>").format(known, _kept(tag))


def _pieces(source: str) -> Iterator[tuple[str, str]]:
    """The text before each tag, and the tag without its brackets; comments and hidden elements are left out."""
    at = 0
    while at < len(source):
        opened = source.find("<", at)
        comment = opened >= 0 and source.startswith("<!--", opened)
        closed = source.find("-->" if comment else ">", opened + 1) if opened >= 0 else -1
        if closed < 0:
            yield source[at:] if not comment else source[at:opened], ""
            return
        tag = "" if comment else source[opened + 1 : closed]
        yield source[at:opened], tag
        at = closed + (3 if comment else 1)
        name = _NAME.match(tag)
        if name is not None and tag[0] != "/" and name[1].lower() in HIDDEN:
            end = re.compile(f"</{name[1]}", re.IGNORECASE).search(source, at)
            at = len(source) if end is None else end.start()


def _attributes(tag: str) -> dict[str, str]:
    return {
        name.lower(): html.unescape(double or single or bare) for name, double, single, bare in _ATTRIBUTE.findall(tag)
    }


def _kept(tag: str) -> Markup:
    kept = {name: value for name, value in _attributes(tag).items() if name in ATTRIBUTES}
    return Markup("").join(Markup(' {}="{}"').format(name, value) for name, value in kept.items())


def _image(tag: str, origins: Sequence[str]) -> Markup:
    """An image that may be loaded; otherwise the words for it."""
    found = _attributes(tag)
    source, words = safe_image(found.get("src", ""), origins), found.get("alt", "")
    if source is None:
        return escape(words)
    return Markup('<img src="{}" alt="{}" referrerpolicy="no-referrer">').format(source, words)
