"""Import libraries whose pydantic models and functions are validated when first used, not when imported.

LanceDB imports a REST client with 366 checked functions that nothing here calls; to build their validators
takes a third of the time of the import. Pydantic has `defer_build` for that, model by model; for somebody
else's models its defaults have to be set, which are not public: where they are not there, nothing is saved.
"""

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any


@contextmanager
def built_when_used() -> Iterator[None]:
    """Let what is imported inside build its validators at first use."""
    defaults = _defaults()
    before = defaults.get("defer_build", False)
    defaults["defer_build"] = True
    try:
        yield
    finally:
        defaults["defer_build"] = before


def _defaults() -> MutableMapping[str, Any]:
    from pydantic._internal import _config

    return getattr(_config, "config_defaults", {})
