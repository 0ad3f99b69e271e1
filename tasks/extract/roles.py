"""Who does what to whom: the arguments of a predicate, whatever construction they stand in."""

from collections.abc import Sequence

from corpusgraph.tasks.extract.nouns import AGENTS
from corpusgraph.tasks.extract.tree import NOMINAL, Tree
from corpusgraph.tasks.text.wordlist import words, wordset

RELATIVE = frozenset({"which", "that", "who", "whom", "whose", "what"})
_JOINING = frozenset({"CCONJ", "PUNCT", "AUX"})
_BY = frozenset({"by", "through"})
_CONTROL_BY_SUBJECT = words("roles.control_by_subject")
_FORCING = words("roles.forcing")


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
        agents = agents or [child for child in tree.dependents(verb, "obl", "advcl") if _is_by(tree, child)]
        agents = agents or [  # "prevented from answering by a cold"
            child
            for gerund in tree.dependents(verb, "advcl", "xcomp")
            if tree.mark_of(gerund) == "from" and tree.dependent(gerund, "nsubj:pass", "aux:pass") is None
            for child in tree.dependents(gerund, "obl")
            if _is_by(tree, child)
        ]
        return expanded(tree, agents)
    return surface_subjects(tree, verb)


def _is_by(tree: Tree, child: int) -> bool:
    """Tell an agent; the preposition of "by soaring bills" may hang on the adjective."""
    if tree.case_of(child).rpartition(" ")[2] in _BY or tree.mark_of(child) in _BY:
        return True
    bare = tree.relations[child] == "obl" and not tree.case_of(child)
    return bare and tree.lows[tree.subtree(child)[0]] in _BY


def objects(tree: Tree, verb: int) -> list[int]:
    """Return the heads of what it is done to: the object, or the subject of a passive."""
    if is_passive(tree, verb):
        return surface_subjects(tree, verb)
    own = tree.dependents(verb, "obj")
    if len(own) > 1 and tree.upos[own[0]] == "PRON":
        own = own[1:]  # "cause him harm"
    own = own or run_on_object(tree, verb)
    if own:
        return expanded(tree, resolved_relatives(tree, own))
    clause = _object_clause(tree, verb)
    if clause:
        return clause
    relative = tree.deprels[verb] == "acl:relcl" and tree.dependent(verb, "nsubj") is not None
    if relative and not _has_relative(tree, verb):
        return [tree.heads[verb]]
    if tree.relations[verb] == "conj" and tree.upos[tree.heads[verb]] == "VERB":
        # "caused and prolonged the war": the object of the last verb belongs to the first too
        return []
    # not "pushes west and sings a song"
    verbs = [child for child in tree.dependents(verb, "conj") if tree.upos[child] == "VERB"]
    near = [child for child in verbs if child - verb <= 3]
    shared = [child for child in near if _JOINING.issuperset(tree.upos[verb + 1 : child])]
    return expanded(tree, [thing for child in shared[:1] for thing in tree.dependents(child, "obj")])


def run_on_object(tree: Tree, verb: int) -> list[int]:
    """Return the drivers of "the road was closed, forcing drivers to turn", taken for a forcing kind."""
    head = tree.heads[verb]
    opens = tree.relations[verb] == "amod" and verb > 0 and tree.words[verb - 1] == ","
    whole = opens and tree.lows[verb].endswith("ing") and tree.relations[head] in ("obl", "obj", "nmod")
    return [head] if whole and head > verb and not tree.case_of(head) else []


def _object_clause(tree: Tree, verb: int) -> list[int]:
    for child in tree.dependents(verb, "ccomp", "xcomp"):
        if tree.mark_of(child) != "to" or tree.relations[child] == "ccomp":
            return expanded(tree, [child])
    return []


