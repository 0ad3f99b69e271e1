"""What makes a statement doubtful: ends that say nothing, arcs that are likely wrong in a long sentence."""

from corpusgraph.tasks.extract.context import End, Reference
from corpusgraph.tasks.extract.nouns import is_body, is_person
from corpusgraph.tasks.extract.patterns import Statement
from corpusgraph.tasks.extract.roles import HOW_MUCH, is_passive
from corpusgraph.tasks.extract.tree import Tree
from corpusgraph.tasks.text.wordlist import words, wordset

LONG, FAR, FAR_CLAUSE = 35, 14, 30
"""Tokens of a long sentence, and how far an end may be there from the words that join it."""
DOUBTFUL = 0.6
"""What is less sure than this, by its ends, is left out."""
UNSURE = 0.75
"""An unnamed thing that "it" or "they" is less sure to stand for is none that a relation can be read off."""
_VAGUE = words("doubts.vague")
_SHELLS = words("doubts.shells")
_NOT_TELLING = words("doubts.not_telling")
_NOBODY = words("doubts.nobody")
_OWED = words("doubts.owed")
_CONCLUSIONS = wordset("evidence truth conclusion inference presumption proof propriety impossibility")
"""What follows from something in an argument."""
_TEMPORAL = wordset("as when while if whether because since until before after where than")
_BREAKS = frozenset({";", ":", "--", "—"})
_OF_CLAUSES = wordset("depends_on supports opposes about is_a relates_to")
_THINGS = wordset("it they them this that these those itself themselves")


def is_far(tree: Tree, statement: Statement) -> bool:
    """Tell an end so far from its predicate that the tree is likely to be wrong.

    What stands beyond a semicolon, a colon or a dash belongs to another statement.
    """
    most = FAR_CLAUSE if statement.between_clauses else FAR
    is_conjoined = statement.pattern is not None and bool(statement.pattern.conjunction)
    for end in (statement.source, statement.target):
        own = set(tree.subtree(end))
        own = set() if statement.cue[0] in own else own
        first, last = sorted((end, statement.cue[0]))
        between = [token for token in range(first + 1, last) if token not in own]
        if len(tree) > LONG and len(between) > most:
            return True
        listed = tree.relations[tree.heads[end]] == "appos"  # "several causes: pride, envy and greed"
        if not is_conjoined and not listed and any(tree.words[token] in _BREAKS for token in between):
            return True
    return False


def is_borrowed(tree: Tree, statement: Statement) -> bool:
    """Tell an infinitive whose subject is lent by a clause that says something else.

    A purpose ("they met to prevent war": the meeting does it, if at all), "the aim is to prevent it".
    """
    verb = statement.cue[0]
    if statement.between_clauses or tree.mark_of(verb).split(" ")[-1] != "to":
        return False
    if any(tree.deprels[child] != "nsubj:outer" for child in tree.dependents(verb, "nsubj")):
        return False
    head = tree.heads[verb]
    if tree.lemmas[head] in _SERVING or tree.lows[head] in HOW_MUCH:
        return False
    equated = tree.dependent(verb, "cop") is not None or tree.lemmas[head] == "be"
    purpose = tree.relations[verb] == "advcl" and (statement.is_causal or is_passive(tree, head))
    return purpose or equated


_SERVING = words("doubts.serving")


