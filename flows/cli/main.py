"""The command line. With --json, stdout is JSON and nothing else; all else goes to stderr.

Exit codes: 0 done; 1 ran, and something failed (the failure ledger has lines); 2 bad input; 130 interrupted.
Heavy modules are imported inside commands: `corpusgraph --help` answers in an instant.
"""

import os
import sys

import click

from corpusgraph.flows.cli import commands, indexes
from corpusgraph.flows.cli.options import OK, interrupted, tell, tell_error
from corpusgraph.flows.engine import rare_collection
from corpusgraph.schemas.errors import CorpusgraphError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
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
    except (click.Abort, KeyboardInterrupt):
        code = interrupted(as_json=as_json)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = OK
    except CorpusgraphError as error:
        code = tell_error(error, as_json=as_json)
    sys.stdout.flush()
    sys.exit(code if isinstance(code, int) else OK)


for _command in (
    *(commands.run, commands.index, commands.remove, commands.retry_failed, commands.replicate),
    *(commands.ask, commands.evaluate, commands.tools, commands.tool, commands.method, commands.profile),
    *(indexes.status, indexes.export, indexes.import_, indexes.memory, commands.serve),
):
    cli.add_command(_command)


if __name__ == "__main__":
    main()
