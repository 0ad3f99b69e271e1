"""Commands about methods: list, show, check and plan."""

import click

from corpusgraph.flows.cli.exits import BAD_INPUT, OK, emit, tell_report
from corpusgraph.flows.cli.options import json_option


@click.group()
def method() -> None:
    """List, show, check and price retrieval methods."""


@method.command("list")
@json_option
def list_(as_json: bool) -> int:
    """List the methods that come with the package."""
    from corpusgraph.flows.methods import summaries

    rows = summaries()
    if as_json:
        emit(rows)
    else:
        width = max((len(row["method"]) for row in rows), default=0)
        for row in rows:
            also = f" [also: {', '.join(row['aliases'])}]" if row["aliases"] else ""
            click.echo(f"{row['method']:<{width}}  {row['title']}{also}{_cited(row['cite'])}")
    return OK


def _cited(cite: str) -> str:
    return f" ({cite})" if cite else ""


@method.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> int:
    """Show the method NAME, or the one in a file, as it is written."""
    from corpusgraph.flows.methods import load_method, source_text

    found = load_method(name)
    return tell_report(found, lambda _: click.echo(source_text(name).rstrip()), as_json=as_json)


@method.command()
@click.argument("name")
@json_option
def check(name: str, as_json: bool) -> int:
    """Type-check the method NAME, or the one in a file: exit code 2 if it cannot run."""
    from corpusgraph.flows.methods import load_method
    from corpusgraph.tasks.method.check import check_method, issue_line

    found = load_method(name)
    result = check_method(found)
    if as_json:
        emit(result.model_dump(mode="json"))
    else:
        for issue in result.issues:
            click.echo(issue_line(found, issue))
        for adapter in result.adapters:
            click.echo(f"adapter: {adapter}")
        if result.ok:
            click.echo(f"{found.method}: ok")
    return OK if result.ok else BAD_INPUT


@method.command()
@click.argument("name")
@json_option
def plan(name: str, as_json: bool) -> int:
    """Show the chain of the method NAME, or of a file, with the most that a language model may cost."""
    from corpusgraph.flows.docs.listing import plan_lines
    from corpusgraph.flows.methods import load_method
    from corpusgraph.tasks.method.plan import plan_method

    made = plan_method(load_method(name))
    return tell_report(made, lambda plan: click.echo("\n".join(plan_lines(plan))), as_json=as_json)
