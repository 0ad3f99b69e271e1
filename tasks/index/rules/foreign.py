"""Relation patterns of German and French: cue words, with what stands left and right of them."""

from collections.abc import Iterator

from corpusgraph.tasks.index.rules.clauses import REACH, Clauses
from corpusgraph.tasks.index.rules.found import Found
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.wordlist import wordset

_ACTIVE = {
    "de": {
        "causes": """
            verursacht| verursachte| verursachten| verursachen| führt zu| führte zu| führten zu| führt
            zum| führte zum| führt zur| führte zur| führten zur| führten zum| führen zu| bewirkt|
            bewirkte| erzeugt| erzeugte| hervorruft| hervorrief| ist die ursache von| ist die ursache| war
            die ursache| sei die ursache| sei die ursache von| ist ursache von| ist schuld an
        """,
        "causes-": """entsteht aus|entsteht durch|entstand aus|entstand durch|folgt aus|beruhte auf|rührt von|
            stammt aus|kommt von""",
        "prevents": "verhindert|verhinderte|verhindern|verhütet|verhütete|vermindert|verminderte|beendete",
        "depends_on": "beruht auf|hängt ab von|hängt von|setzt voraus|braucht",
        "part_of": "gehört zu|gehört zum|gehört zur|ist teil von|ist ein teil von|ist teil des|ist teil der",
        "part_of-": "besteht aus|bestand aus|enthält|enthielt|umfasst|umfasste",
        "uses": "benutzt|benutzte|verwendet|verwendete|nutzt|nutzte",
        "opposes": "bestritt|bestreitet|widersprach|widerspricht",
    },
    "fr": {
        "causes": """
            cause| causent| causa| causait| a causé| ont causé| provoque| provoqua| a provoqué| ont
            provoqué| entraîne| entraîna| a entraîné| ont entraîné| conduit à| a conduit à| mène à| mena
            à| a mené à| produit| a produit| engendre| a engendré| est la cause de| est la cause| fut la
            cause| est responsable de| donne lieu à| a donné lieu à
        """,
        "causes-": """
            résulte de| résulta de| provient de| est causé par| est causée par| sont causés par| a été
            causé par| a été causée par| ont été causés par| est dû à| est due à| était dû à| était due à|
            est dû au| est due au| sont dus à| sont dues à| est provoquée par| est provoqué par| fut
            causée par| fut causé par| fut provoquée par| naît de| vient de| était causée par| était causé
            par
        """,
        "prevents": "empêche|empêcha|a empêché|prévient|a prévenu|réduit|a réduit|évite",
        "depends_on": "dépend de|dépendait de|repose sur",
        "part_of": "fait partie de|appartient à",
        "part_of-": "se compose de|comprend|comprenait|contient|contenait",
        "uses": "utilise|utilisa|utilisait|emploie|employa",
        "located_in": "se trouve à|se trouve dans|est situé à|est située à|est situé dans",
    },
}
_CONNECTIVE = {
    "de": "wegen|aufgrund von|aufgrund|infolge von|infolge|auf grund",
    "fr": "à cause de|en raison de|par suite de|à cause du|en raison du|à cause des|en raison des|grâce à",
}
_PARTICIPLES = dict.fromkeys(
    wordset("verursacht hervorgerufen ausgelöst bewirkt erzeugt verbreitet"), "causes"
)
_PARTICIPLES["verhindert"] = "prevents"
_CONTRACTED = {"de": ("du", "des", "d'"), "à": ("au", "aux")}
_BETWEEN = wordset("nicht auch allein nur nie pas jamais plus aussi donc")
_NEGATIVE = wordset("nicht nie niemals kein keine keinen ne n' pas jamais")


def _cues(language: str) -> dict[str, list[tuple[tuple[str, ...], str, bool]]]:
    """Index cues by first word, longest first."""
    table: dict[str, list[tuple[tuple[str, ...], str, bool]]] = {}
    for name, lines in _ACTIVE[language].items():
        for line in lines.split("|"):
            words = tuple(line.split())
            table.setdefault(words[0], []).append((words, name.removesuffix("-"), name.endswith("-")))
    for cues in table.values():
        cues.sort(key=lambda cue: -len(cue[0]))
    return table


_BY_FIRST = {language: _cues(language) for language in _ACTIVE}
_JOINED = {
    language: [tuple(line.split()) for line in lines.split("|")] for language, lines in _CONNECTIVE.items()
}


