"""rankgauge mcp: tools for a language model's client, on the files of one folder."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver.exceptions import ToolError

from rankgauge import evaluate
from rankgauge.cli.mcp_server import Folder, server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with judgments and two runs, beside a file that is nobody's business."""
    (tmp_path / "secret.txt").write_text("q1 Q0 secret 1 1.0 x\n")
    inner = tmp_path / "results"
    (inner / "deep").mkdir(parents=True)
    (inner / "qrels.txt").write_text("".join(f"q{n} 0 a 2\nq{n} 0 b 1\n" for n in range(6)))
    (inner / "one.txt").write_text("".join(f"q{n} Q0 b 1 2.0 one\nq{n} Q0 a 2 1.0 one\n" for n in range(6)))
    (inner / "deep" / "two.txt").write_text("".join(f"q{n} Q0 a 1 2.0 two\nq{n} Q0 b 2 1.0 two\n" for n in range(6)))
    return inner


def test_the_tools_over_standard_input_and_output(folder: Path) -> None:
    """The SDK's own client lists the tools with their schemas, calls them, and is refused what is outside."""
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME") if name in os.environ}
    words = ["-m", "rankgauge.cli", "mcp", str(folder)]
    parameters = StdioServerParameters(command=sys.executable, args=words, env=environment)
    runs = {"one": "one.txt", "two": "deep/two.txt"}

    async def talk() -> tuple[Any, ...]:
        async with Client(parameters) as client:
            tools = (await client.list_tools()).tools
            said = {"judgments": "qrels.txt", "runs": runs, "measures": ["nDCG@10", "RR"]}
            found = await client.call_tool("evaluate", said)
            compared = await client.call_tool("compare", said)
            refused = await client.call_tool("evaluate", {**said, "runs": {"x": "../secret.txt"}})
            unknown = await client.call_tool("dialects", {"name": "trek"})
            return tools, found, compared, refused, unknown

    tools, found, compared, refused, unknown = asyncio.run(talk())
    names = {tool.name: tool for tool in tools}
    assert set(names) == {"evaluate", "compare", "audit", "judge_audit", "measures", "dialects"}
    assert names["evaluate"].input_schema["properties"]["runs"]["additionalProperties"] == {"type": "string"}
    mean = evaluate(folder / "qrels.txt", folder / "one.txt", "nDCG@10")["nDCG@10"]
    assert f"{mean:.12f}"[:10] in str(found.structured_content)
    assert not compared.is_error
    assert "two" in str(compared.structured_content)
    assert refused.is_error
    assert "leads out of the folder" in refused.content[0].text
    assert unknown.is_error
    assert "trec_eval" in unknown.content[0].text


@pytest.mark.parametrize(
    "name", ["../secret.txt", "/etc/passwd", "link.txt", "door/secret.txt", "nothing.txt", "a\0b", ""]
)
def test_what_leads_out_of_the_folder_is_refused(folder: Path, name: str) -> None:
    """By .., by whole paths, by symbolic links to files or folders; the folder itself holds such links."""
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
    (folder / "door").symlink_to(folder.parent)
    with pytest.raises(ToolError, match=r"leads out|no such file"):
        Folder(folder).place(name)


def test_a_list_of_queries_beside_a_file_may_not_be_a_link(folder: Path) -> None:
    """Readers look at it unasked."""
    assert Folder(folder).place("one.txt#x").endswith("one.txt#x")
    (folder / "queries.txt").symlink_to(folder.parent / "secret.txt")
    with pytest.raises(ToolError, match="leads out"):
        Folder(folder).place("one.txt")


def test_copies_of_a_document_count_as_is_said(folder: Path) -> None:
    """A list with a copy is refused with the name of the argument that says what it counts."""
    (folder / "twice.txt").write_text("".join(f"q{n} Q0 a {at} {9 - at} t\n" for n in range(6) for at in (1, 2)))
    call, said = server(folder).call_tool, {"judgments": "qrels.txt", "runs": {"t": "twice.txt"}, "measures": ["P@2"]}
    with pytest.raises(ToolError, match="duplicates"):
        asyncio.run(call("evaluate", said))
    assert "0.5" in str(asyncio.run(call("evaluate", {**said, "duplicates": "count-once"})))


def test_names_are_no_options(folder: Path) -> None:
    """A run that is called --output writes nothing."""
    before = {path: path.read_bytes() for path in folder.rglob("*.txt")}
    call = server(folder).call_tool
    said = {"judgments": "qrels.txt", "runs": {"--output": "one.txt"}, "measures": ["RR"]}
    asyncio.run(call("evaluate", said))
    assert {path: path.read_bytes() for path in folder.rglob("*.txt")} == before


def test_pages_are_written_where_that_is_allowed(folder: Path) -> None:
    """A new file in the folder, and none that is there already or outside."""
    tools = server(folder, writing=True)
    said = {"judgments": "qrels.txt", "runs": {"one": "one.txt", "two": "deep/two.txt"}, "page": "page.html"}
    asyncio.run(tools.call_tool("write_page", said))
    assert "<html" in (folder / "page.html").read_text()[:500]
    for page in ("page.html", "../page.html", "page.txt"):
        with pytest.raises(ToolError):
            asyncio.run(tools.call_tool("write_page", {**said, "page": page}))
    assert not (folder.parent / "page.html").exists()
