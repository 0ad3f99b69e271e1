"""Who does what to whom in what happened: the participants of a verb, and of a noun that names a deed."""

from corpusgraph.tasks.extract.activities import (
    CONCLUDED,
    EVENTIVE,
    INTRANSITIVE,
    NAMING,
    OF_PERSON,
    VERB_OF,
    Arguments,
    is_fixed,
    is_light,
    is_time,
    noun_lemma,
)
from corpusgraph.tasks.extract.roles import (
    RELATIVE,
    antecedent,
    expanded,
    is_passive,
    objects,
    surface_subjects,
)
from corpusgraph.tasks.extract.tree import NOMINAL, Tree
from corpusgraph.tasks.index.rules.wordlist import wordset

_TARGET = wordset("of on upon to against")
_GIVING = wordset("""
    give present send grant award sell transmit deliver hand offer lend pay cede transfer donate assign
    bequeath show teach tell write speak talk reply report appeal surrender submit dedicate
""")
"""Verbs with "to" before who receives."""
_TOOLS = wordset("""
    sword gun rifle pistol revolver knife dagger axe hammer spear bow arrow bomb poison rope key saw needle
    pen brush microscope telescope machine engine computer camera musket bayonet cannon club stick stone torch
    chain
""")


def verb_participants(tree: Tree, predicate: int) -> Arguments:
    """Return who does what to whom, subjects of coordinated and reduced clauses filled in."""
    passive = _undergoes(tree, predicate)
    subjects = _nominal(tree, _subjects(tree, predicate))
    undergone = [] if passive else _nominal(tree, _objects(tree, predicate))
    arguments = Arguments(passive=passive)
    if passive:
        arguments.patients = subjects
        by = [
            o for o in tree.dependents(predicate, "obl") if tree.case_of(o) == "by" and not is_time(tree, o)
        ]
        arguments.agents = [member for agent in by for member in tree.conjuncts(agent)]
    else:
        arguments.agents, arguments.patients = subjects, undergone
    if len(subjects) == 1 and _only_happens(tree, predicate, subjects[0]):
        return noun_participants(tree, subjects[0], predicate)
    arguments.recipients = expanded(tree, tree.dependents(predicate, "iobj"))
    for oblique in [
        *tree.dependents(predicate, "obl"),
        *(n for o in undergone for n in tree.dependents(o, "nmod")),
    ]:
        case = tree.case_of(oblique)
        if case == "to" and tree.lemmas[predicate] in _GIVING:
            arguments.recipients += tree.conjuncts(oblique)
        elif case == "by means of" or (case == "with" and tree.lemmas[oblique] in _TOOLS):
            arguments.instruments += tree.conjuncts(oblique)
    return arguments


def _only_happens(tree: Tree, predicate: int, subject: int) -> bool:
    """Tell "the wedding took place" and "the election was held", in which the subject is what happens."""
    if noun_lemma(tree, subject) not in EVENTIVE or tree.upos[subject] != "NOUN":
        return False
    obj = tree.dependent(predicate, "obj")
    place = tree.lemmas[predicate] == "take" and obj is not None and tree.lemmas[obj] == "place"
    return place or tree.lemmas[predicate] in ("occur", "happen", "hold", "fight")


def _nominal(tree: Tree, tokens: list[int]) -> list[int]:
    return [token for token in tokens if tree.upos[token] in NOMINAL and not is_time(tree, token)]


def _subjects(tree: Tree, predicate: int) -> list[int]:
    """Return the subject, of several the nearest and what it is set beside: "the album, Thriller, was"."""
    head = tree.heads[predicate]
    several = [s for s in tree.dependents(predicate, "nsubj") if s < predicate and not is_time(tree, s)]
    while len(several) > 1 and tree.upos[min(tree.subtree(several[-1], ("punct",))) - 1] != "PUNCT":
        several.pop(-2)
    own = expanded(tree, [_antecedent(tree, s) for s in several]) or surface_subjects(tree, predicate)
    reduced = tree.relations[predicate] in ("acl", "appos", "parataxis", "amod")
    if head == predicate or (own and not (reduced and own == [head])):
        return own
    if reduced and tree.upos[head] in NOMINAL:
        return expanded(tree, [_antecedent(tree, _described(tree, head, predicate))])
    return surface_subjects(tree, head) if tree.relations[predicate] in ("advcl", "parataxis") else []


