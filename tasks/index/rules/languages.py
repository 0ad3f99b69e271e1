"""Which language a text is in, and how words of languages other than English are tagged.

German and French have lexicons of closed classes and causal frames (`foreign`). In other languages only
names, dates, quantities and quotations are found: their words are tagged as names, numbers or nothing.
"""

import re
from collections import Counter

from corpusgraph.tasks.index.rules.scripts import caseless
from corpusgraph.tasks.index.rules.tagger import Sentence, raw_tag

_FUNCTION = {
    "en": "the of and to in that is was for it with as his on be at by not are but from or have which",
    "de": "der die das und ist nicht ein eine den von zu mit sich des auf für im auch als wurde wird",
    "fr": "le la les et des est une du dans que qui pour pas sur au par il elle ne se ce cette avec sont aux",
    "es": "el los las y una del que es en por con para su al lo se como más fue pero sus",
    "it": "il di che è e la per un una del non in con gli della sono si le al da nel",
    "nl": "de het een en van is dat op te zijn met voor niet aan er door was bij",
    "pt": "o os as e um uma do da que em para com não por se na no ao dos foi",
    "vi": "và của là các có trong được cho một những không với đã người này",
    "ru": "и в не на что он с как это по но из у к за был от тогда там",
}
_WORDS = {language: frozenset(words.split()) for language, words in _FUNCTION.items()}
_WORD = re.compile(r"[^\W\d_]+")
_CLASSES = {
    "de": {
        "D": """
            der die das den dem des ein eine einen einem einer eines dieser diese dieses diesem diesen
            jener jene jenes sein seine seinen seinem seiner seines ihr ihre ihren ihrem ihrer ihres unser
            unsere kein keine keinen keinem keiner alle allen aller jeder jede jedes jedem jeden viele
            vielen mehrere einige manche
        """,
        "I": """
            in an auf bei mit nach von vor zu zum zur aus durch gegen ohne um bis über unter zwischen im
            am ins vom beim seit während für wegen aufgrund infolge dank trotz
        """,
        "B": "ist war sind waren wird wurde werden wurden worden sei wäre bin bist gewesen",
        "H": "hat hatte haben hatten habe hätte",
        "M": "kann konnte können konnten muss musste müssen mussten soll sollte sollen darf will wollte",
        "X": "nicht nie niemals weder",
        "C": "und oder sondern sowie",
        "S": "dass daß weil wenn als da ob denn damit obwohl indem bevor nachdem wie aber doch jedoch",
        "U": "er sie es wir ihr ich man sich ihn ihm ihnen uns euch mich dich mir dir",
        "W": "welche welcher welches wer was wo woher wohin wann warum",
        "R": """
            auch nur noch schon sehr so dann hier dort immer wieder heute damals daher deshalb also
            folglich dennoch etwa bereits ebenso meist oft bald erst dabei dadurch zuerst später allein
        """,
    },
    "fr": {
        "D": """
            le la les un une l' ce cet cette ces son sa ses leur leurs mon ma mes notre nos votre vos tout
            toute tous toutes chaque plusieurs quelques aucun aucune
        """,
        "F": "de d' du des",
        "I": "à au aux dans en par pour sur sous avec sans entre vers chez contre depuis pendant selon",
        "B": "est était sont étaient fut furent être été sera seront soit",
        "H": "a avait ont avaient ai eut eurent avoir aura",
        "M": "peut pouvait peuvent doit devait doivent faut",
        "X": "ne n' pas jamais ni",
        "C": "et ou",
        "S": "que qu' si quand lorsque lorsqu' parce puisque car comme mais donc or",
        "U": "il elle ils elles on nous vous je j' se s' lui y t' m'",
        "W": "qui dont où quel quelle laquelle lequel",
        "R": "très plus moins alors ainsi encore déjà toujours souvent ici là bien peu seulement pourtant",
    },
}  # fmt: skip
_EXTRA = {
    "vi": "tại khi theo từ năm ngày sau trước vào ở do vì nhưng để ông bà việc nếu tuy",
    "es": "la un de en no este esta entre durante según cuando después antes sin sobre",
    "it": "lo i uno nella nelle dei delle questo questa durante dopo prima quando come",
    "nl": "dit deze die naar over onder na voor toen als maar om in",
    "pt": "a de em este esta entre durante quando depois antes sem sobre",
    "ru": "в на по из от до для при после когда если этот эта это они она оно мы вы я его её их также",
}
FOREIGN_WORDS: dict[str, frozenset[str]] = {
    language: _WORDS[language]
    | frozenset(" ".join(_CLASSES.get(language, {}).values()).split())
    | frozenset(_EXTRA.get(language, "").split())
    for language in _FUNCTION
    if language != "en"
}
"""Words that never name anything, by language."""
_LEXICON = {
    language: {word: tag for tag, words in classes.items() for word in words.split()}
    for language, classes in _CLASSES.items()
}
_MARK = frozenset(',;.()"KZQ')


