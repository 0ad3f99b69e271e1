"""Causes that a construction states, whatever its words."""

from collections.abc import Iterator

from corpusgraph.tasks.extract.matching import Statement
from corpusgraph.tasks.extract.patterns import Pattern
from corpusgraph.tasks.extract.roles import expanded, is_agent, objects, subjects
from corpusgraph.tasks.extract.tree import Tree
from corpusgraph.tasks.index.rules.wordlist import wordset

LIKELY = wordset("""
    likely possible probable certain inevitable unavoidable necessary easy easier common frequent commoner
    worse severe dangerous attractive profitable
""")
UNLIKELY = wordset("""
    unlikely impossible improbable impracticable difficult harder hard rare rarer unnecessary useless
""")
STATES = wordset("""
    ruin ruins debt doubt danger tatters poverty despair darkness chaos disarray confusion risk jeopardy peril
    pressure strain stress work action business reach question motion disgrace difficulty trouble misery shame
    rags shock pain tears fear suspense hiding prison exile power place use
""")
"""What something is left in, put out of or under, that is no place."""
_MAKING = wordset("make render leave keep turn set send drive put hold")
_BY_NATURE = Pattern(type="causes", verb=("leave",), source_not=("person", "organisation", "place"))
"""What a person leaves open is open; what a storm leaves so is its doing."""
AFFECTED = wordset("""
    alarm weary persuade convince deprive weaken exhaust encourage discourage frighten terrify provoke enrage
    anger offend disgust disappoint dishearten embolden tempt stir overcome overwhelm cripple ruin impoverish
    drive force compel oblige press harass hound blind mislead deceive dazzle lure attract bore tire worry
    trouble torment haunt shake starve threaten incense infuriate dismay daunt intimidate fatigue wound injure
    stricken strike overpower inflame irritate tantalise flatter enfeeble cheat starve parch chill numb madden
    astonish surprise startle puzzle confuse thwart frustrate baffle warn advise inform assure
""")
"""Of whom this is said in passing, does what he does because of it: "weakened by hunger, they surrendered"."""
KNOWING = wordset("""
    find fear know believe think suspect hope want wish expect see realise realize perceive lack need be have
    distrust dread anticipate despair conceive judge imagine consider resent feel
""")


def constructed(tree: Tree) -> Iterator[Statement]:
    """Yield what is made so, and what is so for a reason that the sentence gives without a word for it."""
    for token in range(len(tree)):
        low = tree.lows[token]
        if tree.upos[token] == "VERB":
            if tree.lemmas[token] in _MAKING:
                yield from _made(tree, token)
            yield from _reason(tree, token)
            yield from _unreal(tree, token)
        if low in ("so", "such") and tree.heads[token] != token:
            yield from _so_that(tree, token)
        elif low in ("too", "enough") and tree.heads[token] != token:
            yield from _too_much(tree, token)
        elif low == "the" and token and tree.lows[token - 1] == ",":
            yield from _the_more(tree, token)


def _made(tree: Tree, verb: int) -> Iterator[Statement]:
    """Read "made war unlikely", "left the city without bread", "kept the shops shut"."""
    things = objects(tree, verb)
    if not things:
        return
    result = _result(tree, verb, things[-1])
    if result is None:
        return
    lemma, making = tree.lemmas[result], tree.lemmas[verb] in ("make", "render")
    degrees = {tree.lows[child] for child in tree.dependents(result, "advmod")}
    for source in subjects(tree, verb):
        if not making and is_agent(tree, source):
            continue
        for thing in things:
            prevented = lemma in UNLIKELY or (lemma in LIKELY and "less" in degrees)
            type_ = "prevents" if prevented and not (lemma in UNLIKELY and "less" in degrees) else "causes"
            whole = lemma not in LIKELY and lemma not in UNLIKELY
            yield Statement(
                source,
                result if whole else thing,
                type_,
                verb,
                (verb,),
                f"{tree.lemmas[verb]} {lemma}",
                0.65,
                True,
                along=thing if whole and thing < result else None,
                pattern=None if making else _BY_NATURE,
            )


def _result(tree: Tree, verb: int, thing: int) -> int | None:
    """Return what something is made: an adjective, a participle, or a state that it is put in."""
    for child in tree.dependents(verb, "xcomp", "ccomp"):
        participle = tree.upos[child] == "VERB" and tree.lows[child].endswith(("ed", "en", "ing", "t"))
        if (tree.upos[child] == "ADJ" or participle) and not tree.mark_of(child):
            return child if child != thing else None
    if tree.lemmas[verb] in ("make", "render"):
        return None
    for child in (*tree.dependents(verb, "obl"), *tree.dependents(thing, "nmod")):
        case = tree.case_of(child)
        without = case == "without" and tree.lemmas[verb] == "leave"
        if without or (child > thing and case and case != "of" and tree.lemmas[child] in STATES):
            return child
    return None


