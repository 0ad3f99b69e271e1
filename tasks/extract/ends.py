"""What belongs to the end of a relation: the head with its modifiers, as far as they say what it is."""

from collections.abc import Collection

from corpusgraph.tasks.extract.tree import Tree, squeezed

LONGEST = 9
"""Words of a phrase; of a longer one the last modifiers are left out."""
LONGEST_CLAUSE = 14
_LEFT = frozenset({"amod", "compound", "nummod", "nmod", "flat", "goeswith", "advmod", "obl"})
_RIGHT = frozenset({"nmod", "acl", "flat", "compound", "goeswith", "amod", "nummod", "fixed"})
_NOT_IN_CLAUSE = ("punct", "parataxis", "discourse", "vocative", "conj", "cc", "acl:relcl", "appos")
_EMPTY = frozenset(
    [
        "a",
        "an",
        "the",
        "this",
        "that",
        "these",
        "those",
        "such",
        "some",
        "any",
        "no",
        "every",
        "each",
        "all",
        "both",
        "either",
        "neither",
        "much",
        "many",
        "more",
        "most",
        "several",
        "few",
        "other",
        "another",
        "certain",
        "same",
        "said",
        "own",
        "only",
        "even",
        "also",
        "just",
        "not",
        "my",
        "your",
        "his",
        "her",
        "its",
        "our",
        "their",
        "whose",
    ]
)


def phrase_span(
    tree: Tree, head: int, others: Collection[int] = (), *, clause: bool = False
) -> tuple[int, int, str]:
    """Return the characters of what a token heads, half-open, and its text on one line.

    A nominal takes its adjectives, compounds, "of" phrases and infinitives along, not its determiners,
    relative clauses or conjuncts; a verb takes its whole clause but for what is coordinated with it. What
    holds one of the tokens `others`, the cue and the other end of a relation, is left out.
    """
    barred = (
        {child for child in tree.children[head] if not set(others).isdisjoint(tree.subtree(child))}
        if others
        else set()
    )
    positions = (
        _clause(tree, head, barred) if is_clause(tree, head, clause=clause) else _nominal(tree, head, barred)
    )
    start, end = tree.span(positions)
    return start, end, squeezed(tree.document_text[start:end])


def is_clause(tree: Tree, head: int, *, clause: bool = False) -> bool:
    """Tell a verb or predicate, which takes its clause along, from a nominal.

    With `clause` a predicate nominal takes its clause along too.
    """
    if tree.upos[head] in ("VERB", "AUX"):
        verbal = tree.dependent(head, "obj", "nsubj") is not None
        return verbal or tree.dependent(head, "det", "case", "amod") is None
    predicative = tree.dependent(head, "cop", "nsubj") is not None
    return predicative and (
        clause or tree.upos[head] == "ADJ" or tree.relations[head] in ("advcl", "ccomp", "acl", "csubj")
    )


def _nominal(tree: Tree, head: int, barred: Collection[int]) -> list[int]:
    chosen = [head]
    left = [
        child
        for child in tree.children[head]
        if child < head and child not in barred and _modifies(tree, child, _LEFT)
    ]
    right = [
        child
        for child in tree.children[head]
        if child > head and child not in barred and _modifies(tree, child, _RIGHT)
    ]
    for child in reversed(left):
        part = tree.subtree(child)
        if max(part) == min(chosen) - 1 or _only_between(tree, max(part), min(chosen)):
            chosen = [*part, *chosen]
    for child in right:
        part = _modifier(tree, child)
        if not part or min(part) != max(chosen) + 1 or len(chosen) + len(part) > LONGEST:
            break
        chosen = [*chosen, *part]
    return _trimmed(tree, sorted(chosen), head)


def _modifies(tree: Tree, child: int, relations: frozenset[str]) -> bool:
    relation, deprel = tree.relations[child], tree.deprels[child]
    if relation not in relations or deprel == "acl:relcl":
        return False
    if deprel == "nmod:poss":
        return tree.upos[child] != "PRON"
    if relation == "advmod":
        return tree.upos[child] == "ADJ"
    return not (tree.upos[child] == "PRON" and relation != "nmod")


def _modifier(tree: Tree, child: int) -> list[int]:
    """Return what a modifier to the right takes along, itself cut where it goes on for long."""
    if (
        tree.relations[child] == "acl"
        and tree.mark_of(child) != "to"
        and tree.feature(child, "VerbForm") == "Fin"
    ):
        return []
    return sorted(tree.subtree(child, ("acl:relcl", "parataxis", "appos", "conj", "cc", "advcl", "punct")))


def _only_between(tree: Tree, last: int, first: int) -> bool:
    return all(
        tree.upos[between] in ("PUNCT", "PART", "CCONJ", "ADJ", "ADV") for between in range(last + 1, first)
    ) and (first - last <= 3)


def _clause(tree: Tree, head: int, barred: Collection[int]) -> list[int]:
    left_out = [*_NOT_IN_CLAUSE, "mark", "advcl"]
    chosen = [head]
    for child in tree.children[head]:
        if child in barred or tree.relations[child] in left_out or tree.deprels[child] in left_out:
            continue
        chosen += tree.subtree(child, ("acl:relcl", "parataxis", "appos"))
    run = _contiguous(sorted(chosen), head)
    if len(run) > LONGEST_CLAUSE:
        run = [position for position in run if position < run[0] + LONGEST_CLAUSE]
    return _trimmed(tree, run if head in run else [head], head)


def _contiguous(positions: list[int], head: int) -> list[int]:
    """Return the run of neighbours that the head stands in; one missing word, a comma, does not end it."""
    at = positions.index(head)
    first = last = at
    while first and positions[first] - positions[first - 1] <= 2:
        first -= 1
    while last + 1 < len(positions) and positions[last + 1] - positions[last] <= 2:
        last += 1
    return positions[first : last + 1]


def _trimmed(tree: Tree, positions: list[int], head: int) -> list[int]:
    """Leave determiners, adverbs of degree and marks off the edges; the head stays."""
    while positions[0] != head and (
        tree.lows[positions[0]] in _EMPTY
        or tree.upos[positions[0]] in ("PUNCT", "DET", "SCONJ", "CCONJ", "AUX")
    ):
        positions = positions[1:]
    while positions[-1] != head and tree.upos[positions[-1]] in ("PUNCT", "CCONJ", "ADP", "SCONJ", "DET"):
        positions = positions[:-1]
    return positions
