"""Tell the encoding of bytes that are neither UTF-8 nor marked."""

import re

# Letters beyond ASCII, lower case, by the encoding that the language's files have where they are not Unicode.
_ALPHABETS: dict[str, tuple[str, ...]] = {
    "cp1252": (
        "àâæçéèêëîïôœùûüÿ",  # French
        "äöüßéè",  # German
        "áéíñóúüªº",  # Spanish
        "áàâãçéêíóôõúüªº",  # Portuguese
        "àèéìíîòóùúïç·",  # Italian, Catalan
        "åæøäöéüàôðþáíóúý",  # the Nordic languages
        "áéíóúàèìòùëïöüêâîôûŷ",  # Dutch, Irish, Scots Gaelic, Welsh
    ),
    "cp1250": (
        "ąćęłńóśźż",  # Polish
        "áčďéěíňóřšťúůýž",  # Czech
        "áäčďéíĺľňóôŕšťúýž",  # Slovak
        "áéíóöőúüű",  # Hungarian
        "čćđšž",  # Croatian, Slovene
        "ăâîşţ",  # Romanian
    ),
    "iso8859-2": ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "čćđšž", "ăâîşţ"),
    "cp1254": ("âçğıîöşüûİ",),
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äõöšüž"),
    "mac_roman": ("àâæçéèêëîïôœùûüÿ", "äöüßéè", "áéíñóúü", "åæøäöé"),
    "cp850": ("àâæçéèêëîïôùûüÿ", "äöüßéè", "áéíñóúü", "åæøäöé"),
}
_MARKS = frozenset("“”„‘’‚«»‹›–—…•·§¶†‡°£€¥¢©®™±×÷½¼¾²³¹¿¡ªº´¨\u00a0\u00ad")
_BETWEEN_LETTERS = frozenset("’–—·­\u00a0/")
_HIGH = re.compile(rb"[\x80-\xff]")
_ASCII_LETTER = re.compile(rb"[A-Za-z]")


def guess_encoding(sample: bytes) -> str | None:
    """Return the likeliest encoding of a text, or None when it is no text.

    Text in Latin letters is read in each of its encodings, and the reading whose letters are those of one
    language wins; for other scripts the judgement is that of charset-normalizer.
    """
    latin, share = _latin(sample)
    if share >= 0.9:
        return latin
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    if best is None:
        return latin if share >= 0.7 else None
    return str(best.encoding)


def _latin(sample: bytes) -> tuple[str | None, float]:
    """Return the best encoding for Latin letters and the share of its characters that make sense."""
    n_high = len(_HIGH.findall(sample))
    if not n_high or n_high > 0.4 * len(_ASCII_LETTER.findall(sample)):
        return None, 0.0
    scores = {name: _plausible(sample, name, alphabets) for name, alphabets in _ALPHABETS.items()}
    best = max(scores, key=lambda name: scores[name])
    return best, scores[best]


def _plausible(sample: bytes, encoding: str, alphabets: tuple[str, ...]) -> float:
    """Return the share of characters beyond ASCII that are letters of one language, or marks in place."""
    text = sample.decode(encoding, errors="replace")
    at = [i for i, c in enumerate(text) if c > "\x7f"]
    letters: dict[str, int] = {}
    n_marks = 0
    for i in at:
        if text[i] in _MARKS:
            n_marks += text[i] in _BETWEEN_LETTERS or not _inside_word(text, i)
        elif not _odd_case(text, i):
            letters[text[i].lower()] = letters.get(text[i].lower(), 0) + 1
    known = max(sum(n for letter, n in letters.items() if letter in alphabet) for alphabet in alphabets)
    return (known + n_marks) / len(at)


def _inside_word(text: str, i: int) -> bool:
    return 0 < i < len(text) - 1 and text[i - 1].isalpha() and text[i + 1].isalpha()


def _odd_case(text: str, i: int) -> bool:
    """Tell whether a capital follows a small letter: no language writes that, wrong decodings do."""
    return i > 0 and text[i].isupper() and text[i - 1].islower()
