"""What belongs to the end of a relation: the head with its modifiers, as far as they say what it is.

Which modifiers these are is learned from ends that were marked: `python -m benchmarks.extraction.ends`.
"""

from collections.abc import Collection, Container, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from corpusgraph.tasks.extract.tree import NOMINAL, Tree, squeezed
from corpusgraph.tasks.text.wordlist import entry, words, wordset

RELATIVE_PRONOUNS = wordset("which whom whose who")
_SHARING = wordset("conj xcomp ccomp")
"""Heads that share words with the one above: "men of sense" in "induced men of sense to reason"."""
_SHAREABLE = wordset("nsubj obj iobj nmod amod obl compound det mark case")
_ARGUMENTS = wordset("nsubj csubj obj iobj ccomp xcomp obl")
_DEFINING = wordset("amod nmod compound nummod acl")
_LOOSE = wordset("advmod det case mark cc")
ARTICLES = wordset("the a an")
_DENYING = wordset("not no neither")
_BREAKS = frozenset({",", ";", ":", "--", "—", "-", "("})
_UNFINISHED = words("ends.unfinished")
_ASKING = wordset("which who whom whose where when why how whether if as than for because")


class Branch(NamedTuple):
    """A token with all that hangs from it; whether it belongs to a phrase with its parent, signs tell."""

    parent: int
    token: int
    signs: list[str]


def phrase_span(
    tree: Tree, head: int, others: Collection[int] = (), *, clause: bool = False
) -> tuple[int, int, str]:
    """Return the characters of what a token heads, half-open, and its text on one line.

    `others` are the tokens of the cue and of the other end of a relation, which no phrase holds; with
    `clause` it is a relation between clauses. From the head down, a branch belongs to the phrase where its
    signs weigh more than nothing together.
    """
    first, last = phrase_tokens(tree, head, others, entry("branches"), clause=clause)
    start, end = tree.starts[first], tree.ends[last - 1]
    return start, end, squeezed(tree.document_text[start:end])


def phrase_tokens(
    tree: Tree, head: int, others: Collection[int], weights: Mapping[str, int], *, clause: bool = False
) -> tuple[int, int]:
    """Return the tokens that weights of signs give a phrase, half-open; see `phrase_span`."""
    inside = {head}
    for branch in branches(tree, head, others, clause=clause, inside=inside):
        if sum(weights.get(sign, 0) for sign in branch.signs) > 0:
            inside.add(branch.token)
    first, last = _joined(tree, head, inside, others)
    return first, last + 1


def _joined(tree: Tree, head: int, inside: Collection[int], others: Collection[int]) -> tuple[int, int]:
    """Return the first and the last token of the stretch around a head that is inside but for small words."""
    first = last = head
    for at in range(head + 1, len(tree)):
        if at in others or (at not in inside and not _is_loose(tree, at, at - last)):
            break
        if tree.lows[at] == "than" and not any(_compares(tree, before) for before in range(first, at)):
            break  # "less from evasion than from exemptions"
        last = at if at in inside else last
    for at in range(head - 1, -1, -1):
        if at in others or (at not in inside and not _is_loose(tree, at, first - at)):
            break
        first = at if at in inside else first
    empty = ARTICLES | _DENYING if tree.upos[head] in NOMINAL else ARTICLES  # told apart: `Assertion.negated`
    while first != head and (
        tree.upos[first] in ("PUNCT", "CCONJ", "SCONJ")
        or tree.lows[first] in empty
        or (tree.upos[first] == "ADP" and tree.heads[first] == head)  # "as the consequence", "in arresting"
        or tree.lows[first] == "of"  # "of the couple's death", where it hangs from "couple"
    ):
        first += 1
    while last != head and (
        tree.upos[last] in ("PUNCT", "CCONJ", "SCONJ", "DET", "PART")
        or tree.lows[last] in RELATIVE_PRONOUNS
        or (tree.upos[last] == "ADP" and tree.relations[last] == "case")
    ):
        last -= 1
    return first, last


