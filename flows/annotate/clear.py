"""CLEAR, the label scheme of spaCy's English pipelines, made into Universal Dependencies.

CLEAR (Choi & Palmer 2012) makes prepositions and copulas heads: ``was -> attr cause``, ``led -> prep to ->
pobj cholera``. Universal Dependencies makes heads of the words with content, and prepositions and copulas
their dependents. So heads change as well as labels.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from corpusgraph.schemas.annotation import Annotation

Scheme = Literal["universal", "clear"]

LABELS = {
    "ROOT": "root",
    "acomp": "xcomp",
    "agent": "obl:agent",
    "attr": "xcomp",
    "auxpass": "aux:pass",
    "csubjpass": "csubj:pass",
    "dative": "iobj",
    "dobj": "obj",
    "intj": "discourse",
    "meta": "dep",
    "neg": "advmod",
    "nsubjpass": "nsubj:pass",
    "oprd": "xcomp",
    "poss": "nmod:poss",
    "preconj": "cc:preconj",
    "predet": "det:predet",
    "prep": "obl",
    "prt": "compound:prt",
    "quantmod": "advmod",
    "relcl": "acl:relcl",
}
"""Labels that differ in name only, once heads are changed."""
NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM"})
PREPOSITIONAL = ("prep", "agent", "dative")
PREDICATIVE = ("attr", "acomp", "oprd")
FIXED = frozenset(
    {
        ("accord", "to"),
        ("according", "to"),
        ("as", "to"),
        ("because", "of"),
        ("due", "to"),
        ("instead", "of"),
        ("owe", "to"),
        ("owing", "to"),
        ("such", "as"),
        ("thank", "to"),
        ("thanks", "to"),
    }
)
"""Prepositions of two words: in other pairs, "out of", each word is a case marker."""


def scheme_of(labels: Iterable[str]) -> Scheme | None:
    """Tell the scheme of a parser by its labels; None for others, such as TIGER's of German newspapers."""
    relations = {label.partition(":")[0] for label in labels}
    if {"pobj", "dobj"} <= relations:
        return "clear"
    return "universal" if {"obj", "obl"} <= relations else None


def to_universal(annotation: Annotation) -> Annotation:
    """Return the same tokens in trees of Universal Dependencies."""
    tree = _Conversion(annotation)
    tree.raise_subjects()
    tree.regroup_coordinations()
    tree.turn_prepositions()
    tree.turn_copulas()
    tree.rename()
    return replace(annotation, heads=tuple(tree.heads), deprels=tuple(tree.deps))


