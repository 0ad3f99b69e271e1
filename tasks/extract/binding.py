"""What grammar lets a pronoun stand for: binding, and the "it" that stands for nothing."""

from collections.abc import Collection

from corpusgraph.tasks.extract.entities import NEVER, Entity
from corpusgraph.tasks.extract.roles import is_passive, surface_subjects
from corpusgraph.tasks.extract.tree import CLAUSAL, Tree
from corpusgraph.tasks.index.rules.known_names import SAYING
from corpusgraph.tasks.index.rules.wordlist import wordset

_EXTRAPOSING = wordset("""
    seem appear happen follow turn matter suit become please surprise concern require need cost remain behove
    behoove belong occur strike take
""")
"""Verbs whose "it" may stand for a clause that follows."""
_TIMES_AND_WEATHER = wordset("""
    rain snow thunder freeze dawn drizzle hail time late early dark cold hot warm noon midnight sunny windy
    winter summer spring autumn sunday monday tuesday wednesday thursday friday saturday
""")
_BETWEEN = frozenset({"AUX", "PART", "ADV"})


def wholes(candidates: list[Entity]) -> list[Entity]:
    """Leave out members beside what they are members of."""
    parts = {(entity.first[0], member) for entity in candidates for member in entity.members}
    return [entity for entity in candidates if entity.members or entity.first not in parts]


def bodies_last(candidates: list[Entity], sentence: int) -> list[Entity]:
    """Leave out one body of persons without a name where the sentence has something plural."""
    if not any(entity.plural and entity.last[0] == sentence for entity in candidates):
        return candidates
    return [entity for entity in candidates if entity.plural or entity.name is not None]


def may_bind(tree: Tree, token: int, others: Collection[int]) -> bool:
    """Tell whether syntax lets a pronoun stand for what some tokens of its sentence stand for."""
    return all(_is_free(tree, token, other) for other in others)


def _is_free(tree: Tree, token: int, other: int) -> bool:
    above = list(tree.ancestors(token))
    if token in tree.ancestors(other) or (other in above and not _in_clause_of(tree, (token, *above), other)):
        return False
    if tree.deprels[token] == "nmod:poss":
        return True
    same_clause = tree.clause_head(token) == tree.clause_head(other)
    subject = tree.relations[other] == "nsubj" and tree.relations[token] != "nsubj"
    return tree.heads[token] != tree.heads[other] and not (same_clause and subject)


def _in_clause_of(tree: Tree, path: tuple[int, ...], above: int) -> bool:
    """Tell "the man who lost his hat" from "a picture of its owner" and "the means to keep them"."""
    below = path[path.index(above) - 1]
    if tree.deprels[below] == "acl":
        return above in surface_subjects(tree, below)
    return tree.relations[below] in CLAUSAL or tree.relations[below] == "conj"


def is_pleonastic(tree: Tree, token: int) -> bool:
    """Tell the "it" of "it is clear that", "it rains", "made it possible to" and "it was Snow who"."""
    head = tree.heads[token]
    if _is_said_of_clause(tree, token):
        return True
    if tree.relations[token] == "nsubj" or tree.dependent(head, "cop") is not None:
        return _impersonal(tree, head)
    if tree.deprels[token] == "expl":
        return True
    return tree.relations[token] == "obj" and any(
        tree.upos[child] in ("ADJ", "NOUN")
        and any(
            tree.mark_of(low) in ("to", "that")
            for low in tree.dependents(child, "xcomp", "ccomp", "csubj", "advcl", "acl")
        )
        for child in tree.dependents(head, "xcomp")
    )


def _is_said_of_clause(tree: Tree, token: int) -> bool:
    """Tell "it cannot be doubted that" and "makes it probable that" by their words, whatever the tree."""
    after = next((at for at in range(token + 1, len(tree)) if tree.upos[at] not in _BETWEEN), len(tree) - 1)
    said = any(tree.lemmas[at] == "be" for at in range(token + 1, after))
    made = tree.upos[token - 1] == "VERB" and tree.upos[after] == "ADJ"
    return (
        (said or made)
        and tree.upos[after] in ("ADJ", "VERB")
        and not tree.lows[after].endswith("ing")
        and tree.lows[after + 1 : after + 2] in (["that"], ["whether"])
    )


def _is_reported(tree: Tree, verb: int) -> bool:
    """Tell "the clause (it is said) binds" and "it was remarked by Grotius, that they fell"."""
    return tree.relations[verb] == "parataxis" or "that" in tree.lows[verb + 1 :]


def _is_new(tree: Tree, noun: int) -> bool:
    """Tell "it is a right to be used" from "it is the duty of the House to decide"."""
    owned = tree.dependent(noun, "nmod", "nmod:poss") is not None
    return not (owned and all(tree.lows[child] == "the" for child in tree.dependents(noun, "det")))


def _impersonal(tree: Tree, head: int) -> bool:
    """Tell a predicate whose "it" stands for a clause that follows, for the weather or for nothing."""
    if tree.dependent(head, "csubj") is not None or tree.lemmas[head] in _TIMES_AND_WEATHER:
        return True
    clauses = [child for child in tree.dependents(head, "ccomp", "xcomp", "advcl", "acl") if child > head]
    marks = {tree.mark_of(child) for child in clauses}
    copular = tree.dependent(head, "cop") is not None
    noun = copular and tree.upos[head] in ("NOUN", "PROPN", "NUM", "ADV")
    passive = is_passive(tree, head)
    if copular or passive or tree.lemmas[head] in _EXTRAPOSING:
        if passive and tree.lemmas[head] in (*SAYING, "know") and _is_reported(tree, head):
            return True
        if marks & {"that", "whether", "for to", "if"} or (
            "to" in marks and not (noun and _is_new(tree, head))
        ):
            return True
        if not noun and any(tree.relations[child] == "ccomp" for child in clauses):
            return True
    return noun and (
        any(tree.deprels[child] == "acl:relcl" for child in tree.children[head]) or tree.lemmas[head] in NEVER
    )
