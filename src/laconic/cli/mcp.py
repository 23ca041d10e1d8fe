"""`laconic mcp`: a server for assistants."""

from __future__ import annotations


def mcp_command() -> None:
    """Serve assistants by the Model Context Protocol, on standard input and output.

    \b
    Tools: compress, lengths, parse. It runs until its input ends. Needs laconic[mcp]. An assistant starts it by a
    command in its settings.

    \b
    Example:
      laconic mcp
    """
    from laconic.integrations.mcp import server

    server().run("stdio")
