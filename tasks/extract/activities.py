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
from corpusgraph.tasks.text.wordlist import wordset

VERB_OF = dict(
    pair.split(":")
    for pair in wordset("""
    abdication:abdicate abolition:abolish accession:accede acquisition:acquire adoption:adopt agreement:agree
    announcement:announce annexation:annex appeal:appeal appearance:appear application:apply
    appointment:appoint arrest:arrest arrival:arrive assassination:assassinate assault:attack attack:attack
    attempt:attempt bombardment:bombard bombing:bomb burning:burn campaign:campaign capitulation:capitulate
    capture:capture celebration:celebrate cession:cede change:change choice:choose claim:claim closure:close
    collapse:collapse complaint:complain completion:complete conclusion:conclude confirmation:confirm
    conquest:conquer construction:construct contribution:contribute conversion:convert coronation:crown
    creation:create death:die debut:debut decision:decide declaration:declare defeat:defeat
    demise:die demolition:demolish departure:depart deportation:deport deposition:depose
    destruction:destroy disappearance:disappear discovery:discover dissolution:dissolve division:divide
    donation:donate effort:attempt election:elect elevation:elevate emancipation:emancipate
    emigration:emigrate enactment:enact enthronement:enthrone erection:erect escape:escape
    establishment:establish evacuation:evacuate excavation:excavate execution:execute expansion:expand
    expulsion:expel extension:extend fight:fight formation:form foundation:found founding:found
    immigration:immigrate impeachment:impeach imprisonment:imprison inauguration:inaugurate
    incorporation:incorporate installation:install institution:institute introduction:introduce
    invasion:invade invention:invent investigation:investigate journey:travel killing:kill landing:land
    launch:launch lecture:lecture liberation:liberate marriage:marry merger:merge migration:migrate
    murder:murder nationalisation:nationalise nationalization:nationalize nomination:nominate
    occupation:occupy opening:open ordination:ordain overthrow:overthrow partition:partition payment:pay
    performance:perform premiere:premiere presentation:present proclamation:proclaim promise:promise
    promotion:promote promulgation:promulgate proposal:propose protest:protest publication:publish
    purchase:purchase raid:raid ratification:ratify recommendation:recommend reconstruction:reconstruct
    recording:record reduction:reduce release:release removal:remove reopening:reopen repeal:repeal
    reunification:reunify request:request resignation:resign restoration:restore retirement:retire
    retreat:retreat return:return revival:revive sale:sell search:search secession:secede
    separation:separate signature:sign signing:sign sinking:sink speech:speak statement:state study:study
    succession:succeed suppression:suppress surrender:surrender survey:survey tour:tour transfer:transfer
    trip:travel unification:unify unveiling:unveil use:use visit:visit voyage:travel
    wedding:marry withdrawal:withdraw
    """)
)
"""What is done, of a noun that names the doing."""
CONCLUDED = {
    "treaty": "conclude", "truce": "conclude", "armistice": "conclude", "pact": "conclude",
    "alliance": "conclude", "accord": "conclude", "letter": "write",
}  # fmt: skip
"""What is done with a thing that comes about at its date."""
_NO_EVENT = wordset(
    "appeal application attempt change choice claim complaint contribution effort payment promise reference "
    "request search statement study use"
)
"""Of a light verb the doing, but with a date a thing: "the study of 1850"."""
_HAPPENING = wordset("""
    accident affair ambush assembly auction bankruptcy battle birth blockade boycott break-up ceremony
    championship clash collision competition concert conference conflict contest convention coup
    crash crisis crusade cyclone dance debate demonstration disaster dispute drought duel earthquake eclipse
    engagement epidemic eruption exhibition exodus expedition explosion fair famine festival final fire firing
    flight flood funeral genocide hearing hijacking hurricane incident independence inquest inquiry
    insurrection interview massacre match meeting mission mutiny negotiation olympics outbreak pandemic panic
    parade petition pilgrimage plague plebiscite pogrom poll première purge race rally rebellion recession
    referendum reform reunion revolt revolution riot rising robbery sack scandal session settlement shooting
    siege skirmish spill storm strike summit tornado tournament trial tsunami union uprising vaccination
    victory volcano vote war workshop
""")
EVENTIVE = _HAPPENING | (VERB_OF.keys() - _NO_EVENT) | CONCLUDED.keys()
"""Nouns of what happens."""
OF_PERSON = wordset("""
    appoint arrest assassinate capture crown defeat deport depose elect elevate enthrone execute expel impeach
    imprison inaugurate install kill murder nominate ordain overthrow promote release remove crown
""")
"""Whoever possesses such a deed underwent it: "his election"."""
INTRANSITIVE = wordset("""
    abdicate accede agree appear appeal arrive attend become capitulate collapse come debut depart die
    disappear emerge emigrate escape expand fall go graduate happen immigrate land live migrate occur
    premiere protest remain resign retire retreat return rise secede serve sit speak stand stay succumb
    surrender travel withdraw work
""")
TIME_NOUNS = wordset("""
    day night morning afternoon evening noon midnight dawn dusk hour moment week weekend fortnight
    month year decade century spring summer autumn fall winter season beginning start end close middle
    mid half part quarter period time date eve days years months weeks early late latter
""")
LIGHT_VERBS = wordset(
    "make take have give do hold conduct launch pay deliver commit undertake stage perform mount"
)
_FIXED = {("give", "birth"), ("take", "part"), ("take", "place"), ("take", "office"), ("take", "power")}
NAMING = wordset(
    "elect appoint name make crown declare proclaim nominate designate choose call re-elect reelect ordain"
)
"""Verbs with an object and what it is made."""
_OCCUR = wordset("happen occur")
_HELD = wordset("hold stage conduct fight wage")
_PERSONAL = wordset("he him she her himself herself i me us who whom")
_QUANTIFIER = wordset("""
    number group series kind part member majority couple pair hundred thousand million score set lot sort
    one
""")
_OF_WORKS = wordset(
    "publish release record write compose direct air broadcast print issue produce reissue edit"
)
"""Their object is a work, also where its title reads like a person's name."""


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
    return (
        tree.lemmas[predicate] in LIGHT_VERBS
        and tree.upos[noun] == "NOUN"
        and noun_lemma(tree, noun) in VERB_OF
    )


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
    particle = tree.dependent(predicate, "compound:prt")
    verb = f"{lemma} {tree.lows[particle]}" if particle is not None else lemma
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
    named = None
    if arguments.passive:
        named = objects[0] if objects else None
    elif tree.lemmas[predicate] in NAMING and len(objects) + len(tree.dependents(predicate, "iobj")) > 1:
        named = objects[-1]
    for token in (clause, named):
        if token is not None and tree.upos[token] in ("NOUN", "ADJ") and not is_time(tree, token):
            return f"{verb} {noun_lemma(tree, token)}"
    role = next(
        (o for o in tree.dependents(predicate, "obl", "advcl") if "as" in (tree.case_of(o), tree.mark_of(o))),
        None,
    )
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
    if (
        tree.upos[token] not in NOMINAL
        or is_time(tree, token)
        or (mention is not None and mention.type == "date")
    ):
        return ""
    lemma = noun_lemma(tree, token)
    if lemma in _QUANTIFIER:
        inner = next((n for n in tree.dependents(token, "nmod") if tree.case_of(n) == "of"), None)
        return _class(context, sentence, inner) if inner is not None else ""
    named = mention is not None and tree.words[token][:1].isupper()
    return lemma if (tree.upos[token] == "NOUN" and not named) or lemma in EVENTIVE else ""
