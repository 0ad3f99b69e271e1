"""What an event is called: a frame, short and alike wherever the same is done.

- the lemma of the verb with its particle, then the class of its object: the lemma of a common noun, the
  entity type of a name or pronoun ("remove handle", "marry person", "visit place"). The passive has the
  frame of the active: "the handle was removed" is "remove handle". What says nothing of the object (a name
  of type concept, a number) is left out.
- a noun for what is done has the frame of its verb: "the assassination of Lincoln" is "assassinate person",
  "her death" is "die", "the treaty of 1726" is "conclude treaty"; any other event that a noun names is the
  lemma of the noun: "battle", and so is "the election" where nothing says who was elected.
- an office or a result stands in place of the object: "elect president" for "was elected president" and
  "they elected him president"; "become king", "serve as governor". A clause is named by its verb: "begin to
  publish".
- a copula goes with its complement: "be president", "be ill". Birth is "be born".
- light verbs give way to the noun that carries the meaning: "the battle took place", "a meeting was held",
  "there was an outbreak" are "battle", "meeting", "outbreak"; "made an attack on Boston" is "attack place".
"""

from dataclasses import dataclass, field

from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.roles import surface_subjects
from corpusgraph.tasks.extract.tree import NOMINAL, Tree
from corpusgraph.tasks.text.wordlist import table, words, wordset

VERB_OF = table("activities.verb_of")
CONCLUDED = table("activities.concluded")
_NO_EVENT = words("activities.no_event")
_HAPPENING = words("activities.happening")
EVENTIVE = _HAPPENING | (VERB_OF.keys() - _NO_EVENT) | CONCLUDED.keys()
"""Nouns of what happens."""
OF_PERSON = words("activities.of_person")
INTRANSITIVE = words("activities.intransitive")
TIME_NOUNS = words("activities.time_nouns")
LIGHT_VERBS = words("activities.light_verbs")
_FIXED = {("give", "birth"), ("take", "part"), ("take", "place"), ("take", "office"), ("take", "power")}
NAMING = words("activities.naming")
_OCCUR = wordset("happen occur")
_HELD = wordset("hold stage conduct fight wage")
_PERSONAL = wordset("he him she her himself herself i me us who whom")
_QUANTIFIER = words("activities.quantifier")
_OF_WORKS = words("activities.of_works")


@dataclass(slots=True)
class Arguments:
    """Tokens of who does what to whom; `passive` where the subject undergoes it."""

    agents: list[int] = field(default_factory=list)
    patients: list[int] = field(default_factory=list)
    recipients: list[int] = field(default_factory=list)
    instruments: list[int] = field(default_factory=list)
    passive: bool = False


def noun_lemma(tree: Tree, token: int) -> str:
    """Return the lemma of a token, of a plural that names an event the singular."""
    lemma = tree.lemmas[token]
    return lemma[:-1] if lemma.endswith("s") and lemma[:-1] in EVENTIVE and lemma not in EVENTIVE else lemma


def is_copular(tree: Tree, position: int) -> bool:
    """Tell a nominal or adjective that is a predicate by its copula."""
    return tree.dependent(position, "cop") is not None and tree.upos[position] != "VERB"


def is_time(tree: Tree, position: int) -> bool:
    """Tell "week" and "beginning" from what happens in it."""
    return tree.upos[position] in ("NOUN", "PROPN", "ADJ") and tree.lemmas[position] in TIME_NOUNS


def is_light(tree: Tree, predicate: int, noun: int) -> bool:
    """Tell a verb that leaves the meaning to its object: "made an attack"."""
    acts = tree.upos[noun] == "NOUN" and noun_lemma(tree, noun) in VERB_OF
    return acts and tree.lemmas[predicate] in LIGHT_VERBS


def is_fixed(tree: Tree, predicate: int, noun: int) -> bool:
    """Tell "took place" from "took first place"."""
    plain = tree.dependent(noun, "amod", "nummod", "det") is None
    return (tree.lemmas[predicate], noun_lemma(tree, noun)) in _FIXED and plain


def activity_of(context: Context, sentence: int, predicate: int, arguments: Arguments) -> str:
    """Return the frame of a predicate, as the module says."""
    tree = context.trees[sentence]
    lemma = noun_lemma(tree, predicate)
    named = tree.upos[predicate] in ("NOUN", "PROPN")
    if is_copular(tree, predicate) and not (named and lemma in EVENTIVE and tree.case_of(predicate)):
        plain = lemma.isalpha() and not tree.case_of(predicate) and tree.upos[predicate] in ("NOUN", "ADJ")
        return f"be {lemma}" if plain and tree.words[:predicate].count('"') % 2 == 0 else "be"
    if named:
        return _of_noun(context, sentence, lemma, arguments)
    if lemma == "be":
        what = _what_happens(tree, predicate)
        there = what and tree.dependent(predicate, "expl") is not None
        return what if what in EVENTIVE else f"be {what}" if there else "be"
    if tree.lows[predicate] == "born":
        return "be born"
    verb = tree.verb_name(predicate).replace("_", " ")
    return (
        _light(context, sentence, predicate, arguments)
        or _with_complement(tree, predicate, verb, arguments)
        or f"{verb} {_object_class(context, sentence, verb, arguments)}".strip()
    )


