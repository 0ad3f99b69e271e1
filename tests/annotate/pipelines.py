"""Small spaCy pipelines on disk that know the parses of some sentences by heart, in any label scheme."""

import time
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc

FEATURES = {
    "-": "",
    "fin": "Tense=Past|VerbForm=Fin",
    "part": "Aspect=Perf|Tense=Past|VerbForm=Part",
    "ing": "Aspect=Prog|Tense=Pres|VerbForm=Part",
    "inf": "VerbForm=Inf",
    "rel": "PronType=Rel",
}
Row = list[str]


def rows(block: str) -> list[Row]:
    """Return the tokens of a sentence: word, lemma, tag, features, then head (from 1) and label, once or twice."""
    return [line.split() for line in block.strip().splitlines()]


class Memory:
    """Gives a text the parse that it was told; any other text is a row of tokens without relations."""

    def __init__(self, nlp: Language, parses: dict[str, list[Row]], labels: list[str]) -> None:
        del nlp
        self.parses, self.labels, self.texts = parses, tuple(labels), list[str]()
        self.most_at_once = self._at_once = 0

    def __call__(self, doc: Doc) -> Doc:
        """Parse, slowly enough for another thread to come in."""
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        time.sleep(0.002)
        self._at_once -= 1
        return self._parsed(doc)

    def _parsed(self, doc: Doc) -> Doc:
        self.texts.append(doc.text)
        tokens = self.parses.get(doc.text)
        if tokens is None:
            return Doc(
                doc.vocab,
                [token.text for token in doc],
                [bool(token.whitespace_) for token in doc],
                sent_starts=[token.i == 0 for token in doc],
            )
        words, lemmas, tags, features, heads, labels = map(list, zip(*tokens, strict=True))
        return Doc(
            doc.vocab,
            words=words,
            spaces=[bool(token.whitespace_) for token in doc],
            lemmas=lemmas,
            pos=tags,
            morphs=[FEATURES[name] for name in features],
            heads=[int(head) - 1 if head != "0" else place for place, head in enumerate(heads)],
            deps=labels,
            sent_starts=[place == 0 for place in range(len(words))],
        )


@Language.factory("parses_by_heart", default_config={"parses": {}, "labels": []}, assigns=["token.dep"])
def _memory(nlp: Language, name: str, parses: dict[str, list[Row]], labels: list[str]) -> Any:
    del name
    return Memory(nlp, parses, labels)


def text_of(tokens: list[Row]) -> str:
    """Return a sentence as it is written."""
    text = " ".join(row[0] for row in tokens)
    return text.replace(" ,", ",").replace(" .", ".").replace(" 's", "'s")


def write_pipeline(
    folder: Path, language: str, parses: dict[str, list[Row]], labels: list[str], *, name: str = "parser"
) -> Path:
    """Write a pipeline to a folder; with another `name` for its one component it has no parser."""
    nlp = spacy.blank(language)
    nlp.add_pipe("parses_by_heart", name=name, config={"parses": parses, "labels": labels})
    nlp.to_disk(folder)
    return folder
