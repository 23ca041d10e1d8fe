"""The server's tools shorten, show lengths and parse, for a client in the same process and over pipes."""

from __future__ import annotations

import asyncio
import sys

import pytest

pytest.importorskip("mcp")

from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server.mcpserver.exceptions import ToolError

import laconic
from laconic.integrations.mcp import server
from laconic.options import TABLE


def call(tool: str, **arguments):
    return asyncio.run(server().call_tool(tool, arguments)).structured_content


def test_the_arguments_of_compress_are_the_table_of_options() -> None:
    tools = {tool.name: tool for tool in asyncio.run(server().list_tools())}
    assert set(tools) == {"compress", "lengths", "parse"}
    properties = tools["compress"].input_schema["properties"]
    assert list(properties) == ["text", *(name.rstrip("_") for name in TABLE)]
    assert all(properties[name.rstrip("_")]["description"] == TABLE[name].help for name in TABLE)


def test_compress_meets_a_limit() -> None:
    text = "It fell again on Monday, officials said."
    assert call("compress", text=text, words=3, system="truncate")["text"] == "It fell again"
    assert call("compress", text=text, words="=2", system="truncate", keep=["Monday"])["text"] == "It Monday"
    assert call("compress", **{"text": text, "for": "title", "system": "truncate"}) == {
        "text": text,
        "notes": [],
    }


def test_a_refusal_reaches_the_assistant() -> None:
    with pytest.raises(ToolError, match="words='many': an amount is N"):
        call("compress", text="It fell.", words="many")


def test_lengths_are_all_there_are() -> None:
    found = call("lengths", text="It fell again", system="truncate")["result"]
    assert found == [
        {"words": 1, "text": "It"},
        {"words": 2, "text": "It fell"},
        {"words": 3, "text": "It fell again"},
    ]


def test_lengths_are_those_of_the_library_for_a_whole_text() -> None:
    text = "It fell again. It rose, he said."
    known = laconic.lengths(text)
    found = call("lengths", text=text)["result"]
    assert [(each["words"], each["text"]) for each in found] == [(n, known.at(n)) for n in known.totals]


def test_parse_gives_tags_and_trees() -> None:
    [first, second] = call("parse", text="Stocks fell. Bonds rose.")["result"]
    assert first["words"] == ["Stocks", "fell", "."]
    assert second["tags"][0].startswith("NN")


def test_the_program_serves_over_pipes() -> None:
    from mcp import Client

    async def asked() -> str:
        process = StdioServerParameters(
            command=sys.executable, args=["-m", "laconic", "mcp"], env=environment()
        )
        async with Client(stdio_client(process)) as client:
            answer = await client.call_tool(
                "compress", {"text": "It fell again.", "words": 2, "system": "truncate"}
            )
            return answer.structured_content["text"]

    assert asyncio.run(asked()) == "It fell"


def environment() -> dict[str, str]:
    import os

    return dict(os.environ)
