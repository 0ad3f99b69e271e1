"""Tables of GraphRAG 3's shape, of any size: as many text units, entities, relationships and communities."""

import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from corpusgraph.flows.store.graphrag_tables import SHAPES

Rows = list[dict[str, Any]]
WORDS = 200
"""Words of a text unit."""
UNITS = 20
"""Text units of a document."""
_SYLLABLES = [consonant + vowel for vowel in "aeiou" for consonant in "bcdfghklmnprst"]
_VOCABULARY = 20_000


def word(number: int) -> str:
    """Spell a number as a word of its own."""
    spelt, rest = "", number + 1
    while rest:
        rest, syllable = divmod(rest, len(_SYLLABLES))
        spelt += _SYLLABLES[syllable]
    return spelt


def ordinary(n: int) -> dict[str, Rows]:
    """Draw n text units of words as frequent as Zipf has them, n entities, relationships and communities."""
    lot = random.Random(7)  # noqa: S311
    titles = [f"{word(k)} {word(7 * k + 3)} co".upper() for k in range(n)]
    ends = [(k, (k * 31 + lot.randrange(n)) % n) for k in range(n)]
    units, named = _units(n, titles, ends, lot)
    degrees = [0] * n
    for source, target in ends:
        degrees[source] += 1
        degrees[target] += 1
    entities = [
        {"title": title, "type": "ORGANIZATION", "description": f"{title} is told of."}
        | {"text_unit_ids": named[k], "frequency": len(named[k]), "degree": degrees[k]}
        for k, title in enumerate(titles)
    ]
    relationships = [
        {"source": titles[a], "target": titles[b], "description": f"{titles[a]} knows {titles[b]}"}
        | {"weight": 7.0, "combined_degree": degrees[a] + degrees[b], "text_unit_ids": [f"t{k}"]}
        for k, (a, b) in enumerate(ends)
    ]
    groups = _groups(n)
    communities = [_community(number, *group, named) for number, group in enumerate(groups)]
    return {
        "documents": _numbered("d", _documents(units)),
        "text_units": _numbered("t", units),
        "entities": _numbered("e", entities),
        "relationships": _numbered("r", relationships),
        "communities": _numbered("c", communities),
        "community_reports": _numbered(
            "p", [_report(*pair, titles) for pair in zip(communities, groups, strict=True)]
        ),
    }


def repeated(size: int, reports: int = 80) -> dict[str, Rows]:
    """Say one sentence again to a number of characters, in one text unit that all reports cite."""
    said = "Dr Snow lived in London. Contaminated water caused cholera. Farr agreed with Snow. "
    text = said * (size // len(said))
    small = ordinary(reports)
    small["documents"] = [{**small["documents"][0], "text": text, "text_unit_ids": ["t0"]}]
    small["text_units"] = [{**small["text_units"][0], "text": text}]
    for name in ("entities", "relationships", "communities"):
        for row in small[name]:
            row["text_unit_ids"] = ["t0"]
    for row in small["community_reports"]:
        row["findings"] = [{"summary": "Water", "explanation": "It was the water [Data: Sources (0)]."}]
    return small


def write(folder: Path, rows: dict[str, Rows]) -> Path:
    """Write the tables as parquet."""
    folder.mkdir(parents=True)
    for name, table in rows.items():
        pq.write_table(pa.Table.from_pylist(table, SHAPES[name]), folder / f"{name}.parquet")
    return folder


def _units(
    n: int, titles: list[str], ends: list[tuple[int, int]], lot: random.Random
) -> tuple[Rows, dict[int, list[str]]]:
    vocabulary = [word(k) for k in range(_VOCABULARY)]
    weights = [1 / (k + 10) for k in range(_VOCABULARY)]
    named: dict[int, list[str]] = defaultdict(list)
    units: Rows = []
    for at in range(n):
        words = lot.choices(vocabulary, weights, k=WORDS)
        for start in range(0, WORDS, 12):
            words[start] = words[start].capitalize()
            words[min(start + 11, WORDS - 1)] += "."
        for entity in {*ends[at], lot.randrange(n)}:
            words[lot.randrange(WORDS)] = titles[entity].title()
            named[entity].append(f"t{at}")
        lists: dict[str, Any] = {"entity_ids": [], "relationship_ids": [], "covariate_ids": []}
        units.append({"text": " ".join(words), "n_tokens": WORDS, "document_id": f"d{at // UNITS}", **lists})
    return units, named


def _documents(units: Rows) -> Rows:
    made: Rows = []
    for at in range(0, len(units), UNITS):
        its = units[at : at + UNITS]
        ids = [f"t{k}" for k in range(at, at + len(its))]
        made.append(
            {"title": f"{at}.txt", "text": " ".join(unit["text"] for unit in its), "text_unit_ids": ids}
            | {"creation_date": "2025-01-02", "raw_data": None}
        )
    return made


def _groups(n: int) -> list[tuple[int, int, range]]:
    """Return level, parent and members: groups of 20 entities, and pairs of them below: 11 of 20."""
    made: list[tuple[int, int, range]] = []
    for start in range(0, n, 20):
        parent = len(made)
        made.append((0, -1, range(start, min(start + 20, n))))
        made += [(1, parent, range(at, min(at + 2, n))) for at in range(start, min(start + 20, n), 2)]
    return made


def _community(
    number: int, level: int, parent: int, members: range, named: dict[int, list[str]]
) -> dict[str, Any]:
    units = sorted({unit for member in members for unit in named[member]})
    tree = {"community": number, "level": level, "parent": parent, "title": f"Community {number}"}
    children = list(range(number + 1, number + 1 + (len(members) + 1) // 2)) if level == 0 else []
    held = {"entity_ids": [f"e{k}" for k in members], "relationship_ids": [f"r{k}" for k in members]}
    period = {"period": "2025-01-02", "size": len(members)}
    return {**tree, "children": children, **held, "text_unit_ids": units, **period}


def _report(community: dict[str, Any], group: tuple[int, int, range], titles: list[str]) -> dict[str, Any]:
    findings = [
        {"summary": f"{titles[k]} matters", "explanation": f"It is told [Data: Entities ({k})]."}
        for k in group[2][:5]
    ]
    told = {
        "title": f"On {titles[group[2][0]]}",
        "summary": "What is told.",
        "full_content": "# What is told",
    }
    rated = {
        "rank": 5.0,
        "rating_explanation": "It is told.",
        "findings": findings,
        "full_content_json": "{}",
    }
    return {**community, **told, **rated}


def _numbered(letter: str, rows: Rows) -> Rows:
    return [{**row, "id": f"{letter}{k}", "human_readable_id": k} for k, row in enumerate(rows)]
