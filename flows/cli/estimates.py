"""What the command line shows of an estimate."""

from corpusgraph.flows.cli.exits import OK, emit
from corpusgraph.schemas.run import Estimate, StageEstimate


def tell(estimate: Estimate, *, as_json: bool) -> int:
    """Print an estimate; as JSON with its sum."""
    if as_json:
        emit({**estimate.model_dump(mode="json"), "cost": estimate.cost})
    else:
        show(estimate)
    return OK


def show(estimate: Estimate) -> None:
    """Print an estimate as a table, and what its numbers rest on."""
    from rich.console import Console
    from rich.table import Table

    table = Table("stage", "calls", "from cache", "tokens in", "tokens out", "US dollars")
    for stage in estimate.stages:
        table.add_row(*_row(stage))
    console = Console()
    console.print(f"[b]{estimate.study}[/b] with {estimate.model}: nothing of this has been asked.")
    console.print(table)
    if estimate.cost is None:
        console.print("The price of this model is unknown: give `price` in the profile.")
    else:
        console.print(
            f"In all about ${estimate.cost:.4f}, at ${estimate.input_price:g} a million tokens in ", end=""
        )
        console.print(f"and ${estimate.output_price:g} out.")
    if estimate.budget is not None:
        console.print(f"The budget is ${estimate.budget:g}; a run stops there and can be taken up again.")
    console.print(f"Tokens out by {estimate.completions}.")
    if not all(stage.exact for stage in estimate.stages):
        console.print("~: a guess, by what the rules find in the documents; known once they are extracted.")


def _row(stage: StageEstimate) -> list[str]:
    about = "" if stage.exact else "~"
    counts = (stage.calls, stage.reused, stage.prompt_tokens, stage.completion_tokens)
    cost = "unknown price" if stage.cost is None else f"{stage.cost:.4f}"
    return [stage.stage, *(f"{about}{count:,}" for count in counts), cost]
