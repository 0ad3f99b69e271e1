"""Who does what to whom: the arguments of a predicate, whatever construction they stand in."""

from collections.abc import Sequence

from corpusgraph.tasks.extract.tree import NOMINAL, Tree

RELATIVE = frozenset({"which", "that", "who", "whom", "whose", "what"})
_BY = frozenset({"by", "through"})
_CONTROL_BY_SUBJECT = frozenset(
    {"promise", "threaten", "serve", "tend", "seem", "appear", "begin", "continue", "help"}
)
PREDICATES = ("acl", "advcl", "ccomp", "csubj", "parataxis", "root", "xcomp", "conj")


def is_passive(tree: Tree, verb: int) -> bool:
    """Tell the voice of a verb; a participle that modifies a noun is passive unless it ends in -ing."""
    if tree.dependent(verb, "nsubj:pass", "csubj:pass", "aux:pass", "obl:agent") is not None:
        return True
    if tree.dependent(verb, "nsubj", "obj") is not None:
        return False
    relation = tree.relations[verb]
    past = tree.feature(verb, "VerbForm") == "Part" and not tree.lows[verb].endswith("ing")
    if relation in ("acl", "amod", "advcl") and past and tree.dependent(verb, "aux") is None:
        return tree.deprels[verb] != "acl:relcl"
    if relation == "conj" and past and tree.dependent(verb, "aux", "nsubj") is None:
        return is_passive(tree, tree.heads[verb])
    return False


def subjects(tree: Tree, verb: int) -> list[int]:
    """Return the heads of what does it: agent of a passive, antecedent of a relative clause, a controller."""
    if is_passive(tree, verb):
        agents = tree.dependents(verb, "obl:agent")
        agents = agents or [
            child
            for child in tree.dependents(verb, "obl", "advcl")
            if tree.case_of(child) in _BY or tree.mark_of(child) in _BY
        ]
        return expanded(tree, agents)
    return surface_subjects(tree, verb)


def objects(tree: Tree, verb: int) -> list[int]:
    """Return the heads of what it is done to: the object, or the subject of a passive."""
    if is_passive(tree, verb):
        return surface_subjects(tree, verb)
    own = tree.dependents(verb, "obj")
    if own:
        return expanded(tree, resolved_relatives(tree, own))
    clause = [
        child
        for child in tree.dependents(verb, "ccomp", "xcomp")
        if tree.mark_of(child) != "to" or tree.relations[child] == "ccomp"
    ]
    if clause:
        return expanded(tree, clause[:1])
    if (
        tree.deprels[verb] == "acl:relcl"
        and tree.dependent(verb, "nsubj") is not None
        and not _has_relative(tree, verb)
    ):
        return [tree.heads[verb]]
    if tree.relations[verb] == "conj" and tree.upos[tree.heads[verb]] == "VERB":
        # "caused and prolonged the war": the object of the last verb belongs to the first too
        return []
    shared = [
        child for child in tree.dependents(verb, "conj") if tree.upos[child] == "VERB" and child - verb <= 3
    ]
    return expanded(tree, [thing for child in shared[:1] for thing in tree.dependents(child, "obj")])


def obliques(tree: Tree, verb: int, prepositions: Sequence[str]) -> list[int]:
    """Return the heads of what stands with one of the prepositions: nominals, gerunds, stranded relatives."""
    chosen = []
    for child in tree.dependents(verb, "obl", "nmod", "advcl", "xcomp", "obj", "ccomp", "acl"):
        words = {tree.case_of(child), tree.mark_of(child)} - {""}
        if any(_stands_with(word, prepositions) for word in words):
            chosen.append(child)
    if not chosen:
        stranded = [
            child
            for child in tree.children[verb]
            if tree.lows[child] in prepositions
            and tree.relations[child] in ("obl", "advmod", "compound", "case")
        ]
        if stranded and tree.deprels[verb] == "acl:relcl":
            return [tree.heads[verb]]
        if stranded and is_passive(tree, verb):
            return surface_subjects(tree, verb)
        for particle in stranded:
            chosen += tree.dependents(particle, "obl", "obj")
        if stranded and not chosen:
            chosen = tree.dependents(verb, "obj")
    return expanded(tree, resolved_relatives(tree, chosen))


def _stands_with(word: str, prepositions: Sequence[str]) -> bool:
    return word in prepositions or any(word.startswith(f"{preposition} ") for preposition in prepositions)


