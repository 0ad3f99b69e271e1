"""Words between two known names that state a relationship, by language."""

import re
from collections.abc import Iterable
from functools import cache

from corpusgraph.tasks.index.rules.wordlist import wordset

PACKS: dict[str, dict[str, str]] = {
    "en": {
        "causes": "causes|cause|caused",
        "implements": "implements|implement|implemented",
        "relates_to": "relates to|relate to|is related to|are related to",
        "part_of": "is part of|is a part of|are part of",
        "extends": "extends|extend|extended",
        "uses": "uses|use|used",
        "depends_on": "depends on|depend on|depended on",
    },
    "de": {
        "causes": "verursacht|bewirkt|führt zu",
        "implements": "implementiert",
        "relates_to": "bezieht sich auf",
        "part_of": "ist Teil von|gehört zu",
        "extends": "erweitert",
        "uses": "nutzt|verwendet|benutzt",
        "depends_on": "hängt von|hängt ab von|braucht",
    },
    "fr": {
        "causes": "cause|provoque|entraîne",
        "implements": "implémente|met en œuvre",
        "relates_to": "se rapporte à|est lié à|est liée à",
        "part_of": "fait partie de",
        "extends": "étend",
        "uses": "utilise|emploie",
        "depends_on": "dépend de",
    },
    "es": {
        "causes": "causa|provoca",
        "implements": "implementa",
        "relates_to": "se relaciona con",
        "part_of": "es parte de|forma parte de",
        "extends": "extiende|amplía",
        "uses": "usa|utiliza",
        "depends_on": "depende de",
    },
    "it": {
        "causes": "causa|provoca",
        "implements": "implementa",
        "relates_to": "si riferisce a|è collegato a|è collegata a",
        "part_of": "fa parte di",
        "extends": "estende",
        "uses": "usa|utilizza",
        "depends_on": "dipende da",
    },
    "pt": {
        "causes": "causa|provoca",
        "implements": "implementa",
        "relates_to": "está relacionado a|está relacionada a",
        "part_of": "faz parte de|é parte de",
        "extends": "estende",
        "uses": "usa|utiliza",
        "depends_on": "depende de",
    },
    "nl": {
        "causes": "veroorzaakt|leidt tot",
        "implements": "implementeert",
        "relates_to": "heeft betrekking op",
        "part_of": "is deel van|maakt deel uit van",
        "uses": "gebruikt",
        "depends_on": "hangt af van",
    },
    "vi": {
        "causes": "gây ra|dẫn đến",
        "implements": "triển khai",
        "relates_to": "liên quan đến|có liên quan đến",
        "part_of": "là một phần của|thuộc về|thuộc",
        "extends": "mở rộng",
        "uses": "sử dụng|dùng",
        "depends_on": "phụ thuộc vào",
    },
    "ru": {
        "causes": "вызывает|приводит к",
        "implements": "реализует",
        "relates_to": "относится к|связан с|связана с",
        "part_of": "является частью|входит в",
        "extends": "расширяет",
        "uses": "использует",
        "depends_on": "зависит от",
    },
    "zh": {
        "causes": "导致|引起|造成",
        "implements": "实现",
        "relates_to": "涉及|关联",
        "part_of": "属于",
        "extends": "扩展",
        "uses": "使用",
        "depends_on": "依赖",
    },
}
"""Language -> type -> the words. `X causes Y` in English is the pattern `en:X causes Y`."""

SPACELESS = frozenset({"zh"})
"""Languages whose words stand together without spaces."""

DENIALS = wordset("""
    not never nor hardly nicht nie kein pas jamais no nunca jamás non mai não niet nooit không chẳng не
    不 没 未
""")
"""Words just before such words that turn what they state round."""

ARTICLES = wordset("""
    the a an der die das den dem ein eine einen le la les un une des du el los las una il lo gli i o os as um
    uma de het een các những một l'
""")
"""Words before a name that are no part of it."""

JOINS = wordset("and or und oder et ou y e o en of và и или")
"""Words just before such words when the same subject goes on."""
JOINTS = frozenset(",，、和或")
"""Letters that say the same."""


def _told() -> dict[str, tuple[str, str]]:
    told: dict[str, tuple[str, str]] = {}
    for language, types in PACKS.items():
        for type_, lines in types.items():
            for words in lines.split("|"):
                told.setdefault(words.casefold(), (type_, f"{language}:X {words} Y"))
    return told


@cache
def cues() -> re.Pattern[str]:
    """Return the expression that finds these words; made when a text is first read."""
    spaced = _either(language for language in PACKS if language not in SPACELESS)
    return re.compile(rf"(?<!\w)(?:{spaced})(?!\w)|{_either(sorted(SPACELESS))}", re.IGNORECASE)


def _either(languages: Iterable[str]) -> str:
    """Return an expression for the words of some languages, longest first."""
    lines = {line for language in languages for line in PACKS[language].values()}
    words = sorted({one for line in lines for one in line.split("|")}, key=lambda one: (-len(one), one))
    return "|".join(r"\s+".join(map(re.escape, one.split())) for one in words)


TOLD = _told()
"""Words, without regard to case -> type, and the pattern's id."""
