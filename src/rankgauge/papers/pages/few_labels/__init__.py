"""Few labels: boards of many runs, on two TREC collections that are judged throughout."""

from rankgauge.papers.pages.few_labels import run

__all__ = ["run"]
