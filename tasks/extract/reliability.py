"""How often a reader would agree with what is read off a tree, by a logistic model of the tree."""

import math
from collections.abc import Iterable, Iterator, Mapping

from corpusgraph.tasks.extract.context import End
from corpusgraph.tasks.extract.patterns import Statement
from corpusgraph.tasks.extract.tree import CLAUSAL, Tree

SHORT = 30
"""Tokens up to which a sentence is short: what it says is seldom said twice, so that more is kept of it."""
AGREED, AGREED_LONG = 0.25, 0.65
"""How often readers have to agree with what is kept, in a short and in a long sentence."""
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"})
_BREAKS = frozenset({";", ":", "--", "—", "(", '"', "“", "”"})


def reliability(
    tree: Tree, statement: Statement, ends: tuple[End, End], stance: str, weights: Mapping[str, float]
) -> float:
    """Return the chance that a reader finds a statement right.

    Parameters
    ----------
    tree, statement, ends : Tree, Statement, pair of End
        What is stated, and the phrases that its source and target became.
    stance : str
        `denied`, or the modality.
    weights : mapping of str to float
        Feature -> weight of a logistic regression on findings that readers judged
        (`benchmarks.extraction.reliability`); "" is the intercept. A feature without a weight counts nothing.

    """
    return chance(features(tree, statement, ends, stance), weights)


def chance(values: Iterable[tuple[str, float]], weights: Mapping[str, float]) -> float:
    """Return the logistic function of weighted features."""
    total = weights.get("", 0.0) + sum(value * weights.get(name, 0.0) for name, value in values)
    return 1.0 / (1.0 + math.exp(-total))


def is_reliable(likely: float, n_tokens: int) -> bool:
    """Tell whether a statement of a sentence of so many tokens is right often enough to be kept."""
    return likely >= (AGREED if n_tokens <= SHORT else AGREED_LONG)


def features(
    tree: Tree, statement: Statement, ends: tuple[End, End], stance: str
) -> Iterator[tuple[str, float]]:
    """Yield the features of a statement by name, with values between 0 and about 1."""
    yield "length", math.log(len(tree)) / 4
    yield f"stance {stance}", 1.0
    yield f"cue {statement.name}", 1.0
    yield f"clause {_clause(tree, statement.anchor)}", 1.0
    for role, token, end in zip(
        ("source", "target"), (statement.source, statement.target), ends, strict=True
    ):
        for name, value in _of_end(tree, token, end, statement.cue[0]):
            yield f"{role} {name}", value


def _of_end(tree: Tree, token: int, end: End, cue: int) -> Iterator[tuple[str, float]]:
    first, last = tree.range_of(*end.span)
    low, high = sorted((token, cue))
    between = [word for word in range(low + 1, high) if not first <= word < last]
    yield f"is {tree.upos[token]}", 1.0
    yield "size", min(last - first, 8) / 8
    yield "bare", float(sum(tree.upos[word] in _CONTENT for word in range(first, last)) < 2)
    yield "distance", math.log1p(len(between)) / 3
    yield "commas", min(3, sum(tree.words[word] == "," for word in between)) / 3
    yield "breaks", float(any(tree.words[word] in _BREAKS for word in between))
    yield "verbs", min(3, sum(tree.upos[word] in ("VERB", "AUX") for word in between)) / 3
    yield "nouns", min(4, sum(tree.upos[word] in ("NOUN", "PROPN") for word in between)) / 4


def _clause(tree: Tree, token: int) -> str:
    """Return how the clause of a token hangs on the next one."""
    while tree.relations[token] not in CLAUSAL and tree.relations[token] != "conj":
        if tree.heads[token] == token:
            return "root"
        token = tree.heads[token]
    return tree.deprels[token]
