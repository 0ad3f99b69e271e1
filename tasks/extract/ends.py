"""What belongs to the end of a relation: the head with its modifiers, as far as they say what it is."""

from collections.abc import Collection, Mapping, Sequence

from corpusgraph.tasks.extract.tree import NEGATIVE, NOMINAL, Tree, squeezed
from corpusgraph.tasks.text.wordlist import words, wordset

LONGEST = 14
"""Words of a phrase; of a longer one the last modifiers are left out."""
LONGEST_CLAUSE = 24
_LEFT = frozenset({"amod", "compound", "nummod", "nmod", "flat", "goeswith", "advmod", "obl"})
_RIGHT = frozenset({"nmod", "acl", "flat", "compound", "goeswith", "amod", "nummod", "fixed"})
_NOT_IN_PHRASE = ("acl:relcl", "parataxis", "appos", "conj", "cc", "advcl", "punct")
_NOT_IN_CLAUSE = ("punct", "parataxis", "discourse", "vocative", "conj", "cc", "acl:relcl", "appos")
_EMPTY = words("ends.empty")
_CORE = wordset("nsubj csubj obj iobj ccomp xcomp aux cop expl compound fixed flat det nummod amod")
"""What a clause cannot do without; the rest is left out of a long one."""
_UNFINISHED = words("ends.unfinished")
_ASKING = wordset("which who whom whose where when why how whether if as than for because")


def phrase_span(
    tree: Tree, head: int, others: Collection[int] = (), *, clause: bool = False
) -> tuple[int, int, str]:
    """Return the characters of what a token heads, half-open, and its text on one line.

    A nominal takes its adjectives, compounds, "of" phrases and infinitives along, not its determiners,
    relative clauses or conjuncts; a verb takes its whole clause but for what is coordinated with it. What
    holds one of the tokens `others`, the cue and the other end of a relation, is left out.
    """
    barred = {child for child in tree.children[head] if _holds(tree, child, others)} if others else set()
    stated = tree.dependent(head, "cop") in others  # the copula itself says the relation: "X is a Y"
    whole = is_clause(tree, head, clause=clause) and not stated
    positions = _clause(tree, head, barred, others) if whole else []
    if not positions or (tree.upos[head] in NOMINAL and positions[0] in tree.dependents(head, "cop")):
        positions = _nominal(tree, head, barred, others)  # "was its last chairman" whose subject is elsewhere
    start, end = tree.span(positions)
    return start, end, squeezed(tree.document_text[start:end])


def _holds(tree: Tree, child: int, others: Collection[int]) -> bool:
    """Tell a part that holds another end or a cue, but for a cue that only opens a subject or object."""
    part = tree.subtree(child)
    inside = [token for token in part if token in others]
    opens = tree.relations[child] in ("nsubj", "csubj", "obj") and inside == part[: len(inside)]
    return bool(inside) and not (opens and child not in inside)


def is_clause(tree: Tree, head: int, *, clause: bool = False) -> bool:
    """Tell a verb or predicate, which takes its clause along, from a nominal.

    With `clause` a predicate nominal takes its clause along too.
    """
    if tree.upos[head] in ("VERB", "AUX"):
        verbal = tree.dependent(head, "obj", "nsubj") is not None
        return verbal or tree.dependent(head, "det", "case", "amod") is None
    predicative = tree.dependent(head, "cop", "nsubj") is not None
    if predicative and not clause and tree.upos[head] == "NOUN" and tree.case_of(head):
        return False  # "is behind the fire": the fire
    return predicative and (
        clause or tree.upos[head] == "ADJ" or tree.relations[head] in ("advcl", "ccomp", "acl", "csubj")
    )


