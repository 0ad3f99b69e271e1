"""Right answers: what a careful model would say, found by simple rules in the text that it is shown."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any
from zlib import crc32

from tests.faults import server_text as rules
from tests.faults.server_asked import Asked, numbered_lines, resolved

Json = dict[str, Any]
LONGEST = 160
"""Characters of a description."""


def answer(asked: Asked, most: int = 0) -> Any:
    """Return the wanted JSON value, or a text where no JSON is wanted.

    `most` bounds the entities of one round of extraction; 0 gives all in the first round.
    """
    if asked.kind == "text":
        return _sentence(asked.part("Passages", "Passage"))
    if asked.kind in {"extract", "glean"}:
        return extraction(asked, most)
    return _BY_KIND[asked.kind](asked) if asked.kind in _BY_KIND else filled(asked.schema, asked.schema)


def content(said: Any) -> str:
    """Return an answer as the text of a reply."""
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def extraction(asked: Asked, most: int = 0, passage: str | None = None) -> Json:
    """Find evidence in the prompt's passage, or in another; what was found before is left out."""
    text = asked.part("Passage") if passage is None else passage
    before = asked.found
    types = asked.choices("entities", "type") or listed(asked.system, "entity types")
    known = re.compile(r"\b(?:" + "|".join(map(re.escape, _found_names(before or ""))) + r")\b")
    skip = (lambda name: bool(known.fullmatch(name))) if before else (lambda _: False)
    spans = rules.sentences(text)
    entities = _entities(text, spans, types, skip, most)
    return {
        "entities": entities,
        "relationships": _relationships(
            text, spans, asked, {e["name"] for e in entities}, before is not None
        ),
        "events": [] if before else _events(text, spans),
        "claims": [] if before else _claims(text, spans),
    }


def listed(instructions: str, what: str) -> list[str]:
    """Return the types that a prompt allows, if it allows only some: "Only these entity types: a (…); b."."""
    line = re.search(rf"only these {what}: (.+)", instructions, re.IGNORECASE)
    bare = re.sub(r"\([^()]*\)", "", line[1]).strip(" .") if line else ""
    return [name.strip() for name in bare.split(";") if name.strip()]


def _found_names(before: str) -> list[str]:
    """Return the names in what was found before, whatever its layout; longest first."""
    lines = [part.strip(" \"'-•*[]{}()") for part in re.split(r"[\n,;:|()\"]|\d+\.\s", before)]
    names = {name.text for start, end in rules.sentences(before) for name in rules.names(before, start, end)}
    return sorted({*(line for line in lines if line), *names}, key=lambda name: (-len(name), name)) or ["\0"]


def _entities(
    text: str, spans: list[tuple[int, int]], types: list[str], skip: Callable[[str], bool], most: int
) -> list[Json]:
    found: dict[str, Json] = {}
    for start, end in spans:
        for name in rules.names(text, start, end):
            if name.text in found or skip(name.text) or (most and len(found) >= most):
                continue
            found[name.text] = {
                "name": name.text,
                "type": rules.type_of(name.text, types),
                "description": _about(name.text, text[start:end]),
                "quote": text[start:end],
                "attributes": [],
            }
    return list(found.values())


def _about(name: str, sentence: str) -> str:
    short = rules.one_line(sentence)
    return f"{name}: {short if len(short) <= LONGEST else short[:LONGEST].rsplit(' ', 1)[0]}"


def _relationships(
    text: str, spans: list[tuple[int, int]], asked: Asked, here: set[str], gleaning: bool
) -> list[Json]:
    """Relate names that follow each other in a sentence; when gleaning, where one of them is new."""
    types = asked.choices("relationships", "type") or listed(asked.system, "relationship types")
    found: dict[tuple[str, str], Json] = {}
    for start, end in spans:
        there = rules.names(text, start, end)
        for one, other in pairwise(there):
            pair, new = (one.text, other.text), sum(name.text in here for name in (one, other))
            if one.text == other.text or pair in found or new < (1 if gleaning else 2):
                continue
            type_, causal, negated = rules.relation(text[one.end : other.start])
            type_ = type_ if not types or type_ in types else types[crc32(type_.encode()) % len(types)]
            found[pair] = {
                "source": one.text,
                "target": other.text,
                "type": type_,
                "description": rules.one_line(text[one.start : other.end])[:LONGEST],
                "is_causal": causal,
                "negated": negated,
                "confidence": 0.8,
                "quote": text[start:end],
            }
    return list(found.values())


