"""FILES ↔ TABLES: one file per format. Dropping a file in registers it."""

from rankgauge.io.detection import Detection
from rankgauge.io.files import (
    detect,
    is_large,
    is_path,
    judgments_from,
    kept,
    pair_from,
    read_judgments,
    read_letor,
    read_pair,
    read_run,
    read_table,
    run_from,
    stream_run,
    table_suffixes,
    traced,
    write_judgments,
    write_run,
)
from rankgauge.io.format import FORMATS, Format, Head, Kind, Reading, get
from rankgauge.io.ir_datasets import label
from rankgauge.policies import Duplicates

__all__ = [
    "FORMATS",
    "Detection",
    "Duplicates",
    "Format",
    "Head",
    "Kind",
    "Reading",
    "detect",
    "get",
    "is_large",
    "is_path",
    "judgments_from",
    "kept",
    "label",
    "pair_from",
    "read_judgments",
    "read_letor",
    "read_pair",
    "read_run",
    "read_table",
    "run_from",
    "stream_run",
    "table_suffixes",
    "traced",
    "write_judgments",
    "write_run",
]