def _nominal(tree: Tree, head: int, barred: Collection[int], others: Collection[int]) -> list[int]:
    chosen = [head]
    left = [
        child
        for child in tree.children[head]
        if child < head and child not in barred and _modifies(tree, child, _LEFT)
    ]
    complements = list(tree.children[head])
    if tree.relations[head] == "conj":  # "the spirit, courage and skill of our officers"
        complements += tree.dependents(tree.heads[head], "nmod")
    right = [
        child
        for child in complements
        if child > head and (_modifies(tree, child, _RIGHT) or _completes(tree, head, child))
    ]
    for child in reversed(left):
        part = tree.subtree(child)
        if max(part) == min(chosen) - 1 or _only_between(tree, max(part), min(chosen)):
            chosen = [*part, *chosen]
    for child in right:
        part = _modifier(tree, child)
        for without in (("acl",), ("acl", "obl"), ("nmod", "acl", "obl")):
            if len(chosen) + len(part) > LONGEST:
                part = _modifier(tree, child, without)
        if not part or not _goes_on(tree, max(chosen), min(part)) or len(chosen) + len(part) > LONGEST:
            break
        if child in others or any(token in others for token in part if tree.heads[token] != child):
            break  # a relative clause that holds them is left out: "speculation in shares that caused it"
        chosen = [*range(min(chosen), min(part)), *part]
    if max(chosen) == head:
        chosen += _shared_complement(tree, head, barred)
    if chosen == [head] and tree.upos[head] == "NOUN":
        chosen += _defining(tree, head, others)
    return _trimmed(tree, sorted(chosen), head)


LONGEST_RELATIVE = 9
"""Words of a relative clause that says which thing a bare noun names."""


def _defining(tree: Tree, head: int, others: Collection[int]) -> list[int]:
    """Return the relative clause right behind a bare noun: "the evils which we experience"."""
    child = tree.dependent(head, "acl:relcl")
    part = [] if child is None else tree.subtree(child, ("punct", "parataxis", "conj", "cc"))
    whole = part == list(range(head + 1, head + 1 + len(part)))
    whole = whole and bool(part) and tree.lows[head + 1] not in ("as", "than")
    return part if whole and len(part) <= LONGEST_RELATIVE and set(others).isdisjoint(part) else []


def _goes_on(tree: Tree, last: int, first: int) -> bool:
    """Tell a modifier right behind a phrase, or behind an adverb: "the formation at least of a party"."""
    return first == last + 1 or (
        first - last <= 3 and all(tree.relations[token] == "advmod" for token in range(last + 1, first))
    )


def _shared_complement(tree: Tree, head: int, barred: Collection[int]) -> list[int]:
    """Return what completes a noun after those coordinated with it: "the means and ends of government"."""
    others = [child for child in tree.dependents(head, "conj") if child not in barred]
    if not others or tree.upos[head] != "NOUN" or any(tree.upos[other] != "NOUN" for other in others):
        return []
    last = others[-1]
    if tree.dependent(last, "det", "nmod:poss", "amod") is not None or last - head > 4:
        return []
    part = next((_modifier(tree, child) for child in tree.dependents(last, "nmod") if child > last), [])
    shared = bool(part) and tree.lows[part[0]] == "of" and part[0] == last + 1
    together = [*range(head + 1, last + 1), *part]
    free = not any(token in barred for token in together)
    return together if shared and free and len(together) < LONGEST else []


def _modifies(tree: Tree, child: int, relations: frozenset[str]) -> bool:
    relation, deprel = tree.relations[child], tree.deprels[child]
    if relation not in relations or deprel == "acl:relcl":
        return False
    if deprel == "nmod:poss":
        return tree.upos[child] != "PRON"
    if relation == "advmod":
        return tree.upos[child] == "ADJ"
    return not (tree.upos[child] == "PRON" and relation != "nmod")


def _completes(tree: Tree, head: int, child: int) -> bool:
    """Tell "to evade taxes" in "makes it harder to evade taxes"."""
    infinitive = tree.relations[child] in ("advcl", "xcomp", "ccomp") and tree.mark_of(child) == "to"
    return tree.upos[head] == "ADJ" and infinitive