def _compares(tree: Tree, token: int) -> bool:
    return tree.lows[token] in ("other", "rather", "else") or tree.feature(token, "Degree") == "Cmp"


def _is_loose(tree: Tree, token: int, away: int) -> bool:
    return away <= 2 and (tree.upos[token] in ("PUNCT", "CCONJ") or tree.relations[token] in _LOOSE)


def branches(
    tree: Tree,
    head: int,
    others: Collection[int] = (),
    *,
    clause: bool = False,
    inside: Container[int] | None = None,
) -> Iterator[Branch]:
    """Yield the branches that may belong to a phrase, those below a token after its own.

    Parameters
    ----------
    tree : Tree
        The sentence.
    head : int
        Head of the phrase.
    others : collection of int
        Tokens that are no part of it.
    clause : bool
        Whether it is an end of a relation between clauses.
    inside : container of int, optional
        What belongs to it so far: a token that is not in it when its branch has been seen has none below it.

    Yields
    ------
    Branch
        What hangs from the head, and what a head above it shares with it.

    """
    barred = set(others) - {head}
    view = _View(tree, head, barred, inside, clause=clause)
    yield from view.below(head, ())
    above = tree.heads[head]
    if above != head and tree.relations[head] in _SHARING:
        for token in tree.children[above]:
            if token != head and token not in barred and tree.relations[token] in _SHAREABLE:
                yield Branch(head, token, view.signs_of_shared(token))
                if inside is None or token in inside:
                    yield from view.below(token, (token,))


