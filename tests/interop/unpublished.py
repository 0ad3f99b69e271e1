"""An index that is in memory alone, to look at what an import made without writing it."""

from corpusgraph.flows.files.manifest import Manifest
from corpusgraph.flows.interop.memory_parcel import kept_memory, memory_parcel
from corpusgraph.flows.interop.parcel import GivenMemory, Parcel
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.graph.view import MemoryGraph


class Unpublished(OpenIndex):
    """A parcel as an open index: nothing of it is on disk."""

    def __init__(self, parcel: Parcel) -> None:
        rows = ((row["entity_id"], row["chunk_id"], row["count"]) for row in parcel.incidence)
        named = (parcel.communities or [], parcel.reports or [])
        vars(self)["graph"] = MemoryGraph(parcel.entities, parcel.relationships, parcel.chunks, *named, rows)
        vars(self)["documents"] = tuple(sorted(parcel.documents, key=lambda document: document.id))
        vars(self)["claims"] = tuple(parcel.claims)
        fields = Mention.model_fields
        made = [Mention(**{k: v for k, v in row.items() if k in fields}) for row in parcel.mentions]
        vars(self)["mentions"] = tuple(made)
        vars(self)["_entities_of_mentions"] = {row["id"]: row["entity_id"] for row in parcel.mentions}
        facts = {"import": {"format": parcel.format, **parcel.facts}}
        self.name = "kept"
        self.manifest = Manifest(index=self.name, generation="", serial=1, created="", tables={}, facts=facts)


def kept(memory: GivenMemory) -> GivenMemory:
    """Make an index of a memory, and return what an export would write of it."""
    return kept_memory(Unpublished(memory_parcel(memory)), None, memory.format)
