"""Commands about profiles: list, show and check."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpusgraph.flows.cli.exits import FAILED, OK, emit, tell, tell_report
from corpusgraph.flows.cli.options import json_option
from corpusgraph.schemas.base import JsonDict

if TYPE_CHECKING:
    from corpusgraph.schemas.llm import Price, Profile


@click.group()
def profile() -> None:
    """List, show and check profiles of language models."""


@profile.command("list")
@json_option
def list_(as_json: bool) -> int:
    """List the profiles that come with the package."""
    from corpusgraph.flows.llm.profiles import all_profiles

    found = all_profiles()
    if as_json:
        emit([p.model_dump(mode="json") for p in found])
    else:
        width = max((len(p.profile) for p in found), default=0)
        for p in found:
            click.echo(f"{p.profile:<{width}}  {p.llm.model}: {p.about}{_needs(p)}")
    return OK


def _needs(found: "Profile") -> str:
    return f" (key: {found.llm.api_key_env})" if found.llm.api_key_env else ""


@profile.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> int:
    """Show the profile NAME, or the one in a file, as it is written."""
    from corpusgraph.flows.llm.profiles import load_profile, source_text

    found = load_profile(name)
    return tell_report(found, lambda _: click.echo(source_text(name).rstrip()), as_json=as_json)


@profile.command()
@click.argument("name")
@click.option("--outputs", type=click.Path(path_type=Path), help="Also show what is in its response cache.")
@json_option
def check(name: str, outputs: Path | None, as_json: bool) -> int:
    """Make one small call with the profile NAME, or of a file, and tell how it went."""
    from corpusgraph.flows.llm.check import check_profile
    from corpusgraph.flows.llm.profiles import load_profile

    found = load_profile(name)
    result = check_profile(found, outputs)
    if as_json:
        price = result.price.model_dump() if result.price else None
        emit({"success": result.error is None, **vars(result), "price": price})
    elif result.error is None:
        click.echo(f"{found.profile}: {result.model} answered in {result.seconds:.2f} s")
        click.echo(f"  shape asked for by: {result.mode}")
        click.echo(f"  price: {_price(found, result.price)}")
        if result.ratio is not None:
            click.echo(f"  in the cache: {_seen(result.ratio)}")
    else:
        hint = f"After {result.seconds:.1f} s; nothing was stored."
        tell(result.code or "error", f"{found.profile}: {result.error.rstrip('.')}.", hint, as_json=False)
    return OK if result.error is None else FAILED


def _price(found: "Profile", price: "Price | None") -> str:
    if price is None:
        return "unknown (give one in the profile: a budget needs it)"
    source = "of the profile" if found.llm.price is not None else "as published"
    return f"${price.input:g} in, ${price.output:g} out per million tokens, {source}"


def _seen(ratio: JsonDict) -> str:
    if not ratio["n"]:
        return "no reply of this model"
    return (
        f"{ratio['characters_per_token']:.2f} characters a token, "
        f"{ratio['completion_per_prompt']:.2f} tokens out for each in (by {ratio['n']} replies)"
    )
