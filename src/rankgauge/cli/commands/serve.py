"""rankgauge serve: the judging room, in the browser."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from rankgauge.cli.command import command

Database: TypeAlias = Annotated[
    str | None,
    typer.Option("--database", help="The URL of the database [default: sqlite:///rankgauge.db].", metavar="URL"),
]
Host: TypeAlias = Annotated[
    str | None, typer.Option("--host", help="The address to listen on [default: 127.0.0.1].", metavar="ADDRESS")
]
Port: TypeAlias = Annotated[int | None, typer.Option("--port", help="The port [default: 8000].", metavar="N")]
Workers: TypeAlias = Annotated[
    int | None, typer.Option("--workers", help="How many processes serve the room [default: 1].", metavar="N")
]
Url: TypeAlias = Annotated[
    str | None,
    typer.Option("--url", help="The room's public URL, if it is behind a proxy.", metavar="URL"),
]
Admin: TypeAlias = Annotated[
    str | None,
    typer.Option("--admin", help="The administrator whose link is printed [default: admin].", metavar="PERSON"),
]
Source: TypeAlias = Annotated[str, typer.Argument(help="The database: a file or a URL.", metavar="DATABASE")]
Target: TypeAlias = Annotated[str, typer.Argument(help="A new file, or the URL of an empty database.", metavar="COPY")]


@command(
    "serve",
    "rankgauge serve",
    "rankgauge serve --admin ann",
    "rankgauge serve --database postgresql://me@localhost/judging --host 0.0.0.0 --url https://judge.example.org",
    place=130,
)
def serve(
    database: Database = None,
    host: Host = None,
    port: Port = None,
    workers: Workers = None,
    url: Url = None,
    admin: Admin = None,
) -> None:
    """Open the judging room: pages for assessors, a dashboard for whoever runs the campaign, an API for programs.

    Every other setting is an environment variable: see the page on judging as a team.
    """
    _require()
    from rankgauge.room.server import serve as run
    from rankgauge.room.settings import RoomSettings

    run(RoomSettings.of(database=database, host=host, port=port, workers=workers, url=url, admin=admin))


@command(
    "admin-link",
    "rankgauge admin-link",
    "rankgauge admin-link --admin ann --database postgresql://me@localhost/judging --url https://judge.example.org",
    place=130,
)
def admin_link(
    database: Database = None, host: Host = None, port: Port = None, url: Url = None, admin: Admin = None
) -> None:
    """Print a new link for an administrator of a judging room, which may be open meanwhile.

    The link works once, within the hour. Give it the options that the room was opened with.
    """
    _require()
    from rankgauge.room.server import new_admin_link
    from rankgauge.room.settings import RoomSettings

    print(new_admin_link(RoomSettings.of(database=database, host=host, port=port, url=url, admin=admin)))


@command(
    "backup",
    "rankgauge backup sqlite:///rankgauge.db monday.db",
    "rankgauge backup postgresql://me@localhost/judging monday.db",
    place=130,
)
def backup(source: Source, target: Target) -> None:
    """Copy a room's whole database, while it is in use, to a file or to another database."""
    _require()
    from rankgauge.labelling.campaign.database import Location
    from rankgauge.room.backup import copy

    counts = copy(Location(source), Location(target))
    kept = ", ".join(f"{counts[name]:,} {name}" for name in ("campaigns", "labels", "people"))
    print(f"{kept} copied to {Location(target)}")


def _require() -> None:
    """An error that names the pip command where the room's packages are not installed."""
    import importlib.util

    from rankgauge.errors import MissingExtraError

    for module in ("fastapi", "uvicorn", "jinja2", "alembic", "sqlalchemy"):
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError(module, "web")