def detect(text: str) -> str:
    """Return the language whose function words are most frequent in the first 3,000 characters.

    "en" where none is frequent, "und" (undetermined) for a script without capitals.
    """
    words = _WORD.findall(text[:3000].lower())
    seen = Counter(words)
    if caseless(text):
        return "und"
    counts = {language: sum(seen[word] for word in known) for language, known in _WORDS.items()}
    best = max(sorted(counts), key=lambda language: (counts[language], language == "en"))
    # one word proves nothing: "met" is Dutch too
    return best if counts[best] * 12 >= len(words) > 0 and (counts[best] > 1 or not text.isascii()) else "en"


def tag_foreign(sentence: Sentence) -> None:
    """Set the tags of a sentence that is not English."""
    lexicon = _LEXICON.get(sentence.language)
    tags = [_mark(low) for low in sentence.lows]
    for at, (word, low) in enumerate(zip(sentence.words, sentence.lows, strict=True)):
        if tags[at]:
            continue
        if lexicon is None:
            tags[at] = (
                "P" if word[0].isupper() and low not in FOREIGN_WORDS.get(sentence.language, ()) else "R"
            )
        else:
            tags[at] = lexicon.get(low) or _open_class(sentence, at)
    sentence.tags = "".join(tags)


def _mark(low: str) -> str:
    """Return the tag of a number or of punctuation, else an empty string."""
    if low[0].isalpha():
        return ""
    tag = raw_tag(low)
    return tag if tag in _MARK else "Z"


def _open_class(sentence: Sentence, at: int) -> str:
    """Guess the tag of a word that no list of its language holds."""
    return _german(sentence, at) if sentence.language == "de" else _french(sentence, at)


def _german(sentence: Sentence, at: int) -> str:
    """Take capitals for nouns, and inflected words just before them for adjectives."""
    low, following = sentence.lows[at], sentence.words[at + 1 : at + 3]
    if sentence.words[at][0].isupper():
        return "N"
    before_noun = any(word[0].isupper() for word in following) and following[0][0].isalpha()
    if low.endswith(("e", "en", "er", "es", "em")) and not low.endswith(("te", "ten")) and before_noun:
        return "J"
    return "V" if low.endswith(("te", "ten", "t", "en", "e")) else "R"


def _french(sentence: Sentence, at: int) -> str:
    """Take capitals for names, endings of the past tenses for verbs, and the rest for nouns."""
    low = sentence.lows[at]
    if sentence.words[at][0].isupper():
        return "P"
    after_name = (
        at > 0 and sentence.words[at - 1][0].isupper() and sentence.lows[at - 1] not in _LEXICON["fr"]
    )
    if after_name and low.endswith("a"):
        return "V"
    if low.endswith("ment"):
        return "R" if len(low) > 8 else "N"
    return "V" if low.endswith(("ait", "aient", "èrent", "irent", "ut", "it", "ent")) else "N"
