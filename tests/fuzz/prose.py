"""Prose as scans, copyists and careless editors leave it: made of real sentences, broken by a seed."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

from corpusgraph.tasks.text.sentences import sentence_spans

DOCUMENTS = Path(__file__).resolve().parents[2] / "configs" / "studies" / "broad_street" / "documents"
ABBREVIATIONS = (
    *("Mrs.", "St.", "Dr.", "Mr.", "Prof.", "Gen.", "No.", "vol.", "pp.", "e.g.", "i.e.", "etc."),
    *("U.S.", "J.", "Messrs.", "Hon.", "Rev.", "Capt.", "op.", "cit.", "c.", "ca.", "Sgt.", "z. B.", "Mme."),
)
DATES = (
    *("29 February 1900", "31 April", "31 April 1854", "February 30, 1855", "31.06.1854", "30/02/1854"),
    *("1854-02-30", "1854-13-45", "0000-00-00", "31 December 9999", "1 January 0001", "0 May 1854", "99 BC"),
    *(
        "in the 0th century",
        "the 99th century BC",
        "1854–12",
        "3–5 May to 9 June",
        "1854年13月40日",
        "Mayday 18",
    ),
)
STEPS = (
    "The next day",
    "Two weeks later",
    "That year",
    "The previous month",
    "A year earlier",
    "999 years before",
)
QUOTES = ('"', "“", "”", "‘", "’", "«", "»", "„", "'", "`", "(", ")", "[", "]", "{", "—", "* ", "# ", "> ")
SCRIPTS = (
    *(
        "Ἀθῆναι",
        "Москва",
        "القاهرة",
        "ירושלים",
        "東京都",
        "서울",
        "ไทย",
        "हिन्दी",
        "Đặng Thị",
        "ﬁnd",
        "İstanbul",
    ),
    *("ß", "é", "e\u0301\u0301\u0301", "👩‍👩‍👧", "𝔉𝔯𝔞𝔨𝔱𝔲𝔯", "٣٢١", "Ⅷ", "½", "\u200f", "\u200b", "\ufeff"),
)
CONTROLS = (
    "\x00",
    "\x07",
    "\x0b",
    "\x0c",
    "\x1b[31m",
    "\x7f",
    "\x85",
    "\u2028",
    "\u00ad",
    "\r",
    "\r\n",
    "\t",
)
ENDS = (" ", " ", " ", "\n", "\n\n", "", "  ", "\n- ", "\n\n\n", " . ", "...", "?!", ";", ",")


@cache
def sentences() -> tuple[str, ...]:
    """Return the sentences of the sample study's plain texts."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(DOCUMENTS.rglob("*.txt"))]
    return tuple(text[start:end] for text in texts for start, end in sentence_spans(text))


def _cut(random: Random, text: str) -> str:
    """Cut a sentence anywhere, also inside a word."""
    return (
        text[random.randrange(len(text)) :] if random.random() < 0.5 else text[: random.randrange(len(text))]
    )


def _shuffled(random: Random, text: str) -> str:
    words = text.split()
    random.shuffle(words)
    return " ".join(words)


def _ended(random: Random, text: str) -> str:
    """End a line after an abbreviation, at times without anything after it."""
    return f"{text.rstrip('.!? ')} {random.choice(ABBREVIATIONS)}{random.choice(ENDS)}"


def _dated(random: Random, text: str) -> str:
    step = random.choice(STEPS)
    return (
        f"It was {random.choice(DATES)}. {step} {text[:1].lower()}{text[1:]} {step}, {random.choice(DATES)}"
    )


def _among(parts: tuple[str, ...]) -> Callable[[Random, str], str]:
    """Return what puts some of the parts anywhere into a text."""

    def put(random: Random, text: str) -> str:
        for _ in range(random.randint(1, 5)):
            at = random.randint(0, len(text))
            text = f"{text[:at]}{random.choice(parts)}{text[at:]}"
        return text

    return put


def _long(random: Random, text: str) -> str:
    """Add a token without end: letters, digits, marks, or a name repeated."""
    piece = random.choice(
        ("a", "A", "1", ".", "'", "-", "Mrs.", "A.", "of the ", "und", "\u0301", "1854-", "((")
    )
    return f"{text} {piece * random.randint(50, 400)}{random.choice(ENDS)}"


def _cased(random: Random, text: str) -> str:
    return random.choice((text.upper(), text.lower(), text.title(), text.swapcase()))


BREAKS: tuple[Callable[[Random, str], str], ...] = (
    _cut,
    _shuffled,
    _ended,
    _dated,
    _among(QUOTES),
    _among(SCRIPTS),
    _among(CONTROLS),
    _among(ABBREVIATIONS),
    _among(tuple(f"\n{short}\n" for short in ABBREVIATIONS)),
    _long,
    _cased,
)


def prose(seed: int, size: int) -> str:
    """Return at least so many characters of broken prose, the same for a seed."""
    random = Random(seed)  # noqa: S311 - the same each time
    pieces: list[str] = []
    length = 0
    while length < size:
        piece = random.choice(sentences())
        for _ in range(random.choice((0, 1, 1, 2, 3))):
            piece = random.choice(BREAKS)(random, piece) or "."
        piece += random.choice(ENDS)
        pieces.append(piece)
        length += len(piece)
    return "".join(pieces) + random.choice(("", "Mrs.", "St.", " 31 April", "“", "The next day"))
