"""One sentence as a tree of Universal Dependencies, with the questions that extraction asks of it."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

from corpusgraph.schemas.annotation import Annotation, Arc
from corpusgraph.tasks.extract.rules.verbs import VERBS
from corpusgraph.tasks.text.wordlist import words, wordset

NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM", "X"})
CLAUSAL = frozenset({"acl", "advcl", "ccomp", "csubj", "parataxis", "xcomp"})
"""Relations whose dependent heads a clause."""
NEGATIVE = words("tree.negative")
WOULD = wordset("would could might will may shall should must can")
"""Auxiliaries of what follows from a condition."""
_ONLY = wordset("only merely just simply")
_NO_WAY = words("tree.no_way")
_UNDOING = words("tree.undoing")
Hanging = tuple[int, int, str]
"""A token, the head it is hung on, and by which relation."""


class Tree:
    """A sentence: positions run from 0 to `len(tree)`; `start` and `end` are characters of the document."""

    def __init__(self, text: str, annotation: Annotation, first: int, last: int) -> None:
        self.document_text = text
        self.starts = annotation.starts[first:last]
        self.ends = annotation.ends[first:last]
        self.upos = annotation.upos[first:last]
        self.feats = annotation.feats[first:last]
        self.heads = [head - first for head in annotation.heads[first:last]]
        self.deprels = list(annotation.deprels[first:last])
        self.words = [text[start:end] for start, end in zip(self.starts, self.ends, strict=True)]
        self.lows = [word.lower() for word in self.words]
        self.language = annotation.language
        self.arcs = None if annotation.arcs is None else _arcs_within(annotation.arcs, first, last)
        self.lemmas = [lemma.lower() for lemma in annotation.lemmas[first:last]]
        if self.language == "en":
            self.lemmas = [
                verb_lemma(low, lemma) if upos == "VERB" else lemma
                for low, lemma, upos in zip(self.lows, self.lemmas, self.upos, strict=True)
            ]
        for position in range(len(self.heads)):
            self._hang(self._mended(position))
        self.children: list[list[int]] = [[] for _ in self.starts]
        for position, head in enumerate(self.heads):
            if head != position:
                self.children[head].append(position)

    def __len__(self) -> int:
        """Return the number of tokens."""
        return len(self.starts)

    @property
    def start(self) -> int:
        """Character at which the sentence begins."""
        return self.starts[0]

    @property
    def end(self) -> int:
        """Character at which the sentence ends."""
        return self.ends[-1]

    @cached_property
    def relations(self) -> list[str]:
        """Universal part of each relation: ``nsubj`` of ``nsubj:pass``."""
        return [deprel.partition(":")[0] for deprel in self.deprels]

    @cached_property
    def roots(self) -> list[int]:
        """Positions of tokens without a head."""
        return [position for position, head in enumerate(self.heads) if head == position]

    def dependents(self, head: int, *relations: str) -> list[int]:
        """Return the children of `head` in one of the relations; ``nsubj`` takes its subtypes too."""
        return [
            child
            for child in self.children[head]
            if self.deprels[child] in relations or self.relations[child] in relations
        ]

    def dependent(self, head: int, *relations: str) -> int | None:
        """Return the first such child."""
        return next(iter(self.dependents(head, *relations)), None)

    def has_word(self, head: int, words: Container[str], *relations: str) -> bool:
        """Tell whether a child of `head` in one of the relations is one of some words."""
        return any(self.lows[child] in words for child in self.dependents(head, *relations))

    def feature(self, position: int, name: str) -> str:
        """Return the value of a feature, "" where the token has none."""
        for pair in self.feats[position].split("|"):
            key, _, value = pair.partition("=")
            if key == name:
                return value
        return ""

    def conjuncts(self, head: int) -> list[int]:
        """Return a token and what is coordinated with it, in order; see `is_set_aside` for the denied.

        A nominal is not coordinated with the predicate of a clause of its own.
        """
        members = [head]
        for child in self.dependents(head, "conj"):
            first = min(self.subtree(child, ("punct", "cc")))
            if self.lows[first] == "that" and self.lows[first - 1] in ("and", "but", "or"):
                continue  # "held that water caused cholera and that air helped"
            if self.upos[child] == "VERB" or self.dependent(child, "nsubj", "cop") is None:
                members += self.conjuncts(child)
        return members

    def verb_name(self, verb: int) -> str:
        """Return the lemma of a verb with its particle: `lay_off` of "laid off"."""
        particle = self.dependent(verb, "compound:prt")
        return self.lemmas[verb] if particle is None else f"{self.lemmas[verb]}_{self.lows[particle]}"

    def is_clause_with_object(self, token: int) -> bool:
        """Tell a verb by its subject or auxiliary and its object, whatever its tag."""
        return self.dependent(token, "nsubj", "aux") is not None and self.dependent(token, "obj") is not None

    def is_set_aside(self, token: int) -> bool:
        """Tell X in "not X but Y", "Y rather than X", "neither X nor Y": what the sentence says is not it."""
        markers = self.dependents(token, "advmod", "cc", "case", "det", "mark")
        if any(self.lows[child] in ("neither", "nor") for child in markers):
            return True
        before = [child for child in markers if child < token]
        said = [self.lows[child] for child in before]
        if "than" in said and "rather" in self.lows[:token]:
            return True
        instead = any(
            self.lows[child : child + 2] in (["rather", "than"], ["instead", "of"]) for child in before
        )
        if instead or ("not" in said and not self._not_only(before)):
            return True
        first = min([token, *before])
        return first > 0 and self.lows[first - 1] == "not" and self.lows[first] not in _ONLY

    def _not_only(self, markers: Sequence[int]) -> bool:
        return any(not _ONLY.isdisjoint(self.lows[marker + 1 : marker + 2]) for marker in markers)

    def subtree(self, head: int, without: Sequence[str] = ()) -> list[int]:
        """Return the positions below and including `head`, in order; children in `without` are left out."""
        positions, stack = [], [head]
        while stack:
            position = stack.pop()
            positions.append(position)
            stack += [
                child
                for child in self.children[position]
                if self.deprels[child] not in without and self.relations[child] not in without
            ]
        return sorted(positions)

    def ancestors(self, position: int) -> Iterator[int]:
        """Yield the heads above a token, nearest first."""
        for _ in range(len(self)):
            if self.heads[position] == position:
                return
            position = self.heads[position]
            yield position

    def case_of(self, position: int) -> str:
        """Return the preposition of a nominal, fixed expressions whole: "because of", "by", ""."""
        return self._marker(position, "case", "fixed", "case")

    def mark_of(self, position: int) -> str:
        """Return the subordinator of a clause, fixed expressions whole: "because", "so that", ""."""
        return self._marker(position, "mark", "fixed")

    def _marker(self, position: int, relation: str, *inner: str) -> str:
        return " ".join(
            self.lows[part]
            for marker in self.dependents(position, relation)
            for part in [marker, *self.dependents(marker, *inner)]
        )

    def position_at(self, start: int, end: int) -> int | None:
        """Return the topmost token of those that a span of characters touches, None where it touches none."""
        inside = range(*self.range_of(start, end))
        tops = (at for at in inside if self.heads[at] == at or self.heads[at] not in inside)
        return next(tops, None)

    def range_of(self, start: int, end: int) -> tuple[int, int]:
        """Return the half-open range of tokens that a span of characters touches."""
        return bisect_right(self.ends, start), bisect_left(self.starts, end)

    def span(self, positions: Sequence[int]) -> tuple[int, int]:
        """Return the characters from the first to the last of some positions."""
        return self.starts[min(positions)], self.ends[max(positions)]

    def text(self, first: int, last: int) -> str:
        """Return the words of a half-open range as written, on one line."""
        return " ".join(self.document_text[self.starts[first] : self.ends[last - 1]].split())

    def clause_head(self, position: int) -> int:
        """Return the predicate of the clause that a token belongs to: itself, where it heads one."""
        above = (position, *self.ancestors(position))
        return next((at for at in above if self.relations[at] in (*CLAUSAL, "conj")), above[-1])

    def is_negated(self, predicate: int) -> bool:
        """Tell whether what stands before a predicate denies it: "not", "never", "no" of a subject, "nor"."""
        for child in self.children[predicate]:
            if child > predicate or self.lows[child] not in NEGATIVE:
                continue
            if child + 1 != predicate and self._not_only([child]):  # "is not just" denies
                continue
            if self.lows[child + 1] == "less" or (child + 1 != predicate and self._is_undone(child)):
                continue
            denies = self.relations[child] in ("advmod", "cc", "discourse", "mark", "case")
            if denies and self._is_nearer(child, predicate):
                return True
        if self._is_denied_by_phrase(predicate):
            return True
        determiner = self.dependent(predicate, "det") if self.upos[predicate] == "NOUN" else None
        if determiner is not None and self.lows[determiner] == "no" and self.dependents(predicate, "cop"):
            return True  # "is no match for"
        arguments = [
            child for child in self.dependents(predicate, "nsubj", "obj") if self.upos[child] != "VERB"
        ]
        return any(self.has_word(child, ("no", "neither"), "det", "advmod", "cc") for child in arguments)

    def _is_undone(self, negation: int) -> bool:
        """Tell "cannot but", "not improbably", "not a little", which affirm."""
        following = self.lows[negation + 1 : negation + 3]
        return following[:1] != [] and (following[0] in _UNDOING or following == ["a", "little"])

    def _is_denied_by_phrase(self, predicate: int) -> bool:
        """Tell "by no means caused", "no longer causes", "not so much caused", "little affected"."""
        for no in range(max(1, predicate - 5), predicate - 1):  # "by no means", wherever it hangs
            if self.lows[no] == "no" and self._says_no_way(no + 1):
                return True
        for child in self.children[predicate]:
            relation, near = self.relations[child], self.lows[max(0, child - 2) : child]
            if relation == "obl" and near[-1:] == ["no"] and self._says_no_way(child):
                return True
            if relation != "advmod" or child > predicate:
                continue
            little = self.lows[child] == "little" and child + 1 == predicate
            if (
                (self.lows[child] == "longer" and near[-1:] == ["no"])
                or (self.lows[child] == "much" and near == ["not", "so"])
                or (little and near[-1:] not in (["a"], ["no"]))
            ):
                return True
        return False

    def _says_no_way(self, noun: int) -> bool:
        phrase = self.lows[noun - 2] in ("by", "in", "on", "under", "to", "at")
        return phrase and noun > 1 and self.lows[noun] in _NO_WAY

    def _is_nearer(self, negation: int, predicate: int) -> bool:
        """Tell "did not cause" and "is not the cause" from "not poverty caused": by its neighbours."""
        following = negation + 1
        if negation and self.upos[negation - 1] == "AUX" and self.heads[negation - 1] == predicate:
            return True
        if following in (predicate, len(self)):
            return True
        return self.upos[following] in ("VERB", "AUX", "ADV", "ADJ", "PART", "PRON", "PUNCT")

    def _hang(self, hangings: Sequence[Hanging]) -> None:
        """Hang tokens anew, all of them or, where a token would come to stand below itself, none."""
        heads, deprels = self.heads, self.deprels
        before = [(token, heads[token], deprels[token]) for token, _, _ in hangings]
        for token, head, relation in hangings:
            heads[token], deprels[token] = head, relation
        if any(self._is_in_circle(token) for token, _, _ in hangings):
            for token, head, relation in before:
                heads[token], deprels[token] = head, relation

    def _is_in_circle(self, token: int) -> bool:
        position = token
        for _ in self.heads:
            if self.heads[position] == position:
                return False
            position = self.heads[position]
        return True

    def _mended(self, token: int) -> list[Hanging]:
        """Return where a token belongs by its neighbours, in cases that the parser often gets wrong.

        A noun after "and" is coordinated; what an unmarked ";" begins is not reported with what stands before
        it; "it was A, not B, that did" is said of both; in "09:14 Ruth: It broke" it is not Ruth that a
        statement is set beside; who is caused to act is an object; "vitamin D" is one subject.
        """
        heads, upos = self.heads, self.upos
        head, relation = heads[token], self.deprels[token]
        if upos[token] == "ADP" and relation in ("compound:prt", "fixed", "obl") and head == token - 1:
            return self._mended_preposition(token)
        if relation == "xcomp" and upos[token] == "NOUN" and token > 1 and "cc" in self._below(token):
            before = heads.index(token) - 1
            return [(token, before, "conj")] if upos[before] in NOMINAL and heads[before] == head else []
        if relation in ("obj", "acl"):
            return self._mended_object(token)
        if relation in ("nsubj", "nsubj:pass"):
            return self._mended_subject(token)
        return self._mended_clause(token)

    def _mended_subject(self, token: int) -> list[Hanging]:
        heads, deprels, upos = self.heads, self.deprels, self.upos
        head, relation = heads[token], deprels[token]
        if deprels[head] == "xcomp" and "to" in self.lows[token:head]:
            return [(token, heads[head], "obj")]
        beside = token > 0 and (heads[token - 1], deprels[token - 1]) == (head, relation)
        if beside and upos[token] == "PROPN" and upos[token - 1] in NOMINAL:
            return [(token, token - 1, "flat")]
        return []

    def _mended_clause(self, token: int) -> list[Hanging]:
        heads, deprels, lows = self.heads, self.deprels, self.lows
        head, relation = heads[token], deprels[token]
        if relation == "ccomp" and "mark" not in self._below(token):
            earlier = [at for at in range(head + 1, token) if heads[at] == head and deprels[at] == "ccomp"]
            if earlier and ";" in lows[earlier[0] : token]:
                return [(token, head, "parataxis")]
        elif relation == "parataxis" and deprels[head] == "appos":
            return [(token, heads[head], relation)]
        elif relation == "acl:relcl" and deprels[head] == "conj":
            first = heads[head]
            if "cop" in self._below(first) and "it" in lows[:first]:
                return [(token, first, relation)]
        return []

    def _mended_object(self, token: int) -> list[Hanging]:
        """Give an object to its verb: "enable us to form a judgment", "it fell, causing losses"."""
        heads, deprels, lows = self.heads, self.deprels, self.lows
        head, relation = heads[token], deprels[token]
        if relation == "acl":
            fell_causing = 0 < token < head and lows[token - 1] == "," and deprels[head] in ("obj", "conj")
            return [(token, heads[head], "advcl"), (head, token, "obj")] if fell_causing else []
        between = [at for at in range(head + 1, token) if heads[at] == head]
        verbs = [at for at in between if deprels[at] == "xcomp" and lows[at - 1] == "to"]
        second = bool(verbs) and "obj" in (deprels[at] for at in between)
        return [(token, verbs[-1], relation)] if second and "obj" not in self._below(verbs[-1]) else []

    def _mended_preposition(self, token: int) -> list[Hanging]:
        """Make a preposition right after its verb the case of the nominal behind it: "resulted in famine"."""
        heads, deprels, upos = self.heads, self.deprels, self.upos
        head = heads[token]
        noun = next((at for at in range(token + 1, len(heads)) if heads[at] <= token), token)
        nominal = upos[noun] in NOMINAL and "case" not in self._below(noun)
        loose = deprels[noun] == "obl" or (deprels[noun] == "obj" and heads[noun] != head)
        if upos[head] in ("VERB", "ADJ") and nominal and loose:
            return [(token, noun, "case"), (noun, head, "obl")]
        return []

    def _below(self, head: int) -> list[str]:
        return [deprel for at, deprel in enumerate(self.deprels) if self.heads[at] == head != at]


_ENDINGS = {"ied": ("y",), "ies": ("y",), "ed": ("e", ""), "ing": ("e", ""), "es": ("e", ""), "s": ("",)}
"""Ending -> what a base has in its place."""
_BASES = frozenset(base for base, _ in VERBS.values())


@lru_cache(maxsize=8192)
def verb_lemma(low: str, lemma: str) -> str:
    """Return the lemma of an English verb form: from the list of verbs, else by its spelling.

    A lemmatizer that learned from a treebank makes "occasione" of a form it has not seen.
    """
    if low in VERBS:
        return VERBS[low][0]
    for ending, bases in _ENDINGS.items():
        for base in bases if low.endswith(ending) else ():
            stem = low.removesuffix(ending) + base
            for candidate in (stem, stem[:-1] if not base and stem[-1:] == stem[-2:-1] else stem):
                if candidate in _BASES:
                    return candidate
    if low.endswith("ied") and len(low) > len("tied"):
        return low[:-3] + "y"
    if low.endswith("eed"):
        return low[:-1]
    stem = low.removesuffix("ed" if low.endswith("ed") else "ing")
    return _stem_of(stem) if 2 < len(stem) < len(low) else lemma


_MUTE_E = re.compile(r"(?:[cgsvuz]|[^aeiou][aeiou][^aeiouwxy]|[^aeiou]l|at|iz|ur)$")


_LATIN = re.compile(r"(?:[^eo]at|[^aeo]id|[^aeo]ut|[rv]ad|[bcdflmp]in)$")
"""End of "assassinate" and "coincide" without the last letter."""


def _stem_of(stem: str) -> str:
    if (stem[-1] == stem[-2] and stem[-1] not in "lsz") or stem.endswith("ell"):
        return stem[:-1]
    short = len(re.findall("[aeiou]+", stem)) == 1
    mute = short or stem[-1] in "cgsvuz" or _LATIN.search(stem)
    return f"{stem}e" if mute and _MUTE_E.search(stem) and not stem.endswith("ss") else stem


def _arcs_within(arcs: Sequence[Arc], first: int, last: int) -> list[Arc]:
    """Return the arcs of a sentence, their ends counted from its first token."""
    low, high = (bisect_left(arcs, place, key=lambda arc: arc.source) for place in (first, last))
    return [arc.moved(-first) for arc in arcs[low:high] if first <= arc.target < last]


def trees(text: str, annotation: Annotation) -> list[Tree]:
    """Return the sentences of an annotated text, in order."""
    bounds = [*annotation.sentences, len(annotation)]
    return [Tree(text, annotation, first, last) for first, last in pairwise(bounds) if last > first]


_SPACES = re.compile(r"\s+")


def squeezed(text: str) -> str:
    """Return a text on one line."""
    return _SPACES.sub(" ", text).strip()