class _Conversion:
    """Trees while they are changed; labels stay CLEAR's until `rename`, but for those that heads decide."""

    def __init__(self, annotation: Annotation) -> None:
        self.lemmas = [lemma.lower() for lemma in annotation.lemmas]
        self.upos = annotation.upos
        self.feats = annotation.feats
        self.heads = list(annotation.heads)
        self.deps = ["ROOT" if dep == "root" else dep for dep in annotation.deprels]
        self.children: list[list[int]] = [[] for _ in self.heads]
        for token, head in enumerate(self.heads):
            if head != token:
                self.children[head].append(token)

    def attach(self, token: int, head: int, dep: str) -> None:
        """Give a token a head and a label; its own head makes it a root."""
        if self.heads[token] != token:
            self.children[self.heads[token]].remove(token)
        if head != token:
            self.children[head].append(token)
            self.children[head].sort()
        self.heads[token], self.deps[token] = head, dep

    def take_place(self, token: int, of: int, dep: str) -> None:
        """Put a token where its head `of` hangs."""
        self.attach(token, token if self.heads[of] == of else self.heads[of], dep)

    def move_children(self, token: int, to: int) -> None:
        """Give the children of a token to another."""
        for child in list(self.children[token]):
            if child != to:
                self.attach(child, to, self.deps[child])

    def child(self, head: int, *deps: str) -> int | None:
        """Return the first child with one of the labels."""
        return next((child for child in self.children[head] if self.deps[child] in deps), None)

    def top_down(self) -> list[int]:
        """Return the tokens, each after its head."""
        order = [token for token, head in enumerate(self.heads) if head == token]
        for token in order:
            order += self.children[token]
        return order

    def raise_subjects(self) -> None:
        """Make "the river" in "caused the river to rise" the object of "caused", no longer of "rise"."""
        for token, dep in enumerate(self.deps):
            if dep not in ("ccomp", "xcomp", "oprd") or self.child(token, "mark") is not None:
                continue
            subject = self.child(token, "nsubj", "nsubjpass")
            head = self.heads[token]
            if subject is None or not head < subject < token or self.upos[head] != "VERB":
                continue
            if self._is_finite(token) or self.child(head, "dobj") is not None:
                continue
            self.attach(subject, head, "dobj")
            self.attach(token, head, "xcomp")

    def _is_finite(self, token: int) -> bool:
        auxiliaries = [child for child in self.children[token] if self.deps[child] in ("aux", "auxpass")]
        if any(self.lemmas[child] == "to" for child in auxiliaries):
            return False
        if any("VerbForm=Fin" in self.feats[child] for child in auxiliaries):
            return True
        return self.upos[token] in ("VERB", "AUX") and "VerbForm=Fin" in self.feats[token]

    def regroup_coordinations(self) -> None:
        """Hang conjuncts on the first, conjunctions on the conjunct that follows; "rather than" is one."""
        for token, dep in enumerate(self.deps):
            if dep != "cc":
                continue
            modifier = self.child(token, "advmod")
            if self.lemmas[token] == "than" and modifier == token - 1:
                self.take_place(modifier, token, "cc")
                self.attach(token, modifier, "fixed")
        for token in self.top_down():
            if self.deps[token] != "conj":
                continue
            head = self.heads[token]
            for child in list(self.children[head]):
                before = head < child < token
                if self.deps[child] == "cc" and before:
                    self.attach(child, token, "cc")
            if self.deps[head] == "conj":
                self.attach(token, self.heads[head], "conj")

    def turn_prepositions(self) -> None:
        """Hang the complement of every preposition on what the preposition hangs on."""
        for token in self.top_down():
            if self.deps[token] not in ("case", "fixed", "mark"):
                self._turn(token)

    def _turn(self, marker: int) -> int | None:
        """Return the complement that has taken the place of a preposition, None where there is none."""
        complement = self._complement(marker)
        if complement is None:
            return None
        is_object = self.deps[complement] == "pobj"
        inner = None
        if not is_object:
            place = complement
            complement = self._turn(place) or place
            inner = place if complement != place else None
        is_clause = not is_object and inner is None and self._is_clause(complement)
        is_clause = is_clause or (inner is not None and self.deps[inner] == "mark")
        self.take_place(complement, marker, self._role(marker, is_clause=is_clause))
        self.move_children(marker, complement)
        label = "mark" if is_clause else "case"
        self.attach(marker, complement, label)
        if inner is not None and (self.lemmas[marker], self.lemmas[inner]) in FIXED:
            self.attach(inner, marker, "fixed")
        self._such_as(marker, complement, label)
        return complement

    def _complement(self, marker: int) -> int | None:
        complement = self.child(marker, "pobj")
        if complement is None:
            complement = self.child(marker, "pcomp")
        following = self.child(marker, "prep")
        if complement is None and following is not None and marker < following:
            fixed = self.upos[marker] != "VERB" and (self.lemmas[marker], self.lemmas[following]) in FIXED
            if (fixed or self.deps[marker] in PREPOSITIONAL) and self._complement(following) is not None:
                return following
        return complement

    def _is_clause(self, token: int) -> bool:
        if self.upos[token] in ("VERB", "AUX"):
            return True
        return self.child(token, "nsubj", "nsubjpass", "aux", "mark") is not None

    def _role(self, marker: int, *, is_clause: bool) -> str:
        dep, head = self.deps[marker], self.heads[marker]
        if dep not in (*PREPOSITIONAL, "advmod", "npadvmod", "pcomp"):
            return dep
        if self.upos[head] in NOMINAL:
            return "acl" if is_clause else "nmod"
        if is_clause:
            return "advcl"
        return "obl:agent" if dep == "agent" else "obl"

    def _such_as(self, marker: int, complement: int, label: str) -> None:
        before = marker - 1
        if before >= 0 and (self.lemmas[before], self.lemmas[marker]) == ("such", "as"):
            self.attach(before, complement, label)
            self.attach(marker, before, "fixed")

    def turn_copulas(self) -> None:
        """Make what is said of a subject the head of "be"; "there is" keeps the verb."""
        for token in reversed(self.top_down()):
            if self.lemmas[token] != "be" or self.deps[token] in ("aux", "auxpass"):
                continue
            if self.child(token, "expl") is not None:
                subject = self.child(token, "attr")
                if subject is not None:
                    self.attach(subject, token, "nsubj")
                continue
            predicate = self.child(token, *PREDICATIVE)
            if predicate is None and self.child(token, "ccomp", "xcomp") is None:
                predicate = next(
                    (child for child in self.children[token] if self._is_place(token, child)), None
                )
            if predicate is None:
                continue
            self.take_place(predicate, token, self.deps[token])
            self.move_children(token, predicate)
            self.attach(token, predicate, "cop")
            self._anticipated(predicate)
        for token, dep in enumerate(self.deps):
            if dep in ("ROOT", "ccomp", "conj") and self.child(token, "nsubjpass") is not None:
                self._anticipated(token)

    def _is_place(self, verb: int, child: int) -> bool:
        return child > verb and self.deps[child] == "obl" and self.child(child, "case") is not None

    def _anticipated(self, predicate: int) -> None:
        """Make the clause the subject in "it is false that", "it was denied that"."""
        subject = self.child(predicate, "nsubj", "nsubjpass")
        clause = self.child(predicate, "ccomp")
        if subject is None or clause is None or self.lemmas[subject] != "it" or clause < predicate:
            return
        self.attach(clause, predicate, "csubjpass" if self.deps[subject] == "nsubjpass" else "csubj")
        self.attach(subject, predicate, "expl")

    def rename(self) -> None:
        """Give every label its universal name."""
        for token, dep in enumerate(self.deps):
            if dep == "aux" and self.lemmas[token] == "to" and self.upos[token] == "PART":
                self.deps[token] = "mark"
            elif dep == "npadvmod":
                nominal = self.upos[self.heads[token]] in NOMINAL
                self.deps[token] = "nmod:unmarked" if nominal else "obl:unmarked"
            else:
                self.deps[token] = LABELS.get(dep, dep)
