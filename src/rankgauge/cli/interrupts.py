"""Ctrl-C while a command waits for input."""

from __future__ import annotations

import signal

import polars  # noqa: F401 - its import sets the handler that `heed` mends

__all__ = ["heed"]


def heed() -> None:
    """Lets Ctrl-C end a wait for input, which the handler that polars sets at its import would let go on."""
    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)
