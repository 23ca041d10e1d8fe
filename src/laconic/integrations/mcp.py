"""A server of the Model Context Protocol: assistants can shorten text, see every length, and parse."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, wraps
from typing import Annotated, Any

import laconic
from laconic.documents.compress import compress_with
from laconic.errors import LaconicError, MissingExtra
from laconic.options import TABLE, Options
from laconic.systems.manner import system_for

try:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from pydantic import Field
except ImportError:
    raise MissingExtra("mcp", "mcp") from None

_LISTS = ("keep", "drop", "protect")


@cache
def server() -> MCPServer:
    """The server, not yet running: `server().run("stdio")`."""
    found = MCPServer(
        "laconic",
        version=laconic.__version__,
        instructions="Shortens English text by deleting what can go; limits are met exactly, nothing is made up.",
    )
    for tool in (_compress_tool(), lengths, parse):
        found.tool()(_telling(tool))
    return found


def lengths(
    text: Annotated[str, Field(description="English text, such as one sentence.")],
    system: Annotated[str, Field(description=TABLE["system"].help)] = "default",
) -> list[dict[str, Any]]:
    """The best compression of a text at every number of words, the shortest first."""
    found = laconic.lengths(text, system=system)
    return [{"words": words, "text": found.at(words)} for words in found.totals]


def parse(text: Annotated[str, Field(description="English text.")]) -> list[dict[str, Any]]:
    """The sentences of a text with their words, tags, phrase structure and dependencies."""
    from laconic.formats.jsonl import sentence_to_json
    from laconic.systems.annotation import annotated
    from laconic.text.split import split_sentences

    return [
        dict(sentence_to_json(sentence)) for sentence in annotated(split_sentences(text)) if sentence.words
    ]


def _telling(tool: Callable[..., Any]) -> Callable[..., Any]:
    """A tool whose refusals reach the assistant, which can then ask for what is possible."""

    @wraps(tool)
    def run(**given: Any) -> Any:
        try:
            return tool(**given)
        except LaconicError as error:
            raise ToolError(str(error)) from error

    return run


def _compress_tool() -> Any:
    """The tool that shortens text, with the options of the one table as its arguments."""

    def tool(text: str, **options: Any) -> dict[str, Any]:
        given = {name: value for name, value in options.items() if value not in (None, [], False)}
        wanted = Options.of(given)
        found = compress_with(system_for(wanted), text, wanted, wanted.budget())
        return {"text": found.text, "notes": list(found.notes)}

    parameters = [
        inspect.Parameter("text", inspect.Parameter.KEYWORD_ONLY, annotation=str),
        *(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_typed(name))
            for name in TABLE
        ),
    ]
    tool.__name__ = "compress"
    tool.__doc__ = "Shorten a text to a limit, or each sentence to the length that is natural for it."
    tool.__signature__ = inspect.Signature(parameters, return_annotation=dict[str, Any])  # type: ignore[attr-defined]
    tool.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": dict[str, Any]}
    return tool


def _typed(name: str) -> Any:
    kind: Any = str | float | None
    if name == "drop_sentences":
        kind = bool | None
    elif name in _LISTS:
        kind = list[str] | None
    elif TABLE[name].choices or name in ("for_", "tokenizer", "system"):
        kind = str | None
    # What is `for_` in Python is `for` in JSON.
    return Annotated[kind, Field(description=TABLE[name].help, alias=name.rstrip("_"))]
