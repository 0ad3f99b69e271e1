"""An index of plain records with a memory laid over it, as tools see one."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from corpusgraph.flows.annotate.offline import default_extractor
from corpusgraph.flows.embed.hashing import HashingEmbedder
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted
from corpusgraph.tasks import registry as _tool
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.overlay.memory import ScratchMemory
from corpusgraph.tasks.overlay.view import RememberedGraph
from tests.contract.graphs import Items, Vectors, rich

AT = "2026-01-11T09:30:00+00:00"
REQUEST = "req_1"


class World:
    """A graph, its memory, and the tools that are called on both."""

    def __init__(self, items: Items) -> None:
        self.items = items
        self.base = MemoryGraph(items["entities"], items["relationships"], items["chunks"])
        self.memory = ScratchMemory(self.base)

    @property
    def graph(self) -> GraphView:
        """The graph as it is now."""
        if not self.memory.changes():
            return self.base
        return RememberedGraph(self.memory.state.frozen())

    def noted(self, tool_name: str, /, **arguments: Any) -> Noted[Any]:
        """Call a tool."""
        tool = _tool.find(tool_name)
        graph = self.graph
        embedder = HashingEmbedder(64)
        resources = {
            "graph": graph,
            "memory": self.memory,
            "embedder": embedder,
            "extractor": default_extractor(),
            "vectors": Vectors({**self.items, "entities": list(graph.entities)}, embedder),
        }
        fixed = {"request_id": REQUEST, "timestamp": AT}
        return tool.run({**fixed, **arguments}, {p: resources[p] for p in tool.ports if p in resources})

    def json(self, tool_name: str, /, **arguments: Any) -> Any:
        """Call a tool and return its answer as a client gets it."""
        return self.noted(tool_name, **arguments).data.model_dump(mode="json")

    def codes(self, tool_name: str, /, **arguments: Any) -> list[str]:
        """Call a tool and return the codes of its warnings."""
        return [warning.code for warning in self.noted(tool_name, **arguments).warnings]

    def make(self, *entities: Sequence[Any]) -> None:
        """Make entities: (name, type, observation …)."""
        rows = [{"name": n, "entityType": t, "observations": noted} for n, t, *noted in entities]
        self.json("create_entities", entities=rows)

    def relate(self, *relations: tuple[str, str, str]) -> None:
        """State relations: (source, type, target)."""
        rows = [{"from": s, "relationType": t, "to": o} for s, t, o in relations]
        self.json("create_relations", relations=rows)


def nothing() -> Items:
    """Return an index without a corpus."""
    return {name: [] for name in ("entities", "relationships", "chunks", "communities", "reports")}


@pytest.fixture
def world() -> World:
    """Return an index of four entities and four relationships, without memory."""
    return World(rich())


@pytest.fixture
def empty() -> World:
    """Return an index without a corpus."""
    return World(nothing())


@pytest.fixture
def project(empty: World) -> World:
    """Return the modules, files and features of a software project, all made by hand."""
    empty.make(
        ("Module: Payment", "Module", "Stripe, PayPal integration", "Status: Completed", "Priority: High"),
        ("Module: Auth", "Module", "JWT authentication, user management", "Status: In Progress"),
        ("File: processor.rs", "File", "Takes payments"),
        ("File: webhook.rs", "File"),
        ("Function: process_payment", "Function"),
        ("Schema: orders", "Schema", "table"),
        ("Schema: transactions", "Schema"),
        ("Feature: Checkout", "Feature", "Status: Planned", "Priority: Critical"),
    )
    empty.relate(
        ("Module: Payment", "contains", "File: processor.rs"),
        ("Module: Payment", "contains", "File: webhook.rs"),
        ("File: processor.rs", "contains", "Function: process_payment"),
        ("Function: process_payment", "uses", "Schema: orders"),
        ("Function: process_payment", "uses", "Schema: transactions"),
        ("Function: process_payment", "implements", "Feature: Checkout"),
        ("Module: Payment", "depends_on", "Module: Auth"),
    )
    return empty


@pytest.fixture
def hub() -> Callable[[int], World]:
    """Return the maker of a graph in which one entity has many neighbours."""

    def made(n: int) -> World:
        items = nothing()
        items["entities"] = [Entity(id="hub", name="Hub", type="place", short_id=0)] + [
            Entity(id=f"e{i:06}", name=f"Leaf {i}", type="concept", short_id=i + 1) for i in range(n)
        ]
        items["relationships"] = [
            Relationship(
                id=f"r{i:06}",
                source_id="hub",
                target_id=f"e{i:06}",
                type="contains",
                confidence=0.5 if i % 7 else 0.9,
                short_id=i,
            )
            for i in range(n)
        ]
        return World(items)

    return made
