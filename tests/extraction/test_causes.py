"""Ways of stating a cause, one or two sentences of each: the head words that the arrow joins, and its type."""

from tests.every import every
from tests.extraction.given import relations, shipped, shipped_relations

Arrow = tuple[str, str, str]

STATES = [
    ("A burst pipe left the cellar flooded.", ("pipe", "causes", "flooded")),
    ("Noise from the road kept us awake.", ("Noise", "causes", "awake")),
    ("The blunder plunged the party into crisis.", ("blunder", "causes", "crisis")),
]
DEGREES = [
    ("It was so hot that the rails buckled.", ("hot", "causes", "buckled")),
    ("He was too tired to climb the hill.", ("tired", "prevents", "climb")),
]
CONNECTIVES = [
    ("The mill closed and therefore the village emptied.", ("closed", "causes", "emptied")),
    ("The pump was clogged, which is why the field dried out.", ("clogged", "causes", "dried")),
    ("As the well was dry, the settlers moved on.", ("dry", "causes", "moved")),
    ("But for the dyke, the village would have drowned.", ("dyke", "prevents", "drowned")),
]
PARTICIPLES = [
    ("Fearing a mutiny, the captain put back to port.", ("Fearing", "causes", "put")),
    ("Contrary winds having closed the harbour, the ship did not reach us.", ("closed", "causes", "reach")),
]
ACTS = [
    ("He died of cholera in 1849.", ("cholera", "causes", "died")),
    ("He was fined for speeding.", ("speeding", "causes", "fined")),
    ("The field was lost through neglect.", ("neglect", "causes", "lost")),
    ("Pollution is to blame for the fish kill.", ("Pollution", "causes", "kill")),
    ("The reason the bridge fell was poor steel.", ("steel", "causes", "fell")),
    ("The dyke saved the village from the flood.", ("dyke", "prevents", "flood")),
    ("The vaccine spared the town an epidemic.", ("vaccine", "prevents", "epidemic")),
    ("The war robbed him of his farm.", ("war", "prevents", "farm")),
    ("The fire brought down the government.", ("fire", "prevents", "government")),
    ("A lack of funds meant that the survey was abandoned.", ("lack", "causes", "abandoned")),
]
FAMILIES = [
    ("The news gave him fresh courage.", ("news", "causes", "courage")),
    ("His folly reduced the family to poverty.", ("folly", "causes", "poverty")),
    ("The firm collapsed under a mountain of debt.", ("mountain", "causes", "collapsed")),
    ("The joke was so bad as to anger the crowd.", ("joke", "causes", "anger")),
    ("Revenue declined, reflecting weaker sales.", ("sales", "causes", "declined")),
    ("The chief causes of the revolt were hunger and high taxes.", ("taxes", "causes", "revolt")),
    ("From the jealousy of two men arose a war.", ("jealousy", "causes", "war")),
    ("Automation allowed us to run three shifts.", ("Automation", "causes", "run")),
    ("They left not because prices were high but because nobody answered.", ("high", "causes!", "left")),
    ("It was the loss of the trade that ruined the port.", ("loss", "prevents", "port")),
    ("Should the rains fail, the price of rice will rise.", ("rains fail", "causes", "rise")),
    ("His success owed much to her patience.", ("patience", "causes", "success")),
]
LOST_BY_THE_PARSER = [
    ("Prolonged exposure to fine dust raises blood pressure.", ("exposure", "causes", "pressure")),
    ("Hand washing by midwives sharply lowered mortality.", ("washing", "prevents", "mortality")),
    ("Would a sugar tax prevent childhood obesity?", ("tax", "prevents", "obesity")),
    ("Luxury, says the moralist, begets idleness.", ("Luxury", "causes", "idleness")),
    (
        "A ceiling on rents, the authors argue, leads to a shortage of flats.",
        ("ceiling", "causes", "shortage"),
    ),
    (
        "The plague was slowed by the closure of markets and by warm weather.",
        ("weather", "prevents", "plague"),
    ),
    ("Her early death robbed Finnish poetry of its voice.", ("death", "prevents", "voice")),
    ("Oil prices surged on fears of a blockade.", ("fears", "causes", "surged")),
    ("The breakwater has made the harbour safe for boats.", ("breakwater", "causes", "safe")),
    ("Analysts blamed the slump in sales on bad weather.", ("weather", "causes", "slump")),
]
OF_PATTERNS = [
    ("Lack of parts brought the line to a standstill.", ("Lack", "causes", "standstill")),
    ("She trembled with rage.", ("rage", "causes", "trembled")),
    ("By granting the monopoly, the council ruined the traders.", ("granting", "prevents", "traders")),
    ("The noise woke the child.", ("noise", "causes", "woke")),
    ("Two men were killed when a wall collapsed.", ("collapsed", "causes", "killed")),
]
"""What the patterns read and the trained reader takes away."""
NO_CAUSE = [
    "The clock stopped working.",
    "He obliged himself to attend.",
    "So it is with him that we must begin.",
    "They were married when the war ended.",
    "What did you do with the car?",
    "The teacher gave the boy a book.",
    "The researcher produced three letters.",
    "The designer has been producing games since 1970.",
    "The result of the match was a draw.",
    "The cause of the fire is unknown.",
    "The prize was given to the player.",
    "It has since been expanded.",
    "He was glad to help.",
    "The word means a demon.",
    "She played a role in the film.",
]


def joins(arrows: set[Arrow], expected: Arrow) -> bool:
    source, type_, target = expected
    return any(source in s and stated == type_ and target in t for s, stated, t in arrows)


