"""The prompts of extraction: one call for each chunk, and one more for each round of gleaning."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict

from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.llm import Divisible, Prompt, PromptSet
from corpusgraph.schemas.study import AttributeKind, LanguageOptions, Ontology, RelationshipKind
from corpusgraph.tasks.extract.llm.findings import CONTROL, UNSEEN
from corpusgraph.tasks.llm.judging import Score
from corpusgraph.tasks.llm.prompting import DATA, Said, cut, fenced

_CONTROL, _UNSEEN = re.compile(f"[{CONTROL}]"), re.compile(f"[{UNSEEN}]")
_DIGITS = re.compile(r"\d{1,9}")
_NOTHING = (None, "", "none", "null")
_DENIES = frozenset({"denies", "deny", "denied", "rejects", "negates", "against", "refutes"})


def _text(value: Any) -> Any:
    """Read a text: null is none; a number, a truth value or a list of texts is written out.

    What cannot be seen is left out: it would make two names of one, and files that others cannot read.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        value = ", ".join(value)
    if isinstance(value, str):
        return value if value.isprintable() else _CONTROL.sub(" ", _UNSEEN.sub("", value))
    return str(value) if isinstance(value, int | float) else value


def _words(value: Any) -> Any:
    """Read a text that says something; an empty one is an error, which the schema need not tell."""
    said = _text(value)
    if isinstance(said, str) and not said.strip():
        raise ValueError("it is empty")
    return said


def _truth(value: Any) -> Any:
    """Read a truth value as models write it: true, "yes", 1, null."""
    said = value.strip().casefold() if isinstance(value, str) else value
    return False if said in _NOTHING else said


def _items(value: Any) -> Any:
    """Read a list: null is empty, one item is a list of it."""
    if value is None:
        return []
    return [value] if isinstance(value, dict | str) else value


def _names(value: Any) -> Any:
    """Read names: a list, or one name, or objects that have a name."""
    if isinstance(value, str):
        return [_text(value)] if value.strip() else []
    found = [_text(one.get("name") if isinstance(one, dict) else one) for one in _items(value)]
    return [one for one in found if not _is_nothing(one)]


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _numbers(value: Any) -> Any:
    """Read numbers of claims: [1], ["[1]"], "1, 2"; what is none is left out."""
    if isinstance(value, str):
        return [int(digits) for digits in _DIGITS.findall(value)]
    if isinstance(value, list | tuple):
        return [number for one in value for number in _numbers(one)]
    if isinstance(value, bool) or not isinstance(value, int | float) or value % 1:
        return []
    return [int(value)]


def _pairs(value: Any) -> Any:
    """Read attributes: a list of {name, value}, or a mapping of names to values."""
    if isinstance(value, dict) and not {"name", "value"} <= value.keys():
        value = [{"name": name, "value": one} for name, one in value.items()]
    found = _items(value)
    return [one for one in found if not isinstance(one, dict) or not _is_nothing(one.get("value"))]


def _stance(value: Any) -> str:
    return "denies" if isinstance(value, str) and value.strip().casefold() in _DENIES else "asserts"


Text = Annotated[str, BeforeValidator(_text)]
Words = Annotated[str, BeforeValidator(_words)]
"""Of replies that are one thing: of many things, one without words costs no other."""
Truth = Annotated[bool, BeforeValidator(_truth)]
Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
Numbers = Annotated[tuple[int, ...], BeforeValidator(_numbers)]


def _bare(schema: dict[str, Any]) -> None:
    """Leave out of a schema what tells a model nothing: titles, defaults, and what the class is for here."""
    schema.pop("title", None)
    schema.pop("description", None)
    for shape in schema.get("properties", {}).values():
        shape.pop("title", None)
        shape.pop("default", None)


class _Bare(Said):
    model_config = ConfigDict(json_schema_extra=_bare)


class SaidAttribute(_Bare):
    """A property of an entity."""

    name: Text
    value: Text


class SaidEntity(_Bare):
    """Somebody or something that the passage names."""

    name: Text
    type: Text
    description: Text = ""
    quote: Text
    attributes: Annotated[tuple[SaidAttribute, ...], BeforeValidator(_pairs)] = ()


class SaidRelationship(_Bare):
    """A directed relation between two entities."""

    source: Text
    target: Text
    type: Text
    description: Text = ""
    is_causal: Truth = False
    negated: Truth = False
    confidence: Score = None
    quote: Text


class SaidEvent(_Bare):
    """Something that happened at a stated time."""

    activity: Text
    time: Text
    actors: Names = ()
    places: Names = ()
    quote: Text


class SaidClaim(_Bare):
    """A proposition put forward; `supports` and `attacks` count the claims of its reply from 1."""

    text: Text
    speaker: Text = ""
    stance: Annotated[Literal["asserts", "denies"], BeforeValidator(_stance)] = "asserts"
    quote: Text
    supports: Numbers = ()
    attacks: Numbers = ()


class SaidEvidence(_Bare, Divisible):
    """All that is said of a passage."""

    entities: Annotated[tuple[SaidEntity, ...], BeforeValidator(_items)]
    relationships: Annotated[tuple[SaidRelationship, ...], BeforeValidator(_items)]
    events: Annotated[tuple[SaidEvent, ...], BeforeValidator(_items)]
    claims: Annotated[tuple[SaidClaim, ...], BeforeValidator(_items)]