def obliques(tree: Tree, verb: int, prepositions: Sequence[str]) -> list[int]:
    """Return the heads of what stands with one of the prepositions: nominals, gerunds, stranded relatives."""
    beside = tree.dependents(verb, "obl", "nmod", "advcl", "xcomp", "obj", "ccomp", "acl", "nsubj")
    chosen = [child for child in beside if _stands_with(tree, child, prepositions)]
    # "from the duties or from the idleness": the second hangs on the verb
    also = [child for child in tree.dependents(verb, "conj") if chosen and tree.upos[child] in NOMINAL]
    chosen += [child for child in also if tree.case_of(child) in prepositions]
    if not chosen:
        particles = tree.dependents(verb, "obl", "advmod", "compound", "case")
        stranded = [child for child in particles if tree.lows[child] in prepositions]
        if stranded and tree.deprels[verb] == "acl:relcl":
            return [tree.heads[verb]]
        if stranded and is_passive(tree, verb):
            return surface_subjects(tree, verb)
        for particle in stranded:
            chosen += tree.dependents(particle, "obl", "obj")
        if stranded and not chosen:
            chosen = tree.dependents(verb, "obj")
    if not chosen:  # "saved the village from the flood": taken for a modifier of the object
        chosen = [
            child
            for held in tree.dependents(verb, "obj", "nsubj:pass")
            for child in tree.dependents(held, "nmod")
            if tree.case_of(child) in prepositions and child > held
        ]
    return expanded(tree, resolved_relatives(tree, chosen))


def _stands_with(tree: Tree, token: int, prepositions: Sequence[str]) -> bool:
    words = filter(None, (tree.case_of(token), tree.mark_of(token)))
    opening = tuple(f"{preposition} " for preposition in prepositions)
    return any(word in prepositions or word.startswith(opening) for word in words)


def surface_subjects(tree: Tree, verb: int) -> list[int]:
    """Return the heads of the grammatical subject, also where another clause lends it."""
    own = _own_subjects(tree, verb)
    if own:
        return expanded(tree, resolved_relatives(tree, own))
    if tree.heads[verb] == verb:
        return []
    before = clause_before(tree, verb)
    return [before] if before is not None else _lent_subjects(tree, verb)


def _own_subjects(tree: Tree, verb: int) -> list[int]:
    own = [child for child in tree.dependents(verb, "nsubj", "csubj") if tree.lows[child] != "there"]
    own = [child for child in own if tree.deprels[child] != "nsubj:outer"] or own
    if len(own) > 1 and tree.upos[own[-1]] == "PRON" and tree.words[own[-1] - 1] == ",":
        own = own[-1:]  # "A member of the party, he was"
    if own and tree.case_of(own[0]) and own[0] < verb:  # "from jealousy arose that delay"
        own = own[1:] or [thing for thing in tree.dependents(verb, "obj") if thing > verb]
    return own[:1] if own and tree.relations[own[0]] == "csubj" else own


def _lent_subjects(tree: Tree, verb: int) -> list[int]:
    """Return the subject that the clause above lends to a verb without one of its own."""
    relation, head = tree.relations[verb], tree.heads[verb]
    if relation == "conj":
        clausal = tree.dependent(head, "cop", "nsubj", "obj") is not None
        clausal = clausal or tree.upos[head] in ("VERB", "AUX", "ADJ")
        return surface_subjects(tree, head) if clausal else []
    forced = tree.lemmas[head] in _FORCING and tree.mark_of(verb) == "to"
    if relation == "xcomp" or (relation == "advcl" and forced):
        lent = tree.dependents(head, "obj", "iobj") if tree.lemmas[head] not in _CONTROL_BY_SUBJECT else []
        return expanded(tree, resolved_relatives(tree, lent)) if lent else surface_subjects(tree, head)
    if relation in ("acl", "amod"):
        return _described_subjects(tree, verb)
    if relation == "advcl" and tree.deprels[verb] != "advcl:relcl":
        return _adverbial_subjects(tree, verb)
    return []


def _described_subjects(tree: Tree, verb: int) -> list[int]:
    head = tree.heads[verb]
    if tree.relations[verb] == "amod":
        return [head] if tree.upos[head] in NOMINAL and not run_on_object(tree, verb) else []
    if tree.deprels[verb] != "acl:relcl" and tree.mark_of(verb) in ("", "that"):
        return [head]
    if tree.lows[head] in HOW_MUCH and tree.lemmas[tree.heads[head]] in ("do", "have"):
        return surface_subjects(tree, tree.heads[head])  # "did nothing to ease it"
    return []


HOW_MUCH = wordset("nothing little much something more everything enough less most lot deal")


def _adverbial_subjects(tree: Tree, verb: int) -> list[int]:
    head = tree.heads[verb]
    if tree.mark_of(verb) == "" and verb > head and tree.lows[verb].endswith("ing"):
        return [head]
    if tree.mark_of(verb) in ("by", "of", "in", "after", "before", "on", "upon"):
        return []
    if tree.mark_of(verb) in ("from", "for") and tree.dependent(head, "obj") is not None:
        return objects(tree, head)  # "prevented farmers from selling"
    return surface_subjects(tree, head)


