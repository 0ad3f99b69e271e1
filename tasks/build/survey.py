"""What a whole corpus says about its names, gathered document by document before any decision."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Literal, NamedTuple

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Evidence, Mention
from corpusgraph.schemas.graph import VALUES
from corpusgraph.tasks.extract.name_forms import (
    GENDERED,
    fold,
    head_noun,
    person_name,
    singular,
    without_article,
    without_legal_form,
)

MOST = 2
"""Contexts kept of a form, and shown of a name."""
MAX_LENGTH = 240
"""Characters of a context."""
_SHORT = 40


class Context(NamedTuple):
    """A description or a sentence; the least by order are kept, so that the order of documents is nothing.

    Attributes
    ----------
    rank : (bool, bool, str)
    text : str
        On one line.
    document : str
        Its id.

    """

    rank: tuple[bool, bool, str]
    """A sentence after a description, one that says little after others, and then by hash."""
    text: str
    document: str


class Contexts:
    """The contexts of forms: at most `MOST` each, whatever the length of the corpus."""

    def __init__(self) -> None:
        self._kept: dict[Form, list[Context]] = {}

    def add(self, form: "Form", document: Document, mention: Mention) -> None:
        """Take note of what a document says around a name.

        Parameters
        ----------
        form : Form
            The name.
        document : Document
            The document.
        mention : Mention
            Of the name, there.

        """
        text = context_of(document.text, mention)
        context = Context(_rank(text, mention), text, document.id)
        kept = self._kept.get(form, [])
        if len(kept) < MOST or context <= kept[-1]:
            self._kept[form] = _least([*kept, context])

    def of(self, forms: "Mapping[Form, Collection[str]]") -> tuple[str, ...]:
        """Return the contexts of some forms, each without those from some documents.

        Parameters
        ----------
        forms : mapping of Form to collection of str
            Form -> ids of documents that are left out.

        Returns
        -------
        tuple of str
            At most two.

        """
        found = [
            context
            for form, without in forms.items()
            for context in self._kept.get(form, ())
            if context.document not in without
        ]
        return tuple(context.text for context in _least(found))


def _least(contexts: Sequence[Context]) -> list[Context]:
    by_text: dict[str, Context] = {}
    for context in sorted(contexts):
        by_text.setdefault(context.text, context)
    return list(by_text.values())[:MOST]


def _rank(text: str, mention: Mention) -> tuple[bool, bool, str]:
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return not mention.description, len(text) < _SHORT, digest


def context_of(text: str, mention: Mention) -> str:
    """Return a mention's description, else its sentence, or as much of it as stands around the name.

    Parameters
    ----------
    text : str
        Of the document.
    mention : Mention
        In it.

    Returns
    -------
    str
        At most 240 characters on one line.

    """
    if mention.description:
        return _cut(" ".join(nfc(mention.description).split()))
    start, end = mention.sentence_start, mention.sentence_end
    if end - start > MAX_LENGTH:
        start = max(start, min(mention.start - MAX_LENGTH // 2, end - MAX_LENGTH))
        start += 0 if start == mention.sentence_start else len(text[start : mention.start].split(" ", 1)[0])
    return _cut(" ".join(text[start:end].split()))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_LENGTH else text[:MAX_LENGTH].rpartition(" ")[0] or text[:MAX_LENGTH]


NAMED = ("person", "organisation", "place", "concept")
"""Types of names, in the order that settles a tie; dates and quantities are values."""
Link = Literal["surname", "given", "head", "qualifier", "acronym", "alias"]
"""How a short name can stand for a longer one of the same document."""

_TITLE = re.compile(r"^(?P<name>.+?)\s*\((?P<qualifier>[^()]+)\)\s*$")
_NOT_A_NAME = re.compile(r"[_/\\|#@]|\.\w{1,5}$|^\W*\d|\d{3,}$|[.!?]\s+\S+\s+\S")


class Form(NamedTuple):
    """A name as written, with what tells it from another of the same letters.

    Attributes
    ----------
    name : str
        As written.
    type : str
        Of the entity.
    title : str, default ""
        Of a person, folded.
    qualifier : str, default ""
        What stands in brackets behind it.
    value : str, default ""
        Of a date or quantity.

    """

    name: str
    type: str
    title: str = ""
    qualifier: str = ""
    value: str = ""


class Key(NamedTuple):
    """What forms of one entity share by their letters alone; `written` is the form a hand set apart.

    Attributes
    ----------
    fold : str
        Folded name, without what its type says is no part of it.
    type : str
        Of the entity.
    qualifier : str, default ""
        Folded.
    written : str, default ""

    """

    fold: str
    type: str
    qualifier: str = ""
    written: str = ""


class Tally:
    """Counts of one form over a corpus.

    Attributes
    ----------
    mentions : int
        All of them.
    initial : int
        Mentions at the start of a sentence only.
    phrases : int
        Mentions that are noun phrases.
    documents : int
        Documents that mention it.

    """

    __slots__ = ("documents", "initial", "mentions", "phrases")

    def __init__(self) -> None:
        self.mentions = self.initial = self.phrases = self.documents = 0


def form_of(mention: Mention) -> Form:
    """Return the form a mention takes.

    Parameters
    ----------
    mention : Mention
        The mention.

    Returns
    -------
    Form
        Name, type, value and what else tells two mentions apart.

    """
    found = mention.attributes
    if not found:
        return Form(mention.name, mention.type)
    value = ""
    if mention.type == "date":
        value = "/".join(str(found[key]) for key in ("iso", "iso_end") if found.get(key))
    elif mention.type == "quantity" and found.get("value") is not None:
        value = f"{found['value']!r} {found.get('unit') or ''}".strip()
    return Form(
        mention.name,
        mention.type,
        fold(str(found["title"])) if found.get("title") else "",
        nfc(str(found["qualifier"])).strip() if found.get("qualifier") else "",
        value,
    )


def key_of(form: Form) -> Key:
    """Return the key of a form: its folded name without what its type says is no part of it.

    Parameters
    ----------
    form : Form
        The form.

    Returns
    -------
    Key
        Forms of one key are one entity, unless a rule sets them apart.

    """
    if form.value:
        return Key(form.value, form.type)
    folded = fold(form.name)
    if form.type == "person":
        person = person_name(form.name)
        folded = " ".join((*person.tokens, *filter(None, (person.lineage,))))
    elif form.type == "concept":
        folded = singular(without_article(folded))
    elif form.type == "organisation":
        folded = without_legal_form(without_article(folded))
    elif form.type not in VALUES:
        folded = without_article(folded)
    return Key(folded, form.type, fold(form.qualifier) if form.qualifier else "")


def gender_of(form: Form) -> str:
    """Return the class of a person's gendered title (mr, mrs, miss, ms), else "".

    Parameters
    ----------
    form : Form
        The form.

    Returns
    -------
    str
        Of the name, or else of the title read beside it.

    """
    if form.type != "person":
        return ""
    return GENDERED.get(person_name(form.name).honorific or form.title, "")


def split_title(title: str) -> tuple[str, str]:
    """Split a document's title into the name and what its parenthesis says: ("Titanic", "1997 film").

    Parameters
    ----------
    title : str
        Of the document.

    Returns
    -------
    (str, str)
        The second is blank without a parenthesis.

    """
    found = _TITLE.match(nfc(title))
    return (found["name"], found["qualifier"].strip()) if found else (nfc(title).strip(), "")


def looks_like_name(title: str) -> bool:
    """Tell a title that names something from a file name, a heading in lower case or a sentence.

    Parameters
    ----------
    title : str
        Without its parenthesis.

    Returns
    -------
    bool
        At most eight words.

    """
    words = title.split()
    if not words or len(words) > 8 or _NOT_A_NAME.search(title):
        return False
    long = [word for word in words if len(word) > 3 and word[:1].isalpha()]
    return words[0][:1].isalpha() and all(not word[:1].islower() for word in long)


class Survey:
    """Counts over a corpus. It grows with distinct names and with pairs of names told apart by document.

    Parameters
    ----------
    contexts : bool, default False
        Whether what the texts say around names is kept.
    closed : bool, default False
        Whether only what was extracted is an entity.

    """

    def __init__(self, *, contexts: bool = False, closed: bool = False) -> None:
        self.contexts = Contexts() if contexts else None
        self.closed = closed
        self.documents: list[str] = []
        self.forms: dict[Form, Tally] = {}
        self.keys: dict[Form, Key] = {}
        self.lower: Counter[str] = Counter()
        self.titles: set[tuple[str, str]] = set()
        self.together: dict[tuple[Link, str], dict[Key, list[int]]] = {}
        self.turns: dict[tuple[str, str], list[tuple[int, Key]]] = {}

    def add(self, document: Document, evidence: Evidence) -> None:
        """Count the names of one document.

        Parameters
        ----------
        document : Document
            The document.
        evidence : Evidence
            What was extracted from it.

        """
        ordinal = len(self.documents)
        self.documents.append(document.id)
        self.lower.update(evidence.lower_words)
        title, qualifier = split_title(document.title)
        self.titles.add((title, qualifier))
        forms = [form_of(mention) for mention in evidence.mentions]
        for form, mention in zip(forms, evidence.mentions, strict=True):
            tally = self.forms.setdefault(form, Tally())
            tally.mentions += 1
            tally.initial += bool(mention.attributes.get("sentence_initial"))
            tally.phrases += bool(mention.attributes.get("noun_phrase"))
            if self.contexts is not None and form.type not in VALUES:
                self.contexts.add(form, document, mention)
        here = Counter(forms)
        for form in here:
            self.forms[form].documents += 1
            if form not in self.keys:
                self.keys[form] = key_of(form)
        short = {key.fold for key in map(self.keys.__getitem__, here) if " " not in key.fold}
        self._relate(ordinal, here, short)
        if qualifier:  # a document titled "Titanic (film)" means the film where it says Titanic
            for name in {key_of(Form(title, type_)).fold for type_ in NAMED}:
                self._beside(ordinal, "qualifier", name, Key(fold(title), "", fold(qualifier)))
        self._acronyms(ordinal, evidence.mentions)
        self._aliases(ordinal, evidence.mentions)
        self._turns(document.id, forms, evidence.mentions, short)

    def tally(self, form: Form) -> Tally:
        """Return the counts of a form, zeros for one that only a title has.

        Parameters
        ----------
        form : Form
            The form.

        Returns
        -------
        Tally
            To be read only.

        """
        return self.forms.get(form) or Tally()

    def _relate(self, ordinal: int, here: Counter[Form], short: set[str]) -> None:
        """Note which short names stand in this document beside long names they may mean."""
        pairs = [(form, self.keys[form]) for form in here]
        for link, name, long in {(*name, key) for form, key in pairs for name in _short_names(form, key)}:
            if name in short or link == "qualifier":
                self._beside(ordinal, link, name, long)

    def _acronyms(self, ordinal: int, mentions: Iterable[Mention]) -> None:
        spelled = {
            (fold(str(mention.attributes["acronym"])), self.keys[form_of(mention)])
            for mention in mentions
            if mention.attributes.get("acronym")
        }
        for acronym, key in spelled:
            if " " in key.fold and key.fold[0] == acronym[0]:
                self._beside(ordinal, "acronym", acronym, key)

    def _aliases(self, ordinal: int, mentions: Iterable[Mention]) -> None:
        """Note which names a text says are other names of one: "Robert Zimmerman, known as Bob Dylan"."""
        for mention in mentions:
            if alias := mention.attributes.get("alias"):
                key = self.keys[form_of(mention)]
                other = key_of(Form(str(alias), mention.type)).fold
                if other != key.fold:
                    self._beside(ordinal, "alias", other, key)

    def _beside(self, ordinal: int, link: Link, name: str, key: Key) -> None:
        self.together.setdefault((link, name), {}).setdefault(key, []).append(ordinal)

    def _turns(
        self, document_id: str, forms: list[Form], mentions: tuple[Mention, ...], short: set[str]
    ) -> None:
        """Where two persons share a surname in one document, note from which character on it means whom."""
        named: dict[str, list[tuple[int, Key]]] = defaultdict(list)
        for form, mention in zip(forms, mentions, strict=True):
            person = person_name(form.name) if form.type == "person" else None
            if person and person.is_full and person.tokens[-1] in short:
                named[person.tokens[-1]].append((mention.start, self.keys[form]))
        for surname, places in named.items():
            if len({key for _, key in places}) > 1:
                runs = groupby(sorted(places), key=itemgetter(1))
                self.turns[document_id, surname] = [next(run) for _, run in runs]


def _short_names(form: Form, key: Key) -> Iterator[tuple[Link, str]]:
    if form.qualifier:
        yield "qualifier", key.fold
    if form.type == "person":
        person = person_name(form.name)
        if person.is_full:
            yield "surname", person.tokens[-1]
            yield "given", person.tokens[0]
    elif form.type == "organisation" and " " in key.fold:
        yield "head", head_noun(key.fold)


def survey(
    batches: Iterable[tuple[Document, Evidence]], *, contexts: bool = False, closed: bool = False
) -> Survey:
    """Gather what resolution needs from (document, evidence) pairs, in one pass and in any order.

    With `contexts`, a few words on each name are kept for a language model to decide by. `closed`: only what
    was extracted is an entity, not also what a document is titled after.

    Parameters
    ----------
    batches : iterable of (Document, Evidence)
        The documents with what was extracted from them.
    contexts : bool, default False
        Whether what the texts say around names is kept.
    closed : bool, default False
        Whether only what was extracted is an entity.

    Returns
    -------
    Survey
        Of all documents; it does not depend on their order.

    """
    gathered = Survey(contexts=contexts, closed=closed)
    for document, evidence in batches:
        gathered.add(document, evidence)
    return gathered
