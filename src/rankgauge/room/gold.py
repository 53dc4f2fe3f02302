"""Gold questions: documents whose grades are known, mixed into what assessors are handed out.

Their answers are kept apart from the labels of the campaign: draws, budget and estimate are the same with gold
questions and without. Where a draw asks for a document that is a gold question too, the answer is an ordinary label,
and is compared as well. Nobody is asked twice: an earlier answer becomes the label (see `lease_documents`). Whoever
answers is told the same of a gold question as of any other document.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Engine, Row, delete, insert, update

from rankgauge.labelling.campaign.database import reading, writing
from rankgauge.labelling.campaign.leases import SideDesk
from rankgauge.labelling.campaign.review import Beside
from rankgauge.labelling.campaign.store import Store
from rankgauge.room.database import BLOCKS, GOLD_ANSWERS, GOLD_QUESTIONS, QUALITY_RULES
from rankgauge.room.gold_desk import GoldDesk
from rankgauge.room.gold_rows import (
    AskedQuestion,
    AssessorBlock,
    GoldAnswer,
    GoldQuestion,
    GoldRules,
    answers_of,
    blocks_of,
    handed_to,
    live_questions,
    rules_of,
)


class Gold:
    """The gold questions of a room's campaigns."""

    def __init__(self, engine: Engine, key: str, *, clock: Callable[[], float] = time.time) -> None:
        self._engine, self._key, self._clock = engine, key, clock

    def rules(self, campaign: int) -> GoldRules | None:
        """The rules of a campaign; None if it never had gold questions."""
        with reading(self._engine) as connection:
            return rules_of(connection, campaign)

    def set_rules(self, campaign: int, rules: GoldRules) -> None:
        """Gives a campaign other rules. Who is blocked stays so until somebody lifts it."""
        with self._changing(campaign) as connection:
            connection.execute(delete(QUALITY_RULES).where(QUALITY_RULES.c.campaign == campaign))
            connection.execute(insert(QUALITY_RULES).values(campaign=campaign, **asdict(rules)))

    def questions(self, campaign: int) -> list[GoldQuestion]:
        """The gold questions of a campaign, without those that were retired."""
        with reading(self._engine) as connection:
            return live_questions(connection, campaign)

    def add(self, campaign: int, author: int, questions: Iterable[GoldQuestion]) -> int:
        """Adds gold questions and says how many; one of the same document takes the place of the older one."""
        rows = {
            (one.query, one.document): {
                "campaign": campaign,
                "author": author,
                "made": self._clock(),
                "texts": json.dumps(dict(one.texts), ensure_ascii=False),
                **{name: getattr(one, name) for name in ("query", "document", "grade")},
            }
            for one in questions
        }
        with self._changing(campaign) as connection:
            known = {(one.query, one.document): one.id for one in live_questions(connection, campaign)}
            for old in rows.keys() & known.keys():
                self._retire(connection, campaign, known[old])
            if rows:
                connection.execute(insert(GOLD_QUESTIONS), list(rows.values()))
            if rules_of(connection, campaign) is None:
                connection.execute(insert(QUALITY_RULES).values(campaign=campaign, **asdict(GoldRules(every=10))))
        return len(rows)

    def retire(self, campaign: int, question: int) -> bool:
        """Asks a question no more; its answers still count. False if there is no such question."""
        with self._changing(campaign) as connection:
            return self._retire(connection, campaign, question)

    def _retire(self, connection: Connection, campaign: int, question: int) -> bool:
        chosen = (GOLD_QUESTIONS.c.campaign == campaign, GOLD_QUESTIONS.c.id == question)
        changed = update(GOLD_QUESTIONS).where(*chosen, GOLD_QUESTIONS.c.retired.is_(None))
        return connection.execute(changed.values(retired=self._clock())).rowcount == 1

    # handing out

    def asked(
        self, campaign: int, person: int, places: Sequence[int], *, known: Callable[[], set[tuple[str, str]]]
    ) -> list[AskedQuestion]:
        """The gold questions that the person was asked and has not answered, with those due before these documents.

        Whether one is due depends on the person and the document alone, so that a page that is opened again shows the
        same; it stays until it is answered. `known` gives the documents that the person was handed otherwise.
        """
        with reading(self._engine) as connection:
            rules, mine = rules_of(connection, campaign), handed_to(connection, campaign, person)
            due = self._due(campaign, person, places, rules) - {row.place for row in mine}
            if rules is None or rules.every is None or not (due or any(row.made is None for row in mine)):
                return []
            live = {one.id: one for one in live_questions(connection, campaign)}
        had = {(row.query, row.document) for row in mine if row.made is not None or row.question in live}
        fresh = [one for one in live.values() if (one.query, one.document) not in had] if due else []
        seen = known() if fresh else set()
        free = [one for one in fresh if (one.query, one.document) not in seen]
        mine = self._hand_out(campaign, person, due, free) if free else mine
        waiting = {row.question: row.place for row in mine if row.made is None and row.question in live}
        return [AskedQuestion(question=live[number], place=place) for number, place in waiting.items()]

    def _due(self, campaign: int, person: int, places: Iterable[int], rules: GoldRules | None) -> set[int]:
        """The documents before which the person is asked a gold question."""
        rate = 0.0 if rules is None or rules.every is None else 1 / rules.every
        return {place for place in places if self._chance("ask", campaign, person, place) < rate}

    def _hand_out(self, campaign: int, person: int, due: set[int], free: Iterable[GoldQuestion]) -> Sequence[Row[Any]]:
        """Hands out a question before each of these documents; gives all that the person was handed.

        The campaign is locked meanwhile: a page that is opened twice at once is handed one question.
        """
        chosen = sorted(free, key=lambda one: self._chance("which", campaign, person, one.id))
        common = {"campaign": campaign, "person": person, "handed": self._clock()}
        with self._changing(campaign) as connection:
            mine = handed_to(connection, campaign, person)
            answered = {(row.query, row.document) for row in mine if row.made is not None}
            asked = {row.question for row in mine}
            left = [one.id for one in chosen if one.id not in asked and (one.query, one.document) not in answered]
            places = sorted(due - {row.place for row in mine})
            rows = [{**common, "question": one, "place": place} for one, place in zip(left, places, strict=False)]
            if rows:
                connection.execute(insert(GOLD_ANSWERS), rows)
            return handed_to(connection, campaign, person)

    @contextmanager
    def _changing(self, campaign: int) -> Iterator[Connection]:
        """A transaction that has locked the campaign, as those have in which answers are recorded."""
        with writing(self._engine, campaign) as connection:
            Store(campaign=campaign).lock(connection)
            yield connection

    def _chance(self, purpose: str, campaign: int, person: int, number: int) -> float:
        """A number between 0 and 1 that is always the same, and that nobody can foretell who lacks the room's key."""
        said = f"gold {purpose}:{campaign}:{person}:{number}".encode()
        return int.from_bytes(hmac.digest(self._key.encode(), said, hashlib.sha256)[:7]) / (1 << 56)

    # answers

    def desk(self, campaign: int, person: int, grades: Sequence[float]) -> SideDesk:
        """The gold questions that somebody answers among the documents of a campaign."""
        return lambda connection: GoldDesk(connection, campaign, person, grades)

    def answered(self, campaign: int, person: int) -> list[Beside]:
        """Everything that the person has answered of gold questions, with answers that were changed."""
        with reading(self._engine) as connection:
            mine = handed_to(connection, campaign, person)
        return [(row.query, row.document, row.made) for row in mine if row.made is not None]

    def answers(self, campaign: int, grades: Sequence[float]) -> list[GoldAnswer]:
        """Everybody's last answer to each gold question, in the order in which they came."""
        with reading(self._engine) as connection:
            return answers_of(connection, campaign, grades)

    # who gets no more documents

    def block(self, campaign: int, person: int) -> AssessorBlock | None:
        """Since when the person gets no more documents; None if they do."""
        return self.blocks(campaign).get(person)

    def blocks(self, campaign: int) -> dict[int, AssessorBlock]:
        """Everybody who gets no more documents."""
        with reading(self._engine) as connection:
            return blocks_of(connection, campaign)

    def lift(self, campaign: int, person: int, by: int) -> bool:
        """Gives somebody documents again; from then on only later gold questions count. False if nobody was blocked."""
        chosen = (BLOCKS.c.campaign == campaign, BLOCKS.c.person == person, BLOCKS.c.lifted.is_(None))
        with self._changing(campaign) as connection:
            lifted = update(BLOCKS).where(*chosen).values(lifted=self._clock(), lifted_by=by)
            return connection.execute(lifted).rowcount > 0
