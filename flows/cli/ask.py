"""Commands that ask: ask, tools and tool."""

import json as jsonlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from corpusgraph.flows.cli.exits import BAD_INPUT, OK, WHOLE, emit, interrupted, tell_report
from corpusgraph.flows.cli.options import (
    budget_option,
    filter_option,
    json_option,
    outputs_option,
    profile_option,
    settings,
)
from corpusgraph.flows.progress import shown_steps

if TYPE_CHECKING:
    from corpusgraph.schemas.answer import AnswerResult
    from corpusgraph.schemas.results import ToolResult
    from corpusgraph.tasks.registry import Tool


@click.command()
@click.argument("question")
@click.option("--index", "name", default=None, help="Index to ask [the only one there is].")
@click.option(
    "--method", default="default", show_default=True, help="Retrieval method: a name or a file (.yml)."
)
@click.option("--top-k", type=click.IntRange(1), default=5, show_default=True, help="Passages to use.")
@filter_option
@click.option("--explain", is_flag=True, help="Show the steps of the method, their time and cost.")
@profile_option
@budget_option
@outputs_option
@json_option
def ask(
    question: str,
    name: str | None,
    method: str,
    top_k: int,
    filters: tuple[str, ...],
    explain: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Answer a QUESTION with cited sentences, those of the passages or, with a profile, its model's."""
    from corpusgraph.flows import api
    from corpusgraph.flows.cli import console
    from corpusgraph.flows.docs.listing import trace_lines, usage_line
    from corpusgraph.tasks.filter.conditions import parse_filters

    answer = api.ask(
        question,
        index=name,
        method=method,
        top_k=top_k,
        filter=parse_filters(filters),
        **options,
    )

    def show(answer: "AnswerResult") -> None:
        console.show_answer(answer)
        if explain:
            for line in (*trace_lines(answer.trace), *usage_line(answer.usage)):
                click.echo(line)

    return tell_report(answer, show, as_json=as_json)


@click.command()
@json_option
def tools(as_json: bool) -> int:
    """List the tools."""
    from corpusgraph.flows.docs import listing

    return tell_report(listing.tool_list(), lambda _: click.echo(listing.tool_text()), as_json=as_json)


@click.command()
@click.argument("name")
@click.option("--input", "source", default=None, help="File with the arguments as JSON, or - for stdin.")
@click.option("--index", "index_name", default=None, help="Index the tool reads.")
@click.option("--schema", is_flag=True, help="Print the schemas of input and output instead.")
@click.option(
    "--table",
    type=click.Path(path_type=Path),
    default=None,
    help="File with the table: csv, tsv, parquet, jsonl, sav or dta, instead of rows in the arguments.",
)
@click.option(
    "--bundle",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder for the files of what tools 23 to 26 prepare; they open in R, Stata, SPSS, Python.",
)
@profile_option
@budget_option
@outputs_option
@json_option
def tool(
    name: str,
    source: str | None,
    index_name: str | None,
    schema: bool,
    table: Path | None,
    bundle: Path | None,
    profile: str | None,
    budget: float | None,
    outputs: Path | None,
    as_json: bool,
) -> int:
    """Call the tool NAME and print its result."""
    from corpusgraph.flows import api
    from corpusgraph.tasks import registry as _tool

    found = _tool.find(name)
    if schema:
        emit({"input": found.input_schema(), "output": found.output_schema()})
        return OK
    arguments, folder = _arguments(source), settings(outputs=outputs).outputs
    if table is not None:
        arguments |= _table(found, table)
    try:
        with shown_steps(quiet=not sys.stderr.isatty()):
            result = api.call(
                name,
                arguments,
                index=index_name,
                outputs=folder,
                profile=profile,
                budget=budget,
                bundle=bundle,
            )
    except KeyboardInterrupt:
        return interrupted(as_json=as_json, hint=WHOLE)
    if bundle is not None and result.success:
        return _tell_bundle(result, as_json=as_json)
    told = result.model_dump(mode="json")
    if as_json:
        emit(told)
    elif result.success:
        emit(told["data"])
        for warning in result.warnings:
            click.echo(f"warning: {warning.message} ({warning.code})", err=True)
    if result.error is not None:
        click.echo(f"error: {result.error.message} {result.error.hint or ''}".rstrip(), err=True)
    return OK if result.success else BAD_INPUT


def _tell_bundle(result: "ToolResult", *, as_json: bool) -> int:
    """Name the files instead of printing what they hold."""
    told = result.model_copy(update={"data": None})
    if as_json:
        emit(told.model_dump(mode="json"))
        return OK
    for name in result.metadata["files"]:
        click.echo(f"{result.metadata['bundle']}/{name}")
    for warning in result.warnings:
        click.echo(f"warning: {warning.message} ({warning.code})", err=True)
    return OK


def _table(tool: "Tool", path: Path) -> dict[str, Any]:
    """Read a file into the argument that takes a table."""
    from corpusgraph.flows.load.frames import read_frame
    from corpusgraph.schemas.errors import InvalidInputError

    field = next((name for name in ("data", "table_data") if name in tool.input.model_fields), None)
    if field is None:
        raise InvalidInputError(f"{tool.name} takes no table.", hint="Leave --table out.")
    return {field: read_frame(path)}


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
