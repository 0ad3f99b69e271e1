"""Closed-class words, adjectives and suffixes, each with the one-letter tag of `tagger`."""

from corpusgraph.tasks.text.wordlist import wordset

_CLOSED = {
    "D": """the a an this these those my his her its our their your each every some any both another either
        neither no all half several many most few such same own certain various much more less""",
    "U": """
        i he she it we they you me him them us himself herself itself themselves ourselves myself yourself
        one's who's someone somebody anyone anybody everyone everybody nobody none nothing something
        anything everything mine hers ours theirs yours ye thou thee oneself each-other
    """,
    "W": "which who whom whose what whoever whatever whichever",
    "B": "be is are was were am been being isn't aren't wasn't weren't",
    "H": "have has had having haven't hasn't hadn't",
    "O": "do does did doing don't doesn't didn't",
    "M": """can could may might must shall should will would ought cannot can't couldn't won't wouldn't
        shouldn't mustn't shan't needn't""",
    "X": "not never n't hardly scarcely nor",
    "T": "to",
    "F": "of",
    "C": "and or but & plus",
    "S": """that because if when while whilst although though
        unless whereas since until till whether lest as than
        wherever whenever where why how after before once so for""",
    "I": """
        in on at by from with without into onto upon about above across against along among amongst around
        behind below beneath beside besides between beyond despite down during except inside like near off
        out outside over past per round through throughout toward towards under underneath unlike up via
        within amid amidst for notwithstanding concerning regarding respecting versus circa except
    """,
    "R": """
        also again ago almost already altogether always away back certainly chiefly commonly consequently
        directly else elsewhere enough especially even eventually ever everywhere evidently far first
        firstly forth forward further furthermore hence here hereby herein however indeed instead just
        largely later lastly likewise long mainly maybe meanwhile merely moreover mostly namely nearly
        nevertheless next nonetheless now nowhere often once only otherwise partly perhaps possibly
        primarily probably quickly quite rather recently secondly seldom shortly simply so sometimes
        somewhat soon still suddenly then thence there thereafter thereby therefore therein thereof
        thereupon thirdly thus today together tomorrow tonight too twice usually very well whence whereby
        wherefore wherein whereupon yesterday yet afterwards afterward apart aside abroad anyway forever
        hitherto henceforth thither o'clock not-only formerly upstream downstream indoors outdoors
        perchance
    """,
    "Q": """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand
        million billion dozen hundreds thousands millions dozens""",
}
_ADJECTIVES = """
    able absolute acute afraid ancient angry anxious apt aware awful bad bare better big bitter black
    blind blue bold brave brief bright broad brown busy calm capable careful cheap chief cold common
    contrary cool cruel crude current damp dangerous dark dead deaf dear deep dense different difficult
    dirty distant distinct domestic dry due dull eager early easy eastern elder eldest entire equal evil
    exact extreme fair false familiar famous fast fat fatal few fierce final fine firm flat foreign former
    foul free frequent fresh full general gentle good gradual grand grave gray great green grey gross
    guilty happy hard harsh healthy heavy high holy honest hot huge human humble ideal idle ill immense
    important impure inner innocent intense joint just keen key large late latter lean least left legal
    less light likely little lively living local lone long loose loud low lower loyal lucky mad main major
    male mean medical mere middle mild minor mixed modern modest moist moral mutual narrow native natural
    near neat negative new next nice noble normal northern notable numerous odd old older oldest
    only open other outer overcrowded own pale parochial particular past patient perfect personal plain
    pleasant poor popular positive possible powerful present previous prime prior private probable
    profound prompt proper proud public pure quick quiet random rapid rare raw ready real recent red
    regular remote rich right rigid ripe rival rough round royal rude rural sad safe same secret senior
    separate serious severe shallow sharp short sick silent similar simple single slight slow small smooth
    sober social soft sole solid sound southern special square stable steady steep stern stiff still
    strange strict strong subtle sudden sufficient superior supreme sure sweet swift tall thick thin tight
    tiny tired total tough tragic true twin typical ultimate unable uncommon unfit unique universal unjust
    unknown unlikely upper urban urgent usual utter vague vain valid vast very violent vital vivid warm
    weak wealthy western wet white whole wicked wide wild wise wooden worse worst worth wrong yellow young
    younger youngest first second third fourth fifth sixth seventh eighth ninth tenth last greater
    greatest larger largest higher highest lower lowest best bigger smaller smallest longer shorter later
    latest earlier earliest further absent adequate alone alive asleep awake ashamed inferior interior
    exterior federal american-style then-current stagnant abundant ignorant reluctant dominant constant
    distant instant significant evident
"""
_NOUNS = """
    novel
    news series species evidence water air house body city country family party system study army hospital
    animal capital journal material rival signal metal canal arrival proposal trial appeal removal
    approval survival denial refusal disposal burial ritual festival individual intellectual criminal
    official general principal professional manual total terminal cathedral admiral cardinal original
    potential reply supply family assembly monopoly anomaly ally belly bully fly lily jelly july italy
    rally music public logic magic topic traffic critic clinic epidemic pandemic panic tactic rhetoric
    fabric republic mechanic arithmetic politics physics economics mathematics statistics ethics dynamics
    characteristic statistic comic relative native motive objective executive detective representative
    alternative initiative incentive narrative perspective archive collective adjective olive table
    vegetable variable cable fable constable principle example people couple temple title article vehicle
    circle cycle particle battle cattle bottle castle king ring wing string spring thing nothing evening
    morning building meeting feeling meaning beginning wedding ceiling clothing lightning painting drawing
    writing reading hearing warning finding setting offering offspring sibling being dwelling bed seed
    speed weed deed need shed feed breed creed greed hundred hatred sacred century story history theory
    victory memory factory territory laboratory observatory directory category minister sister brother
    mother father daughter river paper number letter winter summer member matter woman women man men child
    children person persons life lives death deaths wife wives disease illness cholera fever typhus well
    wells pump sewer sewage drain miasma outbreak infection contagion
"""
_SUFFIXES = {
    "N": tuple(
        wordset(
            """
                tion sion ment ness ity ism ist ship hood ance ence ancy ency dom age ure logy graphy
                phobia itis osis er or ee eer ian cracy ice ude ory ery ary
            """
        )
    ),
    "J": tuple(
        wordset(
            """
                ous ful less able ible ive ical ial ual ional al ic ish esque like worthy proof some borne
                related induced based
            """
        )
    ),
}
_ADJECTIVES_ARY = """
    necessary primary secondary contrary ordinary sanitary military temporary elementary voluntary
    contemporary imaginary monetary solitary hereditary literary momentary arbitrary revolutionary
    preliminary customary
"""


def _lexicon() -> dict[str, str]:
    words = dict.fromkeys(_NOUNS.split(), "N")
    words |= dict.fromkeys(_ADJECTIVES.split(), "J")
    words |= dict.fromkeys(_ADJECTIVES_ARY.split(), "J")
    for tag, line in _CLOSED.items():
        words |= dict.fromkeys(line.split(), tag)
    return words


LEXICON = _lexicon()
"""Lower-case word -> tag, for words whose class is fixed."""
FUNCTION_WORDS = frozenset(word for tag in "DUWBHOMXTFCSI" for word in _CLOSED[tag].split()) | frozenset(
    _CLOSED["R"].split()
)
"""Words that never name anything by themselves."""


def by_suffix(word: str) -> str:
    """Guess the tag of a lower-case word that no list holds: by its ending, else a noun."""
    if word.endswith("ly") and len(word) > 4:
        return "R"
    if word.endswith("ing") and len(word) > 5:
        return "G"
    if word.endswith("ed") and len(word) > 4:
        return "E"
    for tag, endings in _SUFFIXES.items():
        if word.endswith(endings) and len(word) > 4:
            return tag
    return "N"
