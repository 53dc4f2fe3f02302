"""polars as `pl`, imported when it is first used.

A scan of regular files needs no frame, and importing polars takes as long as the scan of a small one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["pl"]

if TYPE_CHECKING:
    import polars as pl
else:

    class _Polars:
        def __getattr__(self, name: str) -> Any:
            import polars

            return getattr(polars, name)

    pl = _Polars()
