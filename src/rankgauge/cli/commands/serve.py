"""rankgauge serve: the judging room, in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgauge.cli.command import command
from rankgauge.cli.parser import Options, argument, option

if TYPE_CHECKING:
    from rankgauge.room.settings import RoomSettings


class RoomOptions(Options):
    """Which room, and who looks after it."""

    database: str | None = option(help="The URL of the database [default: sqlite:///rankgauge.db].", metavar="URL")
    host: str | None = option(help="The address to listen on [default: 127.0.0.1].", metavar="ADDRESS")
    port: int | None = option(help="The port [default: 8000].", metavar="N")
    url: str | None = option(help="The room's public URL, if it is behind a proxy.", metavar="URL")
    root_path: str | None = option(
        help="The path under which a proxy serves the room, such as /judging.", metavar="PATH"
    )
    admin: str | None = option(help="The administrator whose link is printed [default: admin].", metavar="PERSON")

    def settings(self, **more: Any) -> RoomSettings:
        """Return the settings of the room; an error names the pip command where its packages are not installed."""
        import importlib.util

        from rankgauge.errors import MissingExtraError

        for module in ("fastapi", "uvicorn", "jinja2", "sqlalchemy"):
            if importlib.util.find_spec(module) is None:
                raise MissingExtraError(module, "web")
        from rankgauge.room.settings import RoomSettings

        return RoomSettings.of(None, **{name: getattr(self, name) for name in self.parameters()}, **more)


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
    task: list[str] | None = argument(
        "TASK", help="backup COPY, restore COPY or check; without a task the room opens.", required=False
    ),
    workers: int | None = option(help="How many processes serve the room [default: 1].", metavar="N"),
    *,
    asked: RoomOptions,
) -> None:
    """Open the judging room: pages for assessors, a dashboard for whoever runs the campaign, an API for programs.

    The task `backup COPY` copies the room's database, which may be in use, to a new file or an empty database;
    `restore COPY` makes a new database of such a copy; `check` reads everything and says how much there is. Every other
    setting is an environment variable: see the pages on judging as a team and on running the room.
    """
    settings = asked.settings(workers=workers)
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
def admin_link(asked: RoomOptions) -> None:
    """Print a new link for an administrator of a judging room, which may be open meanwhile.

    The link works once, within the hour. Give it the options that the room was opened with.
    """
    settings = asked.settings()
    from rankgauge.room.server import new_admin_link

    print(new_admin_link(settings))