def find_foreign(clauses: Clauses, language: str) -> Iterator[Found]:
    """Return the relations of a German or French sentence; nothing for other languages."""
    if language not in _BY_FIRST or clauses.sentence.words[-1] == "?":
        return
    lows = clauses.lows
    taken: set[int] = set()
    for at, low in enumerate(lows):
        if at in taken:
            continue
        for words, type_, turned in _BY_FIRST[language].get(low, ()):
            end = _matches(lows, at, words)
            if end:
                taken |= set(range(at, end))
                yield from _join(clauses, at, end, type_, turned, " ".join(words))
                break
        for words in _JOINED[language]:
            end = _matches(lows, at, words)
            if end:
                yield from _because(clauses, at, end, " ".join(words))
                break
        if low in _PARTICIPLES and language == "de":
            yield from _german_passive(clauses, at)


def _matches(lows: list[str], at: int, words: tuple[str, ...]) -> int:
    """Return the word after the cue that begins at `at`, or 0; "führt auch nicht zu" is "führt zu" denied."""
    for want in words:
        while at < len(lows) and lows[at] in _BETWEEN and lows[at] != want and want != words[0]:
            at += 1
        if at >= len(lows) or not (lows[at] == want or lows[at] in _CONTRACTED.get(want, ())):
            return 0
        at += 1
    return at


def _left(clauses: Clauses, at: int) -> list[Phrase]:
    """Return the subject to the left of a cue, past negation, auxiliaries and adverbs."""
    at -= 1
    while at >= 0 and clauses.tags[at] in "RXHUBM":
        at -= 1
    if at >= 0 and clauses.tags[at] == "W":
        at -= 1
        at -= at >= 0 and clauses.tags[at] == ","
    return clauses.head(at + 1)


def _negated(clauses: Clauses, first: int, last: int) -> bool:
    return not _NEGATIVE.isdisjoint(clauses.lows[max(0, first - 3) : last + 2])


def _join(clauses: Clauses, first: int, last: int, type_: str, turned: bool, pattern: str) -> Iterator[Found]:
    after = last
    while after < len(clauses.tags) and clauses.tags[after] in "XR":
        after += 1
    subjects, objects = _left(clauses, first), clauses.object(after)
    if not objects and last - first == 1:
        subjects, objects = _verb_last(clauses, subjects)
    for subject in subjects:
        for thing in objects:
            source, target = (thing, subject) if turned else (subject, thing)
            yield Found(source, target, type_, first, last, pattern, _negated(clauses, first, last), 0.65)


def _verb_last(clauses: Clauses, before: list[Phrase]) -> tuple[list[Phrase], list[Phrase]]:
    """Read "dass X die Y verursacht": both ends stand before the verb."""
    if not before:
        return [], []
    first = before[0].first
    while first > 0 and clauses.tags[first - 1] in "DR":
        first -= 1
    subject = clauses.by_last.get(first)
    return ([subject], before[:1]) if subject else ([], [])


def _because(clauses: Clauses, first: int, last: int, pattern: str) -> Iterator[Found]:
    """Read "Y wegen X" and "Wegen X ist Y ..."."""
    causes = clauses.object(last)
    if not causes:
        return
    if first == 0 or clauses.tags[first - 1] in ",;":
        verb = next(
            (k for k in range(causes[-1].last, len(clauses.tags)) if clauses.tags[k] in "VBHM,"), None
        )
        effects = clauses.object(verb + 1)[:1] if verb else []
    else:
        effects = _left(clauses, first) or _subject_before(clauses, first)
    for effect in effects[:2]:
        for cause in causes:
            yield Found(cause, effect, "causes", first, last, pattern, _negated(clauses, first, first), 0.6)


def _subject_before(clauses: Clauses, at: int) -> list[Phrase]:
    for verb in range(at - 1, max(-1, at - REACH), -1):
        if clauses.tags[verb] in "VBHM":
            return clauses.head(verb)
    return []


def _german_passive(clauses: Clauses, participle: int) -> Iterator[Found]:
    """Read "Y wurde (nicht) durch X verursacht"."""
    tags, lows = clauses.tags, clauses.lows
    for by in range(participle - 1, max(-1, participle - 12), -1):
        if lows[by] not in ("durch", "von"):
            continue
        verb = next((k for k in range(by, max(-1, by - 12), -1) if tags[k] == "B"), None)
        if verb is None:
            return
        for effect in clauses.head(verb):
            for cause in clauses.object(by + 1):
                negated = not _NEGATIVE.isdisjoint(lows[verb:by])
                type_ = _PARTICIPLES[lows[participle]]
                yield Found(
                    cause, effect, type_, verb, participle + 1, f"durch X {lows[participle]}", negated, 0.7
                )
        return
