"""The command that compares methods: evaluate."""

import json
from typing import Any

import click

from corpusgraph.flows.cli.exits import OK
from corpusgraph.flows.cli.options import PATH, asking_options, given
from corpusgraph.flows.progress import watched
from corpusgraph.schemas.errors import InvalidInputError


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
