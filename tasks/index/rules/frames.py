"""Relation frames: which verb with which preposition, or which noun with "of", states which relation.

A type ends in "-" where the subject is the target of the relation, not its source. A transitive frame is
read in the passive ("was caused by") with its direction turned round. The pattern id in an assertion's cue
is `language:lemma particle`.
"""

from dataclasses import dataclass

from corpusgraph.tasks.index.rules.predicates import split

CAUSAL = frozenset({"causes", "prevents"})


@dataclass(frozen=True, slots=True)
class Frame:
    """`particle`: words after the verb; `turned`: the subject is the target; `passive`: only passive."""

    type: str
    lemma: str
    particle: tuple[str, ...] = ()
    turned: bool = False
    passive: bool = False


_TRANSITIVE = {
    "causes": """
        cause produce trigger provoke generate induce engender spark occasion precipitate necessitate
        prompt incite instigate stimulate foster facilitate worsen aggravate spread propagate
        increase raise promote enhance breed fuel nourish kindle ensure excite effect beget foment inflame
    """,
    "prevents": """
        prevent avert hinder inhibit impede prohibit forestall preclude obviate cure eradicate stop halt
        reduce diminish lessen mitigate alleviate lower suppress eliminate obstruct deter decrease weaken
        undermine destroy extinguish counteract frustrate
    """,
    "contaminates": "contaminate pollute infect poison foul",
    "implements": "implement execute enact realise realize enforce",
    "uses": "use employ utilise utilize adopt apply consult",
    "extends": "extend expand broaden enlarge",
    "part_of-": "include comprise contain incorporate feature encompass",
    "is_a": "constitute",
    "opposes": "oppose resist reject dispute contest contradict refute criticise criticize condemn challenge",
    "supports": """
        support endorse advocate defend back favour favor assist confirm corroborate protect secure
        preserve uphold aid
    """,
    "attacked": "invade besiege bombard assault raid attack",
    "captures": "capture seize conquer annex",
    "defeated_by-": "defeat overthrow rout crush",
    "controls": "control dominate",
    "governed_by-": "govern rule administer",
    "led_by-": "lead command head chair",
    "directed_by-": "direct",
    "written_by-": "write author pen",
    "composed_by-": "compose",
    "produced_by-": "produce manufacture",
    "published_by-": "publish issue",
    "released_by-": "release",
    "created_by-": "create invent design build construct paint draw develop devise formulate draft",
    "founded_by-": "found establish co-found cofound",
    "owned_by-": "own acquire purchase buy",
    "named_by-": "name",
    "appointed_by-": "appoint",
    "married_to": "marry",
    "succeeded": "succeed replace supersede",
    "studied": "study investigate examine analyse analyze",
    "won_by-": "win",
    "represents": "represent portray depict",
    "stars": "star",
    "performed_by-": "perform sing record",
    "depends_on": "require need presuppose",
    "restricts": "restrict limit constrain regulate confine",
    "borders": "border adjoin",
}
_WITH_PARTICLE = {
    "causes": """
        lead to| result in| give rise to| give birth to| give way to| lay the foundation of| end in| bring
        about| bring on| bring forth| contribute to| make for| conduce to| culminate in| tend to| account
        for| set off| redound to
    """,
    "causes-": """
        take their origin in| take its origin in| take their rise from| take its rise from| owe its origin
        to| owe their origin to| have its origin in| have their origin in| result from| arise from| stem
        from| originate from| originate with| flow from| spring from| proceed from| ensue from| come from|
        arise out of| grow out of| follow from| emanate from
    """,
    "prevents": "protect against|guard against|put an end to|put a stop to|guard from|provide against",
    "uses": "rely upon|rely on|draw on|draw upon|make use of|avail of|resort to|recur to",
    "depends_on": "depend on|depend upon|rest on|rest upon|hinge on|turn on|rely on",
    "part_of-": "consist of|be composed of|be made up of",
    "part_of": "belong to|form part of|be part of",
    "relates_to": "relate to|pertain to|correspond to|correspond with|concern with|correlate with|refer to",
    "extends": "build on|build upon|enlarge upon|expand on",
    "flows_into": "flow into|drain into|empty into|discharge into",
    "lived_in": "live in|reside in|grow up in|settle in|dwell in",
    "moved_to": "move to|emigrate to|relocate to|migrate to|return to",
    "works_for": "work for|work at|serve at|teach at",
    "member_of": "join |serve in|play for|enlist in|serve on",
    "participated_in": "participate in|take part in|compete in|fight in|perform at",
    "studied_at": "study at|graduate from|educate at",
    "originated_in": "originate in",
    "located_in": "lie in|stand in|be in|take place in|lie on|stand on",
    "located_near": "lie near|lie between",
    "comes_from": "hail from|come from",
    "opposes": "object to|fight against|argue against|protest against|contend against",
    "about": "cover |focus on|deal with|describe |document |chronicle |follow ",
    "became": "become ",
    "succeeded": "take over from",
    "married_to": "be married to",
}
_PASSIVE = {
    "relates_to": """
        associate with| link to| link with| relate to| connect with| connect to| attach to| correlate
        with| tie to| identify with| join with
    """,
    "causes-": "attribute to|ascribe to|trace to|owe to|impute to|charge on|bring about by|bring on by",
    "part_of-": "compose of|make up of|constitute of",
    "part_of": "include in|contain in|incorporate into|incorporate in",
    "depends_on": "base upon|found upon|found on",
    "based_on": "base on|model on|ground on",
    "uses-": "use in|use for|use by",
    "derived_from": "derive from|take from|adapt from|draw from|extract from",
    "located_in": "locate in|situate in|find in|set in|locate at|situate on|locate on|bury in",
    "located_near": "locate near|situate near|situate between|locate between",
    "headquartered_in": "base in|headquarter in|base at",
    "named_after": "name after|name for",
    "renamed_to": "rename ",
    "moved_to": "move to|transfer to|relocate to",
    "separated_from": "separate from|divide from|split from",
    "recorded_at": "record at",
    "studied_at": "educate at|train at",
    "works_for": "employ by|hire by",
    "member_of": "elect to|admit to|admit into",
    "married_to": "marry to",
    "holds_office": "appoint |elect ",
}
_STEMS = {
    "born": "bear",
    "died": "die",
    "founded": "found establish incorporate start form",
    "released": "release premiere",
    "published": "publish",
    "occurred": "fight hold occur break happen",
    "began": "begin",
    "created": "create build construct write compose invent complete",
    "recorded": "record",
    "dissolved": "dissolve abolish close shut",
    "opened": "open",
}
LOCATED = {verb: stem for stem, verbs in _STEMS.items() for verb in verbs.split()}
"""Verb -> stem of the relation to a place (`born_in`) and to a date (`born_on`)."""
PLACE_TYPES = {stem: f"{stem}_in" for stem in _STEMS} | {
    "occurred": "located_in",
    "recorded": "recorded_at",
    "opened": "located_in",
    "began": "originated_in",
    "dissolved": "located_in",
}
DATE_TYPES = {stem: f"{stem}_on" for stem in PLACE_TYPES} | {"began": "founded_on", "recorded": "created_on"}


def _frames() -> dict[str, tuple[Frame, ...]]:
    """Index all verb frames by lemma, longest particle first."""
    table: dict[str, list[Frame]] = {}
    for name, verbs in _TRANSITIVE.items():
        type_, turned = split(name)
        for verb in verbs.split():
            table.setdefault(verb, []).append(Frame(type_, verb, (), turned))
    for source, passive in ((_WITH_PARTICLE, False), (_PASSIVE, True)):
        for name, lines in source.items():
            type_, turned = split(name)
            for line in lines.split("|"):
                base, *particle = line.split()
                table.setdefault(base, []).append(Frame(type_, base, tuple(particle), turned, passive))
    return {base: tuple(sorted(frames, key=lambda f: -len(f.particle))) for base, frames in table.items()}


FRAMES = _frames()