RELATIVE_PRONOUNS = wordset("which whom whose who")


def _modifier(tree: Tree, child: int, without: Sequence[str] = ()) -> list[int]:
    """Return what a modifier to the right takes along, itself cut where it goes on for long."""
    if (
        tree.relations[child] == "acl"
        and tree.mark_of(child) != "to"
        and tree.feature(child, "VerbForm") == "Fin"
    ):
        return []
    part = tree.subtree(child, (*_NOT_IN_PHRASE, *without))
    if any(tree.lows[token] in RELATIVE_PRONOUNS for token in part):
        return []
    return part + _coordinated(tree, child, part)


MOST_COORDINATED = 4
"""Words of what a modifier is coordinated with that belong to it; after "between" as many as of a phrase."""


def _coordinated(tree: Tree, child: int, part: Sequence[int]) -> list[int]:
    """Return what goes on in "the war between Athens and Sparta", "abuse of power and of office"."""
    others = tree.dependents(child, "conj")
    if len(others) != 1 or tree.upos[child] not in NOMINAL or tree.upos[others[0]] not in NOMINAL:
        return []
    rest = tree.subtree(others[0], ("acl:relcl", "parataxis", "appos", "conj"))
    joint = list(range(part[-1] + 1, rest[-1] + 1))
    short = len(joint) <= (LONGEST if tree.case_of(child) == "between" else MOST_COORDINATED)
    whole = all(token in rest or tree.upos[token] in ("CCONJ", "PUNCT") for token in joint)
    return joint if short and whole and part[-1] < rest[0] else []


def _only_between(tree: Tree, last: int, first: int) -> bool:
    return all(
        tree.upos[between] in ("PUNCT", "PART", "CCONJ", "ADJ", "ADV") for between in range(last + 1, first)
    ) and (first - last <= 3)


def _before(tree: Tree, child: int, others: Collection[int]) -> list[int]:
    """Return what a complement says before another end in it: "so tired" of "she felt so tired that"."""
    if tree.relations[child] not in ("xcomp", "obj", "ccomp") or child in others:
        return []
    part = tree.subtree(child)
    stop = min((token for token in part if token in others and token > child), default=len(tree))
    return [token for token in part if token < stop and tree.upos[token] != "PUNCT"]


def _clause(tree: Tree, head: int, barred: Collection[int], others: Collection[int]) -> list[int]:
    """Return a clause from its subject to its last complement; a long one without what only goes with it."""
    left_out = [*_NOT_IN_CLAUSE, "mark"]
    mark = tree.dependent(head, "mark")
    completes = {child: _before(tree, child, others) for child in barred if child > head}
    parts = {
        child: tree.subtree(child, ("acl:relcl", "parataxis", "appos"))
        for child in tree.children[head]
        if child not in barred
        and tree.relations[child] not in left_out
        and tree.deprels[child] not in left_out
        and (tree.relations[child] != "advcl" or _ends_clause(tree, head, child))
        and tree.mark_of(child) not in ("because", "since", "unless", "although", "lest")
        and not (tree.lows[child] in NEGATIVE and mark is not None and child < mark)  # "not because"
    }
    # of "He died of cholera in 1849" and "The king, in view of the damage, remitted the tax" one side
    aside = [child for child in barred if child < head and tree.relations[child] in ("obl", "advcl", "nmod")]
    before = max((tree.subtree(child)[-1] for child in aside), default=-1)
    after = min((child for child in barred if child > head), default=len(tree))
    if mark is not None and head > mark > (tree.dependent(head, "cop", "aux") or mark):
        before = mark  # "the result would be that nothing happens": what follows "that"
    parts = {
        child: part
        for child, part in parts.items()
        if before < part[0] < after and not (child > head and tree.lows[part[0]] in ("and", "or"))
    }
    parts |= {child: part for child, part in completes.items() if part and part[0] > head}
    first = min((child for child in parts if tree.relations[child] in _CORE), default=head)
    for child in list(parts):  # "However, ...", "In 1901 ..."
        if (
            child < min(first, head)
            and tree.relations[child] not in _CORE
            and tree.lows[child] not in NEGATIVE
        ):
            del parts[child]
    for child in sorted(parts, key=lambda child: -parts[child][-1]):
        if _width(head, parts) <= LONGEST_CLAUSE:
            break
        if tree.relations[child] not in _CORE and tree.lows[child] not in NEGATIVE:
            del parts[child]
        else:
            parts[child] = tree.subtree(child, (*_NOT_IN_PHRASE, "acl", "ccomp"))
    span = _all_of(head, parts)
    return _trimmed(tree, list(range(span[0], span[-1] + 1)), head, clause=True)


