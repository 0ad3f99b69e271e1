"""Options that several commands share, and the settings they make."""

from collections.abc import Callable, Mapping
from functools import reduce
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from corpusgraph.schemas.settings import Settings

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