@every("text, expected", STATES + DEGREES + CONNECTIVES + PARTICIPLES + ACTS + FAMILIES + LOST_BY_THE_PARSER)
def test_a_cause_is_joined_to_its_effect(text: str, expected: Arrow) -> None:
    assert joins(shipped_relations(text), expected)


@every("text, expected", OF_PATTERNS)
def test_patterns_join_a_cause_to_its_effect(text: str, expected: Arrow) -> None:
    assert joins(relations(text), expected)


@every("text", NO_CAUSE)
def test_what_only_looks_like_a_cause_is_none(text: str) -> None:
    assert not [arrow for arrow in shipped_relations(text) if arrow[1] in ("causes", "prevents")]


@every(
    "text",
    [
        "Congress rendered it productive.",
        "The hurricane affected the state in August.",
        "A narrow lane led to the parsonage.",
    ],
)
def test_patterns_take_no_cause_from_what_only_looks_like_one(text: str) -> None:
    assert not [arrow for arrow in relations(text) if arrow[1] in ("causes", "prevents")]


def test_one_who_acts_does_not_cause_what_a_force_would() -> None:
    stated = {
        type_
        for text in ("Frost cracked the pipes.", "The soldier cracked the pipes.")
        for _, type_, _ in shipped_relations(text)
    }
    assert stated == {"prevents", "crack"}


@every(
    "text, cause, set_aside, effect",
    [
        (
            "It was your persistence, not their charity, that brought about this victory.",
            "your persistence",
            "charity",
            "victory",
        ),
        ("It was not the drought but the war that caused the famine.", "war", "drought", "famine"),
    ],
)
def test_of_two_causes_the_one_set_aside_is_denied(
    text: str, cause: str, set_aside: str, effect: str
) -> None:
    arrows = shipped_relations(text)
    assert (cause, "causes", effect) in arrows
    assert (set_aside, "causes!", effect) in arrows


def test_a_causal_arrow_is_as_sure_as_readers_found_its_like() -> None:
    plain = "Drought caused famine."
    tangled = (
        "The committee, which had sat through the winter, and whose members, as the clerk told the press, seldom "
        "agreed, wrote that drought, or at least the want of rain, had in the end, as many had said, caused famine."
    )
    chances = [
        [arrow.confidence for arrow in shipped(text).assertions if arrow.type == "causes"]
        for text in (plain, tangled)
    ]
    assert chances[0]
    assert max(chances[1], default=0.0) < min(chances[0])


@every(
    "text",
    [
        "The laws of that age were as harsh as its customs were rude.",
        "Compared with the perils which our forefathers conquered because they were not afraid, ours are small.",
    ],
)
def test_a_comparison_and_a_relative_pronoun_are_no_cause(text: str) -> None:
    causes = [arrow for arrow in shipped_relations(text) if arrow[1] == "causes"]
    assert not [arrow for arrow in causes if "customs" in arrow[0] or arrow[2].startswith("which")]


@every("text", ["We were told that gas causes fever.", "The report rests on the idea that gas causes fever."])
def test_hearsay_and_ideas_are_supposed(text: str) -> None:
    arrows = [(a.source, a.modality) for a in shipped(text).assertions if a.type == "causes"]
    assert arrows == [("gas", "hypothetical")]


def test_a_bare_noun_is_said_whose_it_is() -> None:
    text = "Philip was cruel. His tyrannies provoked a rebellion."
    assert ("tyrannies of Philip", "causes", "rebellion") in shipped_relations(text)


def test_a_denial_of_the_verb_denies_what_the_reader_joins() -> None:
    text = (
        "The commercial policy of the mother country had not relaxed any of its hard and oppressive features."
    )
    denied = [a.negated for a in shipped(text).assertions if a.source.startswith("commercial policy")]
    assert denied
    assert all(denied)


def test_a_reason_at_the_end_of_broken_text_loses_nothing() -> None:
    text = (
        "downfall of to naught.<br> No, democracy is not because we have seen it reviveùand cannot dieùbecause it is "
        "built on the unhampered initiative of individual men and women joined together in a common enterpriseùan "
        "enterprise undertaken and carried expression of a free majority We know it because democracy alone, of "
        "forms of government, enlists the full force of men's enlightened will We know it because know that "
        "understands"
    )
    assert shipped(text).claims


@every(
    "text, expected",
    [
        ("For want of spare tyres, the team went home.", ("want of spare tyres", "causes", "team went home")),
        (
            "The hearing was adjourned for lack of a quorum.",
            ("lack of a quorum", "causes", "hearing was adjourned"),
        ),
        (
            "The coroner ruled out carbon monoxide as the cause of the couple's death.",
            ("carbon monoxide", "causes!", "couple's death"),
        ),
        (
            "Frost stiffened the seals, causing hot gas to escape.",
            ("Frost stiffened the seals", "causes", "hot gas to escape"),
        ),
        (
            "The shortfall resulted less from evasion than from generous exemptions.",
            ("evasion", "causes", "shortfall"),
        ),
    ],
)
def test_an_end_has_all_that_completes_it_and_no_more(text: str, expected: Arrow) -> None:
    assert expected in shipped_relations(text)


@every(
    "text, negated, modality",
    [
        ("Sanctions failed to prevent the junta from buying helicopters.", True, "fact"),
        ("Rain softened the pitch so that the bowlers lost their footing.", False, "fact"),
        ("We have been invited to believe that lace has corrupted the town.", False, "hypothetical"),
    ],
)
def test_a_cause_is_put_as_its_sentence_puts_it(text: str, negated: bool, modality: str) -> None:
    surest = max((a for a in shipped(text).assertions if a.is_causal), key=lambda a: a.confidence)
    assert (surest.negated, surest.modality) == (negated, modality)
