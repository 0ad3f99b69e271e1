"""Causes that a construction states, whatever its words."""

from collections.abc import Iterator

from corpusgraph.tasks.extract.matching import doing
from corpusgraph.tasks.extract.openings import IF, opening
from corpusgraph.tasks.extract.patterns import Pattern, Statement
from corpusgraph.tasks.extract.roles import (
    HOW_MUCH,
    clause_before,
    expanded,
    is_agent,
    objects,
    obliques,
    subjects,
)
from corpusgraph.tasks.extract.tree import WOULD, Tree
from corpusgraph.tasks.text.wordlist import words, wordset

LIKELY = words("constructions.likely")
UNLIKELY = words("constructions.unlikely")
STATES = words("constructions.states")
_WILL_BE = wordset("likely possible probable certain inevitable unavoidable necessary")
"""What is made so is what is brought about: "made war more likely"."""
_MAKING = wordset("make render leave keep turn set send drive put bring")
_BY_NATURE = Pattern(type="causes", verb=("leave",), source_not=("person", "organisation", "place"))
"""What a person leaves open is open; what a storm leaves so is its doing."""
AFFECTED = words("constructions.affected")
KNOWING = words("constructions.knowing")


def constructed(tree: Tree) -> Iterator[Statement]:
    """Yield what is made so, and what is so for a reason that the sentence gives without a word for it."""
    yield from opening(tree)
    for token in range(len(tree)):
        low = tree.lows[token]
        if tree.upos[token] in ("VERB", "ADJ", "NOUN"):
            yield from _predicated(tree, token)
        if tree.heads[token] != token and low in _DEGREES:
            yield from _DEGREES[low](tree, token)
        elif low == "do" and tree.lows[token + 1 : token + 2] == ["with"]:
            yield from _to_do_with(tree, token)
        elif low == "as" and tree.lows[token + 1 : token + 2] == ["to"]:
            yield from _so_as_to(tree, token)
        elif low == "why" and token > 1 and tree.lemmas[token - 1] == "be":
            yield from _which_is_why(tree, token)
        elif low == "the" and tree.lows[max(0, token - 1)] == ",":
            yield from _the_more(tree, token)


def _predicated(tree: Tree, token: int) -> Iterator[Statement]:
    """Read what hangs on a word that may be a predicate."""
    if tree.upos[token] == "VERB":
        if tree.lemmas[token] in _MAKING:
            yield from _made(tree, token)
        yield from _reason(tree, token)
        yield from _helped_by(tree, token)
        if tree.lows[token].endswith("ing") and tree.lows[token - 1] in ("thereby", "thus"):
            yield from _thereby(tree, token)
    yield from _unreal(tree, token)
    yield from _absolute(tree, token)
    if tree.lows[token] in ("resulting", "consequent", "ensuing"):
        yield from _resulting(tree, token)


def _made(tree: Tree, verb: int) -> Iterator[Statement]:
    """Read "made war unlikely", "left the city without bread", "kept the shops shut"."""
    made = next(iter(_complements(tree, verb)), None)
    things = [] if made is None else tree.dependents(made, "nsubj")
    things = things or tree.dependents(verb, "expl") or objects(tree, verb)
    result = _result(tree, verb, things[-1]) if things else None
    if result is None:
        return
    shipped = [
        child
        for holder in (verb, result)
        for child in tree.dependents(holder, "advcl", "xcomp", "ccomp", "csubj")
        if tree.lows[things[0]] == "it" and tree.mark_of(child) == "to"
    ]
    things = shipped[:1] or things  # "made it possible to ship milk"
    lemma, making = tree.lemmas[result], tree.lemmas[verb] in ("make", "render")
    degrees = {tree.lows[child] for child in tree.dependents(result, "advmod")}
    for source in doing(tree, verb, subjects(tree, verb)):
        if is_agent(tree, source) and not (making and tree.upos[result] == "ADJ"):
            continue
        for thing in things:
            prevented = lemma in UNLIKELY or (lemma in LIKELY and "less" in degrees)
            type_ = "prevents" if prevented and not (lemma in UNLIKELY and "less" in degrees) else "causes"
            whole = not shipped and type_ == "causes" and lemma not in _WILL_BE
            yield Statement(
                source,
                result if whole else thing,
                type_,
                verb,
                (verb,),
                f"{tree.lemmas[verb]} {lemma}",
                0.65,
                True,
                along=_along(thing, result, whole=whole, shipped=bool(shipped), caused=type_ == "causes"),
                pattern=None if making else _BY_NATURE,
            )


