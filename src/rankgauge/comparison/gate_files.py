"""The files beside a gate's configuration: a stored baseline, and the looks so far.

A stored baseline has values by query, and the places of judged documents, from which any measure follows. It is for
pipelines that cannot have the baseline's run: no git, no place for large files. It belongs to the judgments and to
the rules of ranking (order, ties, depth …) that it was made with; with others it is refused, since differences from
it would mean nothing.

A gate that is looked at after every commit keeps its error rate, since each look spends a part of the level. Look k
spends the share log 2 · (1/log(k + 1) − 1/log(k + 2)). The shares of all looks, however many, add up to 1, so that
the chance that any look raises a false alarm stays below the level, whatever the looks have in common and whenever
one stops (Bonferroni; Lan & DeMets, Biometrika 1983). It falls slowly: the 100th look still has 1/3100. Looking at
the same values again is the same look.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Self

import numpy as np

from rankgauge.dialects import Dialect
from rankgauge.errors import InputError
from rankgauge.evaluation.evaluation import score_hits
from rankgauge.evaluation.result import Result
from rankgauge.measures import Measure
from rankgauge.numeric import FloatArray
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
    return {field.name: str(getattr(dialect.ranking, field.name)) for field in fields(dialect.ranking)}


KEPT = 12
"""How many letters of a digest tell one look from another."""


def spending(look: int) -> float:
    """Return the share of the level that a look may spend, the first being 1.

    >>> round(spending(1), 3), round(sum(spending(look) for look in range(1, 100_000)), 2)
    (0.369, 0.94)
    """
    return math.log(2) * (1 / math.log(look + 1) - 1 / math.log(look + 2))


@record
class GateLook:
    """A look at a gate: its number among all looks in a file, and the level of them all together."""

    path: Path
    level: float
    seen: tuple[str, ...]
    """What each look saw, as a digest."""
    number: int

    @classmethod
    def take(cls, path: Path, level: float, rules: Iterable[Any], differences: Iterable[FloatArray]) -> GateLook:
        """Look once more, after the looks in the file; values that were seen before are no new look."""
        digest, seen = hashlib.sha256(repr([str(rule) for rule in rules]).encode()), _read(path, level)
        for part in differences:
            digest.update(np.round(np.ascontiguousarray(part, dtype=np.float64), 12).tobytes())
        name = digest.hexdigest()[:KEPT]
        seen = seen if name in seen else (*seen, name)
        return cls(path=path, level=level, seen=seen, number=1 + seen.index(name))

    @property
    def spent(self) -> float:
        """The level of this look alone."""
        return self.level * spending(self.number)

    def write(self) -> None:
        """Write the file of looks, whole or not at all."""
        from rankgauge.files.output import writing

        with writing(self.path) as stream:
            said = {"level": self.level, "looks": list(self.seen)}
            stream.write((json.dumps(said, indent=1) + "\n").encode())

    @property
    def words(self) -> str:
        """What this look spends."""
        return (
            f"{self.number} of those in {self.path.name}, at {self.spent:.2g}: the chance that any look raises a "
            f"false alarm stays below {self.level:g}, however many there are"
        )


def _read(path: Path, level: float) -> tuple[str, ...]:
    """Read the looks so far; without a file there were none."""
    if not path.exists():
        return ()
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        stored, seen = float(said["level"]), tuple(str(one) for one in said["looks"])
    except (OSError, ValueError, TypeError, KeyError):
        raise InputError("is no file of looks at a gate", path=path, hint="Delete it to begin anew.") from None
    if stored != level:
        raise InputError(
            f"has looks at the level {stored:g}, and now it is {level:g}: their sum would mean nothing",
            path=path,
            hint=f"Say alpha = {stored:g}, or delete the file to start again.",
        )
    return seen
