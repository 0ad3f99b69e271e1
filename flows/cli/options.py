"""What commands share: options, the settings they make, and what a command ends with."""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from pydantic import BaseModel

from corpusgraph.schemas.errors import CorpusgraphError

if TYPE_CHECKING:
    from corpusgraph.schemas.settings import Settings

OK, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
_ENVIRONMENT_FAULTS = frozenset(
    {"output_not_writable", "index_locked", "dependency_missing", "budget_exhausted", "model_unavailable"}
)
GO_ON = (
    "The last published generation is intact; run the same command again to go on: "
    "documents already extracted are not extracted again."
)
WHOLE = "Nothing half done is left: a change to an index was made whole or not at all."


def tell_error(error: CorpusgraphError, *, as_json: bool) -> int:
    """Tell one of our errors; the environment's faults (disk, lock) are failures, the rest bad input.

    Parameters
    ----------
    error : CorpusgraphError
        Of ours.
    as_json : bool
        Print JSON on stdout too.

    Returns
    -------
    int
        Exit code.

    """
    bad_input = tell(error.code, error.message, error.hint, as_json=as_json)
    return FAILED if error.code in _ENVIRONMENT_FAULTS else bad_input


def tell(code: str, message: str, hint: str | None, *, as_json: bool) -> int:
    """Print an error as one line on stderr, and on stdout as an object where JSON is asked for.

    Parameters
    ----------
    code : str
        Of the error.
    message : str
        Whole sentences.
    hint : str or None
        What to do; None for nothing.
    as_json : bool
        Print JSON on stdout too.

    Returns
    -------
    int
        `BAD_INPUT`.

    """
    if as_json:
        emit({"success": False, "error": {"code": code, "message": message, "hint": hint}})
    click.echo(f"error: {message}" + (f" {hint}" if hint else ""), err=True)
    return BAD_INPUT


def interrupted(*, as_json: bool, hint: str = GO_ON) -> int:
    """Say what an interrupt leaves and how to go on.

    Parameters
    ----------
    as_json : bool
        Print JSON on stdout too.
    hint : str, default GO_ON
        How to go on.

    Returns
    -------
    int
        `INTERRUPTED`.

    """
    if as_json:
        emit({"success": False, "error": {"code": "interrupted", "message": "Interrupted.", "hint": hint}})
    click.echo(f"\nInterrupted. {hint}", err=True)
    return INTERRUPTED


def emit(value: Any) -> None:
    """Print one JSON value on stdout.

    Parameters
    ----------
    value : Any
        Models and paths are written as they are dumped.

    """
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=_plain))


def _plain(value: object) -> Any:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else str(value)


def tell_report(
    report: Any, show: Callable[[Any], None] | Iterable[str], *, as_json: bool, code: int = OK
) -> int:
    """Print a report as JSON, or for a person: by a function, or as lines; and return the exit code.

    Parameters
    ----------
    report : Any
        What a script gets.
    show : callable or iterable of str
        Shows it to a person, or is what a person gets, by line.
    as_json : bool
        Print JSON and nothing else.
    code : int, default OK
        To be returned.

    Returns
    -------
    int
        Exit code.

    """
    if as_json:
        emit(report)
    elif callable(show):
        show(report)
    else:
        for line in show:
            click.echo(line)
    return code


F = TypeVar("F", bound=Callable[..., Any])
PATH = click.Path(path_type=Path)


class Dollars(click.FloatRange):
    """An amount above 0; "nan" and "inf" are numbers to Python, and to nobody who pays."""

    name = "dollars"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the amount.

        Parameters
        ----------
        value : Any
            As it was typed.
        param, ctx : Parameter or None
            Of click.

        Returns
        -------
        float
            US dollars.

        """
        amount = float(super().convert(value, param, ctx))
        if not isfinite(amount):
            self.fail(f"{value!r} is no amount of money.", param, ctx)
        return amount


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given.

    Parameters
    ----------
    options : mapping of str to Any
        Name -> value, None where it was not given.

    Returns
    -------
    dict of str to Any
        Without those.

    """
    return {name: value for name, value in options.items() if value is not None}


def settings(**options: Any) -> "Settings":
    """Return the environment's settings with the options given, which are fields of Settings.

    Parameters
    ----------
    **options : Any
        Fields of Settings; None where it was not given.

    Returns
    -------
    Settings
        Not validated again.

    Raises
    ------
    InvalidInputError
        Where a variable of the environment is wrong.

    """
    from corpusgraph.schemas.settings import Settings

    return Settings.from_environment().model_copy(update=given(options))


def _outputs(_: click.Context, __: click.Parameter, value: Path | None) -> Path:
    return settings(outputs=value).outputs


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON value on stdout.")
outputs_option = click.option(
    "--outputs", type=PATH, callback=_outputs, help="Folder of indexes and datasets [outputs]."
)
workers_option = click.option("--workers", type=click.IntRange(1), help="Processes that extract [1].")
profile_option = click.option(
    "--profile", metavar="NAME|FILE", help="Profile with a language model [none: rules alone]."
)
budget_option = click.option("--budget", type=Dollars(0, min_open=True), help="US dollars to spend at most.")
quiet_option = click.option("--quiet", is_flag=True, help="No progress bars.")
estimate_option = click.option(
    "--estimate", is_flag=True, help="Only say what the language model would be asked, and for how much."
)
sample_option = click.option(
    "--sample",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="With --estimate: ask about N chunks, to see how long replies are. The run finds them in the cache.",
)
engine_option = click.option(
    "--engine", type=click.Choice(["inline", "prefect"]), help="Run here, or as a Prefect flow."
)


def _together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Make one decorator of several, in the order in which help lists them."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


asking_options = _together(profile_option, budget_option, outputs_option, quiet_option, json_option)
"""Of a command that may ask a language model: profile, budget, outputs, quiet, as_json."""
building_options = _together(
    *(profile_option, budget_option, estimate_option, sample_option, engine_option, workers_option),
    *(outputs_option, quiet_option, json_option),
)
"""Of a command that builds an index: these, and estimate, sample, engine, workers."""
