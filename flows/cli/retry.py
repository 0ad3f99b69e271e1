"""The command that makes failed calls of a language model again."""

from pathlib import Path

import click

from corpusgraph.flows.cli.exits import FAILED, OK, emit
from corpusgraph.flows.cli.options import asking_options, settings


@click.command("retry-failed")
@click.argument("name")
@asking_options
def retry_failed(
    name: str,
    profile: str | None,
    budget: float | None,
    outputs: Path | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Repeat the calls of a language model that failed when the index NAME was made, and complete it.

    Only those are paid for: all replies there were are kept. `corpusgraph status NAME` lists what failed.
    """
    from corpusgraph.flows.cli import console
    from corpusgraph.flows.engine import Inline
    from corpusgraph.flows.progress import watched
    from corpusgraph.flows.update import retry_failed as again

    chosen = settings(outputs, profile=profile, budget=budget)
    with watched(quiet=quiet) as progress:
        report = again(name, settings=chosen, engine=Inline(), progress=progress)
    if as_json:
        emit(report.model_dump(mode="json"))
    else:
        console.show_index(report)
    return FAILED if report.n_failures else OK
