"""A model for all systems in the benchmark: what each asks for, in the form that it reads.

    python -m benchmarks.peers.server --port 8765 --latency-ms 0

Every passage gives at most eight entities and a chain of relations between them, whoever asks.
"""

import argparse
import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import uvicorn

from tests.faults import server_answers
from tests.faults import server_text as rules
from tests.faults.server import listening
from tests.faults.server_app import App, Options
from tests.faults.server_asked import Asked

MOST = 8
"""Entities of a passage."""
_PLAIN = str.maketrans(dict.fromkeys('#"|<>()', " "))


@dataclass(frozen=True)
class Found:
    """What is in a passage: name, type and description; one, other and description."""

    entities: list[tuple[str, str, str]]
    relations: list[tuple[str, str, str]]


def found_in(text: str) -> Found:
    """Find entities and relations."""
    first: dict[str, int] = {}
    for start, end in rules.sentences(text):
        for name in rules.names(text, start, end):
            if len(first) < MOST:
                first.setdefault(name.text, name.start)
    entities = [
        (name, rules.type_of(name), f"{name} is in the passage: {_around(text, at)}")
        for name, at in first.items()
    ]
    relations = [
        (one, other, f"{one} and {other} are near each other: {_around(text, first[other])}")
        for one, other in pairwise(first)
    ]
    return Found(entities, relations)


def _around(text: str, at: int) -> str:
    return rules.one_line(text[max(0, at - 40) : at + 110].translate(_PLAIN))


def tuples(text: str) -> str:
    """Answer as graphrag and nano-graphrag read it: ("entity"<|>NAME<|>TYPE<|>…)##…<|COMPLETE|>."""
    found = found_in(text)
    lines = [f'("entity"<|>{n.upper()}<|>{t.upper()}<|>{d})' for n, t, d in found.entities]
    lines += [f'("relationship"<|>{a.upper()}<|>{b.upper()}<|>{d}<|>7)' for a, b, d in found.relations]
    return "\n##\n".join(lines) + "\n<|COMPLETE|>"


def lines(text: str) -> str:
    """Answer as LightRAG reads it: one item a line, fields between <|#|>."""
    found = found_in(text)
    made = [f"entity<|#|>{n}<|#|>{t}<|#|>{d}" for n, t, d in found.entities]
    made += [f"relation<|#|>{a}<|#|>{b}<|#|>nearness<|#|>{d}" for a, b, d in found.relations]
    return "\n".join([*made, "<|COMPLETE|>"])


def objects(text: str, description: str, **more: Any) -> str:
    """Answer as JSON; fast-graphrag calls the description `desc`."""
    found = found_in(text)
    return json.dumps(
        {
            "entities": [{"name": n, "type": t, description: d} for n, t, d in found.entities],
            "relationships": [
                {"source": a, "target": b, description: d, **more} for a, b, d in found.relations
            ],
        }
        | ({"other_relationships": []} if description == "desc" else {})
    )


def between(text: str, start: str, end: str) -> str:
    """Return what is after the last `start` and before the last `end` behind it."""
    _, mark, rest = text.rpartition(start)
    inside, closed, _ = (rest if mark else text).rpartition(end)
    return inside if closed else rest


def report(asked: Asked) -> str:
    """Write a report on a community; a strict schema gets no more fields than it names."""
    both = f"{asked.system}\n{asked.user}"
    at = max(both.rfind(mark) for mark in ("Use the following text", "Real Data", "\nText:"))
    names = [name for name, _, _ in found_in(both[max(at, 0) + 60 : at + 4000]).entities[:3]] or ["Community"]
    title = ", ".join(names)
    said = {
        "title": title,
        "summary": f"This part is about {title}. " + "They are named together in several passages. " * 3,
        "rating": 5.0,
        "rating_explanation": "They are near each other in the text.",
        "findings": [
            {
                "summary": f"{name} belongs to it",
                "explanation": f"{name} is near the others [Data: Entities (1)]. " * 4,
            }
            for name in (names * 5)[:5]
        ],
        "date_range": ["1800-01-01", "1900-12-31"],
    }
    strict = asked.schema.get("additionalProperties") is False
    return json.dumps({key: said[key] for key in said if not strict or key in asked.properties})


