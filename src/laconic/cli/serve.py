"""`laconic serve`: the service, and the page that shows every length."""

from __future__ import annotations

import socket
import sys
from typing import Annotated

import typer

from laconic.errors import LaconicError

_TURN = 0.0002  # seconds that workers keep the interpreter from who only says that all are busy


def serve_command(
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Listen here; 0.0.0.0 is for all networks.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", metavar="N", help="Listen on this port.")] = 8000,
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", help="Work on N texts at a time; 0 is one a core.", min=0)
    ] = 0,
    queue: Annotated[
        int,
        typer.Option("--queue", metavar="N", help="Let N more wait; others are told to come again.", min=0),
    ] = 32,
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="SECONDS", help="Give up an answer after so long.")
    ] = 30.0,
    max_bytes: Annotated[
        int, typer.Option("--max-bytes", metavar="N", help="Refuse larger requests.", min=1)
    ] = 1 << 20,
    max_sentences: Annotated[
        int, typer.Option("--max-sentences", metavar="N", help="Refuse texts of more sentences.", min=1)
    ] = 2_000,
    api_key: Annotated[
        str | None,
        typer.Option(
            "--api-key",
            envvar="LACONIC_API_KEY",
            metavar="KEY",
            help="Answer only who gives this key; better given in the environment.",
            show_default=False,
        ),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            "--origin", metavar="URL", help="Let pages of this origin ask (CORS).", show_default=False
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="Let requests call the service so, as behind a proxy.",
            show_default=False,
        ),
    ] = None,
    tokenizer: Annotated[
        list[str] | None,
        typer.Option("--tokenizer", metavar="NAME", help="Let requests name this one.", show_default=False),
    ] = None,
    log_texts: Annotated[
        bool, typer.Option("--log-texts", help="Write the texts of requests into the log.")
    ] = False,
) -> None:
    """Serve the page and the HTTP service, on this machine alone unless told otherwise.

    \b
    Examples:
      laconic serve
      laconic serve --port 8080 --workers 4
      LACONIC_API_KEY=secret laconic serve --host 0.0.0.0
    """
    from laconic.serve.application import create_app
    from laconic.serve.logs import LOGGER, write_logs
    from laconic.serve.settings import LOOPBACK, Limits, Settings, hosts_of

    settings = Settings(
        workers=workers,
        queue=queue,
        api_key=api_key,
        origins=tuple(origin or ()),
        hosts=hosts_of(host.lower(), tuple(name.lower() for name in allow_host or ())),
        tokenizers=tuple(tokenizer or ()),
        log_texts=log_texts,
        limits=Limits(seconds=time_limit, body_bytes=max_bytes, sentences=max_sentences),
    )
    app = create_app(settings)
    from laconic.serve.server import server_of

    listening = _listening(host, port)
    write_logs()
    if host not in LOOPBACK and api_key is None:
        LOGGER.warning("others can reach this service, and no API key is set")
    typer.echo(f"laconic: http://{host}:{listening.getsockname()[1]}", err=True)
    sys.setswitchinterval(_TURN)
    server_of(app, settings).run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    """A socket at an address; what is wrong with it is said before anything is started."""
    found = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except (OSError, OverflowError) as error:
        found.close()
        raise LaconicError(f"cannot listen on {host}:{port}: {error}; --port names another") from None
    return found
