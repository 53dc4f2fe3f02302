"""What people have answered: one assessor's answers, everybody's labels by their names, and how long each took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from rankgauge.labelling.campaign.label_campaign import LabelCampaign
from rankgauge.labelling.campaign.ledger import shown_names
from rankgauge.labelling.labels import Assessor, Identity, LabelKind, Task, identity_of

SECONDS = {"query": pl.String(), "document": pl.String(), "assessor": pl.String(), "seconds": pl.Float64()}


@dataclass(frozen=True, kw_only=True)
class OwnAnswer:
    """What somebody has answered of a document, and when."""

    task: Task
    kind: str
    grade: float | None
    comment: str | None
    made: float


class LabelHistory:
    """The answers of a campaign so far."""

    def __init__(self, campaign: LabelCampaign) -> None:
        self._campaign, self._state = campaign, campaign._state

    def answers(self, who: Assessor) -> list[OwnAnswer]:
        """The assessor's last answer of each document, with what there is to read, in the order of their times."""
        with self._state.looking() as connection:
            given = self._state.ledger.given
            places = dict.fromkeys(place for place, _ in self._state.ledger.history.get(who.identity, ()))
            said = {place: given[place][who.identity] for place in places}
            texts = self._state.store.texts(connection, list(said))
        found = [
            OwnAnswer(
                task=self._state.task(place, who, one.made, texts.get(place, {})),
                **{name: getattr(one, name) for name in ("kind", "grade", "comment", "made")},
            )
            for place, one in said.items()
        ]
        return sorted(found, key=lambda one: one.made)

    def handed(self, who: Assessor) -> set[tuple[str, str]]:
        """Query and document of everything that was ever handed to the assessor, or that they have judged."""
        with self._state.looking() as connection:
            judged = {place for place, _ in self._state.ledger.history.get(who.identity, ())}
            places = judged | set(self._state.store.first_leases_of(connection, who))
        return {(one.query, one.document) for one in (self._state.task(place, who, 0.0, {}) for place in places)}

    def order_of(self, who: Assessor, places: Sequence[int]) -> dict[int, int]:
        """Numbers by which these documents can be put into the order in which the assessor first had them."""
        with self._state.looking() as connection:
            return self._state.store.first_leases_of(connection, who, places)

    def texts(self, documents: Sequence[tuple[str, str]]) -> list[dict[str, str] | None]:
        """What there is to read of these documents, by query and document; None for those that the pool lacks."""
        known = self._state.pool.positions
        places = [known.get(query, {}).get(document) for query, document in documents]
        with self._state.looking() as connection:
            found = self._state.store.texts(connection, [place for place in places if place is not None])
        return [None if place is None else found.get(place, {}) for place in places]

    def labels(self) -> pl.DataFrame:
        """The labels that count, each assessor under a name of their own, without those that settle disagreements."""
        labels = self._campaign.labels().filter(pl.col("kind") != LabelKind.SETTLED.value)
        with self._state.looking():
            names = shown_names(self._state.ledger.names)
        known = [names[name if person is None else person] for name, person in labels["assessor", "person"].iter_rows()]
        return labels.with_columns(pl.Series("assessor", known, dtype=pl.String))

    def seconds(self, others: Mapping[Identity, Sequence[float]] | None = None) -> pl.DataFrame:
        """How long each document took that was handed out: query, document, assessor, seconds.

        The time begins when the assessor first had the document, or with their answer before; `others` are moments at
        which they answered something that is no label.
        """
        with self._state.looking() as connection:
            first = {(row.place, identity_of(row)): row.made for row in self._state.store.first_leases(connection)}
            history, names = self._state.ledger.history, shown_names(self._state.ledger.names)
            taken = {who: _taken(who, labels, first, (others or {}).get(who, ())) for who, labels in history.items()}
            rows = [
                (task.query, task.document, names[who], seconds)
                for who, found in taken.items()
                for place, seconds in found
                for task in (self._state.task(place, Assessor(name=""), 0.0, {}),)
            ]
        return pl.DataFrame(rows, schema=SECONDS, orient="row")


def _taken(
    who: Identity,
    labels: Sequence[tuple[int, float]],
    first: Mapping[tuple[int, Identity], float],
    others: Sequence[float],
) -> list[tuple[int, float]]:
    """The documents that were handed to the assessor, and how many seconds passed until their first answer."""
    moments = np.sort(np.array([*(made for _, made in labels), *others]))
    found, seen = list[tuple[int, float]](), set[int]()
    for place, made in labels:
        begun = first.get((place, who))
        if begun is not None and place not in seen and made > begun:
            before = moments[np.searchsorted(moments, made) - 1] if made > moments[0] else begun
            found.append((place, float(made - max(begun, before))))
        seen.add(place)
    return found
