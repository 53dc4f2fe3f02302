"""Filters of the templates. They escape everything that people have written."""

from __future__ import annotations

import math
import time
from urllib.parse import urlsplit

from rankgauge.render.html import table
from rankgauge.render.numbers import amount, count, decimal, share, with_sign
from rankgauge.room.previews import highlight, preview, safe_image


def safe_url(url: str) -> str | None:
    """Return the URL if it is http or https; None for others, such as javascript:."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    return url.strip() if parts.scheme in ("http", "https") and parts.netloc else None


def decimals(value: float | None, digits: int = 3) -> str:
    """Return a number with that many decimals; a dash if it is missing or not finite."""
    return "–" if value is None or not math.isfinite(value) else decimal(value, digits)


def date(seconds: float) -> str:
    """Date and time, in UTC."""
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(seconds))


def ago(seconds: float | None, now: float) -> str:
    """Return how long ago something happened."""
    if seconds is None:
        return "never"
    past = max(now - seconds, 0.0)
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if past >= length:
            return f"{past / length:.0f} {unit} ago"
    return "just now"


FILTERS = (ago, amount, count, date, decimals, highlight, preview, safe_image, safe_url, share, table, with_sign)
"""The filters that templates know."""