def _antecedent(tree: Tree, token: int) -> int:
    """Return what a relative pronoun stands for, the noun before it where the tree does not tell."""
    noun = antecedent(tree, token)
    if noun != token:
        return _described(tree, noun, token)
    if tree.lows[token] != "who":
        return token
    before = (t for t in range(token - 1, -1, -1) if tree.upos[t] in ("NOUN", "PROPN"))
    last = next(before, token)
    return tree.heads[last] if tree.relations[last] in ("flat", "compound") else last


def _described(tree: Tree, noun: int, clause: int) -> int:
    """Return what a clause after a comma describes: in "a novel by Wright, published in 1953" the novel."""
    inner = noun
    while tree.relations[inner] in ("flat", "appos") and tree.heads[inner] < inner:
        inner = tree.heads[inner]
    above = tree.heads[inner]
    aside = tree.case_of(inner) in ("by", "from", "in", "at") and "," in tree.lows[noun:clause]
    return above if aside and above < inner and tree.upos[above] in NOMINAL else noun


def _undergoes(tree: Tree, predicate: int) -> bool:
    """Tell a passive, also without auxiliary and noun: "Released in 1850, it …", "(founded 1850)"."""
    if is_passive(tree, predicate):
        return tree.lemmas[predicate] not in INTRANSITIVE or tree.dependent(predicate, "aux:pass") is not None
    if (
        tree.dependent(predicate, "aux", "nsubj", "cop", "obj") is not None
        or tree.lemmas[predicate] in INTRANSITIVE
    ):
        return False
    relation = tree.deprels[predicate]
    if (
        tree.upos[predicate] not in ("VERB", "ADJ")
        or tree.lows[predicate].endswith("ing")
        or tree.mark_of(predicate) == "to"
    ):
        return False
    if relation == "conj":
        but = any(tree.lows[joint] == "but" for joint in tree.dependents(predicate, "cc"))
        return (
            not but
            and tree.feature(predicate, "VerbForm") != "Fin"
            and _undergoes(tree, tree.heads[predicate])
        )
    past = tree.feature(predicate, "VerbForm") != "Fin" and tree.lows[predicate][-1] in "dnt"
    return relation.startswith("acl") or (
        past and relation in ("appos", "parataxis", "root", "advcl", "amod")
    )


def _objects(tree: Tree, predicate: int) -> list[int]:
    """Return the objects of a verb; of a light verb those of the noun that carries the meaning."""
    noun = tree.dependent(predicate, "obj")
    if tree.dependent(predicate, "expl") is not None or tree.upos[predicate] != "VERB":
        return []
    if noun is None:
        clause = tree.dependent(predicate, "ccomp", "xcomp") is not None
        if clause or tree.lemmas[predicate] in INTRANSITIVE:
            return []
        head = tree.heads[predicate]
        relative = not RELATIVE.isdisjoint(tree.lows[head:predicate])  # "the book that he wrote of"
        return [token for token in objects(tree, predicate) if token != head or not relative]
    if is_fixed(tree, predicate, noun):
        return []
    if is_light(tree, predicate, noun):
        near = tree.dependents(predicate, "obl")
        return [m for m in tree.dependents(noun, "nmod") if tree.case_of(m) in _TARGET] + [
            o for o in near if tree.case_of(o) in _TARGET - {"of"}
        ]
    return (
        expanded(tree, [antecedent(tree, noun)])
        if tree.lemmas[predicate] in NAMING
        else objects(tree, predicate)
    )


def noun_participants(tree: Tree, noun: int, predicate: int | None = None) -> Arguments:
    """Return who does what to whom in what a noun names; `predicate` says that it happened."""
    lemma = noun_lemma(tree, noun)
    verb = VERB_OF.get(lemma, "")
    near = [n for n in tree.dependents(noun, "nmod") if not is_time(tree, n)]
    owners = tree.dependents(noun, "nmod:poss")
    of = [n for n in near if tree.case_of(n) == "of"]
    around = near if predicate is None else [*near, *tree.dependents(predicate, "obl")]
    cases = ("by", "between") if verb else ("by", "between", "with", "against")
    sides = [n for n in around if tree.case_of(n) in cases and n not in owners]
    done = bool(verb) and verb not in INTRANSITIVE
    if done and not of and verb in OF_PERSON:
        of, owners = owners, []
    doers = [*owners, *(of if verb in INTRANSITIVE else []), *sides]
    return Arguments(
        agents=expanded(tree, doers),
        patients=expanded(tree, of if done else []),
        recipients=expanded(tree, [n for n in near if lemma in CONCLUDED and tree.case_of(n) == "to"]),
    )