def _along(thing: int, result: int, *, whole: bool, shipped: bool, caused: bool) -> int | None:
    """Return where an effect begins: "milk" of "made milk sour", "possible" of "possible to ship it"."""
    if shipped:
        return result if caused else thing
    return thing if whole and thing < result else None


def _complements(tree: Tree, verb: int) -> list[int]:
    """Return what a verb makes of its object; with a subject of its own it may pass for an adverbial."""
    return [
        child
        for child in tree.dependents(verb, "xcomp", "ccomp", "advcl")
        if tree.relations[child] != "advcl"
        or (tree.lemmas[verb] in ("send", "leave", "set", "keep") and _is_bare_participle(tree, child))
        or (not tree.mark_of(child) and verb < (tree.dependent(child, "nsubj") or 0) < child)
    ]


def _is_bare_participle(tree: Tree, child: int) -> bool:
    """Tell "soaring" in "sent prices soaring"."""
    bare = tree.words[child - 1] != "," and tree.dependent(child, "mark", "advmod", "obj") is None
    return bare and tree.lows[child].endswith("ing")


_SO = words("constructions.so")


def _result(tree: Tree, verb: int, thing: int) -> int | None:
    """Return what something is made: an adjective, a participle, or a state that it is put in."""
    making = tree.lemmas[verb] in ("make", "render", "put")
    for child in _complements(tree, verb):
        other = tree.upos[child] in ("VERB", "ADV") or tree.lows[child].endswith("ing")
        so = not tree.mark_of(child) and (tree.upos[child] == "ADJ" or (other and not making))
        first = child == verb + 1 and tree.lemmas[child] in LIKELY | UNLIKELY  # "made possible the test"
        if first or (so and child > thing):
            return child
    if tree.lemmas[verb] in ("make", "render"):
        nouns = tree.dependents(verb, "xcomp")
        return next((child for child in nouns if child > thing and tree.upos[child] == "NOUN"), None)
    if tree.lemmas[verb] in ("leave", "keep", "set", "send"):  # "kept him abroad"
        for child in tree.dependents(verb, "advmod"):
            if child > thing and tree.lows[child] in _SO:
                return child
    if tree.lemmas[verb] in ("leave", "keep"):  # "leaving passengers stranded"
        stranded = next((child for child in tree.dependents(thing, "acl", "amod") if child > thing), None)
        if stranded is not None and tree.dependent(stranded, "nsubj", "obl:agent", "mark") is None:
            return stranded
    for child in (*tree.dependents(verb, "obl"), *tree.dependents(thing, "nmod")):
        case = tree.case_of(child)
        without = case == "without" and tree.lemmas[verb] == "leave"
        if without or (child > thing and case and case != "of" and tree.lemmas[child] in STATES):
            return child
    return None


def _so_that(tree: Tree, degree: int) -> Iterator[Statement]:
    """Read "so low that barges had to unload", "such was the noise that nobody slept"."""
    if not _says_how_much(tree, degree):
        return
    head = tree.heads[degree]
    for mark in range(degree + 2, min(degree + 25, len(tree))):
        if tree.lows[mark] in (";", ":", '"', "'", "“", "”", "as"):
            return
        clause = tree.heads[mark]
        if tree.lows[mark] != "that" or clause <= mark:
            continue
        source = tree.clause_head(head) if head < mark else tree.clause_head(degree)
        hung = tree.heads[clause] in (head, tree.heads[head], source) or (
            tree.lows[degree] == "such" and degree == 0 and source in tree.ancestors(clause)
        )
        if not hung and (
            tree.lows[degree] == "such" or tree.dependent(clause, "nsubj", "expl") in (None, mark)
        ):
            return
        if tree.lows[degree] == "such" and any(
            tree.relations[c] in ("expl", "nsubj") and tree.lows[c] == "it" for c in tree.children[source]
        ):
            return  # "it is essential to such a state that"
        if tree.lemmas[source] == "be" and tree.upos[head] == "NOUN":
            source = head  # "there was such a crowd that"
        if tree.relations[source] == "xcomp":
            source = tree.heads[source]
        if tree.lows[degree] == "such" and tree.upos[head] == "NOUN" and tree.heads[clause] == head:
            source = head  # "such a headache that I left"
        if tree.relations[head] == "nsubj" and tree.upos[head] == "ADJ":
            source = head  # "so grievous was the burden that"
        bearer = _bearer(tree, source)
        if bearer is not None and bearer != clause and bearer < mark:
            cue = (degree, mark) if head == bearer and tree.relations[degree] != "nsubj" else (mark,)
            denied = head == bearer and _is_denied(tree, bearer)
            yield _between(bearer, clause, "causes", cue, "so that", 0.6, denied=denied)
        return


