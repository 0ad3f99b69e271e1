"""How often a reader would agree with what is read off a tree, by a logistic model of the tree."""

import math
from collections.abc import Iterator, Mapping

from corpusgraph.tasks.extract.context import End
from corpusgraph.tasks.extract.roles import is_passive
from corpusgraph.tasks.extract.statement import Statement
from corpusgraph.tasks.extract.tree import CLAUSAL, Tree

_DETERMINERS = {"the": "the", "this": "this", "these": "this", "such": "this", "a": "a", "an": "a"}
_CONTENT = ("NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM")
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
        How it is put: `fact`, `modal` or `denied`.
    weights : mapping of str to float
        Feature -> weight of a logistic regression, as `benchmarks.extraction.reliability` estimates it on
        findings that readers judged; `""` is the intercept. Features without a weight count nothing.

    """
    total = weights.get("", 0.0)
    for name, value in features(tree, statement, ends, stance):
        total += value * weights.get(name, 0.0)
    return 1.0 / (1.0 + math.exp(-total))


def features(
    tree: Tree, statement: Statement, ends: tuple[End, End], stance: str
) -> Iterator[tuple[str, float]]:
    """Yield the features of a statement by name, with a value between 0 and about 1."""
    cue = statement.cue[0]
    yield "length", math.log(len(tree)) / 4
    yield f"stance {stance}", 1.0
    yield f"cue {statement.name}", 1.0
    yield f"cue is {tree.upos[cue]}{' passive' if is_passive(tree, cue) else ''}", 1.0
    yield f"clause {_clause(tree, statement.anchor)}", 1.0
    pattern = statement.pattern
    roles = "construction" if pattern is None else f"{pattern.source} to {pattern.target}"
    yield f"roles {roles}", 1.0
    yield "several", float(len(statement.cue) > 1)
    for role, token, end in zip(
        ("source", "target"), (statement.source, statement.target), ends, strict=True
    ):
        for name, value in _of_end(tree, token, end, cue):
            yield f"{role} {name}", value


def _of_end(tree: Tree, token: int, end: End, cue: int) -> Iterator[tuple[str, float]]:
    first, last = tree.range_of(*end.span)
    words = range(first, last)
    if not first <= token < last:
        yield "referred to", 1.0
    yield f"is {tree.upos[token]}", 1.0
    yield f"relation {tree.relations[token]}", 1.0
    yield "named", float(end.mention is not None and not end.mention.attributes.get("noun_phrase"))
    yield "bare", float(sum(tree.upos[word] in _CONTENT for word in words) < 2)
    yield "size", min(len(words), 8) / 8
    determiners = {_DETERMINERS.get(tree.lows[child], "") for child in tree.dependents(token, "det")}
    for determiner in determiners - {""}:
        yield determiner, 1.0
    children = {tree.deprels[child] for child in tree.children[token]}
    for part in ("acl:relcl", "amod", "nmod", "nmod:poss", "acl", "conj"):
        if part in children:
            yield f"with {part}", 1.0
    yield "holds pronoun", float(any(tree.upos[word] == "PRON" for word in words))
    following = tree.lows[last] if last < len(tree) else "."
    if following in ("of", "to", "that", "which", "and", "or", ",", "."):
        yield f"before {following}", 1.0
    yield "before cue", float(token < cue)
    low, high = sorted((token, cue))
    between = [word for word in range(low + 1, high) if word not in words]
    yield "distance", math.log1p(len(between)) / 3
    yield "commas", min(3, sum(tree.words[word] == "," for word in between)) / 3
    yield "break", float(any(tree.words[word] in _BREAKS for word in between))
    yield "verbs", min(3, sum(tree.upos[word] in ("VERB", "AUX") for word in between)) / 3
    yield "nouns", min(4, sum(tree.upos[word] in ("NOUN", "PROPN") for word in between)) / 4
    yield f"path {_path(tree, cue, token)}", 1.0


def _clause(tree: Tree, token: int) -> str:
    """Return how the clause of a token hangs on the next one."""
    while tree.relations[token] not in CLAUSAL and tree.relations[token] != "conj":
        if tree.heads[token] == token:
            return "root"
        token = tree.heads[token]
    return tree.deprels[token]


def _path(tree: Tree, start: int, end: int) -> str:
    """Return the relations from a cue to an end: up with "^", at most three; "far" for longer ones."""
    above = [start, *tree.ancestors(start)]
    down: list[str] = []
    while end not in above:
        down.append(tree.relations[end])
        if tree.heads[end] == end:
            break
        end = tree.heads[end]
    up = [f"^{tree.relations[word]}" for word in above[: above.index(end)]] if end in above else ["far"]
    path = [*up, *reversed(down)]
    return " ".join(path) if len(path) <= 3 else "far"
