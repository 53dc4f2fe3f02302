"""Numbers of campaigns and drafts: none is given twice, so that nobody is shown what had the number before."""

from __future__ import annotations

import httpx
import polars as pl
import pytest

from tests.web.house import House, csrf, open_house, parquet, pool

OTHER = pl.DataFrame({"query": ["x1"] * 3 + ["x2"] * 3, "document": ["a", "b", "c"] * 2, "score": [3.0, 2.0, 1.0] * 2})
"""A small pool that shares nothing with the usual one."""


def begin(client: httpx.Client, frame: pl.DataFrame) -> str:
    """The address of a new draft of the pool."""
    sent = {"lists": ("pool.parquet", parquet(frame))}
    return client.post("/drafts", data={"csrf": csrf(client)}, files=sent).headers["location"].rpartition("/")[0]


def served(client: httpx.Client, campaign: int) -> set[str]:
    """The documents that a program is handed."""
    return {task["document"] for task in client.post(f"/api/v1/campaigns/{campaign}/tasks?n=4").json()}


@pytest.mark.parametrize("end", ["make", "discard"])
def test_a_draft_holds_its_own_files(house: House, end: str) -> None:
    """A draft that follows one that was made or discarded is made of the files that were uploaded for it."""
    client = house.admin()
    first = begin(client, pool().drop("grade"))
    client.get(f"{first}/pool")
    assert client.post(f"{first}/{end}", data={"csrf": csrf(client), "name": "first"}).status_code == 303
    second = begin(client, OTHER)
    assert second != first
    assert "x1" in client.get(f"{second}/pool").text
    made = client.post(f"{second}/make", data={"csrf": csrf(client), "name": "second"}).headers["location"]
    campaign = house.room.campaigns.get(int(made.rpartition("/")[2])).campaign
    assert sorted(campaign.pool.queries) == ["x1", "x2"]


def test_every_process_serves_the_new_campaign(database: str) -> None:
    """After a campaign was deleted in one process, the next one is itself in all of them."""
    with open_house(database) as one, open_house(database) as other:
        first = one.campaign("first")
        assert served(other.program(), first)
        gone = one.program().delete(f"/api/v1/campaigns/{first}", params={"name": "first"})
        assert gone.status_code == 204
        params = {"name": "second", "measure": "ERR@3", "budget": 6, "filename": "pool.parquet", "method": "passive"}
        made = one.program().post("/api/v1/campaigns", params=params, content=parquet(OTHER)).json()
        assert made["id"] != first
        assert served(other.program(), made["id"]) <= {"a", "b", "c"}
        assert other.program().get(f"/api/v1/campaigns/{first}").status_code == 404
