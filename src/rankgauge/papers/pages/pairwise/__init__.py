"""Preferences: how far worths from noisy comparisons hold, and what asking in both orders does."""

from rankgauge.papers.pages.pairwise import run

__all__ = ["run"]
