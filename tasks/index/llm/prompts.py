"""The prompts of extraction: one call for each chunk, and one more for each round of gleaning."""

from collections.abc import Iterable, Mapping, Sequence

from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.promptset import PromptSet
from corpusgraph.schemas.study import AttributeKind, EntityKind, LanguageOptions, Ontology, RelationshipKind
from corpusgraph.tasks.index.llm.said import SaidEvidence
from corpusgraph.tasks.query.prompting import DATA, cut, fenced

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
    last = f"Write {_language(options.language)} {DATA}"
    return "\n".join((" ".join(prompts.extract.split()), *_types(options.ontology, prompts), RULES, last))


def _language(language: str | None) -> str:
    wanted = language or "the passage's language"
    return f"`description` and `text` in {wanted}; names and quotes stay as they are."


def _types(ontology: Ontology, prompts: PromptSet) -> Iterable[str]:
    only = "Only these" if ontology.strict else "Preferably these"
    if ontology.entities:
        yield f"{only} entity types: {_listed(ontology.entities.items())}."
    elif prompts.entities:
        yield f"Entity types, others where none fits: {_described(prompts.entities)}."
    if any(kind.attributes for kind in ontology.entities.values()):
        yield f"{only} attributes, where the passage tells them: {_attributes(ontology)}."
    if ontology.relationships:
        kinds = ontology.relationships.items()
        yield f"{only} relationship types: {'; '.join(_relationship(name, kind) for name, kind in kinds)}."
    elif prompts.relationships:
        yield f"Relationship types, others where none fits: {_described(prompts.relationships)}."


def _listed(kinds: Iterable[tuple[str, EntityKind]]) -> str:
    return _described({name: kind.description for name, kind in kinds})


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
