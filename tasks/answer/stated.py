"""Which sentences state what a question asks for: the causal arrows that were read in them."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.answer.kinds import without_names
from corpusgraph.tasks.answer.sentences import Sentence
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.memo import per_graph
from corpusgraph.tasks.graph.words import stems

StatedOf = Callable[[str, Sequence[Collection[str]], Sequence[Sentence]], Doubles]
"""Tells how much of a question with its names each sentence states (n,)."""
Role = Literal["effect", "cause", "prevented", "preventer"]
"""The side of an arrow that a question names, to be told the other."""

_CAUSE = (
    r"(?:caus|produc|occasion|provok|creat|induc)\w*|(?:lead|leads|led) to|(?:bring|brings|brought) about"
    r"|result\w* in"
)
_PREVENT = r"(?:prevent|hinder|avert|avoid|stop)\w*|guard\w* against"
_DOES = r"\bwhat (?:do|does|did|can|could|may|might|will|would)\b.+\b"
_HAS = r"\bwhat (?:(?:has|have|had|can|could|may|might|will|would|first|really) )*"
_IS_THE = r"\bwhat (?:is|are|was|were) the "
_ASKED: Mapping[str, tuple[Role, ...]] = {
    rf"{_DOES}(?:{_CAUSE})\W*$|{_IS_THE}(?:effect|result|consequence)s? of\b": ("cause",),
    rf"{_DOES}(?:{_PREVENT})\W*$": ("preventer",),
    rf"{_HAS}(?:{_CAUSE})|{_IS_THE}(?:cause|reason)s? (?:of|for)\b": ("effect",),
    rf"{_HAS}(?:{_PREVENT})": ("prevented",),
    r"\bwhy\b.*(?:\b(?:not|no|never)\b|n['’]t\b)": ("effect", "prevented"),
    r"\b(?:why|for what reason)\b": ("effect",),
}
"""Forms of questions, the first that fits, and which side of an arrow they name."""
_CUES = re.compile(rf"{_CAUSE}|{_PREVENT}|\b(?:effect|result|consequence|cause|reason)s?\b", re.IGNORECASE)
"""Words of a question that say how it asks, not what about."""
CUT = " …"
"""What marks a description that was shortened."""


class Side(NamedTuple):
    """One side of an arrow, and the sentence that states the arrow best."""

    role: Role
    stems: frozenset[str]
    sentence: str


def stated_by(
    graph: GraphView, query: str, names: Sequence[Collection[str]], sentences: Sequence[Sentence]
) -> Doubles:
    """Return the share of a question's words that each sentence states on the side it names (n,).

    "Why did the system fail?" names an effect, "What did the flood cause?" a cause. The side that a question
    names must share a word with it outside its `names`, which may stand in the title. Arrows of the graph are
    stated: what texts only deny, suppose or ask does not count.
    """
    roles, strengths = roles_of(query), np.zeros(len(sentences))
    asked, heads = (frozenset(stems(_CUES.sub(" ", text))) for text in (query, without_names(query, names)))
    if not roles or not asked:
        return strengths
    by_chunk = _sides(graph)
    for at, sentence in enumerate(sentences):
        inside = [
            side.stems
            for side in by_chunk.get(sentence.chunk.id, ())
            if side.role in roles and side.stems & (heads or asked)
            if side.sentence in sentence.line or sentence.line in side.sentence
        ]
        if inside:
            titled = asked & frozenset(stems(sentence.title))
            strengths[at] = max(len(asked & side | titled) for side in inside) / len(asked)
    return strengths


def roles_of(query: str) -> tuple[Role, ...]:
    """Return the sides that a question may name; none where it asks for no cause or effect."""
    return next((roles for asked, roles in _ASKED.items() if re.search(asked, query, re.IGNORECASE)), ())


@per_graph
def _sides(graph: GraphView) -> Mapping[str, Sequence[Side]]:
    """Return the sides of the causal arrows of a graph by the chunks that state them."""
    called = {entity.id: entity.name for entity in graph.entities}
    by_chunk: dict[str, list[Side]] = defaultdict(list)
    for arrow in graph.relationships:
        if not (arrow.is_causal and arrow.is_stated and arrow.description):
            continue
        roles: tuple[Role, Role] = (
            ("preventer", "prevented") if arrow.type == "prevents" else ("cause", "effect")
        )
        sentence = " ".join(arrow.description.removesuffix(CUT).split())
        for role, end in zip(roles, (arrow.source_id, arrow.target_id), strict=True):
            side = Side(role, frozenset(stems(called.get(end, ""))), sentence)
            for chunk in arrow.chunk_ids or ():
                by_chunk[chunk].append(side)
    return by_chunk
