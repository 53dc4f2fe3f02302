"""Busa-Fekete, Szarvas, Éltető & Kégl, An apple-to-apple comparison of learning-to-rank algorithms in terms of
Normalized Discounted Cumulative Gain, ECAI 2012 workshop on Preference Learning."""

from rankgauge.papers.published.ndcg_tools import run

__all__ = ["run"]
