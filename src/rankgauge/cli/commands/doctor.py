"""rankgauge doctor: what is installed, what is missing, and what to type."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from rankgauge.cli.command import command
from rankgauge.cli.parser import option

EXTRAS = ("ltr", "active", "web", "judge", "notebooks", "plots", "zstd", "xlsx", "spark", "irds", "mcp")
"""The extras that users install."""


@command(
    "doctor",
    "rankgauge doctor",
    "rankgauge doctor --database postgresql://room@localhost/room",
    place=150,
    page="operations.md",
)
def doctor(
    database: list[str] | None = option(
        "--database", help="A database to try, beside RANKGAUGE_DATABASE.", metavar="URL"
    ),
) -> None:
    """Print versions, extras present and missing with their pip lines, databases that answer, and the docs' address."""
    from rankgauge.render.terminal import Screen

    out = Screen(sys.stdout)
    out.pairs([*_versions(), *_extras(), *_databases(database or [])])


def _versions() -> Iterator[tuple[str, str]]:
    import platform
    from importlib.metadata import version

    import rankgauge
    from rankgauge.cli.help import DOCS

    yield "rankgauge", f"{rankgauge.__version__} in {rankgauge.__path__[0]}"
    yield "python", f"{platform.python_version()} on {platform.platform(terse=True)}"
    yield "core", ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "polars"))
    yield "docs", f"{DOCS}index.md"


def _extras() -> Iterator[tuple[str, str]]:
    from importlib.metadata import requires

    wanted: dict[str, list[str]] = {}
    for line in requires("rankgauge") or ():
        if match := re.fullmatch(r"([\w.-]+).*extra == ['\"](\w+)['\"]", line):
            wanted.setdefault(match[2], []).append(match[1])
    for extra in EXTRAS:
        lacking = [name for name in wanted.get(extra, ()) if name != "rankgauge" and not _is_installed(name)]
        advice = f"missing {', '.join(lacking)}: pip install 'rankgauge[{extra}]'"
        yield f"[{extra}]", advice if lacking else "present"


def _is_installed(name: str) -> bool:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return bool(distribution(name))
    except PackageNotFoundError:
        return name == "uvloop" and sys.platform == "win32"


def _databases(urls: list[str]) -> Iterator[tuple[str, str]]:
    import os

    asked = [*urls, *filter(None, [os.environ.get("RANKGAUGE_DATABASE")])]
    if not asked:
        yield "database", "none named: set RANKGAUGE_DATABASE or --database; `serve` makes a SQLite file without one"
    for url in asked:
        yield "database", _answer(url)


def _answer(url: str) -> str:
    try:
        from sqlalchemy import create_engine, text
        from sqlalchemy.engine import make_url
    except ModuleNotFoundError:
        return "cannot be tried without sqlalchemy: pip install 'rankgauge[web]'"
    try:
        place = make_url(url)
        if place.get_backend_name() == "postgresql":
            place = place.set(drivername="postgresql+psycopg")
        with create_engine(place).connect() as connection:
            connection.execute(text("select 1"))
    except Exception as error:  # whatever a driver raises is what the user wants to read
        return f"{re.sub('//.*@', '//…@', url)} does not answer: {str(error).splitlines()[0]}"
    return f"{place.render_as_string(hide_password=True)} answers"
