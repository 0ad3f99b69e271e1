"""The entities that a model named in a document, and the mentions that other items mean by their names."""

from collections.abc import Sequence

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Mention
from corpusgraph.schemas.study import Ontology
from corpusgraph.tasks.index.llm.findings import Findings, Ledger, Part, line
from corpusgraph.tasks.index.llm.ground import Span
from corpusgraph.tasks.index.llm.ontology import Types
from corpusgraph.tasks.index.llm.said import SaidEntity, SaidEvidence, SaidItem, label
from corpusgraph.tasks.index.names import fold
from corpusgraph.tasks.index.rules.wordlist import wordset

_PRONOUNS = wordset(
    "he she it they we you i me him her them us his hers its their theirs this that these those who"
)


def is_pronoun(name: str) -> bool:
    """Tell an English pronoun, which models give for a name though told not to; "US" and "IT" are none."""
    return name.casefold() in _PRONOUNS and (len(name) < 2 or not name.isupper())


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

    def entities(self, part: Part, said: SaidEvidence) -> None:
        """Add a mention for each entity of a reply."""
        for entity in said.entities:
            if is_pronoun(line(entity.name)):
                self.ledger.note(part, "unnamed", entity.name)
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
        name = line(said)
        if is_pronoun(name):
            return None
        known = self._named.get((part.chunk.id, fold(name)))
        type_ = known.type if known else self._type_of.get(fold(name), type_)
        if type_ is None or (known is None and self.is_refused(name)):
            return None
        place = part.name_within(name, quote) if known else part.name(name, quote)
        return known if place is None else self.findings.mention(name, type_, place, quote)

    def is_refused(self, name: str) -> bool:
        """Tell whether a name is that of an entity that the ontology does not have."""
        return fold(line(name)) in self._refused and fold(line(name)) not in self._type_of

    def _entity(self, part: Part, entity: SaidEntity, quote: Span, type_: str) -> None:
        name, stated = line(entity.name), self._stated(part, entity, type_)
        about = line(entity.description)
        place = part.name(name, quote)
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
        self._refused.add(fold(line(entity.name)))
        return None

    def _stated(self, part: Part, entity: SaidEntity, type_: str) -> JsonDict:
        kept, outside = self.types.attributes(type_, [(one.name, one.value) for one in entity.attributes])
        for one in outside:
            self.ledger.note(part, "outside_ontology", f"{entity.name}: {one}", kept=not self.types.strict)
        return dict(kept)