def _events(text: str, spans: list[tuple[int, int]]) -> list[Json]:
    found = []
    for start, end in spans:
        date = rules.date_in(text[start:end])
        if date is None:
            continue
        there = [name.text for name in rules.names(text, start, end)]
        places = [name for name in there if rules.type_of(name) == "place"]
        found.append(
            {
                "activity": " ".join(rules.one_line(text[start:end]).split(" ")[:8]).rstrip(".,;"),
                "time": date[0],
                "actors": [name for name in dict.fromkeys(there) if name not in places],
                "places": list(dict.fromkeys(places)),
                "quote": text[start:end],
            }
        )
    return found


def _claims(text: str, spans: list[tuple[int, int]]) -> list[Json]:
    found: list[Json] = []
    for start, end in spans:
        sentence = text[start:end]
        if rules.says(sentence):
            there = rules.names(text, start, end)
            denied = rules.denies(sentence)
            found.append(
                {
                    "text": rules.one_line(sentence),
                    "speaker": there[0].text if there else "",
                    "stance": "denies" if denied else "asserts",
                    "quote": sentence,
                    "supports": [],
                    "attacks": [len(found)] if denied and found else [],
                }
            )
    return found


def _report(asked: Asked) -> Json:
    passages = asked.numbered("Passages")
    counted = Counter(
        name.text
        for text in passages.values()
        for start, end in rules.sentences(text)
        for name in rules.names(text, start, end)
    )
    top = sorted(counted, key=lambda name: (-counted[name], name))[:3]
    findings: list[Json] = [
        {"summary": _sentence(text)[:LONGEST], "explanation": rules.one_line(text)[:600], "sources": [number]}
        for number, text in list(passages.items())[:5]
    ]
    return {
        "title": ", ".join(top) or "Untitled",
        "summary": " ".join(one["summary"] for one in findings[:3]) or "Nothing is said.",
        "rating": float(min(10, len(passages))),
        "rating_explanation": f"{len(passages)} passages speak of it.",
        "findings": findings,
    }


def _description(asked: Asked) -> Json:
    parts = [text for text in asked.numbered("Descriptions").values() if text] or [asked.part("Descriptions")]
    said = dict.fromkeys(rules.one_line(text) for text in parts)
    return {"description": " ".join(said)[:900]}


def _pairs(asked: Asked) -> Json:
    decided = []
    for number, line in asked.numbered("Pairs").items():
        one, other = two_names(line)
        small, large = sorted((rules.words(one), rules.words(other)), key=len)
        same = bool(small) and small <= large
        why = "the words of one name are in the other" if same else "the names share too little"
        decided.append({"id": number, "same": same, "confidence": 0.9, "why": why})
    return {"pairs": decided}


def two_names(line: str) -> tuple[str, str]:
    """Return the two names of a pair as prompts write them: quoted, or apart by a sign or a word."""
    head = line.split("\n", 1)[0]
    quoted = re.findall(r"[\"“«]([^\"”»]+)[\"”»]", head)
    if len(quoted) >= 2:
        return quoted[0], quoted[1]
    halves = re.split(r"\s+(?:\||=|~|<->|/|—|–|-|vs\.?|versus|and)\s+|;\s+", head, maxsplit=1)
    one, other = [*halves, ""][:2]
    return _bare(one), _bare(other)


def _bare(text: str) -> str:
    return re.split(r"\s*[(\[:,]", text.strip(), maxsplit=1)[0]


def _marks(asked: Asked) -> Json:
    wanted = rules.words(asked.question)
    parts = [text for label, text in asked.parts.items() if label not in {"Question", "Entity", "Relation"}]
    items = numbered_lines(max(parts, key=len, default=asked.user))
    return {
        "marks": [
            {"id": number, "score": round(_overlap(wanted, text), 3), "why": "words in common"}
            for number, text in items.items()
        ]
    }


def _overlap(wanted: set[str], text: str) -> float:
    return len(wanted & rules.words(text)) / len(wanted) if wanted else 0.5


