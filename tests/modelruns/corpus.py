"""A small corpus, and runs of it against a server that speaks like a language model."""

from pathlib import Path
from typing import Any

import yaml

from corpusgraph.flows import api
from corpusgraph.schemas.run import IndexReport
from corpusgraph.schemas.study import Study
from tests.faults.server import FaultServer

PEOPLE = (
    "Ada Lovelace",
    "Charles Babbage",
    "Mary Somerville",
    "Michael Faraday",
    "John Herschel",
    "George Boole",
)
PLACES = ("London", "Cambridge", "Edinburgh", "Cork", "Turin", "Dublin")
VERBS = ("visited", "praised", "taught", "opposed", "followed", "advised")
QUICK = {"concurrency": 16, "timeout": 1.0, "max_wait": 0.05, "cool_down": 0.2}


def text(number: int, sentences: int = 12) -> str:
    """Return a document in which people meet, by its number alone."""
    lines = []
    for n in range(sentences):
        turn = number * 7 + n * 3
        one, other = PEOPLE[turn % 6], PEOPLE[(turn + 1 + n % 4) % 6]
        lines.append(f"{one} {VERBS[(turn + n) % 6]} {other} in {PLACES[(number + n) % 6]}.")
        if n % 3 == 0:
            lines.append(
                f"In 18{30 + (number + n) % 40} {other} said that {one} was right about engine {number}-{n}."
            )
    return " ".join(lines)


def write_corpus(folder: Path, documents: int, sentences: int = 12) -> Path:
    """Write so many documents."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(documents):
        (folder / f"letter{number:03}.txt").write_text(text(number, sentences), encoding="utf-8")
    return folder


def study_of(corpus: Path, name: str = "letters", *, size: int = 60, **llm: Any) -> Study:
    """Return a study of small chunks."""
    fields = {
        "study": name,
        "corpus": {"path": str(corpus)},
        "index": {"chunking": {"size": size, "overlap": 0}, "llm": llm},
    }
    return Study.model_validate(fields)


def write_profile(folder: Path, server: FaultServer | str, **limits: Any) -> str:
    """Write a profile for a server and return its path."""
    url = server if isinstance(server, str) else server.base_url
    llm = {"model": "test-model", "base_url": url, "price": {"input": 1.0, "output": 2.0}}
    told = {"profile": "test", "llm": llm, "limits": {**QUICK, **limits}}
    path = folder / "profile.yml"
    path.write_text(yaml.safe_dump(told), encoding="utf-8")
    return str(path)


def index(study: Study, outputs: Path, profile: str, **more: Any) -> IndexReport:
    """Index a study with a language model."""
    return api.index(study, outputs=outputs, profile=profile, **more)


def digests(outputs: Path, name: str = "letters") -> dict[str, str]:
    """Return a hash of every table of an index, vectors left out."""
    manifest = api.open(name, outputs).manifest
    return {table: version.digest for table, version in manifest.tables.items()}


def asked(server: FaultServer, *kinds: str) -> list[str]:
    """Return the kinds of the calls so far, or of some kinds only."""
    return [call.kind for call in server.calls if not kinds or call.kind in kinds]