def _ends_clause(tree: Tree, head: int, child: int) -> bool:
    """Tell what a clause goes on with, no comma before it: "seemed as if it sat", "was expected to come"."""
    first = tree.subtree(child, ("punct",))[0]
    goes_on = head < first and tree.upos[first - 1] != "PUNCT"
    compares = tree.has_word(head, ("more", "less", "as", "so"), "advmod")
    compares = compares or tree.feature(head, "Degree") == "Cmp"
    mark = tree.mark_of(child) or tree.case_of(child)
    return goes_on and (mark in _COMPLETING or (compares and mark in ("as", "than")))


_COMPLETING = ("", "to", "of", "as if", "as though")


def _all_of(head: int, parts: Mapping[int, Sequence[int]]) -> list[int]:
    return sorted([head, *(position for part in parts.values() for position in part)])


def _width(head: int, parts: Mapping[int, Sequence[int]]) -> int:
    positions = _all_of(head, parts)
    return positions[-1] - positions[0] + 1


def is_cut_off(
    tree: Tree, head: int, start: int, end: int, others: Collection[int], *, clause: bool = False
) -> bool:
    """Tell a phrase that its tree has cut off: what follows goes on with it, or a clause of one word is left.

    Nor is a phrase whole that holds the words which join it to the other end.
    """
    first, last = tree.range_of(start, end)
    if tree.upos[last - 1] == "PRON" and tree.lows[last - 1] in ("those", "that", "one"):
        return True
    text = tree.document_text[start:end]
    if text.count("(") != text.count(")"):
        return True
    if not is_clause(tree, head, clause=clause):
        return False
    goes_on = last < len(tree) and tree.upos[last] in ("AUX", "ADP") and tree.relations[last] != "mark"
    if goes_on and last not in others and _is_apart(tree, tree.heads[last], others):
        return True
    cue = {tree.lows[token] for token in others if tree.upos[token] == "SCONJ"} - {"that", "as", "for"}
    if not cue.isdisjoint(tree.lows[first:last]) or ";" in tree.words[first:last]:
        return True
    content = [
        token
        for token in range(first, last)
        if token == head or tree.upos[token] not in ("AUX", "ADV", "PUNCT", "PART")
    ]
    subjects = tree.dependents(head, "nsubj", "csubj", "expl")
    outside = any(
        not first <= subject < last and not any(subject < other < first for other in others)
        for subject in subjects
        if subject not in others
    )
    whole = tree.upos[head] in ("ADJ", "ADV") or is_gerund(tree, head)  # "so hot", "leaving"
    bare = len(content) < 2 and (clause or not whole)
    opens = tree.upos[first] == "AUX" and first != head and not subjects and not is_gerund(tree, head)
    return bare or outside or (opens and tree.mark_of(head).rpartition(" ")[2] != "to")


def _opens_aside(tree: Tree, head: int) -> bool:
    """Tell the adjective that a sentence begins with, said of its subject in passing."""
    return head <= 1 and tree.dependent(head, "nsubj") is None and "," in tree.words[head:]