def clause_before(tree: Tree, verb: int) -> int | None:
    """Return what happened and does it: the clause before the comma of "the river rose, flooding the town".

    The participle may be taken for a modifier of a noun in that clause, or for coordinated with its verb.
    """
    if not tree.lows[verb].endswith("ing") or tree.dependent(verb, "nsubj", "aux", "mark", "cc") is not None:
        return None
    if tree.relations[verb] not in ("advcl", "acl", "amod", "conj", "parataxis", "xcomp", "dep"):
        return None
    opening = verb - 1
    while opening > 0 and tree.upos[opening] in ("ADV", "CCONJ"):
        opening -= 1
    head = tree.heads[verb] if tree.relations[verb] != "amod" else tree.heads[tree.heads[verb]]
    if opening < 1 or tree.words[opening] not in (",", ";", "—", "--", "–") or head > opening:
        return None
    clauses = [head, *tree.ancestors(head)]
    before = next((place for place in clauses if tree.dependents(place, "nsubj", "csubj")), None)
    if before is None or before > opening or (before != head and tree.relations[verb] == "conj"):
        return None
    return None if tree.lows[before].endswith("ing") and tree.relations[verb] == "conj" else before


def is_agent(tree: Tree, token: int) -> bool:
    """Tell who acts from what happens; of a clause, its subject."""
    if tree.upos[token] in ("VERB", "AUX"):
        return any(is_agent(tree, subject) for subject in tree.dependents(token, "nsubj"))
    return tree.lemmas[token] in AGENTS or tree.lows[token] in AGENTS


def resolved_relatives(tree: Tree, positions: list[int]) -> list[int]:
    """Put the antecedent in the place of a relative pronoun; "what" of a free relative heads it already."""
    return [antecedent(tree, position) for position in positions]


def antecedent(tree: Tree, position: int) -> int:
    """Return what a relative pronoun refers to, the token itself where it is none."""
    relative = tree.lows[position] in RELATIVE - {"what"}
    if not relative or tree.upos[position] not in ("PRON", "DET", "SCONJ"):
        return position
    cleft = tree.heads[tree.heads[position]]
    if tree.relations[tree.heads[position]] == "parataxis" and tree.dependent(cleft, "expl") is not None:
        return cleft if tree.dependent(cleft, "cop") is not None else position  # "it was pride that ruined"
    near = [tree.heads[position], tree.heads[tree.heads[position]], cleft]
    said = next((place for place in near if place < position and says_it_is(tree, place)), None)
    if tree.lows[position] == "that" and said is not None:
        return said  # "it is want, I believe, that makes them quarrelsome"
    at = position
    for at in tree.ancestors(position):
        relative = tree.relations[at] == "acl" and at > tree.heads[at]
        if relative or tree.deprels[at].endswith(":relcl"):
            return tree.heads[at]
        if tree.relations[at] in ("ccomp", "root", "parataxis", "advcl", "conj"):
            break
    if tree.lows[position] == "which" and position and tree.words[position - 1] in (",", ";", "—"):
        before = [token for token in range(position) if tree.upos[token] == "VERB" and tree.heads[at] != at]
        return before[-1] if before else position  # ", which led to": it goes on from what happened before
    return position


def says_it_is(tree: Tree, noun: int) -> bool:
    """Tell "it was pepper", of which a relative clause makes a cleft."""
    subject = tree.dependent(noun, "nsubj", "expl")
    return subject is not None and tree.lows[subject] == "it" and tree.dependent(noun, "cop") is not None


def expanded(tree: Tree, positions: Sequence[int]) -> list[int]:
    """Return tokens with what is coordinated with them, each once."""
    members = [(position, member) for position in positions for member in tree.conjuncts(position)]
    along = [member for position, member in members if _goes_along(tree, position, member)]
    # "your persistence, not their charity": taken for a modifier
    along += [
        child
        for position in positions
        for child in tree.dependents(position, "nmod", "appos")
        if child > position
        and tree.lows[tree.subtree(child, ("punct",))[0]] == "not"
        and not tree.case_of(child)
    ]
    return list(dict.fromkeys(along))


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
    holders = (verb, *tree.dependents(verb, "nsubj", "obl"))
    near = {tree.lows[child] for holder in holders for child in tree.children[holder]}
    return bool(near & (RELATIVE | {"when", "where", "why"}))
