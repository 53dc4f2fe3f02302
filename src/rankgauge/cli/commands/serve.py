"""rankgauge serve: the judging room, in the browser."""

from __future__ import annotations

from rankgauge.cli.command import command
from rankgauge.cli.parser import argument, option

DATABASE = option("--database", help="The URL of the database [default: sqlite:///rankgauge.db].", metavar="URL")
HOST = option("--host", help="The address to listen on [default: 127.0.0.1].", metavar="ADDRESS")
PORT = option("--port", help="The port [default: 8000].", metavar="N")
WORKERS = option("--workers", help="How many processes serve the room [default: 1].", metavar="N")
URL = option("--url", help="The room's public URL, if it is behind a proxy.", metavar="URL")
ADMIN = option("--admin", help="The administrator whose link is printed [default: admin].", metavar="PERSON")
ROOT_PATH = option(
    "--root-path", help="The path under which a proxy serves the room, such as /judging.", metavar="PATH"
)
TASK = argument("TASK", help="backup COPY, restore COPY or check; without a task the room opens.", required=False)


@command(
    "serve",
    "rankgauge serve",
    "rankgauge serve --admin ann",
    "rankgauge serve --database postgresql://me@localhost/judging --host 0.0.0.0 --url https://judge.example.org",
    "rankgauge serve backup monday.db",
    "rankgauge serve restore monday.db --database sqlite:///new.db",
    "rankgauge serve check",
    place=130,
    page="judging.md",
)
def serve(
    task: list[str] | None = TASK,
    database: str | None = DATABASE,
    host: str | None = HOST,
    port: int | None = PORT,
    workers: int | None = WORKERS,
    url: str | None = URL,
    root_path: str | None = ROOT_PATH,
    admin: str | None = ADMIN,
) -> None:
    """Open the judging room: pages for assessors, a dashboard for whoever runs the campaign, an API for programs.

    The task `backup COPY` copies the room's database, which may be in use, to a new file or an empty database;
    `restore COPY` makes a new database of such a copy; `check` reads everything and says how much there is. Every other
    setting is an environment variable: see the pages on judging as a team and on running the room.
    """
    _require()
    from rankgauge.room.settings import RoomSettings

    place = {"host": host, "port": port, "url": url, "root_path": root_path}
    settings = RoomSettings.of(None, database=database, workers=workers, admin=admin, **place)
    if task:
        from rankgauge.room.upkeep import do

        print(do(settings.database, *task))
        return
    from rankgauge.room.server import serve as run

    run(settings)


@command(
    "admin-link",
    "rankgauge admin-link",
    "rankgauge admin-link --admin ann --database postgresql://me@localhost/judging --url https://judge.example.org",
    place=130,
    page="judging.md",
)
def admin_link(
    database: str | None = DATABASE,
    host: str | None = HOST,
    port: int | None = PORT,
    url: str | None = URL,
    root_path: str | None = ROOT_PATH,
    admin: str | None = ADMIN,
) -> None:
    """Print a new link for an administrator of a judging room, which may be open meanwhile.

    The link works once, within the hour. Give it the options that the room was opened with.
    """
    _require()
    from rankgauge.room.server import new_admin_link
    from rankgauge.room.settings import RoomSettings

    place = {"host": host, "port": port, "url": url, "root_path": root_path}
    print(new_admin_link(RoomSettings.of(None, database=database, admin=admin, **place)))


def _require() -> None:
    """An error that names the pip command where the room's packages are not installed."""
    import importlib.util

    from rankgauge.errors import MissingExtraError

    for module in ("fastapi", "uvicorn", "jinja2", "sqlalchemy"):
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError(module, "web")
