"""Search the texts about all entities for relationships."""

from typing import Literal

from pydantic import AliasChoices, Field, PositiveInt

from corpusgraph.schemas.ports import GraphView, Memory
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.schemas.stages import Extractor
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.tools.memory._inputs import Shape, unchanged
from corpusgraph.tasks.tools.memory._reading import Reader, Texts, extract, extracting, searched_before


class ExtractAllRelationships(ToolInput):
    """About how many entities."""

    limit: PositiveInt | None = Field(
        None,
        validation_alias=AliasChoices("limit", "top_k"),
        description="entities to search at most; all whose texts are new or changed, unless given",
    )


class ExtractionStatistics(Shape):
    """What was searched and found."""

    total_processed: int
    total_relationships: int = Field(description="distinct relationships that the texts state")
    entities_with_relationships: int
    relationships_added: int = Field(description="those that the index did not have")
    remaining: int = Field(description="entities whose texts are still to be searched")


class Extraction(Shape):
    """What was searched and found, also in words."""

    success: Literal[True] = True
    statistics: ExtractionStatistics
    summary: str
    change: int = Field(description="number to undo it by; 0 where nothing was written")


@extracting(idempotent=False)  # with a limit, the next call searches the next entities
def extract_all_relationships(
    ask: ExtractAllRelationships, graph: GraphView, memory: Memory, extractor: Extractor
) -> Noted[Extraction]:
    """Search the texts of all entities that are new or changed; add the relationships that are new."""
    reader, before = Reader(memory, extractor), searched_before(memory)
    texts = Texts(graph, memory, reader.fingerprint)
    open_ = [
        entity
        for entity in counted(graph.entities, "entities compared with the log")
        if entity.id not in before or before[entity.id][1].digest != texts.digest(entity)
    ]
    wanted = counted(open_[: ask.limit], "entities searched", every=16)
    found, added, number = extract(wanted, texts, reader, memory, ask, "extract_all_relationships")
    statistics = ExtractionStatistics(
        total_processed=len(found),
        total_relationships=len({id_ for searched in found for id_ in searched.stated}),
        entities_with_relationships=sum(bool(searched.stated) for searched in found),
        relationships_added=len(added),
        remaining=len(open_) - len(found),
    )
    data = Extraction(statistics=statistics, summary=_summary(statistics), change=number)
    warnings = unchanged("all texts were searched before and have not changed since", when=not found)
    return Noted(data=data, warnings=warnings)


def _summary(done: ExtractionStatistics) -> str:
    return (
        f"Processed {done.total_processed} entities, found {done.total_relationships} relationships "
        f"in {done.entities_with_relationships} entities"
    )
