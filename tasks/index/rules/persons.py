"""Title and role of a person, from the words in and beside the name."""

from corpusgraph.tasks.index.rules.known_names import ROLES, TITLES
from corpusgraph.tasks.index.rules.name_span import NameSpan
from corpusgraph.tasks.index.rules.tagger import Sentence


def describe(span: NameSpan, sentence: Sentence) -> None:
    """Note title and role of a person."""
    if span.kind != "person":
        return
    titles = []
    at = span.first
    while at < span.last - 1 and sentence.lows[at].rstrip(".") in TITLES:
        titles.append(sentence.words[at])
        at += 1
    if titles:
        span.attributes["title"] = " ".join(titles)
    role = _role(span, sentence)
    if role:
        span.attributes["role"] = role


def _role(span: NameSpan, sentence: Sentence) -> str | None:
    """Return the descriptor before ("physician John Snow") or after ("John Snow, a London physician,")."""
    lows, tags = sentence.lows, sentence.tags
    if span.first and lows[span.first - 1] in ROLES and tags[span.first - 1] in "NP":
        return lows[span.first - 1]
    at = span.last
    if (
        lows[at : at + 1] in ([","], ["is"], ["was"])
        and tags[at + 1 : at + 2] == "D"
        and lows[at + 1] in ("a", "an", "the")
    ):
        stop = at + 2
        while stop < len(tags) and tags[stop] in "JNPQ" and stop - at < 8:
            if lows[stop] in ROLES and (stop + 1 >= len(tags) or tags[stop + 1] not in "NP"):
                return " ".join(sentence.words[at + 2 : stop + 1])
            stop += 1
    return None
