"""The text that the vector of each kind of item is made from.

`alone`, for a trained embedder: an item without the sentences that its chunks' vectors hold already. A
trained model reads some dozens of texts a second, and a name or a fact is what questions are compared with
(Gutiérrez et al. 2025, arXiv:2502.14802).
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from corpusgraph.schemas.graph import CO_OCCURRENCE, CommunityReport, Entity, Relationship
from corpusgraph.tasks.build.aggregate import shorten
from corpusgraph.tasks.graph.names import beside

SHORT = 200
"""Characters of a report's summary that are read alone."""
NOTED = 2000
"""Characters of what was noted of an entity by hand that its text holds beside the description."""


def entity_text(entity: Entity, *, alone: bool = False) -> str:
    """Return name, description and what was noted by hand beside it; or the name.

    Parameters
    ----------
    entity : Entity
        The entity.
    alone : bool, default False
        Whether the name is all.

    Returns
    -------
    str
        The name alone where `alone`.

    """
    return entity.name if alone else f"{entity.name}. {told_of(entity)}"


def told_of(entity: Entity) -> str:
    """Return what describes an entity, and what was noted of it by hand beside that.

    Parameters
    ----------
    entity : Entity
        The entity.

    Returns
    -------
    str
        Empty where nothing is said.

    """
    told, noted = entity.description or "", beside(entity)
    return f"{told} {shorten(' '.join(noted), NOTED)}".lstrip() if noted else told


def chunk_text(title: str, content: str) -> str:
    """Return a chunk under its document's title, which tells what it is about.

    Parameters
    ----------
    title : str
        Of the document.
    content : str
        Of the chunk.

    Returns
    -------
    str
        Two parts with a line feed between.

    """
    return f"{title}\n{content}"


def relationship_text(names: Mapping[str, str], *, alone: bool = False) -> Callable[[Relationship], str]:
    """Return the function that writes a relationship out; `names` are those of entities by id.

    Alone, standing in one sentence is no fact: such a relationship has no text and no vector.

    Parameters
    ----------
    names : mapping of str to str
        Id of an entity -> name.
    alone : bool, default False
        Whether the description is left out.

    Returns
    -------
    callable
        Takes a relationship and returns its text.

    """

    def text(relationship: Relationship) -> str:
        if alone and relationship.type == CO_OCCURRENCE:
            return ""
        ends = names[relationship.source_id], names[relationship.target_id]
        fact = f"{ends[0]} {relationship.type.replace('_', ' ')} {ends[1]}."
        return fact if alone else f"{fact} {relationship.description or ''}"

    return text


def report_text(report: CommunityReport, *, alone: bool = False) -> str:
    """Return title and summary, or the beginning of it.

    Parameters
    ----------
    report : CommunityReport
        The report.
    alone : bool, default False
        Whether the summary is cut.

    Returns
    -------
    str
        The summary is cut after `SHORT` characters where `alone`.

    """
    return f"{report.title}. {report.summary[:SHORT] if alone else report.summary}"


def writers(names: Mapping[str, str], *, alone: bool) -> dict[str, Callable[[Any], str]]:
    """Return what writes the text of a row, for each table that is embedded but that of chunks.

    Parameters
    ----------
    names : mapping of str to str
        Id of an entity -> name.
    alone : bool
        Whether descriptions are left out.

    Returns
    -------
    dict of str to callable
        Table -> function of a row's model.

    """
    return {
        "entities": partial(entity_text, alone=alone),
        "relationships": relationship_text(names, alone=alone),
        "reports": partial(report_text, alone=alone),
    }
