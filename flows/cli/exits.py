"""What a command ends with: an exit code, one line for a person, one JSON value for a script."""

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click
from pydantic import BaseModel

from corpusgraph.schemas.errors import CorpusgraphError

if TYPE_CHECKING:
    from corpusgraph.schemas.results import ToolWarning

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
        error = {"code": "interrupted", "message": "Interrupted.", "hint": hint}
        emit({"success": False, "error": error})
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


def tell_warnings(warnings: "Iterable[ToolWarning]") -> None:
    """Print warnings on stderr."""
    for warning in warnings:
        click.echo(f"warning: {warning.message} ({warning.code})", err=True)
