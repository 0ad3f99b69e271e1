"""Open an index by its name, or the only one there is."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpusgraph.flows.studies import made
from corpusgraph.schemas.errors import IndexNotFoundError, InvalidInputError
from corpusgraph.schemas.settings import Settings

if TYPE_CHECKING:
    from corpusgraph.flows.store.opened import OpenIndex


def settings(**more: Any) -> Settings:
    """Return the settings of the environment with some replaced; an unknown or bad one is an error.

    Parameters
    ----------
    **more : Any
        Fields of `Settings` to replace.

    Returns
    -------
    Settings
        Checked.

    Raises
    ------
    InvalidInputError
        For a setting that there is not, or a value it cannot have.

    """
    return made(Settings, "settings", {**Settings.environment(), **more})


def inline_settings(**more: Any) -> Settings:
    """Return settings for a run in this process; another engine asked for by name is an error.

    Parameters
    ----------
    **more : Any
        Fields of `Settings` to replace.

    Returns
    -------
    Settings
        Engine inline.

    Raises
    ------
    InvalidInputError
        For another engine, for a setting that there is not, or a value it cannot have.

    """
    if more.get("engine", "inline") != "inline":
        hint = "Use `corpusgraph run --engine prefect`, or the flows of corpusgraph.flows.prefect."
        raise InvalidInputError("The notebook door runs inline, in this process.", hint=hint)
    return settings(**more)


def open(name: str | None = None, outputs: str | Path | None = None) -> "OpenIndex":  # noqa: A001 - as cg.open
    """Open the newest generation of an index; without a name, of the only one there is.

    Parameters
    ----------
    name : str, optional
        Name of the index.
    outputs : str or Path, optional
        The folder that indexes are in; that of the settings where there is none.

    Returns
    -------
    OpenIndex
        With what was added by hand; the same object until something is published or added.

    Raises
    ------
    IndexNotFoundError
        Where there is no such index, or without a name none or several.
    MemoryFileError
        Where the changes made by hand cannot be read.

    """
    from corpusgraph.flows.store.recent import open_recent
    from corpusgraph.flows.store.store import IndexStore

    store = IndexStore(Path(outputs) if outputs else settings().outputs)
    return open_recent(store, name or _only(store.list()))


def _only(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    if not names:
        raise IndexNotFoundError(
            "There is no index yet.", hint="Make one: `corpusgraph run STUDY` or `index FOLDER`."
        )
    raise IndexNotFoundError(
        f"There are several indexes: {', '.join(names)}.",
        hint="Name one: `index` of a tool, --index of a command.",
    )
