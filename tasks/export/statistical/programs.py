"""The statistics programs that bundles are made for: a module each, with the name of its format."""

from importlib import import_module
from typing import get_args

from corpusgraph.schemas.errors import InvalidInputError, did_you_mean
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.target import Target


def program(name: str) -> Target:
    """Return the program of a bundle format.

    Parameters
    ----------
    name : str
        One of `BundleFormat`; its module in this package defines `TARGET`.

    Returns
    -------
    Target
        Its names, limits and writers; the module is imported at the first call.

    Raises
    ------
    InvalidInputError
        For a format that there is not; the hint names those near.

    """
    formats = get_args(BundleFormat)
    if name not in formats:
        raise InvalidInputError(
            f"There is no bundle for {name!r}.",
            hint=did_you_mean(name, formats) or f"Choose one of {', '.join(formats)}.",
        )
    target: Target = import_module(f"{__package__}.{name}").TARGET
    return target
