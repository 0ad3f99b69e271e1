"""What the words around a name say about its kind."""

from collections import Counter

from corpusgraph.tasks.index.rules.known_names import ROLES
from corpusgraph.tasks.index.rules.name_span import NameSpan
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

SAYING = wordset("""
    say argue believe claim contend maintain insist think hold suggest propose assert conclude report
    write note observe declare state explain admit deny doubt warn remark reply answer affirm allege
    suppose suspect acknowledge concede confess hypothesise hypothesize demonstrate prove show find
    testify object tell ask
""")

_PERSONAL = SAYING | wordset(
    "marry die grow study teach bear live walk visit speak decide resign retire smile"
)

_PERSONAL_MAKING = wordset("direct write compose paint star sing edit narrate play invent design marry")
_IN = wordset("in at near throughout across outside within")

_PLACE_OF = [
    [noun, "of"]
    for noun in [
        "city",
        "town",
        "village",
        "province",
        "district",
        "county",
        "island",
        "parish",
        "state",
        "region",
        "river",
    ]
]

_PLACE_BEFORE = wordset("river lake mount county northern southern eastern western central")

_PLACE_AFTER = wordset("province district county river valley region island lake village")

_SLOTS = {
    "for": wordset("play work sign drive appear compete score coach manage write"),
    "to": wordset("sign sell belong transfer loan"),
    "on": wordset("air broadcast premiere show release televise"),
    "by": wordset("release publish issue distribute manufacture operate broadcast own employ market acquire"),
    "through": wordset("release publish distribute"),
    "with": wordset("sign"),
    "from": wordset("graduate"),
}
_SLOT_WORDS = frozenset(_SLOTS)
_TOWARD = wordset("from to into toward towards around")

_KINDS = {
    "place": """
        city town village river island country state county district region municipality mountain lake
        street parish suburb neighbourhood neighborhood capital settlement commune province sea bay port
        peninsula census-designated locality hamlet community township neighborhood reservoir dam
        road highway avenue
        boulevard stadium arena mausoleum mosque cathedral skyscraper waterfall ridge desert canal
        expressway tributary
        archipelago barangay comarca borough square building bridge airport station
    """,
    "organisation": """
        company organisation organization band group party team club duo trio quartet ensemble broadcaster
        firm manufacturer subsidiary franchise brewery retailer brand-owner regiment brigade squadron troupe
        network station-group ministry department agency airline carrier newspaper university school college
        airline institution society agency bank charity publisher label league association corporation
        council committee union orchestra choir provider retailer lender publisher manufacturer
        distributor operator
        side outfit quintet supergroup nonprofit charity brewer automaker carmaker bookseller
        startup think-tank
        paper wire militia faction movement guild tribe clan dynasty lodge sorority fraternity
    """,
    "concept": """
        film movie novel book album song single ep series game play opera poem magazine journal theory
        disease law treaty battle war method language religion programme program software system musical
        symphony award prize episode season chapter miniseries sitcom telenovela show soundtrack
        anthem hymn comic manga anime currency genus
        species breed format drug vaccine device console locomotive car automobile aircraft missile
        festival chart
        tournament championship cup trophy medal honour honor aria ballet musical documentary
        trilogy videogame
        brand dialect alphabet script enzyme protein gene virus mineral rock alloy engine protocol standard
        character branch process event concept term theorem
    """,
}

KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}


_HEAD_AFTER = wordset("organization organisation club party company society airline newspaper building")
"""Nouns that say what the name before them is: "the Cordeliers club"."""


def by_context(span: NameSpan, sentence: Sentence) -> Counter[str]:
    """Weigh the words around a name; several may speak at once."""
    votes: Counter[str] = Counter()
    lows, tags, first = sentence.lows, sentence.tags, span.first
    last = _past_brackets(lows, tags, span.last)
    before = lows[first - 1] if first else ""
    after, next_tag = (lows[last], tags[last]) if last < len(lows) else ("", ".")
    if lows[max(0, first - 2) : first] in _PLACE_OF or before in _PLACE_BEFORE or after in _PLACE_AFTER:
        votes["place"] += 3
    elif (
        before == "for" and first > 1 and VERBS.get(lows[first - 2], ("", ""))[0] in ("play", "work", "sign")
    ):
        votes["organisation"] += 3
    elif before in KIND_OF and tags[first - 1] == "N" and KIND_OF[before] != "place":
        votes[KIND_OF[before]] += 3
    elif before in ("character", "singer", "bandmate", "teammate"):
        votes["person"] += 3
    elif before in _SLOT_WORDS and _slot(lows, first):
        votes["organisation"] += 3
    elif before in _IN and not any(letter.isdigit() for letter in span.text):
        votes["place"] += 2
    elif before in _TOWARD:
        votes["place"] += 1
    elif before in ROLES or (before == "," and first > 1 and lows[first - 2] in ROLES):
        votes["person"] += 3
    elif before == "by":
        made = first > 1 and VERBS.get(lows[first - 2], ("", ""))[0] in _PERSONAL_MAKING
        votes["person"] += 2 if made else 1
    elif before == "the":
        votes["concept"] += 1
    if after in _HEAD_AFTER and next_tag == "N":
        votes[KIND_OF[after]] += 3
    _after(votes, lows, tags, last, after, next_tag)
    return votes


def _slot(lows: list[str], first: int) -> bool:
    """Tell the slots that organisations fill: "plays for X", "signed to X", "released by X"."""
    verbs = _SLOTS[lows[first - 1]]
    return any(VERBS.get(low, ("", ""))[0] in verbs for low in lows[max(0, first - 4) : first - 1])


def _past_brackets(lows: list[str], tags: str, at: int) -> int:
    """Step over "(Hindi: ...)" after a name; what "(born" or "(died" opens tells of a person and stays."""
    if tags[at : at + 1] == "(" and lows[at + 1 : at + 2] not in (["born"], ["died"], ["b."], ["d."]):
        closing = tags.find(")", at, at + 30)
        return closing + 1 if closing > 0 else at
    return at


def _after(votes: Counter[str], lows: list[str], tags: str, last: int, after: str, next_tag: str) -> None:
    verb = VERBS.get(after)
    if verb and next_tag in "VE":
        votes["person"] += 2 if verb[0] in _PERSONAL else 1
    elif after in ("who", "whose", "himself", "herself") or (
        after == "," and lows[last + 1 : last + 2] in (["who"], ["whose"])
    ):
        votes["person"] += 3
    elif after in ("'s", "’s"):
        votes["person"] += 1
    elif after == "(" and lows[last + 1 : last + 2] in (["born"], ["died"], ["b."], ["d."]):
        votes["person"] += 4
    elif after in ("is", "was", "are", "were", ","):
        _defined(votes, lows, tags, last + 1, after)
    if after in ("was", "is") and lows[last + 1 : last + 2] == ["born"]:
        votes["person"] += 4


def _defined(votes: Counter[str], lows: list[str], tags: str, at: int, after: str) -> None:
    """Read "X is a river" and "X, a physician,": the first noun that tells the kind."""
    if tags[at : at + 1] != "D" or lows[at] not in ("a", "an", "the", "one"):
        if after not in ("are", "were"):
            return
        at -= 1
    for low, tag in zip(lows[at + 1 : at + 9], tags[at + 1 : at + 9], strict=True):
        if low in ROLES:
            votes["person"] += 3
            return
        if low in KIND_OF and tag == "N":
            votes[KIND_OF[low]] += 3
            return
        if tag not in "JNPQGEK" or (after == "," and tag in "VE"):
            return
