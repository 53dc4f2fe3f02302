"""ROMIP's tracks: search, classification, annotation and question answering by the official metrics of 2010.

Ageev, Kuralenok & Nekrestyanov, Official metrics of ROMIP 2010 (Агеев, Кураленок, Некрестьянов, Официальные метрики
РОМИП 2010).
"""

from rankgauge.romip.metrics import Note, OfficialMetric, TrackResult
from rankgauge.romip.relevance_tables import RelevanceTable, RelevanceTables, derive, read_tables
from rankgauge.romip.tracks import Decisions, annotation, classification, qa, search

__all__ = [
    "Decisions",
    "Note",
    "OfficialMetric",
    "RelevanceTable",
    "RelevanceTables",
    "TrackResult",
    "annotation",
    "classification",
    "derive",
    "qa",
    "read_tables",
    "search",
]