def _so_that(tree: Tree, degree: int) -> Iterator[Statement]:
    """Read "so low that barges had to unload", "such was the noise that nobody slept"."""
    if tree.lows[degree + 1 : degree + 2] in (["that"], ["far"], ["long"]):
        return
    head = tree.heads[degree]
    for mark in range(degree + 2, min(degree + 25, len(tree))):
        clause = tree.heads[mark]
        if tree.lows[mark] != "that" or clause <= mark or tree.dependent(clause, "nsubj", "expl") in (None, mark):
            continue
        source = tree.clause_head(head) if head < mark else tree.clause_head(degree)
        if tree.lemmas[source] == "be" and tree.upos[head] == "NOUN":
            source = head  # "there was such a crowd that"
        if source != clause and source < mark:
            yield Statement(
                source, clause, "causes", source, (degree, mark), "so that", 0.6, True, between_clauses=True
            )
        return


def _too_much(tree: Tree, degree: int) -> Iterator[Statement]:
    """Read "too tired to go on", "thick enough to bear a cart"."""
    head = tree.heads[degree]
    holders = (head, tree.heads[head])
    clauses = [
        child
        for holder in dict.fromkeys(holders)
        for child in tree.dependents(holder, "advcl", "xcomp", "acl", "ccomp")
        if tree.mark_of(child) == "to" and child > max(degree, head)
    ]
    if tree.upos[head] not in ("ADJ", "ADV") or not clauses or clauses[0] - head > 6:
        return
    source = head if tree.dependent(head, "cop", "nsubj") is not None else tree.clause_head(head)
    type_ = "prevents" if tree.lows[degree] == "too" else "causes"
    if source != clauses[0]:
        name = f"{tree.lows[degree]} to"
        yield Statement(
            source, clauses[0], type_, source, (degree,), name, 0.55, True, between_clauses=True
        )


def _the_more(tree: Tree, second: int) -> Iterator[Statement]:
    """Read "the more they drank, the more they quarrelled"."""
    first = next((token for token in range(second) if tree.lows[token] == "the" and _is_more(tree, token)), None)
    if first is None or not _is_more(tree, second):
        return
    if first and tree.upos[first - 1] not in ("PUNCT", "CCONJ", "SCONJ"):
        return
    end = next((token for token in range(second, len(tree)) if tree.lows[token] in (";", ".")), len(tree))
    ends = [_core(tree, first + 1, second - 1), _core(tree, second + 1, end)]
    yield Statement(
        ends[0], ends[1], "causes", ends[1], (first, second), "the more", 0.6, True, between_clauses=True
    )


def _is_more(tree: Tree, article: int) -> bool:
    word = tree.lows[article + 1 : article + 2]
    return word in (["more"], ["less"], ["fewer"]) or (
        bool(word)
        and tree.feature(article + 1, "Degree") == "Cmp"
        and word[0] not in ("latter", "former", "other", "upper", "inner", "lower")
    )


def _core(tree: Tree, first: int, last: int) -> int:
    """Return the verb of half a comparison, its noun or the comparative where it has none."""
    inside = range(first, last)
    tops = [token for token in inside if tree.heads[token] not in inside or tree.heads[token] == token]
    return next((token for token in inside if tree.upos[token] == "VERB"), tops[0] if tops else first)


def _reason(tree: Tree, verb: int) -> Iterator[Statement]:
    """Read what is said in passing of who acts: "weakened by hunger, they left", "fearing a fall, he sold"."""
    past = tree.lows[verb].endswith(("ed", "en", "n", "t")) and tree.lemmas[verb] in AFFECTED
    if not (past or (tree.lows[verb].endswith("ing") and tree.lemmas[verb] in KNOWING)):
        return
    if tree.dependent(verb, "nsubj", "aux", "mark", "cc") is not None or tree.relations[verb] not in (
        "acl",
        "advcl",
        "amod",
    ):
        return
    part = tree.subtree(verb)
    opens = part[0] == 0 or tree.upos[part[0] - 1] == "PUNCT"
    closes = part[-1] + 1 < len(tree) and (tree.words[part[-1]] == "," or tree.words[part[-1] + 1] == ",")
    head = tree.heads[verb]
    if tree.upos[head] not in ("VERB", "AUX"):
        head = tree.heads[head] if tree.relations[head] == "nsubj" else verb
    if opens and closes and head not in part and tree.upos[head] in ("VERB", "ADJ"):
        for reason in expanded(tree, [verb]):
            yield Statement(
                reason, head, "causes", head, (verb,), "participle", 0.5, True, between_clauses=True
            )


def _unreal(tree: Tree, verb: int) -> Iterator[Statement]:
    """Read a condition without "if": "had he listened, the war would have been spared"."""
    if tree.relations[verb] != "advcl" or tree.mark_of(verb):
        return
    subject = tree.dependent(verb, "nsubj")
    first = tree.dependent(verb, "aux")
    if subject is None or first is None or first > subject or tree.lows[first] not in ("had", "were", "should"):
        return
    head = tree.heads[verb]
    yield Statement(
        verb, head, "causes", head, (first,), "had", 0.45, True, between_clauses=True, pattern=_UNREAL
    )


_UNREAL = Pattern(type="causes", conjunction=("if",), modality="hypothetical")
