"""Documents to compare two by two: which pairs people are asked about, what they say, and what the answers come to.

Grades leave many documents of a query equal; which of two is better tells them apart. The pairs are of the documents
with the best grades so far. Each pair is asked for twice, in either order, so that a liking for the first place shows.
"""

from __future__ import annotations

import time
import zlib
from collections import Counter
from dataclasses import dataclass

import numpy as np
from sqlalchemy import and_, delete, func, insert, or_, select

from rankgauge.judgments.llm.asking.question import OTHERS, drawn_lists
from rankgauge.judgments.pairwise import Choices
from rankgauge.labelling.campaign.database import reading, writing
from rankgauge.room.campaigns import OpenCampaign
from rankgauge.room.database import PAIR_ANSWERS, PAIR_RULES

TWICE = 2
"""How often a pair is asked for."""

MOST = 50
"""The most documents of a query that are compared."""

_COLUMNS = ("person", "query", "first", "second", "better")


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two documents of a query, in the order in which they are shown."""

    query: str
    first: str
    second: str

    @property
    def key(self) -> tuple[str, frozenset[str]]:
        """What it has in common with the same documents in the other order."""
        return self.query, frozenset((self.first, self.second))

    @property
    def swapped(self) -> Pair:
        """The pair in the other order."""
        return Pair(query=self.query, first=self.second, second=self.first)


@dataclass(frozen=True, kw_only=True)
class PairDesk:
    """The comparisons of a campaign."""

    opened: OpenCampaign

    def documents(self) -> int | None:
        """Return how many documents of each query are compared; None if nobody is asked to."""
        with reading(self.opened.campaign.engine) as connection:
            chosen = select(PAIR_RULES.c.documents).where(PAIR_RULES.c.campaign == self.opened.id)
            return connection.scalar(chosen)

    def ask_for(self, documents: int | None) -> None:
        """Ask people to compare so many documents of each query, or no longer."""
        with writing(self.opened.campaign.engine, self.opened.id) as connection:
            connection.execute(delete(PAIR_RULES).where(PAIR_RULES.c.campaign == self.opened.id))
            if documents is not None:
                connection.execute(insert(PAIR_RULES).values(campaign=self.opened.id, documents=documents))

    def list_wanted(self) -> list[Pair]:
        """Return the pairs that are asked for: one of each query, then another of each, and so on.

        A query's documents are those that people grade best; each is compared with some others. Which ones depends on
        ids and grades alone.
        """
        most = self.documents() or 0
        ranked: list[tuple[int, int, Pair]] = []
        for number, judged in enumerate(self.opened.campaign.judgments().partition_by("query", maintain_order=True)):
            query = str(judged["query"][0])
            best = sorted(
                judged.select("document", "grade").rows(), key=lambda row: (-row[1], zlib.crc32(row[0].encode()))
            )
            names = [document for document, _ in best[:most]]
            drawn = drawn_lists(len(names), 2, OTHERS, np.random.default_rng(zlib.crc32(query.encode())))
            for turn, (one, other) in enumerate(drawn):
                ranked.append((turn, number, Pair(query=query, first=names[one], second=names[other])))
        return [pair for _, _, pair in sorted(ranked, key=lambda row: row[:2])]

    def next(self, person: int) -> Pair | None:
        """Return the pair that a person is shown next: one that few have answered, in the order that was shown less."""
        shown, own = Counter[Pair](), set()
        for who, *texts, _ in self._rows():
            pair = Pair(**dict(zip(("query", "first", "second"), texts, strict=True)))
            shown[pair] += 1
            own |= {pair.key} if who == person else set()
        counts = [
            (shown[pair] + shown[pair.swapped], n, pair)
            for n, pair in enumerate(self.list_wanted())
            if pair.key not in own
        ]
        open_pairs = [row for row in counts if row[0] < TWICE]
        if not open_pairs:
            return None
        _, _, pair = min(open_pairs, key=lambda row: row[:2])
        swaps = shown[pair] - shown[pair.swapped] or zlib.crc32(f"{person} {pair}".encode()) % 2
        return pair.swapped if swaps > 0 else pair

    def last(self, person: int) -> Pair | None:
        """Return the pair that a person answered last."""
        mine = and_(PAIR_ANSWERS.c.campaign == self.opened.id, PAIR_ANSWERS.c.person == person)
        with reading(self.opened.campaign.engine) as connection:
            row = connection.execute(select(PAIR_ANSWERS).where(mine).order_by(PAIR_ANSWERS.c.id.desc())).first()
        return None if row is None else Pair(query=row.query, first=row.first, second=row.second)

    def record(self, person: int, pair: Pair, better: int | None) -> None:
        """Record which of two is better, in place of what the person said of them before."""
        c, here = PAIR_ANSWERS.c, {"campaign": self.opened.id, "person": person, "query": pair.query}
        either = [and_(c.first == one.first, c.second == one.second) for one in (pair, pair.swapped)]
        before = and_(*(c[name] == value for name, value in here.items()), or_(*either))
        with writing(self.opened.campaign.engine, self.opened.id) as connection:
            connection.execute(delete(PAIR_ANSWERS).where(before))
            row = {**here, "first": pair.first, "second": pair.second, "better": better, "made": time.time()}
            connection.execute(insert(PAIR_ANSWERS).values(**row))

    def count_answers(self, person: int) -> int:
        """Return how many pairs a person has answered."""
        mine = and_(PAIR_ANSWERS.c.campaign == self.opened.id, PAIR_ANSWERS.c.person == person)
        with reading(self.opened.campaign.engine) as connection:
            return connection.scalar(select(func.count()).where(mine)) or 0

    def choices(self) -> Choices:
        """Return what people said, without what nobody could say."""
        rows = [row for row in self._rows() if row[-1] is not None]
        places = {1: (1, 2), 0: (1, 1), -1: (2, 1), None: ()}
        return Choices(
            query=[query for _, query, *_ in rows],
            shown=[(first, second) for _, _, first, second, _ in rows],
            places=[places[better] for *_, better in rows],
        )

    def _rows(self) -> list[tuple[int, str, str, str, int | None]]:
        chosen = select(*(PAIR_ANSWERS.c[name] for name in _COLUMNS)).where(PAIR_ANSWERS.c.campaign == self.opened.id)
        with reading(self.opened.campaign.engine) as connection:
            return [tuple(row) for row in connection.execute(chosen.order_by(PAIR_ANSWERS.c.id))]
