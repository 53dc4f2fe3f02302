"""Grades that are found by what a query and a document say, for a stand-in that sees prompts and no ids."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rankgauge import files
from rankgauge.errors import InputError
from rankgauge.files import find
from rankgauge.files.conversion import as_frame

_CHANCE = re.compile(r"p_-?[0-9]+(?:\.[0-9]+)?")


class GradesByText:
    """Grades by the texts of queries and documents."""

    def __init__(self, table: Any) -> None:
        frame = files.read_table(table) if files.is_path(table) else as_frame(table)
        grade, text = find(frame.columns, "grade"), next((n for n in ("text", "title") if n in frame.columns), None)
        names = sorted((n for n in frame.columns if _CHANCE.fullmatch(n)), key=lambda name: float(name[2:]))
        if text is None or "query_text" not in frame.columns or not (grade or names):
            raise InputError(
                f"a stand-in needs the columns query_text, text (or title) and grade (or p_0, p_1 …); found "
                f"{', '.join(frame.columns)}",
                path=table if files.is_path(table) else None,
            )
        self._names = [f"{float(name[2:]):g}" for name in names]
        self.rows: list[tuple[str, str, dict[str, float]]] = []
        for number, row in enumerate(frame.iter_rows(named=True), start=1):
            words = [str(row[name] or "").strip() for name in ("query_text", text)]
            chances = self._chances(row, grade, names)
            if not all(words) or chances is None:
                problem = f"row {number}: expected a query_text, a {text} and a grade or probabilities"
                raise InputError(problem, path=table if files.is_path(table) else None)
            self.rows.append((words[0], words[1], chances))
        self._by_line: dict[str, list[int]] = {}
        for number, (_, shown, _) in enumerate(self.rows):
            self._by_line.setdefault(shown.split("\n", 1)[0].strip(), []).append(number)

    def find(self, prompt: str) -> int | None:
        """The row whose texts are in the prompt; of several the one with the longest texts."""
        lines = {line.strip() for line in prompt.splitlines()}
        near = [number for line in lines for number in self._by_line.get(line, ())]
        fitting = [number for number in near if self._fits(number, prompt)]
        fitting = fitting or [number for number in range(len(self.rows)) if self._fits(number, prompt)]
        return max(fitting, key=lambda number: (len(self.rows[number][1]), len(self.rows[number][0])), default=None)

    def find_all(self, prompt: str) -> tuple[int, ...]:
        """Return the rows whose texts are in the prompt, in the order in which they stand there."""
        rows = []
        for line in prompt.splitlines():
            fitting = [number for number in self._by_line.get(line.strip(), ()) if self._fits(number, prompt)]
            rows += [max(fitting, key=lambda number: len(self.rows[number][1]))] if fitting else []
        return tuple(dict.fromkeys(rows))

    def _fits(self, number: int, prompt: str) -> bool:
        query, text, _ = self.rows[number]
        return text in prompt and query in prompt

    def _chances(self, row: Mapping[str, Any], grade: str | None, names: list[str]) -> dict[str, float] | None:
        """The probabilities of the grades in a row, if they are numbers."""
        try:
            if grade is not None and not names:
                return {f"{float(row[grade]):g}": 1.0}
            found = [float(row[name]) for name in names]
        except (TypeError, ValueError):
            return None
        return dict(zip(self._names, found, strict=True)) if min(found) >= 0 < sum(found) else None