SaidItem = SaidEntity | SaidRelationship | SaidEvent | SaidClaim


def items_of(said: SaidEvidence) -> list[SaidItem]:
    """Return everything that a reply holds."""
    return [*said.entities, *said.relationships, *said.events, *said.claims]


def is_wordless(item: SaidItem) -> bool:
    """Tell an item without the name or the words that it is about."""
    if isinstance(item, SaidRelationship):
        return not (item.source.strip() and item.target.strip())
    return not label(item).strip()


def label(item: SaidItem) -> str:
    """Name an item for people."""
    if isinstance(item, SaidRelationship):
        return f"{item.source} -> {item.target} ({item.type})"
    if isinstance(item, SaidEntity):
        return item.name
    return item.activity if isinstance(item, SaidEvent) else item.text


RULES = (
    "Each item is said by the passage and has in `quote` its words that say so: one stretch of at most two "
    "sentences, copied word for word. Leave out what the passage does not say, and pronouns. Write names as "
    "the passage does. `source` and `target` are names of entities; the source acts on the target. "
    "`is_causal`: one brings about or prevents the other; `negated`: the passage denies it. `time` of an "
    "event: the passage's words for when it was; leave out events without. Claims are theses that can be "
    "disputed; `supports` and `attacks` hold the numbers, from 1, of claims in your reply; `speaker`: who "
    "puts it forward, if told. Empty lists are right where there is nothing to say."
)
MAX_TITLE_TOKENS = 60
MAX_FOUND_TOKENS = 800
"""Of the list of what was found, in a round of gleaning."""


def system(options: LanguageOptions, prompts: PromptSet) -> str:
    """Return the instructions, the same for every chunk: servers keep what many prompts begin with."""
    wanted = options.language or "the passage's language"
    last = f"Write `description` and `text` in {wanted}; names and quotes stay as they are. {DATA}"
    return "\n".join((" ".join(prompts.extract.split()), *_types(options.ontology, prompts), RULES, last))


def _types(ontology: Ontology, prompts: PromptSet) -> Iterable[str]:
    only = "Only these" if ontology.strict else "Preferably these"
    if ontology.entities:
        kinds = {name: kind.description for name, kind in ontology.entities.items()}
        yield f"{only} entity types: {_described(kinds)}."
    elif prompts.entities:
        yield f"Entity types, others where none fits: {_described(prompts.entities)}."
    if any(kind.attributes for kind in ontology.entities.values()):
        yield f"{only} attributes, where the passage tells them: {_attributes(ontology)}."
    if ontology.relationships:
        told = "; ".join(_relationship(name, kind) for name, kind in ontology.relationships.items())
        yield f"{only} relationship types: {told}."
    elif prompts.relationships:
        yield f"Relationship types, others where none fits: {_described(prompts.relationships)}."


def _described(types: Mapping[str, str]) -> str:
    return "; ".join(f"{name} ({about})" if about else name for name, about in types.items())


def _attributes(ontology: Ontology) -> str:
    return "; ".join(
        f"{name}: {', '.join(_attribute(key, one) for key, one in kind.attributes.items())}"
        for name, kind in ontology.entities.items()
        if kind.attributes
    )


def _attribute(name: str, kind: AttributeKind) -> str:
    told = [kind.description, " | ".join(kind.values) or ("" if kind.type == "text" else kind.type)]
    inside = "; ".join(filter(None, told))
    return f"{name} ({inside})" if inside else name


def _relationship(name: str, kind: RelationshipKind) -> str:
    ends = f"{'/'.join(kind.source) or 'any'} -> {'/'.join(kind.target) or 'any'}"
    told = [kind.description, ends if kind.source or kind.target else "", "causal" if kind.is_causal else ""]
    inside = "; ".join(filter(None, told))
    return f"{name} ({inside})" if inside else name


def first_prompt(instructions: str, document: Document, chunk: Chunk) -> Prompt:
    """Return the prompt that asks for everything a chunk says."""
    return Prompt(system=instructions, user=_user(document, chunk))


def glean_prompt(
    instructions: str, prompts: PromptSet, document: Document, chunk: Chunk, found: Sequence[SaidEvidence]
) -> Prompt:
    """Return the prompt that asks for what the replies so far missed."""
    told = fenced("Found", cut("\n".join(found_lines(found)), MAX_FOUND_TOKENS))
    return Prompt(system=instructions, user=f"{_user(document, chunk)}\n\n{told}\n\n{prompts.glean}")


def found_lines(found: Sequence[SaidEvidence], *, names_apart: bool = False) -> list[str]:
    """Return what replies hold, each thing once: names first, on one line unless they are to stand apart."""
    names = list(dict.fromkeys(entity.name for said in found for entity in said.entities))
    relations = [f"{r.source} -> {r.target}: {r.type}" for said in found for r in said.relationships]
    events = [f"{event.time}: {event.activity}" for said in found for event in said.events]
    claims = [claim.text for said in found for claim in said.claims]
    first = names if names_apart or not names else [", ".join(names)]
    return list(dict.fromkeys([*first, *relations, *events, *claims]))


def _user(document: Document, chunk: Chunk) -> str:
    date = document.metadata.get("date")
    title = " ".join(document.title.split())
    about = f"{title} ({date})" if isinstance(date, str | int) and str(date).strip() else title
    return "\n\n".join((fenced("Document", cut(about, MAX_TITLE_TOKENS)), fenced("Passage", chunk.content)))
