"""The entities a question is about."""

from pydantic import Field

from corpusgraph.schemas.answer import QueryEntities
from corpusgraph.schemas.ports import GraphView, LanguageModel
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.tasks.extract.question import LONGEST, distinct, spoken_of
from corpusgraph.tasks.graph.inputs import Query
from corpusgraph.tasks.graph.linking import whole_names
from corpusgraph.tasks.llm.prompting import Said, ask_or_warn, llm_failed, prompt, query_cut, question
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.text.words import stems, words

EXTRACT = (
    "List what the question is about, in its own words. named: the named entities (persons, places, "
    "organisations, works, dates). generic: other things it speaks of that have no name of their own."
)
INSTEAD = "names and noun phrases are found by rules"


class QueryExtractEntities(ToolInput):
    """The question."""

    query: Query


class QuestionEntities(Said):
    """What the question is about."""

    named: tuple[str, ...] = Field(default=(), description="named entities, as written in the question")
    generic: tuple[str, ...] = Field(default=(), description="other things it speaks of")


@tool(
    writes="query",
    optional={"Entity.name"},
    adds={"QueryEntities.entities", "QueryEntities.generic"},
    cite="Gutiérrez et al. 2024, arXiv:2405.14831 (HippoRAG); named and generic: fast-graphrag",
)
def query_extract_entities(
    ask: QueryExtractEntities, graph: GraphView | None, llm: LanguageModel | None
) -> Noted[QueryEntities]:
    """Find the entities a question names, and the things it speaks of that have no name.

    A question without a name is about what it speaks of: then those phrases are its entities. Without a
    language model a name that an entity has is found whole: "War and Peace".
    """
    short = query_cut(ask.query, llm, rules=LONGEST)
    asked = prompt(EXTRACT, question(ask.query))
    said, notes = ask_or_warn(llm, asked, QuestionEntities, INSTEAD, lambda _, said: _wrong(ask.query, said))
    found = _entities(distinct(list(said.named)), distinct(list(said.generic))) if said else QueryEntities()
    if not found.entities:
        spoken = spoken_of(ask.query)
        names = spoken.names if graph is None else whole_names(graph, ask.query[:LONGEST], spoken.names)
        found, notes = _entities(names, spoken.phrases), notes or [llm_failed("it named nothing", INSTEAD)]
    return Noted(data=found, warnings=(*short, *notes))


def _wrong(query: str, said: QuestionEntities) -> str | None:
    """Accept what holds a word of the question: another one's names lead nowhere."""
    phrases = distinct([*said.named, *said.generic])
    asked = {*words(query), *stems(query)}
    if any(not asked.isdisjoint([*words(phrase), *stems(phrase)]) for phrase in phrases):
        return None
    return "Nothing of the question is named: give what it is about, in its own words."


def _entities(named: tuple[str, ...], generic: tuple[str, ...]) -> QueryEntities:
    folded = {name.casefold() for name in named}
    other = tuple(phrase for phrase in generic if phrase.casefold() not in folded)
    return QueryEntities(entities=named or other, generic=other)
