"""Make plain sentences out of the phrases of texts, for the teacher to parse: web text has few of them.

    python -m benchmarks.parser.generate TEXTS OUT.conllu [--count 8000]

TEXTS is a folder of CoNLL-U files of parsed texts. The sentences say nothing; "smoking causes cancer" has the
shape that a parser raised on reviews and e-mail takes for three nouns.
"""

import argparse
import random
from pathlib import Path

import spacy

from benchmarks.parser.train import cut_as_in_the_treebank
from corpusgraph.flows.annotate.pipelines import shipped_annotator
from corpusgraph.tasks.extract.ends import phrase_span
from corpusgraph.tasks.extract.rules.verbs import VERBS
from corpusgraph.tasks.extract.tree import trees

TEMPLATES = """
{S} {z} {O}.|{S} {z} {O}.|{S} {z} {O}.|{P} {v} {O}.|{P} {v} {O}.|{S} {d} {O}.|{S} {d} {O}.
{S} {d} {O} in {T}.
{O} was {n} by {S}.|{P} were {n} by {S}.|{O} has been {n} by {S}.|{O} {n} by {S} {d} {T}.
{S} can be {n} by {O}.
{S} did not {v} {O}.|{S} does not {v} {O}.|{S} may {v} {O}.|{S} will {v} {O}.|{S} would {v} {O}.
{S} could have {n} {O}.
{S} and {T} {d} {O}.|{S} {d} {O} and {T}.|{S}, {T} and {P} {v} {O}.|{S} {d} {O}, {T} and {P}.
{S} {d} and {d2} {O}.
{S}, not {T}, {d} {O}.|{S}, not {T}, {z} {O}.|{S} rather than {T} {d} {O}.|Neither {S} nor {T} {d} {O}.
No {T} {d} {O}.
{O} was {n} not by {S} but by {T}.|Not {S} but {T} {d} {O}.|{S} {d} {O} but did not {v2} {T}.
{S} {d} no {T}.
If {S} {z} {O}, {P} will {v2} {T}.|{S} {d} {O} because {P} {d2} {T}.|Because {P} {d2} {T}, {S} {d} {O}.
{S} {d} {O}, so {P} {d2} {T}.|{S} {d} {O}, as {P} had {n2} {T}.|{S} {d} {O}, for {P} {d2} {T}.
{S} {d} {O} since {P} {d2} {T}.
Snow argued that {S} {d} {O}.|Farr denied that {S} {z} {O}.|The minister said that {P} {v} {O}.
{S}, critics said, {d} {O}.
{S}, which {d} {O}, {d2} {T}.|{S} that {d} {O} {d2} {T}.|{S} {d} {O}, which {d2} {T}.|{S} {d} {O}, {g} {T}.
The cause of {O} was {S}.|{S} was the main cause of {O}.|{S} is a source of {O}.|{O} is the result of {S}.
{S}, the cause of {O}, {d} {T}.
{S} led to {O}.|{S} resulted in {O}.|{S} contributed to {O}.|{S} gave rise to {O}.|{S} brought about {O}.
{S} consists of {O} and {T}.
{O} resulted from {S}.|{O} arose from {S}.|{O} stems from {S}.|{O} depends on {S}.|{P} depend on {S}.
{S} belongs to {O}.
Because of {S}, {P} {d} {O}.|{P} {d} {O} because of {S}.|{P} {d} {O} due to {S}.|{O} was due to {S}.
Owing to {S}, {P} {d} {O}.
{P} {d} {O} as a result of {S}.|For want of {S}, {P} {d} {O}.|Thanks to {S}, {P} {d} {O}.
{S} on account of {O} {d} {T}.
{S} made {O} more likely.|{S} made {O} impossible.|{S} forced {O} to {v} {T}.
{S} prevented {O} from {g} {T}.|{S} caused {O} to {v} {T}.
{S} was responsible for {O}.|{S} is essential to {O}.|{S} kept {O} from {g} {T}.|{S} helped {O} {v} {T}.
{S} stopped {O}.
Critics blamed {S} for {O}.|Critics blamed {O} on {S}.|Farr attributed {O} to {S}.
{O} was attributed to {S}.|{O} is blamed on {S}.
By {g} {O}, {S} {d} {T}.|{S} failed to {v} {O}.|It was {S} that {d} {O}.|Does {S} {v} {O}?|What {d} {O}?
Why did {S} {v} {O}?
{S} {d} {O} in 1854.|In 1854 {S} {d} {O}.|{S} was so strong that {P} {d} {O}.
Had {S} {n} {O}, {P} would have {n2} {T}.
"""
COMMON = """
    cause produce prevent trigger provoke increase raise reduce destroy relieve weaken ease slow halt help
    carry build bring lift sink close open kill feed hold keep change spread strike serve cover drive
    protect support oppose attack win lose mean show create promote stop end hinder improve worsen enable
    allow lead follow push pull block cure inflame diminish lessen foster fuel spark spoil harm hurt ruin
    flood burn break strengthen undermine threaten
"""