def _between(
    source: int, target: int, type_: str, cue: tuple[int, ...], name: str, confidence: float, *, denied: bool
) -> Statement:
    """Return what a clause, or the noun it says something of, does to the clause that follows from it."""
    return Statement(
        source, target, type_, source, cue, name, confidence, True, denied=denied, between_clauses=True
    )


def _bearer(tree: Tree, quality: int) -> int | None:
    """Return the clause or noun that a quality is said of, "the duties" of "the duties so grave that".

    None where the sentence does not say it, or says it before a relative clause.
    """
    if tree.upos[quality] not in ("ADJ", "ADV"):
        return quality
    first = quality
    while tree.relations[first] == "conj" and tree.upos[tree.heads[first]] in ("ADJ", "ADV"):
        first = tree.heads[first]
    if tree.dependent(first, "nsubj", "csubj", "expl") is not None:
        related = tree.deprels[first] == "acl:relcl"
        return None if related else first
    head = tree.heads[first]
    inverted = (
        tree.relations[first] == "nsubj" and tree.dependent(head, "cop") is not None
    )  # "so grievous was"
    if inverted or (tree.relations[first] == "amod" and first < head):
        return head
    return head if tree.upos[head] == "VERB" and tree.dependent(head, "nsubj") is not None else None


def _says_how_much(tree: Tree, degree: int) -> bool:
    """Tell "so low" from "so that", "do so" and "So it is with him that"."""
    after = degree + 1
    if tree.lows[after] in ("that", "far", "long", ",") or (degree and tree.lemmas[degree - 1] == "do"):
        return False
    return tree.lows[degree] != "so" or tree.upos[after] not in ("PRON", "AUX", "DET", "PART", "ADP")


_PLANNED = words("constructions.planned")


def _so_as_to(tree: Tree, mark: int) -> Iterator[Statement]:
    """Read "so loud as to wake the child"; "so framed as to divide them" is a purpose."""
    degree = next(
        (token for token in range(mark - 2, max(-1, mark - 12), -1) if tree.lows[token] == "so"), None
    )
    if degree is None or any(tree.words[token] in (",", ";", ":") for token in range(degree, mark)):
        return
    source, clause = tree.heads[degree], tree.heads[mark]
    hung = tree.relations[clause] in ("advcl", "xcomp", "ccomp", "acl") and clause > mark + 1
    described = tree.upos[source] == "ADJ" or tree.dependent(source, "nsubj:pass") is not None
    bearer = _bearer(tree, source)
    fits = hung and described and degree < source < mark and tree.lemmas[source] not in _PLANNED
    if bearer is not None and fits:
        denied = _is_denied(tree, source)
        yield _between(bearer, clause, "causes", (mark,), "so as to", 0.55, denied=denied)


def _is_denied(tree: Tree, quality: int) -> bool:
    """Tell "no language is so copious", "can hardly be so infatuated": what would follow does not."""
    return tree.is_negated(quality) and not tree.lows[quality].endswith("ing")


def _to_do_with(tree: Tree, verb: int) -> Iterator[Statement]:
    """Read "had much to do with his dispute", which "nothing" or "little" deny."""
    much = tree.heads[verb]
    if tree.lows[much] in HOW_MUCH and tree.lemmas[tree.heads[much]] == "have":
        for source in obliques(tree, verb, ["with"]):
            for target in subjects(tree, tree.heads[much]):
                if not is_agent(tree, target) and not is_agent(tree, source):
                    yield Statement(source, target, "causes", verb, (much, verb), "to do with", 0.55, True)


_HELPED = words("constructions.helped")