def summary(asked: Asked) -> str:
    """Sum up descriptions in about 400 characters."""
    both = f"{asked.system}\n{asked.user}"
    at = max(both.rfind(mark) + len(mark) for mark in ("Description List:", "Current:\n"))
    return rules.one_line("In short: " + both[at : at + 900])[:420]


def grouped(asked: Asked) -> str:
    """Put the first half of fast-graphrag's list of facts into one."""
    numbers = [
        int(n) for n in re.findall(r"^(\d+), ", between(asked.user, "# INPUT:", "Ouput:"), re.MULTILINE)
    ]
    group = numbers[: max(2, len(numbers) // 2 + 1)]
    return json.dumps({"grouped_facts": [{"ids": group, "description": "They tell of the same thing."}]})


def ours(asked: Asked) -> str:
    """Answer our own extraction with as many entities and relations as the others get."""
    said = server_answers.extraction(asked, MOST)
    text = asked.part("Passage")
    relations = []
    for one, other in pairwise(said["entities"]):
        start, last = text.find(one["quote"]), text.find(other["quote"])
        quote = text[min(start, last) : max(start + len(one["quote"]), last + len(other["quote"]))]
        about = f"{one['name']} and {other['name']} are near each other: {_around(quote, 0)}"
        fields = {"type": "near", "description": about, "quote": quote, "confidence": 0.8}
        said_of = {"source": one["name"], "target": other["name"], "is_causal": False, "negated": False}
        relations.append(said_of | fields)
    return server_answers.content(said | {"relationships": relations})


def _fast(asked: Asked) -> str:
    return objects(between(asked.user, "**Document**:", "<<DOCUMENT_END>>"), "desc")


def _light(asked: Asked) -> str:
    text = between(asked.user, "---Input Text---\n```", "```")
    wants_json = "valid JSON object" in asked.user
    return objects(text, "description", keywords="nearness") if wants_json else lines(text)


def _head(*words: str) -> Callable[[Asked], bool]:
    return lambda asked: any(word in f"{asked.system}\n{asked.user}"[:3000] for word in words)


def _user(*words: str) -> Callable[[Asked], bool]:
    return lambda asked: all(word in asked.user for word in words)


FAMILIES: tuple[tuple[str, Callable[[Asked], bool], Callable[[Asked], str]], ...] = (
    ("extract", lambda asked: asked.kind == "extract" and "Passage" in asked.parts, ours),
    ("extract", _user("<<DOCUMENT_START>>"), _fast),
    (
        "extract",
        _user("-Real Data-", "Entity_types:"),
        lambda asked: tuples(between(asked.user, "\nText:", "######################\nOutput:")),
    ),
    ("extract", _user("---Input Text---\n```"), _light),
    ("report", _head("# Report Structure"), report),
    (
        "describe",
        _head("comprehensive summary of the data provided", "synthesize a list of descriptions"),
        summary,
    ),
    (
        "describe",
        _head("generating a summary of the data provided below"),
        lambda asked: json.dumps({"description": summary(asked)}),
    ),
    ("merge", _head("maintaining a list of facts"), grouped),
)
"""Kind, how its prompts are known, what answers them; the first that fits."""


def answer(asked: Asked) -> tuple[str, str] | None:
    """Return the kind and the text of a reply, or None for a prompt that is no peer's."""
    return next(((kind, say(asked)) for kind, fits, say in FAMILIES if fits(asked)), None)


def main() -> None:
    """Serve until stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--latency-ms", type=float, default=0.0)
    given = parser.parse_args()
    app = App(Options(latency=given.latency_ms / 1000, most=MOST, answer=answer))
    config = uvicorn.Config(
        app, log_level="critical", access_log=False, lifespan="off", timeout_graceful_shutdown=1
    )
    asyncio.run(uvicorn.Server(config).serve(sockets=[listening(given.port)]))


if __name__ == "__main__":
    main()