def is_loose(tree: Tree, statement: Statement) -> bool:
    """Tell a subordinate clause that seems to belong to another clause than the one it hangs on.

    One that begins a coordinate clause ("..., and if it rains, we stay") or has another clause with its own
    subject between itself and its governor is left out.
    """
    if statement.pattern is None:
        return False
    cue, governor = statement.cue[0], statement.anchor
    clause = statement.source if statement.target == governor else statement.target
    inside = set(tree.subtree(clause)) | set(statement.cue)
    if cue > governor:
        opens = any(tree.lows[token] in ("and", "but", "or") for token in range(max(0, cue - 2), cue))
        opens = opens and statement.pattern.source != "governor"  # "and therefore" goes on
        again = tree.lows[cue] in tree.lows[governor : cue - 1]
        between = range(governor + 1, cue)
        return (opens and not again) or any(
            tree.relations[token] in ("conj", "parataxis") and _has_own_subject(tree, token)
            for token in between
        )
    first = min(tree.subtree(governor, ("advcl", "conj", "parataxis", "ccomp")), default=governor)
    last = max(inside)
    return any(
        _has_own_subject(tree, token) and tree.relations[token] in ("conj", "parataxis", "ccomp", "root")
        for token in range(last + 1, max(first, governor))
        if token not in inside and token != governor and tree.heads[token] == governor
    )


def is_turned_round(tree: Tree, statement: Statement) -> bool:
    """Tell ends that stand where they cannot, as where a tree has run two clauses together."""
    verb = statement.cue[0]
    participle = tree.deprels[verb] == "acl" and not tree.lows[verb].endswith("ing")
    verbless = tree.heads[verb] in tree.roots and tree.dependent(tree.heads[verb], "nsubj", "cop") is None
    bare = participle and not tree.mark_of(verb) and tree.dependent(verb, "obj") is not None
    if bare and not (verbless and tree.words[verb - 1] == ","):  # the root has lost its verb to it
        return True  # "in express terms admitted the right": no participle of the past has an object
    return (
        _leads_elsewhere(tree, statement)
        or any(_is_misplaced(tree, verb, end) for end in (statement.source, statement.target))
        or _is_clause_for_thing(tree, statement)
    )


def _leads_elsewhere(tree: Tree, statement: Statement) -> bool:
    """Tell "it was led to ruin" and "in another view, harm results" from what leads to or results in it."""
    pattern, verb = statement.pattern, statement.cue[0]
    leads = pattern is not None and pattern.source == "subject" and statement.is_causal
    if not leads or not statement.name.endswith((" to", " in", " into", " for")):
        return False
    fronted = statement.target < verb and tree.deprels[verb] != "acl:relcl"
    return is_passive(tree, verb) or (tree.upos[verb] == "VERB" and fronted)


def _is_misplaced(tree: Tree, verb: int, end: int) -> bool:
    """Tell a subject behind its verb or with a preposition, and a reflexive."""
    subject = tree.relations[end] in ("nsubj", "csubj") and tree.heads[end] == verb
    behind = subject and (end > verb or bool(tree.case_of(end))) and tree.dependent(end, "cop") is None
    return behind or tree.lows[end].endswith(("self", "selves"))


def _is_clause_for_thing(tree: Tree, statement: Statement) -> bool:
    """Tell a clause that does not do what its verb says: "he went on, spreading it", "I add, curbing them".

    "The river rose, flooding the town" is no such case: what happened does it.
    """
    source = statement.source
    if not statement.is_causal:
        clauses = [end for end in (source, statement.target) if tree.upos[end] == "VERB"]
        return bool(clauses) and statement.type not in _OF_CLAUSES
    if tree.upos[source] != "VERB" or tree.lows[source].endswith("ing"):
        return False
    own = tree.dependent(source, "nsubj")
    acts = own is None or tree.upos[own] == "PRON" or is_person(tree.lemmas[own])
    relative = tree.deprels[statement.cue[0]] == "acl:relcl"  # ", which led to"
    head = tree.heads[statement.cue[0]]
    above = (head, tree.heads[head]) if tree.relations[statement.cue[0]] == "amod" else (head,)
    return acts or (source not in above and not relative)


def _has_own_subject(tree: Tree, token: int) -> bool:
    return tree.dependent(token, "nsubj", "nsubj:pass", "expl") is not None


def is_compared(tree: Tree, anchor: int) -> bool:
    """Tell what stands in a comparison: "more than it would cost", "as if it had caused"."""
    return any(
        tree.mark_of(clause).startswith(("than", "as if", "as though"))
        for clause in (anchor, *tree.ancestors(anchor))
    )