def surface_subjects(tree: Tree, verb: int) -> list[int]:  # noqa: PLR0911 -- a case each
    """Return the heads of the grammatical subject, also where another clause lends it."""
    own = [child for child in tree.dependents(verb, "nsubj", "csubj") if not _is_expletive(tree, child)]
    own = [child for child in own if tree.deprels[child] != "nsubj:outer"] or own
    if own:
        return expanded(tree, resolved_relatives(tree, own))
    relation, head = tree.relations[verb], tree.heads[verb]
    if head == verb:
        return []
    if relation == "conj":
        return (
            surface_subjects(tree, head)
            if tree.upos[head] in ("VERB", "AUX", "ADJ") or tree.dependent(head, "cop") is not None
            else []
        )
    if relation == "xcomp":
        lent = tree.dependents(head, "obj", "iobj") if tree.lemmas[head] not in _CONTROL_BY_SUBJECT else []
        return expanded(tree, resolved_relatives(tree, lent)) if lent else surface_subjects(tree, head)
    if relation == "acl" and tree.deprels[verb] != "acl:relcl" and tree.mark_of(verb) in ("", "that"):
        return [head]
    if relation == "amod" and tree.upos[head] in NOMINAL:
        return [head]
    if relation == "advcl" and tree.deprels[verb] != "advcl:relcl":
        if tree.mark_of(verb) == "" and verb > head and tree.lows[verb].endswith("ing"):
            return [head]  # "the river rose, flooding the town": what happened does it
        if tree.mark_of(verb) in ("by", "of", "in", "without", "after", "before", "on", "upon"):
            return []
        if tree.mark_of(verb) in ("from", "for") and tree.dependent(head, "obj") is not None:
            return objects(tree, head)  # "prevented farmers from selling"
        return surface_subjects(tree, head)
    return []


def resolved_relatives(tree: Tree, positions: list[int]) -> list[int]:
    """Put the antecedent in the place of a relative pronoun; "what" of a free relative heads it already."""
    return [antecedent(tree, position) for position in positions]


def antecedent(tree: Tree, position: int) -> int:
    """Return what a relative pronoun refers to, the token itself where it is none."""
    if tree.lows[position] not in RELATIVE or tree.upos[position] not in ("PRON", "DET", "SCONJ"):
        return position
    at = position
    for head in tree.ancestors(position):
        if tree.deprels[head].endswith(":relcl") or (
            tree.relations[head] == "acl" and head > tree.heads[head]
        ):
            return tree.heads[head]
        at = head
        if tree.relations[at] in ("ccomp", "root", "parataxis", "advcl", "conj"):
            break
    if tree.lows[position] == "which" and position and tree.words[position - 1] in (",", ";", "—"):
        before = [token for token in range(position) if tree.upos[token] == "VERB" and tree.heads[at] != at]
        return before[-1] if before else position  # ", which led to": it goes on from what happened before
    return position


def expanded(tree: Tree, positions: Sequence[int]) -> list[int]:
    """Return tokens with what is coordinated with them, each once."""
    members = [(position, member) for position in positions for member in tree.conjuncts(position)]
    return list(dict.fromkeys(member for position, member in members if _goes_along(tree, position, member)))


def _goes_along(tree: Tree, position: int, member: int) -> bool:
    """Tell a list from two clauses that the tree has run together: no finite verb stands between nominals.

    A verb is not coordinated with a noun, nor what has a preposition of its own with what has none.
    """
    if tree.upos[position] in NOMINAL and member != position:
        clause = tree.upos[member] in ("VERB", "AUX") and not tree.lows[member].endswith("ing")
        if clause or (tree.case_of(member) and not tree.case_of(position)):
            return False
    if member == position or tree.upos[position] in ("VERB", "AUX"):
        return True
    inside = set(tree.subtree(position, ("conj",))) | set(tree.subtree(member))
    between = (token for token in range(min(position, member), max(position, member)) if token not in inside)
    return not any(tree.upos[token] in ("VERB", "AUX") for token in between)


def _has_relative(tree: Tree, verb: int) -> bool:
    near = [inner for child in tree.dependents(verb, "nsubj", "obl") for inner in tree.children[child]]
    return any(
        tree.lows[child] in RELATIVE or tree.lows[child] in ("when", "where", "why")
        for child in (*tree.children[verb], *near)
    )


def _is_expletive(tree: Tree, child: int) -> bool:
    return tree.lows[child] == "there" or (tree.deprels[child] == "expl")
