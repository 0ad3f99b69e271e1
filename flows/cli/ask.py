"""Commands that ask: ask, tools, tool, and evaluate, which compares methods."""

import json
import json as jsonlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from corpusgraph.flows.cli.options import (
    BAD_INPUT,
    OK,
    PATH,
    WHOLE,
    asking_options,
    budget_option,
    emit,
    given,
    interrupted,
    json_option,
    outputs_option,
    profile_option,
    tell_report,
    tell_warnings,
)
from corpusgraph.flows.progress import shown_steps, watched
from corpusgraph.schemas.errors import InvalidInputError

if TYPE_CHECKING:
    from corpusgraph.schemas.answer import AnswerResult
    from corpusgraph.tasks.registry import Tool


@click.command()
@click.argument("question")
@click.option("--index", help="Index to ask [the only one there is].")
@click.option(
    "--method", default="default", show_default=True, help="Retrieval method: a name or a file (.yml)."
)
@click.option("--top-k", type=click.IntRange(1), default=5, show_default=True, help="Passages to use.")
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="FIELD=VALUE",
    help="See only such documents: author=Jay, author=Jay|Madison, author!=Jay, date>=1787, date<=1788-03; "
    "may be given several times, and all must hold.",
)
@click.option("--explain", is_flag=True, help="Show the steps of the method, their time and cost.")
@profile_option
@budget_option
@outputs_option
@json_option
def ask(question: str, filters: tuple[str, ...], explain: bool, as_json: bool, **options: Any) -> int:
    """Answer a QUESTION with cited sentences, those of the passages or, with a profile, its model's."""
    from corpusgraph.flows import api
    from corpusgraph.flows.cli import console
    from corpusgraph.flows.docs.listing import trace_lines, usage_line
    from corpusgraph.tasks.filter.conditions import parse_filters

    def show(answer: "AnswerResult") -> None:
        console.show_answer(answer)
        if explain:
            for line in (*trace_lines(answer.trace), *usage_line(answer.usage)):
                click.echo(line)

    return tell_report(api.ask(question, filter=parse_filters(filters), **options), show, as_json=as_json)


@click.command()
@json_option
def tools(as_json: bool) -> int:
    """List the tools."""
    from corpusgraph.flows.docs import listing

    return tell_report(listing.tool_list(), listing.tool_lines(), as_json=as_json)


@click.command()
@click.argument("name")
@click.option(
    "--input",
    "source",
    type=click.File(encoding="utf-8"),
    help="File with the arguments as JSON, or - for stdin.",
)
@click.option("--index", help="Index the tool reads.")
@click.option("--schema", is_flag=True, help="Print the schemas of input and output instead.")
@click.option(
    "--table",
    type=PATH,
    help="File with the table: csv, tsv, parquet, jsonl, sav or dta, instead of rows in the arguments.",
)
@click.option(
    "--bundle",
    type=PATH,
    help="Folder for the files of what tools 23 to 26 prepare; they open in R, Stata, SPSS, Python.",
)
@profile_option
@budget_option
@outputs_option
@json_option
def tool(
    name: str, source: TextIO | None, schema: bool, table: Path | None, as_json: bool, **options: Any
) -> int:
    """Call the tool NAME and print its result."""
    from corpusgraph.flows import api
    from corpusgraph.tasks import registry

    called = registry.find(name)
    if schema:
        emit({"input": called.input_schema(), "output": called.output_schema()})
        return OK
    arguments = _arguments(source) | (_table(called, table) if table is not None else {})
    try:
        with shown_steps(quiet=not sys.stderr.isatty()):
            result = api.call(name, arguments, **options)
    except KeyboardInterrupt:
        return interrupted(as_json=as_json, hint=WHOLE)
    has_files = options["bundle"] is not None and result.success
    if has_files:  # their names instead of what they hold
        result = result.model_copy(update={"data": None})
    if as_json:
        emit(result)
    elif result.success:
        if has_files:
            click.echo("\n".join(f"{result.metadata['bundle']}/{file}" for file in result.metadata["files"]))
        else:
            emit(result.model_dump(mode="json")["data"])
        tell_warnings(result.warnings)
    if result.error is not None:
        click.echo(f"error: {result.error.message} {result.error.hint or ''}".rstrip(), err=True)
    return OK if result.success else BAD_INPUT


def _table(tool: "Tool", path: Path) -> dict[str, Any]:
    """Read a file into the argument that takes a table."""
    from corpusgraph.flows.load.frames import read_frame

    field = next((name for name in ("data", "table_data") if name in tool.input.model_fields), None)
    if field is None:
        raise InvalidInputError(f"{tool.name} takes no table.", hint="Leave --table out.")
    return {field: read_frame(path)}


def _arguments(source: TextIO | None) -> dict[str, Any]:
    if source is None:
        return {}
    try:
        value = jsonlib.load(source)
    except ValueError as error:
        raise InvalidInputError(f"{source.name} is not JSON: {error}.") from None
    if not isinstance(value, dict):
        hint = 'Arguments are an object: {"name": value}.'
        raise InvalidInputError(f"{source.name} holds no JSON object.", hint=hint)
    return value


@click.command()
@click.option("--corpus", required=True, type=PATH, help="Passages: JSON Lines {id, title, text}.")
@click.option("--queries", required=True, type=PATH, help="Questions: JSON Lines {question, gold: [ids]}.")
@click.option("--method", default="default", show_default=True, help="Methods, between commas.")
@click.option("--k", "ranks", default="2,5", show_default=True, help="Passages that count, between commas.")
@click.option("--embedder", default="hashing", show_default=True, help="hashing or sentence-transformers.")
@click.option("--from-openie", type=PATH, help="Findings made elsewhere: {id, entities, triples}.")
@click.option("--limit", type=click.IntRange(1), help="Ask so many questions [all].")
@asking_options
def evaluate(method: str, ranks: str, quiet: bool, as_json: bool, **options: Any) -> int:
    """Measure methods on questions whose documents are known: recall, answers, cost, time.

    With --json, one object per method, each on a line of its own. The first method is what the others are
    compared with. Tables and a plot are written into the outputs. A profile's language model answers; the
    index is made by rules.
    """
    from corpusgraph.flows import api
    from corpusgraph.flows.cli import console

    try:
        k = tuple(int(part) for part in ranks.split(","))
    except ValueError:
        raise InvalidInputError(f"--k is {ranks!r}.", hint="Whole numbers between commas: 2,5.") from None
    methods = [name.strip() for name in method.split(",") if name.strip()]
    with watched(quiet=quiet) as progress:
        report = api.evaluate(methods=methods, k=k, progress=progress, **given(options))
    if as_json:
        for record in report.records():
            click.echo(json.dumps(record, ensure_ascii=False))
    else:
        console.show_evaluation(report)
    return OK