def are_apart(tree: Tree, statement: Statement, source: End, target: End) -> bool:
    """Tell two ends that neither overlap nor hold the words of a pattern that join them."""
    if source.span[0] < target.span[1] and target.span[0] < source.span[1]:
        return False
    inside = statement.source in statement.cue or statement.target in statement.cue  # "for want of"
    if inside or statement.pattern is None:  # "so low that"
        return True
    cues = [tree.span([token]) for token in statement.cue]
    return not any(
        end.span[0] < last and first < end.span[1] for end in (source, target) for first, last in cues
    )


def can_be_caused(tree: Tree, statement: Statement, source: End, target: End) -> bool:
    """Tell an event or a state from a date, a word that tells neither, somebody, and what is owed to him."""
    ends = ((source, statement.source), (target, statement.target))
    if any(
        _is_shell(tree, token) if end.mention is None else end.mention.type == "date" for end, token in ends
    ):
        return False
    if statement.name in ("due to", "owing to") and target.head in _OWED:
        return False
    if target.head in _CONCLUSIONS and statement.name.endswith((" from", " of")):
        return False
    if statement.along is not None and tree.lows[statement.along] in _THINGS and target.mention is None:
        return tree.upos[statement.target] == "VERB"  # "rendered it productive" says nothing of what
    adverbial = tree.relations[statement.target] in ("ccomp", "xcomp", "advcl")
    if not statement.between_clauses and adverbial and tree.mark_of(statement.target) in _TEMPORAL:
        return False  # "snowfall increases as one goes inland"
    kinds = types_of(target)
    somebody = "person" in kinds or {"organisation", "name"} <= kinds
    return (
        not somebody or statement.type == "prevents" or statement.along is not None
    )  # "paralysed the Senate"


def is_vague(tree: Tree, token: int) -> bool:
    """Tell a noun that says nothing alone, "part", nor with a pronoun, "part of it"."""
    if tree.upos[token] == "VERB":
        return False  # "it ended": no end of anything
    of = tree.dependents(token, "nmod")
    alone = not (of or tree.dependents(token, "acl", "amod", "compound"))
    pointing = any(tree.upos[noun] in ("PRON", "DET") for noun in of)
    if tree.dependent(token, "nummod") is not None and tree.lemmas[token] == "case":
        return False  # "one case in five"
    if tree.lows[token] == "others":
        return True
    return tree.lemmas[token] in _NOBODY or (tree.lemmas[token] in _VAGUE and (alone or pointing))


def _is_shell(tree: Tree, token: int) -> bool:
    """Tell a noun alone that says nothing of what happens: "this process", "the same result"."""
    if tree.lemmas[token] not in _SHELLS or tree.upos[token] != "NOUN":
        return False
    return not any(
        tree.deprels[child] == "nmod:poss"
        or (
            tree.relations[child] in ("nmod", "acl", "compound", "ccomp")
            and tree.deprels[child] != "acl:relcl"
            and tree.upos[child] not in ("PRON", "DET")
        )
        or (tree.relations[child] == "amod" and tree.lows[child] not in _NOT_TELLING)
        for child in tree.children[token]
    )


def is_doubtful(tree: Tree, token: int, reference: Reference) -> bool:
    """Tell an "it" or "they" that may stand for another unnamed thing."""
    unnamed = bool(reference.mention.attributes.get("noun_phrase"))
    return tree.lows[token] in _THINGS and unnamed and reference.confidence < UNSURE


def types_of(end: End) -> set[str]:
    """Return what an end may pass for: "concept" of a phrase, with what its head says it is, or a name."""
    mention = end.mention
    if mention is not None and not mention.attributes.get("noun_phrase"):
        return {mention.type} if mention.type in ("date", "quantity") else {mention.type, "name"}
    head = end.head if mention is None else str(mention.attributes.get("head", ""))
    kinds = {"concept"}
    return kinds | ({"person"} if is_person(head) else set()) | ({"organisation"} if is_body(head) else set())
