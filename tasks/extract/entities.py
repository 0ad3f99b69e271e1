"""What a text names, as it is spoken of again: its kind, gender and number, and where it was last named."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.name_forms import GENDERED, person_name, sex_of, singular
from corpusgraph.tasks.extract.nouns import COLLECTIVES, FEMALES, MALES, PERSONS
from corpusgraph.tasks.extract.rules.known_names import FEMALE, ROLES
from corpusgraph.tasks.extract.tree import Tree
from corpusgraph.tasks.text.wordlist import entry, words

NEVER = words("entities.never")
_UNSURE = frozenset({"capitals", "context", "sentence start", "heading"})
"""Cues of names of which it is not known what they name."""
_ROLE_WEIGHT: dict[str, float] = entry("entities.role_weight")


_SEX = dict.fromkeys(FEMALES, "f") | dict.fromkeys(MALES, "m")


class At(NamedTuple):
    """Where something stands."""

    sentence: int
    token: int
    tree: Tree
    quote: int
    """Which quotation it stands in, -1 outside of all."""

    @property
    def place(self) -> tuple[int, int]:
        """Sentence and token."""
        return self.sentence, self.token


@dataclass(slots=True, eq=False)
class Entity:
    """Something the text has named: where it was first and last spoken of, and as what."""

    first: tuple[int, int]
    name: Mention | None
    lemma: str
    gender: str
    """m, f, n, "" for a person of either, ? for a name that may name anything."""
    plural: bool
    collective: bool
    """A body of persons: it or they."""
    kinds: set[str]
    """Nouns that it was called by."""
    modifiers: frozenset[str]
    members: tuple[int, ...] = ()
    role: str = ""
    last: tuple[int, int] = (0, 0)
    quote: int = -1
    aside: bool = False
    """Last named in a clause that the sentence does not turn on."""
    count: int = 0
    linked: Mention | None = None

    @property
    def is_unknown(self) -> bool:
        """Whether a pronoun was met of which it could not be told what it stands for."""
        return not self.lemma

    @property
    def is_person(self) -> bool:
        """Whether it is human, or several that are."""
        return self.gender in ("m", "f", "")


def names_of(name: Mention) -> list[str]:
    """Return what a name may be shortened to, the whole first: of persons surname and given name."""
    if name.type != "person":
        return [name.name.lower()]
    words = person_name(name.name).tokens
    return [" ".join(words), words[-1], words[0]] if words else [name.name.lower()]


def role_of(tree: Tree, token: int) -> str:
    """Return the relation of a nominal, "topic" of whose the subject is."""
    if tree.deprels[token] != "nmod:poss":
        return tree.relations[token]
    topic = tree.upos[token] == "PRON" and tree.relations[tree.heads[token]] == "nsubj"
    return "topic" if topic else "nmod:poss"


def weight(role: str) -> float:
    """Return how much the place in its clause makes something spoken of."""
    return _ROLE_WEIGHT.get(role, 0.6) if role else 0.0


_SAME = frozenset({"same", "very", "said", "whole", "entire"})
_INSIDE = frozenset({"compound", "flat", "amod", "fixed", "goeswith", "case", "cc"})


def is_nominal(context: Context, at: At) -> bool:
    """Tell the head of a nominal from a part of one."""
    tree, token = at.tree, at.token
    if tree.upos[token] not in ("NOUN", "PROPN") or tree.relations[token] in _INSIDE:
        return False
    name = context.name_at(at.sentence, token)
    return name is None or (name.type != "date" and tree.position_at(name.start, name.end) == token)


def coordinated(tree: Tree, token: int) -> tuple[int, ...]:
    """Return the members of "Snow and Pike", which may be meant together."""
    members = tree.conjuncts(token)
    joint = {tree.lows[cc] for member in members for cc in tree.dependents(member, "cc")}
    together = (
        len(members) > 1
        and all(tree.upos[member] in ("NOUN", "PROPN") for member in members)
        and joint <= {"and", "&", "both"}
        and tree.relations[token] != "conj"
        and tree.dependent(token, "cop") is None
    )
    return tuple(members) if together else ()


def entity_at(context: Context, at: At, members: tuple[int, ...] = ()) -> Entity:
    """Return what a nominal names, or several of them together."""
    tree, token = at.tree, at.token
    name = context.name_at(at.sentence, token) if not members else None
    lemma = singular(tree.lows[token] if tree.upos[token] == "PROPN" else tree.lemmas[token])
    several = tree.feature(token, "Number") == "Plur" and not (name and name.type == "person")
    plural = bool(members) or several
    modifying = tree.dependents(token, "amod", "compound", "nmod", "nummod", "acl")
    modifiers = {tree.lows[child] for child in modifying} - _SAME
    kinds = set() if members else {lemma}
    collective = lemma in COLLECTIVES
    if members:
        gender = "" if all(_is_person(context, at.sentence, member) for member in members) else "n"
    elif name is None:
        gender = _gender_of_noun(lemma)
    else:
        gender = _gender_of_name(name)
        kinds |= _kinds_of(name)
        kinds |= {tree.lemmas[child] for child in tree.dependents(token, "compound", "appos")}
        modifiers |= set(name.name.lower().split())
        if name.type != "quantity" and name.cue != "people":  # "Big Eyes is", "the Bills are"
            collective, plural = collective or plural or name.type == "organisation", False
    return Entity(
        at.place,
        name,
        lemma,
        gender,
        plural,
        collective and not members,
        kinds,
        frozenset(modifiers),
        members,
        last=at.place,
    )


def unknown(at: At, gender: str) -> Entity:
    """Return what a pronoun stands for that could not be told: the next one like it stands for it too."""
    person = "" if gender == "p" else gender
    return Entity(at.place, None, "", person, gender == "p", False, set(), frozenset(), count=2)


def _kinds_of(name: Mention) -> set[str]:
    """Return the nouns that a name holds: the Vauxhall Company is a company, President Snow a president."""
    if name.type == "person":
        role, title = (str(name.attributes.get(key, "")).lower() for key in ("role", "title"))
        return {*role.split(), *title.rstrip(".").split()}
    words = name.name.lower().split()
    return {*words[-1:], *(before for before, word in pairwise(words) if word == "of")}


def _gender_of_noun(lemma: str) -> str:
    if sex := _SEX.get(lemma):
        return sex
    return "" if lemma in PERSONS or lemma in ROLES else "n"


def _gender_of_name(name: Mention) -> str:
    if name.type == "person":
        title, role = (str(name.attributes.get(key, "")) for key in ("title", "role"))
        return gender_of(name.name, title, role)
    return "?" if name.type == "concept" and name.cue in _UNSURE else "n"


def _is_person(context: Context, sentence: int, token: int) -> bool:
    name = context.name_at(sentence, token)
    if name is not None:
        return name.type in ("person", "organisation")
    return _gender_of_noun(context.trees[sentence].lemmas[token]) != "n"


@cache
def gender_of(name: str, title: str = "", role: str = "") -> str:
    """Return m or f where title, role or given name tells, else "" (a person)."""
    person = person_name(name)
    honorific = GENDERED.get(person.honorific or title.lower().rstrip("."), "")
    if honorific:
        return "m" if honorific == "mr" else "f"
    first = name.split(maxsplit=1)[0] if name else ""
    said = _SEX.get(role.rpartition(" ")[2].lower()) or _SEX.get(first.lower())
    return said or ("f" if first in FEMALE else sex_of(name))


def has_mind(entity: Entity) -> bool:
    """Tell persons and bodies of persons from things."""
    return entity.gender != "n" or entity.collective or bool(entity.kinds & COLLECTIVES)


def agrees(entity: Entity, gender: str) -> bool:
    """Tell whether gender and number let a pronoun stand for it; p is the plural."""
    if entity.lemma in NEVER and (entity.name is None or entity.name.type in ("date", "quantity")):
        return False
    if gender == "p":
        return entity.plural or entity.collective
    if entity.plural:
        return False
    if gender == "n":
        thing = entity.name is None or entity.name.type not in ("date", "quantity")
        return thing and entity.gender in ("n", "?")
    country = gender == "f" and entity.name is not None and entity.name.type == "place"
    return country or entity.gender in ("", "?", gender)
