"""Command that serves: tools, resources and prompts over MCP, to an agent or to many."""

from pathlib import Path
from typing import Any

import click

from corpusgraph.flows.cli.options import OK, budget_option, outputs_option, profile_option
from corpusgraph.schemas.errors import CorpusgraphError


@click.command()
@click.option(
    "--transport",
    type=click.Choice(["stdio", "http"]),
    default="stdio",
    show_default=True,
    help="stdio: for the program that starts this one; http: for many.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on (http).")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Port to listen on (http); 0: any.",
)
@click.option("--index", help="Index of a call that names none [the only one there is].")
@click.option("--memory", metavar="NAME", help="The same, and made empty where there is none of that name.")
@click.option("--tools", "groups", multiple=True, metavar="GROUPS", help="Groups of tools to offer [all].")
@click.option("--read-only", is_flag=True, help="Offer nothing that changes an index or writes files.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File with the tokens of the clients: a token, or a name and a token, a line.",
)
@click.option("--token", help="Token of the one client [CORPUSGRAPH_TOKEN]; other users can see it here.")
@click.option(
    "--allow-host", multiple=True, metavar="NAME", help="Another name that this server goes by (Host)."
)
@click.option(
    "--allow-origin", multiple=True, metavar="URL", help="Site whose pages may call (Origin): https://…"
)
@click.option(
    "--max-body",
    type=click.FloatRange(0.001, 1024),
    default=4,
    show_default=True,
    metavar="MEGABYTES",
    help="The most that a request may hold.",
)
@click.option(
    "--timeout",
    "seconds",
    type=click.FloatRange(0.1, 86400),
    default=300,
    show_default=True,
    metavar="SECONDS",
    help="How long a call may take.",
)
@profile_option
@budget_option
@outputs_option
def serve(
    transport: str,
    index: str | None,
    memory: str | None,
    groups: tuple[str, ...],
    outputs: Path,
    **more: Any,
) -> int:
    """Serve tools, resources and prompts to agents over MCP."""
    from corpusgraph.flows.mcp.options import ServeOptions

    if memory is not None:
        index = _memory(memory, index, outputs)
    calls = {name: more[name] for name in ("read_only", "profile", "budget", "seconds")}
    options = ServeOptions(outputs=outputs, index=index, groups=groups, **calls)
    if index is not None and memory is None:
        _look_for(index, outputs)
    if transport == "stdio":
        from corpusgraph.flows.mcp.stdio import serve_stdio

        serve_stdio(options)
        return OK
    from corpusgraph.flows.mcp import http

    listen = http.HttpOptions(
        host=more["host"],
        port=more["port"],
        tokens=http.read_tokens(more["token"], more["token_file"]),
        hosts=http.known_hosts(more["allow_host"]),
        origins=http.known_origins(more["allow_origin"]),
        max_body=int(more["max_body"] * http.MEGABYTE),
    )
    asked = "a bearer token is asked for" if len(listen.tokens) else "no token is asked for"

    def say(address: str) -> None:  # on stderr, as all that is no result
        click.echo(f"Serving MCP at {address} ({asked}); Ctrl-C ends.", err=True)

    http.serve_http(options, listen, say)
    return OK


def _memory(name: str, index: str | None, outputs: Path) -> str:
    """Return the name of an index that is there, if need be by making it."""
    from corpusgraph.flows.interop.sources import new_memory
    from corpusgraph.flows.store.store import IndexStore

    if index not in {None, name}:
        raise click.UsageError("--memory names an index, and --index another: give one of the two.")
    if IndexStore(outputs).manifest(name) is None:
        new_memory(name, outputs=outputs)
    return name


def _look_for(index: str, outputs: Path) -> None:
    """Warn on stderr of an index that is not there: it may be made while the server runs, or be misspelt."""
    from corpusgraph.flows.store.store import IndexStore

    try:
        IndexStore(outputs).published(index)
    except CorpusgraphError as error:
        click.echo(f"warning: {error} Calls that name no other index fail until it is there.", err=True)
