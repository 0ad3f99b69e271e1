"""A million characters of broken prose: the extractor raises at none of them, and keeps inside the text."""

from collections.abc import Iterator
from random import Random

import pytest
from pydantic import BaseModel

from corpusgraph.flows.annotate.offline import default_extractor
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Evidence
from tests.fuzz.prose import ABBREVIATIONS, DATES, STEPS, prose
from tests.modelextraction.build import document

pytestmark = pytest.mark.timeout(1200)

ALL = 1_000_000
SEEDS = 20
LONGEST = 12_000
LANGUAGES = (None, "en", "de", "fr", "ru", "xx")


def spans(value: BaseModel) -> Iterator[tuple[str, int, int]]:
    """Yield every pair of fields `…start`, `…end` of a finding and of what it is made of."""
    fields = {name: getattr(value, name) for name in type(value).model_fields}
    for name, start in fields.items():
        end = fields.get(f"{name.removesuffix('start')}end")
        if name.endswith("start") and isinstance(start, int) and isinstance(end, int):
            yield name, start, end
    for inner in fields.values():
        for item in inner if isinstance(inner, tuple) else (inner,):
            if isinstance(item, BaseModel):
                yield from spans(item)


def keeps_inside(evidence: Evidence, read: Document) -> None:
    length = len(read.text)
    wrong = [span for span in spans(evidence) if not 0 <= span[1] <= span[2] <= length]
    assert not wrong, wrong[:5]
    assert evidence.document_id == read.id
    for mention in evidence.mentions:
        assert read.text[mention.start : mention.end] == mention.surface


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.faults) for seed in range(2, SEEDS))]
)
def test_broken_prose_is_read_whatever_it_is(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - the same each time
    extractor = default_extractor()
    characters = mentions = 0
    while characters < ALL // SEEDS:
        part = 1_000 * seed + characters
        read = document(prose(part, random.randint(1, LONGEST)))
        read = read.model_copy(update={"language": random.choice(LANGUAGES)})
        try:
            evidence = extractor.extract(read, [])
        except Exception as error:
            error.add_note(f"prose of seed {part}: {read.text[:200]!r} …")
            raise
        keeps_inside(evidence, read)
        characters += len(read.text)
        mentions += len(evidence.mentions)
    assert mentions > 100  # it was read, not passed over


def ends() -> Iterator[str]:
    """Yield short texts that end where something was expected."""
    for short in ABBREVIATIONS:
        yield from (
            short,
            f"She was {short}",
            f"We met {short}\n",
            f"{short} {short}\n\n{short}",
            f"“{short}",
        )
        yield from (f"Mr. Snow and {short}\nsaid so.", f"in {short}, of {short}.", f"- {short}\n- {short}")
    for date in DATES:
        for step in STEPS:
            yield f"{date}. {step} he left."
        yield from (date, f"On {date}", f"from {date} to {date}, since {date} until")


def test_texts_that_end_too_early_are_read() -> None:
    extractor = default_extractor()
    for text in ends():
        read = document(text)
        try:
            keeps_inside(extractor.extract(read, []), read)
        except Exception as error:
            error.add_note(repr(text))
            raise