def _written(asked: Asked) -> list[Json]:
    """Return the sentences nearest to the question, at most three, with the numbers of their passages.

    Without passages it is what the model knows by itself: whom and what the question is about.
    """
    if "Passages" not in asked.parts:
        about = ", ".join(_names_in(asked.question)) or rules.one_line(asked.question)
        return [{"text": f"This is about {about}.", "sources": []}] if about else []
    wanted = rules.words(asked.question)
    found: dict[str, tuple[float, int]] = {}
    for number, text in asked.numbered("Passages").items():
        for start, end in rules.sentences(text):
            sentence = rules.one_line(text[start:end])
            found.setdefault(sentence, (_overlap(wanted, sentence), number))
    best = sorted(found.items(), key=lambda one: (-one[1][0], one[1][1]))[:3]
    return [{"text": text, "sources": [number]} for text, (score, number) in best if score > 0]


def _points(asked: Asked) -> Json:
    wanted = rules.words(asked.question)
    said = [
        {
            "text": _sentence(text),
            "score": float(max(10, round(100 * _overlap(wanted, text)))),
            "sources": [number],
        }
        for number, text in list(asked.numbered("Passages").items())[:5]
    ]
    return {"points": said}


def _named(asked: Asked) -> Json:
    """Name what the question and the context name; with scores and reasons where they are asked for."""
    found = _names_in(f"{asked.question}\n\n{asked.parts.get('Context', '')}")[:10]
    items = resolved(resolved(asked.schema, asked.schema)["properties"]["entities"], asked.schema)
    item = resolved(items.get("items", {}), asked.schema)
    if item.get("type") == "string":
        return {"entities": found}
    blank = filled(item, asked.schema)
    more = {"name": "", "score": 0.9, "why": "named"} | ({"type": "person"} if "type" in blank else {})
    allowed = set(item.get("properties", {}))
    return {
        "entities": [{**blank, **{k: v for k, v in more.items() if k in allowed}, "name": n} for n in found]
    }


def _sentence(text: str) -> str:
    spans = rules.sentences(text)
    return rules.one_line(text[slice(*spans[0])]) if spans else ""


def _verdict(asked: Asked) -> Json:
    wanted = rules.words(asked.question)
    enough = _overlap(wanted, asked.part("Evidence")) >= 0.5
    return {"sufficient": enough, "reason": "the words are there" if enough else "words are missing"}


def _step(asked: Asked) -> Json:
    earlier = asked.parts.get("Thoughts so far", "")
    text = asked.part("Passages")
    fresh = [rules.one_line(text[a:b]) for a, b in rules.sentences(text) if text[a:b] not in earlier]
    return {"sentence": fresh[0] if fresh else "", "query": asked.question, "done": len(fresh) < 2}


def _keywords(asked: Asked) -> Json:
    return {"low": _names_in(asked.question), "high": sorted(rules.words(asked.question))[:3]}


def _primed(asked: Asked) -> Json:
    names = _names_in(asked.part("Passages"))
    return {"sentences": _written(asked), "follow_up_queries": [f"Who was {name}?" for name in names[:3]]}


def _names_in(text: str) -> list[str]:
    return list(
        dict.fromkeys(n.text for start, end in rules.sentences(text) for n in rules.names(text, start, end))
    )


_BY_KIND: dict[str, Callable[[Asked], Json]] = {
    "report": _report,
    "pairs": _pairs,
    "marks": _marks,
    "prime": _primed,
    "write": lambda asked: {"sentences": (said := _written(asked)), "supported": bool(said)},
    "points": _points,
    "describe": _description,
    "verdict": _verdict,
    "step": _step,
    "keywords": _keywords,
    "names": _named,
    "question": lambda asked: {
        "named": (named := _names_in(asked.question)),
        "generic": []
        if named
        else sorted(rules.words(asked.question), key=lambda word: (-len(word), word))[:3],
    },
}


def filled(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """Return the smallest value that a JSON schema allows."""
    schema = resolved(schema, root)
    for fixed in ("const", "default"):
        if fixed in schema:
            return schema[fixed]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if kind == "object":
        needed = schema.get("required", ())
        return {name: filled(schema["properties"][name], root) for name in needed}
    if kind == "array":
        return [filled(schema.get("items", {}), root)] * schema.get("minItems", 0)
    if kind == "string":
        return "unknown"[: schema.get("maxLength", 7)].ljust(schema.get("minLength", 0), ".")
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + ("exclusiveMinimum" in schema))
    return {"integer": low, "number": float(low), "boolean": False}.get(str(kind))
