"""Tell the encoding of bytes that are neither UTF-8 nor marked."""

import re

# Letters beyond ASCII, lower case, by the encoding that the language's files have where they are not Unicode.
_LATIN: dict[str, tuple[str, ...]] = {
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
_CYRILLIC: dict[str, tuple[str, ...]] = dict.fromkeys(
    ("cp1251", "koi8-r", "koi8-u", "iso8859-5", "cp866", "mac_cyrillic"),
    (
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяѣѳі",  # Russian, Bulgarian
        "абвгґдеєжзиіїйклмнопрстуфхцчшщьюяў",  # Ukrainian, Belarusian
        "абвгдђежзијклљмнњопрстћуфхцчџшѓќѕ",  # Serbian, Macedonian
    ),
)
_MARKS = frozenset("“”„‘’‚«»‹›–—…№•·§¶†‡°£€¥¢©®™±×÷½¼¾²³¹¿¡ªº´¨\u00a0\u00ad")
_BETWEEN_LETTERS = frozenset("’–—·­\u00a0/")
_HIGH = re.compile(rb"[\x80-\xff]")
_ASCII_LETTER = re.compile(rb"[A-Za-z]")


def guess_encoding(sample: bytes) -> str | None:
    """Return the likeliest encoding of a text, or None when it is no text.

    Text in Latin or Cyrillic letters is read in each of its encodings; the reading whose letters are those of
    one language wins. For other scripts the judgement is that of charset-normalizer.
    """
    n_high, n_ascii = len(_HIGH.findall(sample)), len(_ASCII_LETTER.findall(sample))
    candidates = _LATIN if n_high <= 0.7 * n_ascii else _CYRILLIC
    scores = {name: _plausible(sample, name, alphabets) for name, alphabets in candidates.items()}
    best = max(scores, key=lambda name: scores[name])
    if scores[best] >= 0.9 and (candidates is _LATIN or _is_russian(sample, best)):
        return best
    from charset_normalizer import from_bytes

    other = from_bytes(sample).best()
    if other is None:
        return best if scores[best] >= 0.7 and candidates is _LATIN else None
    return str(other.encoding)


def _is_russian(sample: bytes, encoding: str) -> bool:
    """Tell whether letters that are common in Slavic texts are: some encodings only swap letters and case."""
    letters = [c for c in sample.decode(encoding, errors="replace").lower() if c > "\x7f" and c.isalpha()]
    return sum(c in "оеаинтсрвл" for c in letters) > 0.5 * len(letters)


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
