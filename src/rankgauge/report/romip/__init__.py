"""ROMIP's reports: text, Markdown, CSV, JSON and one HTML page, in English or Russian."""

from rankgauge.report.romip.formats import FORMATS, find
from rankgauge.report.romip.words import LANGUAGES, words

__all__ = ["FORMATS", "LANGUAGES", "find", "words"]
