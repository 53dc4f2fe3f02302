"""Few labels: boards of many runs, on two TREC collections that are judged throughout."""

from rankgauge.experiments.pages.few_labels import run

__all__ = ["run"]