def _helped_by(tree: Tree, verb: int) -> Iterator[Statement]:
    """Read "sales fell, hit by a strike", "sales fell, reflecting weak demand": why it is so follows."""
    if not tree.words[verb - 1 : verb] or (verb and tree.words[verb - 1] not in (",", "—", "--")):
        return
    head = tree.heads[verb]
    finite = tree.upos[head] == "VERB" and head < verb and tree.dependent(head, "nsubj") is not None
    if (
        not finite
        or tree.relations[verb] not in ("advcl", "conj")
        or tree.dependent(verb, "nsubj", "mark", "aux", "cc") is not None
    ):
        return
    if tree.lows[verb] == "reflecting":
        sources = objects(tree, verb)
    elif tree.lemmas[verb] in _HELPED and not tree.lows[verb].endswith("ing"):
        by = verb + 1 < len(tree) and tree.lows[verb + 1] == "by"
        sources = expanded(tree, [tree.heads[verb + 1]]) if by else []
    else:
        return
    for source in sources:
        name = tree.lows[verb]
        yield Statement(source, head, "causes", head, (verb,), name, 0.55, True, between_clauses=True)


_WILLING = words("constructions.willing")


def _too_much(tree: Tree, degree: int) -> Iterator[Statement]:
    """Read "too tired to go on", "thick enough to bear a cart"; "too ready to go" prevents nothing."""
    head = tree.heads[degree]
    clauses = [
        child
        for holder in dict.fromkeys((head, tree.heads[head]))
        for child in tree.dependents(holder, "advcl", "xcomp", "acl", "ccomp")
        if tree.mark_of(child) == "to" and child > max(degree, head)
    ]
    far = not clauses or clauses[0] - head > 6
    if far or tree.upos[head] not in ("ADJ", "ADV") or tree.lemmas[head] in _WILLING:
        return
    source = head if tree.dependent(head, "cop", "nsubj") is not None else tree.clause_head(head)
    type_ = "prevents" if tree.lows[degree] == "too" else "causes"
    bearer = _bearer(tree, source)
    if bearer is not None and bearer != clauses[0]:
        denied = head == bearer and _is_denied(tree, bearer)
        name = f"{tree.lows[degree]} to"
        yield _between(bearer, clauses[0], type_, (degree,), name, 0.55, denied=denied)


_DEGREES = {"so": _so_that, "such": _so_that, "too": _too_much, "enough": _too_much}


def _the_more(tree: Tree, second: int) -> Iterator[Statement]:
    """Read "the more they drank, the more they quarrelled"."""
    first = next(
        (token for token in range(second) if tree.lows[token] == "the" and _is_more(tree, token)), None
    )
    if first is None or not _is_more(tree, second):
        return
    if first and tree.upos[first - 1] not in ("PUNCT", "CCONJ", "SCONJ"):
        return
    end = next((token for token in range(second, len(tree)) if tree.lows[token] in (";", ".")), len(tree))
    ends = [_core(tree, first + 1, second - 1), _core(tree, second + 1, end)]
    yield Statement(
        ends[0], ends[1], "causes", ends[1], (first, second), "the more", 0.6, True, between_clauses=True
    )


def _which_is_why(tree: Tree, why: int) -> Iterator[Statement]:
    """Read "the pump was clogged, which is why the field dried out"."""
    subject, head = why - 2, tree.heads[why]
    effect = head if head > why else tree.dependent(why, "advcl", "ccomp", "acl")
    source: int | None = subject if tree.lows[subject] in ("this", "that", "it") else None
    if tree.lows[subject] == "which" or tree.words[max(0, subject - 1)] in (",", ";", "—"):
        clauses = [token for token in range(subject) if tree.dependent(token, "nsubj") is not None]
        source = clauses[-1] if clauses else source
    if source is not None and effect is not None:
        yield Statement(source, effect, "causes", effect, (why,), "why", 0.6, True, between_clauses=True)


def _is_more(tree: Tree, article: int) -> bool:
    word = tree.lows[article + 1 : article + 2]
    after = tree.upos[article + 2] if article + 2 < len(tree) else ""
    return word in (["more"], ["less"], ["fewer"], ["better"], ["worse"]) or (
        bool(word) and word[0].endswith("er") and after in ("DET", "PRON", "NOUN", "PROPN")
    )


def _core(tree: Tree, first: int, last: int) -> int:
    """Return the verb of half a comparison, what is compared where it has none."""
    more = tree.lows[first] in ("more", "less") and tree.upos[first + 1] not in ("DET", "PRON", "PUNCT")
    compared = first + 1 if more else first
    verbs = (token for token in range(first, last) if tree.upos[token] == "VERB")
    return next(verbs, compared)


