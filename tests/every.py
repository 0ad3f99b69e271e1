"""One test for many cases that are quick: an item of pytest costs more than most of them do."""

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest


def every(
    names: str, cases: Iterable[Any], *, ids: Callable[[Any], str] = str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for every case, and then fail with all that failed.

    In place of `pytest.mark.parametrize` where a case needs no fixture, mark or time limit of its own: fixtures
    are those of the whole test.

    Parameters
    ----------
    names
        The parameters that a case fills, with commas between them.
    cases
        Their values: a tuple for several parameters.
    ids
        What a case is called where it fails.
    """
    wanted = [name.strip() for name in names.split(",")]
    values = list(cases)
    assert values, "no case is tested"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def all_of_them(*self: Any, **fixtures: Any) -> None:
            failures: list[Exception] = []
            for case in values:
                filled = dict(zip(wanted, case if len(wanted) > 1 else (case,), strict=True))
                try:
                    test(*self, **fixtures, **filled)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - each is raised below
                    failure = error if isinstance(error, Exception) else AssertionError(str(error))
                    failure.add_note(f"with {names} = {ids(case)}")
                    failures.append(failure)
            if failures:
                message = f"{len(failures)} of {len(values)} cases failed"
                raise ExceptionGroup(message, failures)

        signature = inspect.signature(test)
        left = [value for name, value in signature.parameters.items() if name not in wanted]
        all_of_them.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return all_of_them

    return decorate
