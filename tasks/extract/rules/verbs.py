"""English verbs and their forms: what tells a finite verb from a noun without a model."""

from corpusgraph.tasks.text.wordlist import listed, words

AMBIGUOUS = words("verbs.ambiguous")

_VOWELS = "aeiou"
_DOUBLING = words("verbs.doubling")


def _suffixed(base: str) -> tuple[str, str, str]:
    """Return the third person, past and -ing forms of a regular verb."""
    if base.endswith("ie"):
        return base + "s", base + "d", base[:-2] + "ying"
    if base.endswith("e"):
        stem = base if base.endswith(("ee", "oe", "ye")) else base[:-1]
        return base + "s", base + "d", stem + "ing"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ies", base[:-1] + "ied", base + "ing"
    third = base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
    double = base + base[-1] if base in _DOUBLING else base
    return third, double + "ed", double + "ing"


def _forms() -> dict[str, tuple[str, str]]:
    """Map every form to (base, kind): V base, Z -s, A past, E participle, F past or participle, G -ing."""
    forms: dict[str, tuple[str, str]] = {}
    for base in listed("verbs.regular"):
        third, past, ing = _suffixed(base)
        forms |= {third: (base, "Z"), past: (base, "F"), ing: (base, "G"), base: (base, "V")}
    for line in listed("verbs.irregular"):
        base, past, participle = line.split()
        third, _, ing = _suffixed(base)
        forms |= {third: (base, "Z"), ing: (base, "G"), base: (base, "V")}
        if past == participle:
            forms[past] = (base, "F" if past != base else "V")
        else:
            forms |= {past: (base, "A" if past != base else "V"), participle: (base, "E")}
    forms["found"] = ("find", "F")
    forms["founded"] = ("found", "F")
    forms["does"] = ("do", "Z")
    return forms


VERBS = _forms()
"""Form -> (base, kind)."""
