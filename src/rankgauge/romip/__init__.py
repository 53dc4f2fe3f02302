"""ROMIP's tracks: search, classification, annotation and question answering by the official metrics of 2010.

Ageev, Kuralenok & Nekrestyanov, Official metrics of ROMIP 2010 (Агеев, Кураленок, Некрестьянов, Официальные метрики
РОМИП 2010).
"""

from rankgauge.romip.annotation import annotation
from rankgauge.romip.classification import classification
from rankgauge.romip.decisions import Decisions
from rankgauge.romip.metrics import Metric
from rankgauge.romip.outcome import Note, Outcome
from rankgauge.romip.search import qa, search
from rankgauge.romip.tables import Table, Tables, derive, read_tables

__all__ = [
    "Decisions",
    "Metric",
    "Note",
    "Outcome",
    "Table",
    "Tables",
    "annotation",
    "classification",
    "derive",
    "qa",
    "read_tables",
    "search",
]
