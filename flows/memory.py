"""What was added by hand, where an index is made: a study may bring it, and communities know of it."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from corpusgraph.flows.files.disk import guarded
from corpusgraph.flows.files.manifest import Manifest
from corpusgraph.flows.store.journal import FILE, Journal
from corpusgraph.schemas.errors import MemoryFileError, shown
from corpusgraph.schemas.evidence import PUT_FORWARD
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.memory import Change, SplitEntity
from corpusgraph.schemas.study import Study
from corpusgraph.tasks.build.aggregate import Passage
from corpusgraph.tasks.build.derive import Derived, Linked

if TYPE_CHECKING:
    from corpusgraph.tasks.overlay.base import Asserted, EntityEvidence, Mentioned

FACT = "memory"
"""Fact of a manifest: how many changes its communities know of."""


@dataclass(frozen=True)
class Remembered:
    """A graph with a memory laid over it, as communities and their reports need it.

    Attributes
    ----------
    entities : sequence of Entity
        The entities.
    relationships : sequence of Relationship
        The relationships.
    passages : mapping of str to Passage
        Id of an entity or a relationship -> a passage behind it.
    titles : mapping of str to str, optional

    """

    entities: Sequence[Entity]
    relationships: Sequence[Relationship]
    passages: Mapping[str, Passage]
    titles: Mapping[str, str] = field(default_factory=dict)
    """Titles of the memory's documents, by id."""


class Heard:
    """Changes, and where they split an entity what the corpus says of those that they name.

    Parameters
    ----------
    changes : sequence of Change, optional
        In the order they were made.

    """

    def __init__(self, changes: Sequence[Change] = ()) -> None:
        from corpusgraph.tasks.overlay.state import names_in

        self.changes = tuple(changes)
        operations = [operation for change in changes for operation in change.operations]
        splits = any(isinstance(operation, SplitEntity) for operation in operations)
        self._named = {one.id for op in operations for one in names_in(op)} if splits else set()
        self._mentions: list[Mentioned] = []
        self._assertions: list[Asserted] = []

    def hear(self, linked: Sequence[Linked]) -> None:
        """Keep what documents say of the entities that changes split.

        Parameters
        ----------
        linked : sequence of Linked
            Documents with their evidence linked to entities.

        """
        from corpusgraph.tasks.overlay.base import Asserted, Mentioned

        named = self._named
        for one in linked if named else ():
            rows = [row for row in one.mentions if row["entity_id"] in named]
            self._mentions += [Mentioned(*(row[name] for name in Mentioned._fields)) for row in rows]
            rows = [
                row for row in one.assertions if row["relationship_id"] and row["modality"] in PUT_FORWARD
            ]
            rows = [row for row in rows if row["source_id"] in named or row["target_id"] in named]
            self._assertions += [Asserted(*(row[name] for name in Asserted._fields)) for row in rows]

    def told(self, entities: frozenset[str]) -> "EntityEvidence":
        """Return the mentions of some entities that were kept, and the assertions of which these are ends.

        Parameters
        ----------
        entities : frozenset of str
            Ids of entities that the changes name.

        Returns
        -------
        EntityEvidence
            As it was kept while documents were linked.

        """
        from corpusgraph.tasks.overlay.base import EntityEvidence

        return EntityEvidence(
            [one for one in self._mentions if one.entity_id in entities],
            [one for one in self._assertions if one.source_id in entities or one.target_id in entities],
        )


def changes_of(study: Study, base: Path, folder: Path) -> tuple[Change, ...]:
    """Return the changes that an index's memory consists of: its own, or those that a study brings.

    Parameters
    ----------
    study : Study
        The study.
    base : Path
        The folder its paths start from.
    folder : Path
        The folder of the index.

    Returns
    -------
    tuple of Change
        In the order they were made.

    Raises
    ------
    MemoryFileError
        Where the file that the study names is not there, or the changes cannot be read.

    """
    return tuple(Journal(_journal(study, base, folder)).read_from()[0])


def bring(study: Study, base: Path, folder: Path) -> None:
    """Put the changes that a study brings beside an index that has none of its own.

    Parameters
    ----------
    study : Study
        The study.
    base : Path
        The folder its paths start from.
    folder : Path
        The folder of the index.

    Raises
    ------
    MemoryFileError
        Where the file that the study names is not there.

    """
    there = _journal(study, base, folder)
    if there != folder / FILE:
        with guarded(folder):
            shutil.copyfile(there, folder / FILE)


def is_known(changes: int, current: Manifest) -> bool:
    """Whether a generation's communities know of all changes, which are so many.

    Parameters
    ----------
    changes : int
        How many there are.
    current : Manifest
        Of the generation.

    Returns
    -------
    bool

    """
    return int(current.facts.get(FACT, 0)) == changes


def with_memory(graph: Derived, heard: Heard) -> Remembered:
    """Lay changes over a derived graph.

    Parameters
    ----------
    graph : Derived
        Derived from the corpus.
    heard : Heard
        The changes, with what documents say of those that they split.

    Returns
    -------
    Remembered
        What was derived, as it is, where there are no changes.

    """
    if not heard.changes:
        return Remembered(graph.entities, graph.relationships, graph.passages)
    from corpusgraph.tasks.graph.view import MemoryGraph
    from corpusgraph.tasks.overlay.base import Base
    from corpusgraph.tasks.overlay.state import folded
    from corpusgraph.tasks.overlay.view import RememberedGraph

    base = Base(MemoryGraph(graph.entities, graph.relationships), heard.told)
    view = RememberedGraph(folded(heard.changes, base))
    passages, titles = dict(graph.passages), {}
    for written in view.documents:
        document = written.document
        titles[document.id] = document.title
        for said, id_ in (*written.assertions, *written.mentions):
            start, end = said.sentence_start, said.sentence_end
            text = document.text[start:end]
            passage = Passage(document.id, said.chunk_id, start, end, None, text, said.confidence)
            passages.setdefault(id_, passage)
    return Remembered(tuple(view.entities), tuple(view.relationships), passages, titles)


def _journal(study: Study, base: Path, folder: Path) -> Path:
    """Return where the changes are read; a file that a study names and that is not there is an error."""
    own = folder / FILE
    if own.exists() or study.memory is None:
        return own
    given = base / Path(study.memory).expanduser()
    if not given.is_file():
        raise MemoryFileError(
            f"There is no file of changes at {shown(given)}, which the study names.", hint="Check `memory`."
        )
    return given
