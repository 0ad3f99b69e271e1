"""The command line. With --json, stdout is JSON and nothing else; all else goes to stderr.

Exit codes: 0 done; 1 ran, and something failed (the failure ledger has lines); 2 bad input; 130 interrupted.
Heavy modules are imported inside commands: `corpusgraph --help` answers in an instant.
"""

import json as jsonlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpusgraph.flows.surfaces.exits import BAD_INPUT, FAILED, OK, emit, interrupted, tell, tell_error
from corpusgraph.schemas.errors import CorpusgraphError

if TYPE_CHECKING:
    from corpusgraph.schemas.settings import Settings

_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON value on stdout.")
_outputs = click.option(
    "--outputs",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder of indexes and datasets [outputs].",
)
_engine = click.option(
    "--engine", type=click.Choice(["inline", "prefect"]), default=None, help="Run here, or as a Prefect flow."
)
_workers = click.option("--workers", type=click.IntRange(1), default=None, help="Processes that extract [1].")
_quiet = click.option("--quiet", is_flag=True, help="No progress bars.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="corpusgraph")
def cli() -> None:
    """From a corpus to a knowledge graph to datasets, offline."""


def main() -> None:
    """Run the command line; every foreseen error is one line and an exit code."""
    as_json = "--json" in sys.argv[1:]
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.ClickException as error:
        code = tell("bad_usage", error.format_message(), None, as_json=as_json)
    except click.Abort:
        code = interrupted()
    except KeyboardInterrupt:
        code = interrupted()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = OK
    except CorpusgraphError as error:
        code = tell_error(error, as_json=as_json)
    sys.stdout.flush()
    sys.exit(code if isinstance(code, int) else OK)


def settings(outputs: Path | None, engine: str | None = None, workers: int | None = None) -> "Settings":
    """Return the environment's settings with the options given."""
    from corpusgraph.schemas.settings import Settings

    given = {"outputs": outputs, "engine": engine, "workers": workers}
    return Settings.from_environment().model_copy(update={k: v for k, v in given.items() if v is not None})


@cli.command()
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--corpus", default=None, help="Folder of documents, instead of the study's.")
@click.option("--rebuild", is_flag=True, help="Build the index anew even if it was made with other options.")
@_engine
@_workers
@_outputs
@_quiet
@_json
def run(
    study: Path,
    corpus: str | None,
    rebuild: bool,
    engine: str | None,
    workers: int | None,
    outputs: Path | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Run a STUDY file: index its corpus, answer its questions, make its datasets."""
    from corpusgraph.flows.surfaces import console

    chosen = settings(outputs, engine or "prefect", workers)
    report = console.run_study(study, corpus, chosen, rebuild=rebuild, quiet=quiet)
    if as_json:
        emit(report.model_dump(mode="json"))
    else:
        console.show_study(report)
    failed = report.index.n_failures or any(dataset.error for dataset in report.datasets)
    return FAILED if failed else OK


@cli.command()
@click.argument("corpus", type=click.Path(path_type=Path))
@click.option("--name", default=None, help="Name of the index [the folder's name].")
@click.option("--rebuild", is_flag=True, help="Build anew even if the index was made with other options.")
@_engine
@_workers
@_outputs
@_quiet
@_json
def index(
    corpus: Path,
    name: str | None,
    rebuild: bool,
    engine: str | None,
    workers: int | None,
    outputs: Path | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Index a CORPUS: a folder of documents, or a study file."""
    from corpusgraph.flows.surfaces import console

    report = console.run_index(corpus, name, settings(outputs, engine, workers), rebuild=rebuild, quiet=quiet)
    if as_json:
        emit(report.model_dump(mode="json"))
    else:
        console.show_index(report)
    return FAILED if report.n_failures else OK


@cli.command()
@click.argument("question")
@click.option("--index", "name", default=None, help="Index to ask [the only one there is].")
@click.option("--method", default="default", show_default=True, help="Retrieval method.")
@click.option("--top-k", type=click.IntRange(1), default=5, show_default=True, help="Passages to use.")
@_outputs
@_json
def ask(question: str, name: str | None, method: str, top_k: int, outputs: Path | None, as_json: bool) -> int:
    """Answer a QUESTION with cited sentences."""
    from corpusgraph.flows import door
    from corpusgraph.flows.surfaces import console

    answer = door.ask(question, index=name, method=method, top_k=top_k, outputs=settings(outputs).outputs)
    if as_json:
        emit(answer.model_dump(mode="json"))
    else:
        console.show_answer(answer)
    return OK


@cli.command()
@_json
def tools(as_json: bool) -> int:
    """List the tools."""
    from corpusgraph.flows.surfaces import docs

    if as_json:
        emit(docs.tool_list())
    else:
        click.echo(docs.tool_text())
    return OK


@cli.command()
@click.argument("name")
@click.option("--input", "source", default=None, help="File with the arguments as JSON, or - for stdin.")
@click.option("--index", "index_name", default=None, help="Index the tool reads.")
@click.option("--schema", is_flag=True, help="Print the schemas of input and output instead.")
@_outputs
@_json
def tool(
    name: str, source: str | None, index_name: str | None, schema: bool, outputs: Path | None, as_json: bool
) -> int:
    """Call the tool NAME and print its result."""
    from corpusgraph.flows import door
    from corpusgraph.tasks import _tool

    found = _tool.find(name)
    if schema:
        emit({"input": found.input_schema(), "output": found.output_schema()})
        return OK
    result = door.call(name, _arguments(source), index=index_name, outputs=settings(outputs).outputs)
    told = result.model_dump(mode="json")
    if as_json:
        emit(told)
    elif result.success:
        emit(told["data"])
    if result.error is not None:
        click.echo(f"error: {result.error.message} {result.error.hint or ''}".rstrip(), err=True)
    return OK if result.success else BAD_INPUT


def _arguments(source: str | None) -> dict[str, Any]:
    from corpusgraph.schemas.errors import InvalidInputError

    if source is None:
        return {}
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
        value = jsonlib.loads(text)
    except OSError as error:
        raise InvalidInputError(f"Cannot read {source}: {error.strerror}.") from None
    except ValueError as error:
        raise InvalidInputError(f"{source} is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise InvalidInputError(
            f"{source} holds no JSON object.", hint='Arguments are an object: {"name": value}.'
        )
    return value


@cli.command()
@click.argument("name", required=False)
@_outputs
@_json
def status(name: str | None, outputs: Path | None, as_json: bool) -> int:
    """Show the indexes, or the generation, counts and failures of the index NAME."""
    from corpusgraph.flows.surfaces import console

    found = console.status(name, settings(outputs))
    if as_json:
        emit(found)
    else:
        console.show_status(found)
    return OK


@cli.command()
@click.argument("name")
@click.option("--format", "kind", default="graphml", show_default=True, help="graphml, json, csv or parquet.")
@click.option("--to", type=click.Path(path_type=Path), default=None, help="Folder to write to.")
@_outputs
@_json
def export(name: str, kind: str, to: Path | None, outputs: Path | None, as_json: bool) -> int:
    """Write the graph of the index NAME for other programs."""
    from corpusgraph.flows.surfaces import console

    written = console.export(name, kind, to, settings(outputs))
    if as_json:
        emit({"files": [str(path) for path in written]})
    else:
        for path in written:
            click.echo(path)
    return OK


if __name__ == "__main__":
    main()