def _reason(tree: Tree, verb: int) -> Iterator[Statement]:
    """Read what is said in passing of who acts: "weakened by hunger, they left"."""
    past = tree.lows[verb].endswith(("ed", "en", "n", "t")) and tree.lemmas[verb] in AFFECTED
    if not (past or (tree.lows[verb].endswith("ing") and tree.lemmas[verb] in KNOWING)):
        return
    opens = verb == 0 or tree.words[verb - 1] == "," or tree.lows[:verb] == ["not"]
    comma = next((place for place in range(verb, len(tree)) if tree.lows[place] in (",", ";")), None)
    subject = tree.dependent(verb, "nsubj")
    own = subject is not None and subject >= verb - 1  # one before the comma is that of the whole sentence
    if own or tree.dependent(verb, "aux", "mark") is not None or not opens or comma is None:
        return
    effect = _effect_of(tree, verb, comma)
    if effect is not None:
        yield Statement(
            verb, effect, "causes", effect, (verb,), "participle", 0.5, True, between_clauses=True
        )


def _effect_of(tree: Tree, reason: int, comma: int) -> int | None:
    """Return the verb of who is said to be weakened, fearing: right after the comma where he came before."""
    after = comma + 1
    if reason == 0 or tree.lows[:reason] == ["not"]:
        effect = tree.heads[reason]
        return effect if effect > comma and tree.dependent(effect, "nsubj") is not None else None
    while after < len(tree) and tree.upos[after] in ("ADV", "AUX", "PART"):
        after += 1
    before = tree.upos[reason - 2] if reason > 1 else ""
    follows = after < len(tree) and tree.upos[after] == "VERB" and not tree.lows[after].endswith("ing")
    return after if follows and before in ("NOUN", "PROPN", "PRON") else None


def _unreal(tree: Tree, verb: int) -> Iterator[Statement]:
    """Read a condition without "if": "had he listened, the war would have been spared"."""
    subject, first = tree.dependent(verb, "nsubj"), tree.dependent(verb, "aux", "cop")
    if (
        subject is None
        or first is None
        or first > subject
        or tree.lows[first] not in ("had", "were", "should")
    ):
        return
    if tree.deprels[verb] == "acl:relcl":
        return
    under = [tree.heads[verb], *tree.dependents(verb, "conj", "parataxis", "ccomp")]
    for effect in under:
        if tree.has_word(effect, WOULD, "aux"):
            yield Statement(
                verb,
                effect,
                "causes",
                effect,
                (first,),
                "had",
                0.45,
                True,
                pattern=IF,
                between_clauses=True,
            )
            return


def _absolute(tree: Tree, verb: int) -> Iterator[Statement]:
    """Read "the wind having dropped, the fleet lay still"."""
    subject = tree.dependent(verb, "nsubj")
    having = next((aux for aux in tree.dependents(verb, "aux", "cop") if tree.lows[aux] == "having"), None)
    if subject is None or having is None or subject > having or tree.mark_of(verb):
        return
    comma = next((place for place in range(verb, len(tree)) if tree.lows[place] == ","), None)
    for effect in (tree.heads[verb], *tree.dependents(verb, "parataxis", "conj", "ccomp")):
        if comma is not None and effect > comma and tree.dependent(effect, "nsubj") is not None:
            yield Statement(
                verb, effect, "causes", effect, (having,), "having", 0.5, True, between_clauses=True
            )
            return


def _resulting(tree: Tree, word: int) -> Iterator[Statement]:
    """Read "lightning struck the mill, and the resulting fire destroyed it": the fire came of it."""
    effect = tree.heads[word]
    if tree.relations[word] != "amod" or tree.upos[effect] != "NOUN":
        return
    clause = tree.clause_head(effect)
    before = tree.heads[clause] if tree.relations[clause] in ("conj", "parataxis") else clause
    if before < word and tree.dependent(before, "nsubj", "nsubj:pass") is not None and before != effect:
        yield Statement(
            before, effect, "causes", effect, (word,), tree.lows[word], 0.6, True, between_clauses=True
        )


def _thereby(tree: Tree, verb: int) -> Iterator[Statement]:
    """Read "the dam broke, thereby flooding the school"."""
    before = clause_before(tree, verb)
    if before is not None:
        yield Statement(
            before, verb, "causes", before, (verb - 1,), "thereby", 0.6, True, between_clauses=True
        )
