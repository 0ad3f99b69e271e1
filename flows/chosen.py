"""The settings of a run: the environment's, with those that the caller gives in their place."""

from typing import Any

from corpusgraph.flows.studies import made
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.settings import Settings


def settings(**more: Any) -> Settings:
    """Return the settings of the environment with some replaced; an unknown or bad one is an error."""
    return made(Settings, "settings", {**Settings.environment(), **more})


def inline_settings(**more: Any) -> Settings:
    """Return settings for a run in this process; another engine asked for by name is an error."""
    if more.get("engine", "inline") != "inline":
        hint = "Use `corpusgraph run --engine prefect`, or the flows of corpusgraph.flows.surfaces.prefect."
        raise InvalidInputError("The notebook door runs inline, in this process.", hint=hint)
    return settings(**more)
