"""How names are linked to entities: misspelt ones, words that mean nothing, names as they are written.

    python -m benchmarks.linking.run FOLDER… [--outputs DIR] [--write]

A folder holds documents, or corpus.jsonl.gz and queries.jsonl.gz. Each of 80 names of at least five letters
gets one wrong letter (a fourth each: another letter, one less, one more, two exchanged), such that no other
entity is called so. It is linked right if the first link has the name that was meant. 60 words that mean
nothing, every other one pronounceable, should not be linked; 60 names should be the first that a search by
vector finds. Names and letters are drawn with a fixed seed.
"""

import argparse
import random
import string
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from corpusgraph.flows.api import index, open
from corpusgraph.flows.engine import Inline
from corpusgraph.flows.evaluate import Evaluation, index_whole, study_of
from corpusgraph.flows.ports import IndexResources
from corpusgraph.flows.progress import Silent
from corpusgraph.schemas.settings import Settings
from corpusgraph.tasks.graph.names import aliases_of
from corpusgraph.tasks.registry import find

HERE = Path(__file__).parent
MISSPELT, NONSENSE, EXACT = 80, 60, 60
LETTERS, VOWELS, CONSONANTS = string.ascii_lowercase, "aeiou", "bcdfghjklmnpqrstvwxyz"
Draw = random.Random


def opened(folder: Path, outputs: Path) -> Any:
    """Return the index of a folder, made now or before."""
    if not (folder / "corpus.jsonl.gz").is_file():
        index(folder, folder.name, outputs=outputs)
        return open(folder.name, outputs)
    study = study_of(Evaluation(folder / "corpus.jsonl.gz", folder / "queries.jsonl.gz", ("default",), (2,)))
    index_whole(study, Settings(outputs=outputs), Inline(), Silent())
    return open(study.study, outputs)


def another(name: str, at: int, draw: Draw) -> str:
    """Write another letter."""
    return name[:at] + draw.choice(LETTERS.replace(name[at].lower(), "")) + name[at + 1 :]


def less(name: str, at: int, _draw: Draw) -> str:
    """Leave a letter out."""
    return name[:at] + name[at + 1 :]


def more(name: str, at: int, draw: Draw) -> str:
    """Write a letter too many."""
    return name[:at] + draw.choice(LETTERS) + name[at:]


def exchanged(name: str, at: int, _draw: Draw) -> str:
    """Exchange a letter and the next; nothing where that is no letter."""
    pair = name[at : at + 2]
    return name[:at] + pair[::-1] + name[at + 2 :] if pair.isalpha() and len(pair) == 2 else name


WAYS: tuple[Callable[[str, int, Draw], str], ...] = (another, less, more, exchanged)


def misspelt(names: Sequence[str], known: set[str], draw: Draw) -> list[tuple[str, str]]:
    """Return pairs of a name and its misspelling, which is no known name."""
    pairs: list[tuple[str, str]] = []
    for name in draw.sample(names, len(names)):
        places = [i for i, letter in enumerate(name) if letter.isalpha()]
        wrong = WAYS[len(pairs) % len(WAYS)](name, draw.choice(places), draw)
        if wrong.casefold() not in known:
            pairs.append((name, wrong))
        if len(pairs) == MISSPELT:
            break
    return pairs


def nonsense(known: set[str], draw: Draw) -> list[str]:
    """Return words of 5 to 10 letters, every other one pronounceable."""
    words: list[str] = []
    while len(words) < NONSENSE:
        kinds = (CONSONANTS, VOWELS) if len(words) % 2 else (LETTERS, LETTERS)
        word = "".join(draw.choice(kinds[i % 2]) for i in range(draw.randint(5, 10)))
        if word not in known:
            words.append(word)
    return words


def measured(folder: Path, outputs: Path) -> dict[str, str]:
    """Return the column of one folder."""
    ports, draw = IndexResources(opened(folder, outputs)), random.Random(12)  # noqa: S311 - no secret
    entities = ports["graph"].entities
    known = {name.casefold() for e in entities for name in (e.name, *aliases_of(e))}
    names = sorted({e.name for e in entities if sum(map(str.isalpha, e.name)) >= 5})
    link, search = find("entity_similarity_link"), find("entity_vdb_search")

    def first(mention: str) -> str | None:
        links = link.run({"entities": [mention]}, ports).data
        return links[0].item.entity.name.casefold() if links else None

    began = time.process_time()
    first("Zzyqx")
    ready, pairs = time.process_time() - began, misspelt(names, known, draw)
    began = time.process_time()
    right = sum(first(wrong) == name.casefold() for name, wrong in pairs)
    each = (time.process_time() - began) / len(pairs)
    linked = sum(first(word) is not None for word in nonsense(known, draw))
    exact = draw.sample(names, EXACT)
    hits = [search.run({"query": name, "top_k": 1}, ports).data[0].item.name for name in exact]
    leads = sum(name.casefold() == hit.casefold() for name, hit in zip(exact, hits, strict=True))
    return {
        "entities": f"{len(entities):,}",
        "one letter wrong, linked right": f"{right} of {len(pairs)}",
        "means nothing, linked": f"{linked} of {NONSENSE}",
        "exact name first in entity_vdb_search": f"{leads} of {EXACT}",
        "first link (builds the name index)": f"{ready:.2f} s",
        "every other link": f"{1000 * each:.1f} ms",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--outputs", type=Path, default=None, help="folder of the indexes [a temporary one]")
    parser.add_argument("--write", action="store_true", help="write RESULTS.md")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        columns = {f.name: measured(f, given.outputs or Path(temporary)) for f in given.folders}
    labels = next(iter(columns.values()))
    lines = [f"| | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    lines += [f"| {label} | {' | '.join(c[label] for c in columns.values())} |" for label in labels]
    print("\n".join(lines))
    if given.write:
        head = (
            "# Linking\n\n`python -m benchmarks.linking.run FOLDER… --write`; times are of one processor.\n\n"
        )
        (HERE / "RESULTS.md").write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
