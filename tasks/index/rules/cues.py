"""The connectives of argument: what they join and in which direction."""

from corpusgraph.tasks.index.rules.wordlist import wordset

_LISTS = {
    "from": """
        therefore| hence| thus| consequently| accordingly| it follows| so| then| for this reason| this
        shows| this proves| these examples| which proves| which shows| from this| from these| as a result|
        in conclusion| we may conclude| it results| this demonstrates| this suggests| these facts| this
        confirms| wherefore| deshalb| daher| folglich| donc| par conséquent| ainsi
    """,
    "to": """
        for| since| for example| for instance| indeed| after all| the reason is| of the first| witness|
        denn| weil| car| parce que| en effet
    """,
    "against": """
        however| but| yet| nevertheless| nonetheless| on the contrary| on the other hand| against this|
        still| it is objected| it may be objected| by contrast| instead of| conversely| in contrast|
        notwithstanding| even so| this is refuted| this is false| this is wrong| contrary to| not so| this
        objection| to this| aber| jedoch| dennoch| dagegen| mais| cependant| pourtant| toutefois| au
        contraire
    """,
}
CUES: dict[str, list[tuple[tuple[str, ...], str]]] = {}
"""First word -> (words, kind), longest first.

Kinds: "from", the unit follows from the one before; "to", it is a reason for it; "against", it attacks it."""
for _kind, _lines in _LISTS.items():
    for _line in _lines.split("|"):
        CUES.setdefault(_line.split()[0], []).append((tuple(_line.split()), _kind))
for _found in CUES.values():
    _found.sort(key=lambda cue: (-len(cue[0]), cue))
AMBIGUOUS = wordset("for since so still then also car indeed thus") | {"to this"}
"""Cues that open an argument only in some positions."""
INNER = {
    "therefore": "from",
    "hence": "from",
    "consequently": "from",
    "however": "against",
    "nevertheless": "against",
}
"""Cues that work inside a clause too: "The law, however, ..."."""
