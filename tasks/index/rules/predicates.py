"""Which noun with "of" and which predicate after "be" states which relation; "-" as in `frames`."""

NOUNS = {
    "causes": "cause source origin author root reason",
    "causes-": "result effect consequence product outcome fruit offspring",
    "prevents": "remedy cure antidote preventive barrier safeguard bar obstacle impediment hindrance check",
    "part_of": "part portion branch component element section arm tip province suburb division",
    "member_of": "member",
    "capital_of": "capital",
    "child_of": "son daughter child",
    "child_of-": "father mother parent",
    "sibling_of": "brother sister sibling",
    "married_to": "wife husband widow spouse",
    "founded_by-": "founder co-founder cofounder",
    "created_by-": "creator inventor designer",
    "directed_by-": "filmmaker",
    "represents": "representative",
    "written_by-": "writer",
    "led_by-": """
        leader head president king queen emperor chairman director commander chief mayor governor ruler
        captain manager conductor
    """,
    "opposes": "enemy opponent rival",
    "supports": "friend supporter advocate ally",
    "succeeded": "successor",
    "succeeded-": "predecessor",
    "based_on": "remake adaptation parody",
    "flows_into": "tributary",
    "owned_by": "subsidiary",
    "comes_from": "native",
    "about": "biography history study",
    "uses": "user",
    "depends_on-": "basis foundation",
    "implements": "implementation",
    "extends": "extension",
}
STATES = {
    "causes": (
        "responsible for",
        "conducive to",
        "productive of",
        "instrumental in",
        "guilty of",
        "accountable for",
        "the reason for",
    ),
    "causes-": ("due to", "owing to", "attributable to", "traceable to"),
    "depends_on": ("dependent on", "dependent upon", "contingent on", "contingent upon", "reliant on"),
    "depends_on-": (
        "essential to",
        "necessary to",
        "necessary for",
        "essential for",
        "indispensable to",
        "requisite to",
        "requisite for",
        "indispensable for",
    ),
    "relates_to": (
        "related to",
        "similar to",
        "linked to",
        "associated with",
        "connected with",
        "relevant to",
        "analogous to",
    ),
    "part_of": ("part of", "a part of"),
    "opposes": (
        "hostile to",
        "dangerous to",
        "injurious to",
        "repugnant to",
        "subversive of",
        "hurtful to",
        "contrary to",
        "adverse to",
        "opposed to",
        "averse to",
        "inconsistent with",
        "incompatible with",
    ),
    "supports": ("favorable to", "favourable to", "friendly to", "consistent with"),
    "originated_in": ("native to",),
    "located_near": ("near", "close to", "adjacent to"),
    "prevents": ("fatal to", "destructive of"),
}
"""Predicates after "be"."""


def split(name: str) -> tuple[str, bool]:
    """Return a type without its mark "-", and whether it had one: the subject is then the target."""
    return name.removesuffix("-"), name.endswith("-")


def _nouns() -> dict[str, tuple[str, bool]]:
    table = {}
    for name, words in NOUNS.items():
        type_, turned = split(name)
        for word in words.split():
            table[word] = (type_, turned)
    return table


NOUN_FRAMES = _nouns()
STATE_FRAMES = {tuple(words.split()): split(name) for name, lines in STATES.items() for words in lines}
