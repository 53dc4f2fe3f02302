"""rankgauge mcp: evaluation as tools for a language model's client."""

from __future__ import annotations

from pathlib import Path

from rankgauge.cli.command import command
from rankgauge.cli.parser import argument, option
from rankgauge.errors import InputError, MissingExtraError


@command(
    "mcp",
    "rankgauge mcp results",
    "rankgauge mcp results --allow-writing",
    page="notebooks.md",
)
def mcp(
    folder: Path = argument(
        "[FOLDER]", help="The folder whose files may be read; by default this one.", required=False
    ),
    allow_writing: bool = option("--allow-writing", help="Let tools write new pages into the folder, too."),
) -> None:
    """Serve MCP tools for a folder's files: evaluate, compare, audit and more, over standard input and output."""
    root = folder or Path()
    if not root.is_dir():
        raise InputError("is not a folder", path=root, hint="Name the folder that holds judgments and runs.")
    try:
        from rankgauge.cli.mcp_server import server
    except ModuleNotFoundError as error:
        raise MissingExtraError("mcp", "mcp") from error
    server(root, writing=allow_writing).run()
