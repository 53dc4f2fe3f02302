"""A baseline in a file: its values by query, and the places of its judged documents, from which any measure follows.

It is for pipelines that cannot have the baseline's run: no git, no place for large files. It belongs to the judgments
and to the rules of ranking (order, ties, depth …) that it was made with; with others it is refused, since differences
from it would mean nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Self

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.evaluation.evaluation import score_hits
from rankgauge.evaluation.result import Result
from rankgauge.measures import Measure
from rankgauge.ranking import Hits
from rankgauge.records import record

FORMAT = "rankgauge-baseline"
VERSION = 1
PLACES = ("rank", "grade", "first", "size")
"""What is kept of each judged document of the run."""


@record
class StoredBaseline:
    """What a file holds: the run's name, the rules of ranking, the judgments' fingerprint, values, and judged hits."""

    run: str
    judgments: str
    """What tells these judgments from others; empty if they have no file."""
    ranking: Mapping[str, str]
    values: Mapping[str, Mapping[str, float]]
    """By query and measure, for people and programs that read the file; a comparison computes them again."""
    queries: Mapping[str, Mapping[str, Any]]
    """By judged query: the grades of its pool, how many documents the run has, and the places of the judged ones."""
    strangers: tuple[str, ...] = ()
    top: float | None = None

    @classmethod
    def from_result(cls, run: str, result: Result, judgments: str = "") -> Self:
        """Keep the result of a run."""
        hits = result.hits
        if hits.facets is not None:
            raise InputError(
                "judgments by subtopic, of a sample or of preferences cannot be stored",
                hint="Name the baseline's run itself among the runs.",
            )
        pools = _pools(hits)
        places = {column: _by_query(hits, hits.query, getattr(hits, column)) for column in PLACES}
        queries = {
            str(name): {
                "pool": pools[str(name)],
                "retrieved": float(hits.retrieved[at]),
                "answered": bool(hits.is_answered[at]),
                **{column: rows[at] for column, rows in places.items()},
            }
            for at, name in enumerate(hits.names)
        }
        return cls(
            run=run,
            judgments=judgments,
            ranking=_rules(result.dialect),
            values=result.by_query,
            queries=queries,
            strangers=hits.strangers,
            top=hits.top,
        )

    @classmethod
    def parse(cls, text: str, path: Path) -> Self:
        """Read what `text` wrote; the path is for errors."""
        try:
            told = json.loads(text)
            if told.pop(FORMAT) != VERSION:
                raise InputError("was stored by another version of RankGauge", path=path, hint=AGAIN)
            made = cls(**told | {"strangers": tuple(told["strangers"])})
            made.hits()
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InputError(
                "is not a stored baseline",
                path=path,
                hint="'rankgauge check --store-baseline' writes one. A run belongs among the runs.",
            ) from None
        return made

    def text(self) -> str:
        """Return the file's content: JSON with a line for each query."""
        head = {FORMAT: VERSION} | {
            name: getattr(self, name) for name in ("run", "judgments", "ranking", "strangers", "top")
        }
        lines = [f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
        for name in ("values", "queries"):
            rows = ",\n".join(
                f"  {json.dumps(query, ensure_ascii=False)}: {json.dumps(row)}"
                for query, row in getattr(self, name).items()
            )
            lines.append(f'"{name}": {{\n{rows}\n}}')
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def result(self, measures: tuple[Measure, ...], dialect: Dialect) -> Result:
        """Evaluate the baseline by these measures."""
        return score_hits(self.hits(), measures, dialect)

    def hits(self) -> Hits:
        """Return the judged hits, as the ranking stage gave them."""
        rows = list(self.queries.values())
        flat: dict[str, Any] = {
            name: np.concatenate([np.asarray(row[name], dtype=np.float64) for row in rows] or [np.zeros(0)])
            for name in (*PLACES, "pool")
        }
        counts = {name: [len(row[name]) for row in rows] for name in ("rank", "pool")}
        return Hits(
            names=list(self.queries),
            query=np.repeat(np.arange(len(rows)), counts["rank"]),
            pool_query=np.repeat(np.arange(len(rows)), counts["pool"]),
            pool_grade=flat.pop("pool"),
            retrieved=np.array([row["retrieved"] for row in rows], dtype=np.float64),
            answered=np.array([row["answered"] for row in rows], dtype=bool),
            strangers=self.strangers,
            top=self.top,
            **flat,
        )

    def check(self, path: Path, result: Result, judgments: str = "") -> None:
        """Raise an error unless it was made with the judgments and the rules of another run's result."""
        rules = _rules(result.dialect)
        if changed := [name for name in rules if rules[name] != self.ranking.get(name)]:
            pairs = ", ".join(f"{name} {self.ranking.get(name)}, now {rules[name]}" for name in changed)
            raise InputError(f"was stored with other rules: {pairs}", path=path, hint=AGAIN)
        pools, kept = _pools(result.hits), {query: row["pool"] for query, row in self.queries.items()}
        differ = [query for query in kept.keys() & pools if kept[query] != pools[query]]  # others' searches failed
        if differ or (self.judgments and judgments and judgments != self.judgments):
            which = f", first for {min(differ)}" if differ else ""
            raise InputError(f"the judgments have changed since it was stored{which}", path=path, hint=AGAIN)


AGAIN = "Store it again, with the run that is the baseline: rankgauge check --store-baseline"


def _pools(hits: Hits) -> dict[str, list[float]]:
    """Return the grades of each judged query, falling."""
    return dict(zip(map(str, hits.names), _by_query(hits, hits.pool_query, hits.pool_grade), strict=True))


def _by_query(hits: Hits, query: Any, column: Any) -> list[list[float]]:
    """Split a column at the ends of the queries, by which it is sorted."""
    ends = np.searchsorted(query, np.arange(1, len(hits.names)))
    return [part.tolist() for part in np.split(column, ends)] if len(hits.names) else []


def _rules(dialect: Dialect) -> dict[str, str]:
    """Return the rules by which runs become ranked lists, as texts."""
    return {one.name: str(getattr(dialect.ranking, one.name)) for one in fields(dialect.ranking)}
