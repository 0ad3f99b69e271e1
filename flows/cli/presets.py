"""Commands about methods and profiles: list, show and check; a method is also planned."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from corpusgraph.flows.cli.options import BAD_INPUT, FAILED, OK, PATH, emit, json_option, tell, tell_report

if TYPE_CHECKING:
    from corpusgraph.schemas.llm import Price, Profile


@click.group()
def method() -> None:
    """List, show, check and price retrieval methods."""


@method.command("list")
@json_option
def list_methods(as_json: bool) -> int:
    """List the methods that come with the package."""
    from corpusgraph.flows.methods import summaries

    rows = summaries()
    width = max((len(row["method"]) for row in rows), default=0)
    lines = [
        f"{row['method']:<{width}}  {row['title']}"
        + (f" [also: {', '.join(row['aliases'])}]" if row["aliases"] else "")
        + (f" ({row['cite']})" if row["cite"] else "")
        for row in rows
    ]
    return tell_report(rows, lines, as_json=as_json)


@method.command("show")
@click.argument("name")
@json_option
def show_method(name: str, as_json: bool) -> int:
    """Show the method NAME, or the one in a file, as it is written."""
    from corpusgraph.flows.methods import load_method, source_text

    return tell_report(load_method(name), [source_text(name).rstrip()], as_json=as_json)


@method.command("check")
@click.argument("name")
@json_option
def check_method(name: str, as_json: bool) -> int:
    """Type-check the method NAME, or the one in a file: exit code 2 if it cannot run."""
    from corpusgraph.flows.docs.listing import check_lines
    from corpusgraph.flows.methods import load_method
    from corpusgraph.tasks.method.check import check_method as checked

    loaded = load_method(name)
    result = checked(loaded)
    code = OK if result.ok else BAD_INPUT
    return tell_report(result, check_lines(loaded, result), as_json=as_json, code=code)


@method.command()
@click.argument("name")
@json_option
def plan(name: str, as_json: bool) -> int:
    """Show the chain of the method NAME, or of a file, with the most that a language model may cost."""
    from corpusgraph.flows.docs.listing import plan_lines
    from corpusgraph.flows.methods import load_method
    from corpusgraph.tasks.method.plan import plan_method

    made = plan_method(load_method(name))
    return tell_report(made, plan_lines(made), as_json=as_json)


@click.group()
def profile() -> None:
    """List, show and check profiles of language models."""


@profile.command("list")
@json_option
def list_profiles(as_json: bool) -> int:
    """List the profiles that come with the package."""
    from corpusgraph.flows.llm.profiles import all_profiles

    profiles = all_profiles()
    width = max((len(p.profile) for p in profiles), default=0)
    lines = [
        f"{p.profile:<{width}}  {p.llm.model}: {p.about}"
        + (f" (key: {p.llm.api_key_env})" if p.llm.api_key_env else "")
        for p in profiles
    ]
    return tell_report(profiles, lines, as_json=as_json)


@profile.command("show")
@click.argument("name")
@json_option
def show_profile(name: str, as_json: bool) -> int:
    """Show the profile NAME, or the one in a file, as it is written."""
    from corpusgraph.flows.llm.profiles import load_profile, source_text

    return tell_report(load_profile(name), [source_text(name).rstrip()], as_json=as_json)


@profile.command("check")
@click.argument("name")
@click.option("--outputs", type=PATH, help="Also show what is in its response cache.")
@json_option
def check_profile(name: str, outputs: Path | None, as_json: bool) -> int:
    """Make one small call with the profile NAME, or of a file, and tell how it went."""
    from corpusgraph.flows.llm.client import check_profile as checked
    from corpusgraph.flows.llm.profiles import load_profile

    loaded = load_profile(name)
    result = checked(loaded, outputs)
    if as_json:
        emit({"success": result.error is None, **vars(result)})
    elif result.error is None:
        click.echo(f"{loaded.profile}: {result.model} answered in {result.seconds:.2f} s")
        click.echo(f"  shape asked for by: {result.mode}")
        click.echo(f"  price: {_price(loaded, result.price)}")
        if (seen := result.ratio) is not None:
            ratios = (
                f"{seen['characters_per_token']:.2f} characters a token, "
                f"{seen['completion_per_prompt']:.2f} tokens out for each in (by {seen['n']} replies)"
            )
            click.echo(f"  in the cache: {ratios if seen['n'] else 'no reply of this model'}")
    else:
        hint = f"After {result.seconds:.1f} s; nothing was stored."
        tell(result.code or "error", f"{loaded.profile}: {result.error.rstrip('.')}.", hint, as_json=False)
    return OK if result.error is None else FAILED


def _price(loaded: "Profile", price: "Price | None") -> str:
    if price is None:
        return "unknown (give one in the profile: a budget needs it)"
    source = "of the profile" if loaded.llm.price is not None else "as published"
    return f"${price.input:g} in, ${price.output:g} out per million tokens, {source}"
