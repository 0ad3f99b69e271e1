"""The entities that a question names, weighed as the seeds of a walk."""

from pydantic import Field, PositiveInt

from corpusgraph.schemas.ports import Corpus, GraphView
from corpusgraph.schemas.results import Noted, Scored, ToolInput
from corpusgraph.tasks.graph.inputs import Query
from corpusgraph.tasks.graph.linking import bearers, link_names, not_linked
from corpusgraph.tasks.graph.passages import passage_graph
from corpusgraph.tasks.graph.ranking import ranked
from corpusgraph.tasks.llm.prompting import query_read
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.entity.similarity_link import Link


class EntityQueryLink(ToolInput):
    """The question."""

    query: Query
    top_k: PositiveInt | None = Field(None, description="how many entities at most; all unless given")


@tool(
    writes="entities",
    needs={"Entity.id"},
    optional={"Entity.name", "Chunk.entities"},
    adds={"Scored.score", "Scored.components.chunks", "Scored.components.bearers", "Link.mention"},
    cite="Gutiérrez et al. 2024, arXiv:2405.14831, section 2.3 (query entities, node specificity); "
    "Cohen, Ravikumar & Fienberg 2003 (SoftTFIDF: misspelt names)",
)
def entity_query_link(
    ask: EntityQueryLink, graph: GraphView, corpus: Corpus | None
) -> Noted[list[Scored[Link]]]:
    """Find the entities that a question names, misspelt ones too; unknown names are listed in a warning.

    The score is 1 / chunks that mention the entity / entities of that name, a tenth of it for a common noun.
    Beside names, what is in small letters, numbers and common nouns of one word are left out.
    """
    asked, short = query_read(ask.query)
    named, unknown = link_names(graph, asked)
    shared = bearers(named)
    chunks = graph.entity_chunks()
    mention = {id_: hit.name for hit in reversed(named) for id_ in hit.entity_ids}
    rows = (
        (
            Link(mention=mention[id_], source_id=None, entity=graph.entity(id_)),
            weight,
            {"chunks": float(len(chunks[id_])), "bearers": float(shared[id_])},
        )
        for id_, weight in passage_graph(graph, corpus).seeds(shared, everywhere=True).items()
    )
    return Noted(data=ranked(rows, "named", ask.top_k), warnings=(*short, *not_linked(unknown)))
