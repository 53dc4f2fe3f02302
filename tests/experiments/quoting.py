"""What a page quotes of a run: its numbers with errors, and those that no number of the run rounds to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from rankgauge.papers.experiment import Number

ROOT = Path(__file__).resolve().parents[2]
PAIR = re.compile(r"(\d+(?:\.\d+)?) ± (\d+(?:\.\d+)?)")


def not_of_run(page: str, numbers: Mapping[str, Number]) -> set[str]:
    """Return the numbers with errors that stand on a page, outside its console blocks, and that no number of the run
    rounds to; signs do not count."""
    text = re.sub(r"```console\n.*?```", "", (ROOT / "docs" / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    measured = [(abs(number.value), number.error) for number in numbers.values()]

    def is_quoted(value: str, error: str) -> bool:
        places = len(value.partition(".")[2])
        return any(f"{v:.{places}f}" == value and f"{e:.{places}f}" == error for v, e in measured)

    return {f"{value} ± {error}" for value, error in PAIR.findall(text) if not is_quoted(value, error)}
