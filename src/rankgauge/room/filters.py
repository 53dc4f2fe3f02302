"""Filters of the templates. They escape everything that people have written."""

from __future__ import annotations

import math
import re
import time
from functools import lru_cache
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from rankgauge.render.html import table
from rankgauge.render.numbers import amount, count, share

__all__ = ["ago", "amount", "count", "date", "decimals", "highlighted", "safe_url", "share", "table"]

SHORTEST = 3
"""Words with fewer letters (of, in) are not highlighted."""


def highlighted(text: str, query: str) -> Markup:
    """The text with the words of the query marked, whatever their endings."""
    words = _words_of(query)
    if words is None:
        return escape(text)
    marked = (
        Markup("<mark>{}</mark>").format(one) if n % 2 else escape(one) for n, one in enumerate(words.split(text))
    )
    return Markup("").join(marked)


@lru_cache(maxsize=256)
def _words_of(query: str) -> re.Pattern[str] | None:
    """What finds the words of a query in a text; None if all of them are too short."""
    words = {word for word in re.findall(r"\w+", query.casefold()) if len(word) >= SHORTEST}
    stems = sorted((re.escape(word.removesuffix("s")) for word in words), key=len, reverse=True)
    return re.compile(rf"(?i)(\b(?:{'|'.join(stems)})\w*)") if stems else None


def safe_url(url: str) -> str | None:
    """The URL if it is http or https; None for others, such as javascript:."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    return url.strip() if parts.scheme in ("http", "https") and parts.netloc else None


def decimals(value: float | None, digits: int = 3) -> str:
    """A number with that many decimals; a dash if it is missing or not finite."""
    return "–" if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def date(seconds: float) -> str:
    """Date and time, in UTC."""
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(seconds))


def ago(seconds: float | None, now: float) -> str:
    """How long ago something happened."""
    if seconds is None:
        return "never"
    past = max(now - seconds, 0.0)
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if past >= length:
            return f"{past / length:.0f} {unit} ago"
    return "just now"
