"""One document as extraction sees it: its trees beside the names, dates and quantities read in it."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.extract.ends import RELATIVE_PRONOUNS, phrase_span
from corpusgraph.tasks.extract.rules.findings import Findings
from corpusgraph.tasks.extract.rules.reading import Reading
from corpusgraph.tasks.extract.tree import Tree


@dataclass(frozen=True, slots=True)
class Reference:
    """What a pronoun or a definite description stands for."""

    mention: Mention
    confidence: float


@dataclass(slots=True)
class Context:
    """A document, sentence by sentence: `trees[i]` and `reading.sentences[i]` are the same sentence.

    Attributes
    ----------
    names : list of list of Mention
        Names, dates and quantities of each sentence, in text order.
    references : dict
        (sentence, token) of the head of a pronoun or definite description -> what it stands for.
    sayers : dict
        Number of a quotation -> (sentence, token) of the subject of the verb of saying beside it.

    """

    document: Document
    reading: Reading
    trees: list[Tree]
    findings: Findings
    names: list[list[Mention]] = field(default_factory=list)
    references: dict[tuple[int, int], Reference] = field(default_factory=dict)
    sayers: dict[int, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, document: Document, chunks: Sequence[Chunk], reading: Reading, trees: list[Tree]
    ) -> "Context":
        """Return the context of a document before anything is found in it."""
        return cls(document, reading, trees, Findings(document, chunks))

    def name_at(self, sentence: int, token: int) -> Mention | None:
        """Return the name, date or quantity that a token is the head or a part of."""
        tree = self.trees[sentence]
        start, end = tree.starts[token], tree.ends[token]
        names = self.names[sentence]
        place = bisect_right(names, start, key=lambda name: name.start) - 1
        return names[place] if place >= 0 and names[place].end >= end else None

    def names_in(self, sentence: int, start: int, end: int) -> list[Mention]:
        """Return the names of a sentence that lie between two characters of the document."""
        names = self.names[sentence]
        first = bisect_left(names, start, key=lambda name: name.start)
        return [name for name in names[first:] if name.end <= end]

    def end(self, sentence: int, token: int, *, others: Collection[int] = (), clause: bool = False) -> "End":
        """Return what a nominal or clausal token stands for as an end of a relation.

        A name, date or quantity is itself; a pronoun or definite description is what it refers to, where that
        is known; anything else is the phrase that belongs to the token. `others` are the tokens of the cue
        and of the other end, which no phrase may hold. With `clause` a predicate nominal is its whole clause.
        """
        tree = self.trees[sentence]
        reference = self.references.get((sentence, token))
        if reference is not None:
            place = phrase_span(tree, token, others)[:2]
            return End(place, reference.mention.name, reference.mention, reference.confidence)
        start, end, label = phrase_span(tree, token, others, clause=clause)
        label = self._with_subject(sentence, token, others, label)
        name = self.name_at(sentence, token)
        said = clause and tree.dependent(token, "cop", "nsubj") is not None
        if name is not None and not said:
            inside = start >= name.start and (end <= name.end or name.type != "quantity")
            if inside or name.type == "date" or (tree.upos[token] == "PROPN" and name.type != "quantity"):
                return End((name.start, name.end), name.name, name, 1.0)
        return End((start, end), label, None, 1.0, tree.lemmas[token])

    def _with_subject(self, sentence: int, token: int, others: Collection[int], label: str) -> str:
        """Put before a clause the subject that it shares with the one it is coordinated with."""
        tree = self.trees[sentence]
        says = tree.upos[token] == "VERB" or tree.dependent(token, "cop") is not None
        own = tree.dependent(token, "nsubj", "mark") is not None
        if own or not says or tree.relations[token] != "conj":
            return label
        subject = tree.dependent(tree.heads[token], "nsubj")
        if subject is None or tree.lows[subject] in RELATIVE_PRONOUNS:
            return label
        return f"{phrase_span(tree, subject, (token, *others))[2]} {label}"

    def mention_of(self, sentence: int, end: "End") -> Mention:
        """Return the mention of an end; a phrase becomes one."""
        if end.mention is not None:
            return end.mention
        return self.findings.mention(
            *end.span,
            "concept",
            self.reading.sentences[sentence],
            confidence=0.5,
            cue="noun phrase",
            name=end.name,
            attributes={"noun_phrase": True, "head": end.head},
        )


@dataclass(frozen=True, slots=True)
class End:
    """One end of a relation: the characters it stands at in its sentence, and its mention, if it is one."""

    span: tuple[int, int]
    name: str
    mention: Mention | None
    confidence: float
    head: str = ""