def _is_apart(tree: Tree, part: int, others: Collection[int]) -> bool:
    """Tell a part that was not left out for another end: "lay upon the field" of "for lack of carts"."""
    return set(others).isdisjoint(tree.subtree(part))


def says_something(tree: Tree, head: int, *, clause: bool = False) -> bool:
    """Tell a thing or an event from a word that names neither: "others", "exposed", "in reality".

    A nominal is a noun or a name, a clause has a subject or an object of its own.
    """
    if tree.upos[head] in ("ADJ", "ADV"):
        resulting = tree.relations[head] in ("xcomp", "ccomp") and tree.upos[head] == "ADJ"
        compared = tree.upos[head] == "ADV" or tree.feature(head, "Degree") == "Cmp"
        compared = compared or _opens_aside(tree, head)  # "Weary of war, they left"
        if resulting or (clause and (compared or tree.dependent(head, "nsubj", "csubj", "expl") is not None)):
            return True  # "left them dry", "it is so hot that", "the higher the tide, the"
    if not is_clause(tree, head, clause=clause):
        gerund = tree.upos[head] == "VERB" and tree.lows[head].endswith("ing")
        nominal = tree.upos[head] in ("NOUN", "PROPN", "SYM", "X") or gerund
        the = tree.has_word(head, ("the",), "det")
        worst = ("Sup",) if tree.dependent(head, "nmod", "obl") is not None else ()  # "the worst of it"
        degree = tree.feature(head, "Degree")
        return nominal or (the and tree.upos[head] == "ADJ" and degree in ("", "Pos", *worst))
    arguments = tree.dependents(head, "nsubj", "csubj", "obj", "xcomp", "ccomp", "expl", "obl")
    subject = tree.dependent(head, "nsubj", "csubj")
    asks = subject is not None and tree.lows[min(tree.subtree(subject, ("case",)))] in _ASKING
    if tree.upos[head] not in ("VERB", "AUX"):
        return subject is not None and tree.dependent(head, "cop") is not None and not asks
    if tree.lemmas[head] in _UNFINISHED and {"compound:prt", "nsubj:pass"}.isdisjoint(
        tree.deprels[child] for child in tree.children[head]
    ):
        arguments = tree.dependents(head, "obj", "xcomp", "ccomp", "obl", "nmod")
    there = tree.dependent(head, "expl") is not None and subject is None
    gerund = is_gerund(tree, head) and not clause  # "prevented them from leaving"
    if subject is None and arguments and all(tree.lows[word] in _POINTING for word in arguments):
        return False  # "exercising it", "doing so"
    whole = gerund and tree.lemmas[head] not in _UNFINISHED
    return (bool(arguments) or whole) and not asks and not there


def is_gerund(tree: Tree, head: int) -> bool:
    """Tell "leaving" and "being sacked"."""
    return tree.lows[head].endswith("ing") or any(tree.lows[aux] == "being" for aux in tree.children[head])


_POINTING = wordset("it this that so what these those them")


def _trimmed(tree: Tree, positions: list[int], head: int, *, clause: bool = False) -> list[int]:
    """Leave determiners, adverbs of degree and marks off the edges; the head stays, "no" of a clause too."""
    while positions[0] != head and (
        tree.upos[positions[0]] in ("PUNCT", "SCONJ", "CCONJ")
        or tree.lows[positions[0]] in ("a", "an", "the")
        if clause
        else tree.lows[positions[0]] in _EMPTY
        or tree.upos[positions[0]] in ("PUNCT", "DET", "SCONJ", "CCONJ", "AUX", "ADP")
    ):
        positions = positions[1:]
    hanging = ("PUNCT", "CCONJ", "ADP", "SCONJ", "DET", "PART")
    while positions[-1] != head and (
        tree.lows[positions[-1]] in ("that", "which")
        or (
            tree.upos[positions[-1]] in hanging
            and tree.relations[positions[-1]] not in ("compound", "advmod")  # "moved on"
        )
    ):
        positions = positions[:-1]
    return positions
