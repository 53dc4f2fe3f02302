"""The judging room from a notebook: a thin client of its API.

from rankgauge.room.client import RoomClient

with RoomClient("http://127.0.0.1:8000", token="rgt_…") as room:
    campaign = room.create("autumn", "pool.parquet", measure="ERR@10", budget=300)
    room.invite(campaign["id"], "ann")["link"]
    room.labels(campaign["id"])
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

import httpx
import polars as pl

from rankgauge.errors import InputError


class RoomClient:
    """A client of the room at `url`, which acts as the owner of the token. Calls time out after `seconds`."""

    def __init__(self, url: str, *, token: str, seconds: float = 60.0) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=f"{url.rstrip('/')}/api/v1", headers=headers, timeout=seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def campaigns(self) -> list[dict[str, Any]]:
        """Return all campaigns, the newest first."""
        return list(self._call("GET", "/campaigns"))

    def campaign(self, number: int) -> dict[str, Any]:
        """Progress and estimate of a campaign."""
        return dict(self._call("GET", f"/campaigns/{number}"))

    def create(self, name: str, pool: str | Path | pl.DataFrame, **settings: Any) -> dict[str, Any]:
        """Make a campaign of a pool, a file or a frame; the settings are those of the form."""
        if isinstance(pool, pl.DataFrame):
            pool.write_parquet(buffer := io.BytesIO())
            filename, content = "pool.parquet", buffer.getvalue()
        else:
            filename, content = Path(pool).name, Path(pool).read_bytes()
        params = {"name": name, "filename": filename, **settings}
        return dict(self._call("POST", "/campaigns", params=params, content=content))

    def create_board(
        self,
        name: str,
        runs: Iterable[str | Path],
        *,
        judges: Iterable[str | Path] = (),
        documents: str | Path | None = None,
        judged: str | Path | None = None,
        **settings: Any,
    ) -> dict[str, Any]:
        """Make a campaign of several runs, with grades of judges other than people, texts and earlier judgments."""
        files = [("lists", path) for path in runs] + [("judge", path) for path in judges]
        files += [(part, path) for part, path in (("documents", documents), ("judged", judged)) if path is not None]
        draft = None
        for part, path in files:
            params = {"part": part, "filename": Path(path).name}
            place = "/drafts" if draft is None else f"/drafts/{draft['id']}/files"
            draft = self._call("POST", place, params=params, content=Path(path).read_bytes())
        if draft is None:
            raise InputError("a board needs runs")
        return dict(self._call("POST", f"/drafts/{draft['id']}/campaign", json={"name": name, **settings}))

    def change(self, number: int, **changed: Any) -> dict[str, Any]:
        """Change the name, the budget, guidelines, names of grades, or whether the campaign is archived."""
        return dict(self._call("PATCH", f"/campaigns/{number}/settings", json=changed))

    def invite(self, number: int, name: str) -> dict[str, Any]:
        """Invite an assessor: id, name, and the link, which is shown only once."""
        return dict(self._call("POST", f"/campaigns/{number}/assessors", json={"name": name}))

    def tasks(self, number: int, n: int = 1) -> list[dict[str, Any]]:
        """Lease documents to judge."""
        return list(self._call("POST", f"/campaigns/{number}/tasks", params={"n": n}))

    def record(self, number: int, labels: Iterable[Mapping[str, Any]], *, replace: bool = False) -> dict[str, int]:
        """Record labels (query, document, grade[, assessor, comment, key]), all or none."""
        sent = {"labels": [dict(label) for label in labels], "replace": replace}
        return dict(self._call("POST", f"/campaigns/{number}/labels", json=sent))

    def labels(self, number: int) -> pl.DataFrame:
        """Return the current labels."""
        return pl.DataFrame(self._call("GET", f"/campaigns/{number}/labels"), infer_schema_length=None)

    def judgments(self, number: int) -> pl.DataFrame:
        """Return one grade for each fully judged document, as `evaluate` takes them."""
        return pl.DataFrame(self._call("GET", f"/campaigns/{number}/judgments"), infer_schema_length=None)

    def file(self, number: int, name: str, *, raw: bool = False) -> bytes:
        """Return an export of the campaign: judgments.txt, assessors.txt, labels.csv, labels.jsonl or campaign.rg.

        Cells of labels.csv that a spreadsheet would take for formulas begin with an apostrophe, unless it is `raw`.
        """
        return self._answer("GET", f"/campaigns/{number}/files/{name}", params={"raw": raw}).content

    def _call(self, method: str, path: str, **sent: Any) -> Any:
        return self._answer(method, path, **sent).json()

    def _answer(self, method: str, path: str, **sent: Any) -> httpx.Response:
        try:
            answer = self._http.request(method, path, **sent)
        except httpx.TransportError as error:
            raise InputError(f"the room does not answer: {error}", path=str(self._http.base_url)) from None
        if answer.is_success:
            return answer
        raise InputError(f"{answer.status_code}: {_detail(answer)}", path=str(answer.url.copy_with(query=None)))


def _detail(answer: httpx.Response) -> str:
    try:
        told = answer.json()["detail"]
        return "; ".join(f"{one['loc'][-1]}: {one['msg']}" for one in told) if isinstance(told, list) else str(told)
    except (ValueError, KeyError, TypeError):
        return answer.reason_phrase
