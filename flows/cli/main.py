"""The command line. With --json, stdout is JSON and nothing else; all else goes to stderr.

Exit codes: 0 done; 1 ran, and something failed (the failure ledger has lines); 2 bad input; 130 interrupted.
Heavy modules are imported inside commands: `corpusgraph --help` answers in an instant.
"""

import os
import sys

import click

from corpusgraph.flows.cli.ask import ask, tool, tools
from corpusgraph.flows.cli.build import index, remove, retry_failed, run
from corpusgraph.flows.cli.evaluate import evaluate
from corpusgraph.flows.cli.exits import OK, interrupted, tell, tell_error
from corpusgraph.flows.cli.indexes import export, status
from corpusgraph.flows.cli.interchange import import_, memory
from corpusgraph.flows.cli.method import method
from corpusgraph.flows.cli.profile import profile
from corpusgraph.flows.cli.replicate import replicate
from corpusgraph.flows.cli.serve import serve
from corpusgraph.flows.gc_tuning import rare_collection
from corpusgraph.schemas.errors import CorpusgraphError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="corpusgraph")
def cli() -> None:
    """From a corpus to a knowledge graph to datasets, offline."""


def main() -> None:
    """Run the command line; every foreseen error is one line and an exit code."""
    as_json = "--json" in sys.argv[1:]
    try:
        with rare_collection():  # a fifth of the time that the libraries take to import
            code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.ClickException as error:
        code = tell("bad_usage", error.format_message(), None, as_json=as_json)
    except click.Abort:
        code = interrupted(as_json=as_json)
    except KeyboardInterrupt:
        code = interrupted(as_json=as_json)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = OK
    except CorpusgraphError as error:
        code = tell_error(error, as_json=as_json)
    sys.stdout.flush()
    sys.exit(code if isinstance(code, int) else OK)


for command in (
    run,
    index,
    remove,
    ask,
    tools,
    tool,
    status,
    export,
    evaluate,
    method,
    retry_failed,
    replicate,
    profile,
    import_,
    memory,
    serve,
):
    cli.add_command(command)


if __name__ == "__main__":
    main()
