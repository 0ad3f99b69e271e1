"""Ways of stating a cause, one or two sentences of each: the head words that the arrow joins, and its type."""

from tests.every import every
from tests.extraction.given import found, relations

Arrow = tuple[str, str, str]

STATES = [
    ("A clogged drain left the cellar flooded.", ("drain", "causes", "flooded")),
    ("The strike left the city without bread.", ("strike", "causes", "bread")),
    ("Noise from the road kept us awake.", ("Noise", "causes", "awake")),
    ("Railways made it possible to ship milk.", ("Railways", "causes", "ship")),
    ("Lack of parts brought the line to a standstill.", ("Lack", "causes", "standstill")),
    ("The blunder plunged the party into crisis.", ("blunder", "causes", "crisis")),
]
DEGREES = [
    ("It was so hot that the rails buckled.", ("hot", "causes", "buckled")),
    ("There was such a crowd that the gates were closed.", ("crowd", "causes", "closed")),
    ("He was too tired to climb the hill.", ("tired", "prevents", "climb")),
    ("The more they drank, the more they quarrelled.", ("drank", "causes", "quarrelled")),
    ("The higher the tide, the greater the danger.", ("higher", "causes", "greater")),
]
CONNECTIVES = [
    ("The mill closed and therefore the village emptied.", ("closed", "causes", "emptied")),
    ("The wheat was soaked; as a result, it rotted.", ("soaked", "causes", "rotted")),
    ("The pump was clogged, which is why the field dried out.", ("clogged", "causes", "dried")),
    ("As the well was dry, the settlers moved on.", ("dry", "causes", "moved")),
    ("But for the dyke, the village would have drowned.", ("dyke", "prevents", "drowned")),
]
PARTICIPLES = [
    ("The road was closed, forcing drivers to take the ferry.", ("closed", "causes", "take")),
    ("The dykes held, thereby saving the lower town.", ("held", "causes", "saving")),
    ("Fearing a mutiny, the captain put back to port.", ("Fearing", "causes", "put")),
    ("The magistrates, finding themselves despised, abandoned the town.", ("finding", "causes", "abandoned")),
    ("Contrary winds having closed the harbour, the ship did not reach us.", ("closed", "causes", "reach")),
]
ACTS = [
    ("He died of cholera in 1849.", ("cholera", "causes", "died")),
    ("She trembled with rage.", ("rage", "causes", "trembled")),
    ("He was fined for speeding.", ("speeding", "causes", "fined")),
    ("The field was lost through neglect.", ("neglect", "causes", "lost")),
    ("Greed was behind the murder.", ("Greed", "causes", "murder")),
    ("Pollution is to blame for the fish kill.", ("Pollution", "causes", "kill")),
    ("The reason the bridge fell was poor steel.", ("steel", "causes", "fell")),
    ("By granting the monopoly, the council ruined the traders.", ("granting", "prevents", "traders")),
    ("The dyke saved the village from the flood.", ("dyke", "prevents", "flood")),
    ("The vaccine spared the town an epidemic.", ("vaccine", "prevents", "epidemic")),
    ("The war robbed him of his farm.", ("war", "prevents", "farm")),
    ("The fire brought down the government.", ("fire", "prevents", "government")),
    ("A lack of funds meant that the survey was abandoned.", ("lack", "causes", "abandoned")),
]
FAMILIES = [
    ("The news gave him fresh courage.", ("news", "causes", "courage")),
    ("His folly reduced the family to poverty.", ("folly", "causes", "poverty")),
    ("The noise woke the child.", ("noise", "causes", "woke")),
    ("Two men were killed when a wall collapsed.", ("collapsed", "causes", "killed")),
    ("The firm collapsed under a mountain of debt.", ("mountain", "causes", "collapsed")),
    ("The noise was so loud as to wake the dead.", ("loud", "causes", "wake")),
    ("Profits fell, hit by a strike at the port.", ("strike", "causes", "fell")),
    ("Revenue declined, reflecting weaker sales.", ("sales", "causes", "declined")),
    ("The revolt had two causes: hunger and high taxes.", ("taxes", "causes", "revolt")),
    ("From the jealousy of two men arose a war.", ("jealousy", "causes", "war")),
    ("Automation allowed us to run three shifts.", ("Automation", "causes", "run")),
    ("They left not because prices were high but because nobody answered.", ("high", "causes!", "left")),
    ("His absence had nothing to do with the dispute.", ("dispute", "causes!", "absence")),
    ("The bypass did nothing to ease congestion.", ("bypass", "prevents!", "congestion")),
    ("It was the loss of the trade that ruined the port.", ("loss", "prevents", "port")),
    ("Lightning struck the mill, and the resulting fire burned the stores.", ("struck", "causes", "fire")),
    ("Should the rains fail, the price of rice will rise.", ("rains fail", "causes", "rise")),
    ("The bishop's intervention saved the town from being sacked.", ("intervention", "prevents", "sacked")),
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
NO_CAUSE = [
    "This process led to the same result.",
    "Congress rendered it productive.",
    "The clock stopped working.",
    "The hurricane affected the state in August.",
    "He obliged himself to attend.",
    "So it is with him that we must begin.",
    "They were married when the war ended.",
    "The rules are so framed as to divide the votes.",
    "What did you do with the car?",
    "The teacher gave the boy a book.",
    "The researcher produced three letters.",
    "The designer has been producing games since 1970.",
    "A narrow lane led to the parsonage.",
    "The result of the match was a draw.",
    "The cause of the fire is unknown.",
    "The prize was given to the player.",
    "It has since been expanded.",
    "He was only too glad to help.",
    "The word means a demon.",
    "She played a role in the film.",
]


@every("text, expected", STATES + DEGREES + CONNECTIVES + PARTICIPLES + ACTS + FAMILIES + LOST_BY_THE_PARSER)
def test_a_cause_is_joined_to_its_effect(text: str, expected: Arrow) -> None:
    source, type_, target = expected
    arrows = {(s, t) for s, stated, t in relations(text) if stated == type_}
    assert any(source in s and target in t for s, t in arrows), arrows


@every("text", NO_CAUSE)
def test_what_only_looks_like_a_cause_is_none(text: str) -> None:
    assert not [arrow for arrow in relations(text) if arrow[1] in ("causes", "prevents")]


def test_one_who_acts_does_not_cause_what_a_force_would() -> None:
    stated = {
        type_
        for text in ("Frost cracked the pipes.", "The soldier cracked the pipes.")
        for _, type_, _ in relations(text)
    }
    assert stated == {"prevents", "crack"}


@every(
    "text",
    [
        "It was your persistence, not their charity, that brought about this victory.",
        "It was not their charity but your persistence that brought about this victory.",
        "It was not their charity that brought about this victory, but your persistence.",
    ],
)
def test_of_two_causes_the_one_set_aside_is_denied(text: str) -> None:
    arrows = relations(text)
    assert ("persistence", "causes", "victory") in arrows
    assert ("charity", "causes!", "victory") in arrows


def test_a_causal_arrow_is_as_sure_as_readers_found_its_like() -> None:
    plain = "Drought caused famine."
    tangled = (
        "The committee, which had sat through the winter, and whose members, as the clerk told the press, seldom "
        "agreed, wrote that drought, or at least the want of rain, had in the end, as many had said, caused famine."
    )
    chances = [
        [arrow.confidence for arrow in found(text).assertions if arrow.type == "causes"]
        for text in (plain, tangled)
    ]
    assert chances[0]
    assert max(chances[1], default=0.0) < min(chances[0])
