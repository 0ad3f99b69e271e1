"""The keywords of a question, particular and overarching."""

from pydantic import Field

from corpusgraph.schemas.answer import Keywords
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.tasks.extract.question import LONGEST, distinct, spoken_of
from corpusgraph.tasks.graph.inputs import Query
from corpusgraph.tasks.llm.prompting import Said, ask_or_warn, llm_failed, prompt, query_cut, question
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.text.wordlist import wordset
from corpusgraph.tasks.text.words import words

EXTRACT = (
    "List keywords for searching what answers the question, in its language. low: particular ones, such as "
    "names and specific things. high: overarching ones, such as topics, themes and kinds of relations."
)
INSTEAD = "names and specific nouns are the low keywords, the other words the high ones"
_TOPICAL = (
    *("ability", "acy", "age", "ance", "ancy", "dom", "ence", "ency", "hood", "ics", "ing", "ion", "ions"),
    *("ism", "ity", "ities", "ment", "ments", "ness", "ology", "ship", "ships", "sis", "tude", "ure", "ures"),
)
"""Endings of nouns for what is thought rather than seen."""
_TOPICS = wordset("""
    cause causes culture effect effects health history impact law origin origins peace power reason reasons
    result results role roles society theme themes topic topics trade trend trends view views war way ways
""")


class QueryExtractKeywords(ToolInput):
    """The question."""

    query: Query


class QuestionKeywords(Said):
    """Keywords on two levels."""

    low: tuple[str, ...] = Field(default=(), description="names and specific things")
    high: tuple[str, ...] = Field(default=(), description="topics and themes")


@tool(
    writes="query",
    adds={"Keywords.low", "Keywords.high"},
    cite="Guo et al. 2024, arXiv:2410.05779 (LightRAG)",
)
def query_extract_keywords(ask: QueryExtractKeywords, llm: LanguageModel | None) -> Noted[Keywords]:
    """Find the particular (low) and the overarching (high) keywords of a question.

    Where a question has keywords of one level only, they serve for the other too.
    """
    short = query_cut(ask.query, llm, rules=LONGEST)
    said, notes = ask_or_warn(
        llm, prompt(EXTRACT, question(ask.query)), QuestionKeywords, INSTEAD, _has_keywords
    )
    low, high = (distinct(list(said.low)), distinct(list(said.high))) if said else ((), ())
    if low or high:
        return Noted(data=Keywords(low=low or high, high=high or low), warnings=short)
    notes = notes or [llm_failed("it gave no keyword", INSTEAD)]
    return Noted(data=_by_rules(ask.query), warnings=(*short, *notes))


def _has_keywords(_place: int, said: QuestionKeywords) -> str | None:
    return None if distinct([*said.low, *said.high]) else "There is no keyword: give some for searching."


def _by_rules(query: str) -> Keywords:
    spoken = spoken_of(query)
    topics = [phrase for phrase in spoken.phrases if _topical(phrase)]
    things = [phrase for phrase in spoken.phrases if phrase not in topics]
    low, high = distinct([*spoken.names, *things]), distinct([*topics, *spoken.rest])
    whole = spoken.names or (" ".join(query.split()),)
    return Keywords(low=low or high or whole, high=high or low or whole)


def _topical(phrase: str) -> bool:
    """Tell a topic from a thing by the phrase's last word: "climate regulation" from "water pump"."""
    head = (words(phrase) or [""])[-1]
    return head in _TOPICS or (len(head) > 6 and head.endswith(_TOPICAL))