def forms() -> dict[str, dict[str, str]]:
    """Return base -> its forms: z third person, d past, n participle, g gerund, v base."""
    table: dict[str, dict[str, str]] = {}
    for form, (base, kind) in VERBS.items():
        for name, kinds in {"v": "V", "z": "Z", "d": "AF", "n": "EF", "g": "G"}.items():
            if kind in kinds:
                table.setdefault(base, {}).setdefault(name, form)
    return {base: found for base, found in table.items() if set("vzdng") <= set(found)}


def harvested(folder: Path) -> tuple[list[str], list[str]]:
    """Return singular and plural noun phrases of texts, as they stand with and without an article."""
    annotator = shipped_annotator()
    singular: set[str] = set()
    plural: set[str] = set()
    for file in sorted(folder.glob("*.conllu")):
        words: list[str] = []
        sentences: list[str] = []
        for line in file.read_text(encoding="utf-8").splitlines():
            cells = line.split("\t")
            if cells[0].isdigit():
                words.append(cells[1] + ("" if "SpaceAfter=No" in cells[9] else " "))
            elif words and not line:
                sentences.append("".join(words).strip())
                words = []
        random.Random(1).shuffle(sentences)  # noqa: S311 - no secret
        text = "\n\n".join(sentence for sentence in sentences[:1500] if len(sentence) < 300)
        for tree in trees(text, annotator.annotate([text], "en")[0]):
            for token in range(len(tree)):
                if tree.upos[token] == "NOUN" and tree.relations[token] in ("nsubj", "obj", "obl", "nmod"):
                    phrase = phrase_span(tree, token)[2]
                    if phrase.replace(" ", "").replace("-", "").isalpha() and 1 <= len(phrase.split()) <= 5:
                        many = tree.feature(token, "Number") == "Plur"
                        (plural if many else singular).add(phrase.lower())
    return sorted(singular), sorted(plural)


def main() -> None:
    """Write the sentences, five a paragraph."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("texts", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=8000)
    chosen = parser.parse_args()
    dice = random.Random(1)  # noqa: S311 - no secret
    singular, plural = harvested(chosen.texts)
    table = forms()
    common = [base for base in COMMON.split() if base in table]
    templates = [line for row in TEMPLATES.strip().splitlines() for line in row.split("|")]
    nlp = spacy.blank("en")
    cut_as_in_the_treebank(nlp)

    def phrase(one: bool) -> str:
        words = dice.choice(singular if one else plural)
        roll = dice.random()
        article = (
            ("the " if roll < 0.35 else "a " if roll < 0.45 and words[0] not in "aeiou" else "")
            if one
            else ("the " if roll < 0.3 else "")
        )
        return article + words

    with chosen.out.open("w", encoding="utf-8") as out:
        for number in range(chosen.count):
            first, second = (
                table[dice.choice(common if dice.random() < 0.6 else sorted(table))] for _ in range(2)
            )
            template = dice.choice(templates)
            text = template.format(
                S=phrase(True),
                P=phrase(False),
                O=phrase(dice.random() < 0.6),
                T=phrase(dice.random() < 0.6),
                **first,
                **{f"{name}2": form for name, form in second.items()},
            )
            text = text[0].upper() + text[1:]
            if number % 5 == 0:
                out.write("# newpar\n")
            doc = nlp.make_doc(text)
            for token in doc:
                space = "_" if token.whitespace_ or token.i + 1 == len(doc) else "SpaceAfter=No"
                head = "0" if token.i == 0 else "1"
                out.write(
                    "\t".join([str(token.i + 1), token.text, "_", "_", "_", "_", head, "dep", "_", space])
                    + "\n"
                )
            out.write("\n")


if __name__ == "__main__":
    main()