class _View:
    """A sentence as seen from the head of a phrase."""

    def __init__(
        self, tree: Tree, head: int, barred: AbstractSet[int], inside: Container[int] | None, *, clause: bool
    ) -> None:
        self._tree, self._head, self._barred, self._inside = tree, head, barred, inside
        nominal, verbal = tree.upos[head] in NOMINAL, tree.upos[head] in ("VERB", "AUX")
        copula = tree.dependent(head, "cop")
        said = not verbal and copula is not None and copula not in barred
        kind = "verb" if verbal else "noun" if nominal else "other"
        self._kind = f"{'clause ' * clause}{kind}{' said' * said}"
        self._around = {tree.relations[child] for child in tree.children[head]}
        self._bare = self._around.isdisjoint(_DEFINING)
        self._before = max((token for token in barred if token < head), default=-1)
        self._after = min((token for token in barred if token > head), default=len(tree))
        self._holding = {above for token in barred for above in (token, *tree.ancestors(token))}

    def below(self, parent: int, path: tuple[int, ...]) -> Iterator[Branch]:
        """Yield the branches below a token; `path` leads to it from the head."""
        for token in self._tree.children[parent]:
            if token != self._head and token not in self._barred:
                yield Branch(parent, token, self._signs(parent, token, path))
                if self._inside is None or token in self._inside:
                    yield from self.below(token, (*path, token))

    def _signs(self, parent: int, token: int, path: tuple[int, ...]) -> list[str]:
        tree, head, kind = self._tree, self._head, self._kind
        part = tree.subtree(token)
        first, last = part[0], part[-1]
        relation, deprel, top = tree.relations[token], tree.deprels[token], not path
        side = "right" if token > parent else "left"
        place = kind if top else f"{tree.relations[path[0]]} {min(len(path), 3)}"
        opening = tree.lows[first] if relation in _CLAUSES else ""
        marker = tree.case_of(token) or tree.mark_of(token) or opening
        size = _rung(len(part))
        beside = tree.words[first - 1] if token > parent else "".join(tree.words[last + 1 : last + 2])
        breaks = beside in _BREAKS or tree.words[first] in _BREAKS
        word = tree.lows[token] if len(part) == 1 else ""
        far = _rung(abs(first - head) if token > parent else abs(head - last))
        above = "^" if top else tree.relations[parent]
        signs = [
            f"at {place}",
            f"{deprel} {kind} {min(len(path), 3)}",
            f"{deprel} below {above} {side}",
            f"{deprel} at {place} {side}",
            f"{deprel} by {marker}",
            f"{deprel} by {marker} {kind} {top}",
            f"{deprel} of {size} {top}",
            f"{deprel} breaks {breaks} {top}",
            f"{deprel} breaks {breaks} {kind}",
            f"{deprel} '{word}'",
            f"at {place} '{word}'",
            f"{deprel} is {tree.upos[token]} {above}",
            f"{deprel} head {tree.relations[head]} {top} {kind}",
            f"{deprel} bare {self._bare} {marker} {top}",
            f"{deprel} below '{tree.lemmas[parent]}'",
            f"{relation} far {far} {place}",
        ]
        if token in self._holding:
            signs += [f"{deprel} holds {top}", f"holds {kind}"]
            listed = not self._barred.isdisjoint(tree.dependents(token, "conj"))
            signs += [f"{deprel} holds listed {top}", "holds listed"] if listed else []
        if first > self._after or last < self._before:
            signs += ["beyond", f"{deprel} beyond"]
        if first < self._after <= last or first <= self._before < last:
            signs.append("around")
        if tree.upos[token] in ("VERB", "AUX"):
            signs.append(f"{deprel} form {tree.feature(token, 'VerbForm')} {top}")
        if top:
            beside_it = sorted((self._around & _ARGUMENTS) - {relation})
            signs += [f"{deprel} beside {argument} {kind}" for argument in beside_it]
        if any(tree.lows[at] in RELATIVE_PRONOUNS or tree.lows[at] == "that" for at in part[:3]):
            signs.append(f"{deprel} relative {size}")
        return signs

    def signs_of_shared(self, token: int) -> list[str]:
        """Return the signs of what hangs from the head above."""
        tree, head = self._tree, self._head
        part, above = tree.subtree(token), tree.heads[head]
        shared = f"shared {tree.relations[head]} {tree.relations[token]}"
        side = "right" if token > head else "between" if token > above else "left"
        signs = [
            f"{shared} {side} {tree.deprels[token]}",
            f"{shared} {side} {self._kind}",
            f"{shared} {side} by {tree.case_of(token)}",
            f"{shared} next {part[-1] == head - 1}",
            f"{shared} {side} of {_rung(len(part))}",
            f"{shared} subject {'nsubj' in self._around}",
            f"{shared} far {_rung(abs(token - head))}",
        ]
        return [*signs, "shared holds"] if token in self._holding else signs


_CLAUSES = wordset("acl advcl parataxis ccomp")


def _rung(n: int) -> int:
    return n if n < 3 else 3 if n < 5 else 5 if n < 9 else 9 if n < 16 else 16


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
    clausal = clause or tree.relations[head] in ("advcl", "ccomp", "acl", "csubj")
    return predicative and (clausal or tree.upos[head] == "ADJ")


_LITTLE = frozenset({"AUX", "ADV", "PUNCT", "PART"})


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
    content = [at for at in range(first, last) if at == head or tree.upos[at] not in _LITTLE]
    subjects = tree.dependents(head, "nsubj", "csubj", "expl")
    outside = any(
        not first <= subject < last and not any(subject < other < first for other in others)
        for subject in set(subjects).difference(others)
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
    held = tree.relations[head] == "xcomp" and tree.dependent(tree.heads[head], "obj") is not None
    return (bool(arguments) or whole or held) and not asks and not there  # "forced the farmers to leave"


def is_gerund(tree: Tree, head: int) -> bool:
    """Tell "leaving" and "being sacked"."""
    return tree.lows[head].endswith("ing") or any(tree.lows[aux] == "being" for aux in tree.children[head])


_POINTING = wordset("it this that so what these those them")