def _of_noun(context: Context, sentence: int, lemma: str, arguments: Arguments) -> str:
    if lemma in CONCLUDED:
        return f"{CONCLUDED[lemma]} {lemma}"
    verb = VERB_OF.get(lemma, "")
    if lemma == "birth":
        return "be born"
    if verb in INTRANSITIVE:
        return verb
    what = _object_class(context, sentence, verb, arguments) if verb else ""
    return f"{verb} {what}" if what else lemma


def _light(context: Context, sentence: int, predicate: int, arguments: Arguments) -> str:
    """Return the frame of a verb that leaves the meaning to a noun, "" for any other verb."""
    tree = context.trees[sentence]
    lemma, obj = tree.lemmas[predicate], tree.dependent(predicate, "obj")
    noun = noun_lemma(tree, obj) if obj is not None and tree.upos[obj] == "NOUN" else ""
    what = _what_happens(tree, predicate)
    takes_place = obj is not None and (lemma, noun) == ("take", "place") and is_fixed(tree, predicate, obj)
    if what and (lemma in _OCCUR or takes_place or (lemma in _HELD and not noun and what in EVENTIVE)):
        return what
    if obj is not None and is_fixed(tree, predicate, obj):
        return f"{lemma} {noun}"
    if lemma in _HELD and noun in EVENTIVE:
        return noun
    if obj is not None and is_light(tree, predicate, obj):
        return f"{VERB_OF[noun]} {_object_class(context, sentence, VERB_OF[noun], arguments)}".strip()
    return ""


def _what_happens(tree: Tree, predicate: int) -> str:
    """Return the noun of "the wedding took place", also where it is the subject of a relative clause."""
    nouns = [(tree.upos[subject], noun_lemma(tree, subject)) for subject in surface_subjects(tree, predicate)]
    return next((noun for upos, noun in nouns if noun in EVENTIVE or upos == "NOUN"), "")


def _with_complement(tree: Tree, predicate: int, verb: str, arguments: Arguments) -> str:
    """Return the frame of a verb with an office, a result or a clause, "" for any other."""
    clause = tree.dependent(predicate, "xcomp")
    if clause is not None and tree.upos[clause] == "VERB":
        whole = tree.mark_of(clause) == "to" or tree.lows[clause].endswith("ing")
        return f"{verb} to {noun_lemma(tree, clause)}" if whole else verb
    objects = tree.dependents(predicate, "obj")
    named: list[int] = []
    if arguments.passive:
        named = objects[:1]
    elif tree.lemmas[predicate] in NAMING and len(objects) + len(tree.dependents(predicate, "iobj")) > 1:
        named = objects[-1:]
    for token in (clause, *named):
        if token is not None and tree.upos[token] in ("NOUN", "ADJ") and not is_time(tree, token):
            return f"{verb} {noun_lemma(tree, token)}"
    obliques = tree.dependents(predicate, "obl", "advcl")
    role = next((o for o in obliques if "as" in (tree.case_of(o), tree.mark_of(o))), None)
    if role is not None and tree.upos[role] == "NOUN" and tree.lemmas[role] not in _QUANTIFIER:
        if arguments.passive or tree.lemmas[predicate] in NAMING:
            return f"{verb} {noun_lemma(tree, role)}"
        return "" if arguments.patients else f"{verb} as {noun_lemma(tree, role)}"
    return ""


def _object_class(context: Context, sentence: int, verb: str, arguments: Arguments) -> str:
    classes = (_class(context, sentence, patient) for patient in arguments.patients[:2])
    what = next((kind for kind in classes if kind), "")
    return "" if what in ("person", "place") and verb in _OF_WORKS else what


def _class(context: Context, sentence: int, token: int) -> str:
    """Return what kind of thing a token stands for, "" where that says nothing."""
    tree = context.trees[sentence]
    reference = context.references.get((sentence, token))
    mention = reference.mention if reference is not None else context.name_at(sentence, token)
    if mention is not None and mention.type in ("person", "organisation", "place"):
        return mention.type
    if tree.upos[token] == "PRON":
        return "person" if tree.lows[token] in _PERSONAL else ""
    dated = is_time(tree, token) or (mention is not None and mention.type == "date")
    if dated or tree.upos[token] not in NOMINAL:
        return ""
    lemma = noun_lemma(tree, token)
    if lemma in _QUANTIFIER:
        inner = next((n for n in tree.dependents(token, "nmod") if tree.case_of(n) == "of"), None)
        return _class(context, sentence, inner) if inner is not None else ""
    named = mention is not None and tree.words[token][:1].isupper()
    return lemma if (tree.upos[token] == "NOUN" and not named) or lemma in EVENTIVE else ""
