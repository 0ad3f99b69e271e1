"""Who says a claim: "Snow argued that", ", he maintained,"."""

from corpusgraph.tasks.index.rules.name_context import SAYING
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.unit import Unit
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

_OPINION = wordset(
    """
        think believe argue contend maintain hold claim insist deny doubt suspect conclude assert consider
        suppose convince
    """
)

_OBJECTING = wordset("object counter dispute deny retort rejoin doubt")

_CONFIRMING = wordset("confirm agree concur")

_SOME = wordset("some others many most few several all both")


def read_speaker(sentence: Sentence, unit: Unit) -> None:
    """Read "Snow argued that ...": the claim is what follows, the speaker what stands before."""
    lows, tags = sentence.lows, sentence.tags
    for verb in range(unit.first + 1, min(unit.last - 3, unit.first + 25)):
        base = VERBS.get(lows[verb], ("", ""))[0]
        if base not in SAYING or tags[verb] not in "VE":
            continue
        that = next((k for k in range(verb + 1, min(verb + 6, unit.last)) if lows[k] == "that"), None)
        aside = tags[verb + 1] == "," and that is None
        opinion = base in _OPINION and tags[verb + 1] in "DPNU"
        if that is None and not opinion and not aside:
            continue
        subject = verb
        while subject > unit.first and tags[subject - 1] in "RHXMBO":
            subject -= 1
        if tags[subject - 1] not in "PNU)" and lows[subject - 1] not in _SOME:
            continue
        _spoken(unit, base, lows[verb], that, subject)
        if aside:
            unit.speaker = (max(unit.first, subject - 3), subject)
        return


def _spoken(unit: Unit, base: str, form: str, that: int | None, subject: int) -> None:
    unit.speaker = (unit.first, subject)
    unit.denies = base in ("deny", "doubt") or unit.denies
    unit.strength = 0.8 if that else 0.6
    if not unit.kind:
        unit.kind = "against" if base in _OBJECTING else "to" if base in _CONFIRMING else ""
    unit.cue = unit.cue or (f"{form} that" if that else form)
    if that:
        unit.first = that + 1
