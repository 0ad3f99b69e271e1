"""Textbook frameworks: answers of the books, a brute force, and another program."""

from corpusgraph.tasks.analysis.argument.framework import Framework
from corpusgraph.tasks.analysis.argument.semantics import SEMANTICS, extensions
from tests.argument.frameworks import TEXTBOOK, Textbook
from tests.argument.reference import Brute
from tests.every import every

PYGARG = {
    "complete": "CO",
    "preferred": "PR",
    "stable": "ST",
    "semi_stable": "SST",
    "grounded": "GR",
    "ideal": "ID",
}


def pairs(book: Textbook) -> list[tuple[str, str]]:
    return [(pair[0], pair[1]) for pair in book.attacks.split()]


def test_there_are_more_than_forty() -> None:
    assert len({(book.arguments, book.attacks) for book in TEXTBOOK}) == len(TEXTBOOK) > 40


@every("book", TEXTBOOK)
def test_a_framework_has_the_extensions_that_the_definitions_give(book: Textbook) -> None:
    framework, brute = Framework.of(tuple(book.arguments), pairs(book)), Brute(book.arguments, pairs(book))
    for semantics in SEMANTICS:
        found = set(extensions(framework, semantics))
        assert found == brute.extensions(semantics), semantics
        if semantics in book.known:
            assert {"".join(sorted(s)) for s in found} == book.known[semantics], semantics


@every("book", TEXTBOOK)
def test_another_program_finds_the_same(book: Textbook) -> None:
    from pygarg.dung.solver import extension_enumeration

    framework = Framework.of(tuple(book.arguments), pairs(book))
    for semantics, code in PYGARG.items():
        theirs = extension_enumeration(list(book.arguments), [list(p) for p in pairs(book)], code)
        assert {frozenset(s) for s in theirs} == set(extensions(framework, semantics)), semantics  # type: ignore[arg-type]
