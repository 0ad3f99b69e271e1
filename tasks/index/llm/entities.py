"""The entities that a model named in a document, and the mentions that other items mean by their names."""

import re
from collections.abc import Sequence

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Mention
from corpusgraph.schemas.study import Ontology
from corpusgraph.tasks.index.llm.findings import Findings, Ledger, Part, line, name_of
from corpusgraph.tasks.index.llm.ground import Span
from corpusgraph.tasks.index.llm.ontology import Types, snake
from corpusgraph.tasks.index.llm.said import SaidEntity, SaidEvidence, SaidItem, is_wordless, label
from corpusgraph.tasks.index.names import fold
from corpusgraph.tasks.index.rules.wordlist import wordset

_PRONOUNS = wordset(
    "he she it they we you i me him her them us his hers its their theirs this that these those who"
)
_LETTER = re.compile(r"[^\W_]")
MAX_NAME = 300
"""Characters of a name: a longer one is a passage, or a model repeating itself."""


def is_name(name: str) -> bool:
    """Tell a name from what models give for one though told not to: pronouns, marks, whole passages.

    "US" and "IT" are no pronouns.
    """
    pronoun = name.casefold() in _PRONOUNS and (len(name) < 2 or not name.isupper())
    return len(name) <= MAX_NAME and not pronoun and _LETTER.search(name) is not None


class Reading:
    """What is read of one document: all its entities first, for they are the ends of everything else."""

    def __init__(self, document: Document, chunks: Sequence[Chunk], ontology: Ontology) -> None:
        self.document = document
        self.ledger = Ledger(document)
        self.types = Types(ontology)
        self.findings = Findings(document, chunks)
        self._type_of: dict[str, str] = {}
        self._refused: set[str] = set()
        self._named: dict[tuple[str, str], Mention] = {}

    def quote(self, part: Part, item: SaidItem) -> Span | None:
        """Return where an item's quote stands; one that stands nowhere is noted."""
        found = part.find(item.quote)
        if found is None:
            self.ledger.note(part, "quote_not_found", label(item))
        return found

    def is_wordless(self, part: Part, item: SaidItem) -> bool:
        """Tell an item that has a quote and says nothing of it; it is noted."""
        if is_wordless(item):
            self.ledger.note(part, "unnamed", item.quote)
        return is_wordless(item)

    def entities(self, part: Part, said: SaidEvidence) -> None:
        """Add a mention for each entity of a reply."""
        for entity in said.entities:
            if not is_name(name_of(entity.name)):
                self.ledger.note(part, "unnamed", entity.name.strip() or entity.quote)
                continue
            quote = self.quote(part, entity)
            type_ = self._type(part, entity) if quote else None
            if quote is not None and type_ is not None:
                self._entity(part, entity, quote, type_)

    def named(self, part: Part, said: str, quote: Span, type_: str | None) -> Mention | None:
        """Return the mention of a name nearest to a quote: inside it, else the entity's, else in the chunk.

        A name that is no entity of the document becomes one of `type_`; None without a type, or where the
        passage does not have it.
        """
        name = name_of(said)
        if not is_name(name):
            return None
        known = self._named.get((part.chunk.id, fold(name)))
        type_ = known.type if known else self._type_of.get(fold(name), type_)
        if type_ is None or (known is None and self.is_refused(name)):
            return None
        place = part.name_within(name, quote) if known else part.name(name, quote)
        return known if place is None else self.findings.mention(name, type_, place, quote)

    def why_missing(self, part: Part, said: str, quote: Span, type_: str | None) -> str:
        """Tell why a name has no mention: the ontology has no type for it, or it is not in the passage."""
        there = type_ is None and part.name(name_of(said), quote) is not None
        return "outside_ontology" if there or self.is_refused(said) else "end_not_found"

    def is_refused(self, name: str) -> bool:
        """Tell whether a name is that of an entity that the ontology does not have."""
        return fold(name_of(name)) in self._refused and fold(name_of(name)) not in self._type_of

    def _entity(self, part: Part, entity: SaidEntity, quote: Span, type_: str) -> None:
        name, about = name_of(entity.name), line(entity.description)
        place = part.name(name, quote)
        if place is None and snake(name) == type_:  # "person", of somebody whom the passage does not name
            self.ledger.note(part, "unnamed", entity.name)
            return
        stated = self._stated(part, entity, type_)
        made = self.findings.mention(name, type_, place, quote, description=about, stated=stated)
        self._type_of.setdefault(fold(name), made.type)
        self._named.setdefault((part.chunk.id, fold(name)), made)

    def _type(self, part: Part, entity: SaidEntity) -> str | None:
        type_, known = self.types.entity(entity.type)
        if known:
            return type_
        self.ledger.note(part, "outside_ontology", f"{entity.name} ({type_})", kept=not self.types.strict)
        if not self.types.strict:
            return type_
        self._refused.add(fold(name_of(entity.name)))
        return None

    def _stated(self, part: Part, entity: SaidEntity, type_: str) -> JsonDict:
        kept, outside = self.types.attributes(type_, [(one.name, one.value) for one in entity.attributes])
        for one in outside:
            self.ledger.note(part, "outside_ontology", f"{entity.name}: {one}", kept=not self.types.strict)
        return dict(kept)
