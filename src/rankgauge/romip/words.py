"""The words of ROMIP's reports; those of each language are in `romip_words.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from rankgauge.errors import UnknownNameError
from rankgauge.romip.metrics import OfficialMetric, RecallCurve
from rankgauge.romip.result import Note


@dataclass(frozen=True, kw_only=True)
class Words:
    """Everything that a report says in one language."""

    language: str
    tracks: Mapping[str, str]
    metric: str
    average: Mapping[str, str]
    recall: str
    precision: str
    queries: str
    """How many queries counted: {used} and {left_out}."""
    categories: str
    rules: Mapping[str, str]
    """What a table's rule says of a document, with its {level}."""
    graded: str
    truth: str
    nothing: str
    notes: Mapping[str, str]
    contents: str
    remarks: str
    best: str

    def name(self, metric: OfficialMetric | RecallCurve) -> str:
        """The metric's name."""
        return metric.russian if self.language == "ru" else metric.english

    def note(self, note: Note) -> str:
        """The note as a sentence."""
        return self.notes[note.code].format(**note.fields)

    def counted(self, track: str, used: int, left_out: int) -> str:
        """How many queries or categories counted, and how many were left out."""
        text = self.categories if track == "classification" else self.queries
        return text.format(used=used, left_out=left_out)

    def meaning(self, table: str) -> str:
        """What relevant means under the table of that name."""
        rule, _, level = table.rpartition("_")
        special = {"graded": self.graded, "truth": self.truth}
        return special.get(table) or self.rules[rule].format(level=level)


_FILE = files("rankgauge.romip") / "words.toml"

LANGUAGES: Mapping[str, Words] = {
    language: Words(language=language, **said)
    for language, said in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
}


def words(language: str) -> Words:
    """The words of that language."""
    if language not in LANGUAGES:
        raise UnknownNameError("language", language, LANGUAGES)
    return LANGUAGES[language]
