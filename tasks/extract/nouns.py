"""Nouns for persons and bodies of persons: what he, she and they can stand for, and what names name."""

from corpusgraph.tasks.extract.rules.known_names import ROLES
from corpusgraph.tasks.text.wordlist import words

MALES = words("nouns.males")
FEMALES = words("nouns.females")
PERSONS = words("nouns.persons")
COLLECTIVES = words("nouns.collectives")
ORGANISATIONS = words("nouns.organisations")
AGENTS = PERSONS | MALES | FEMALES | COLLECTIVES | ROLES | words("nouns.agents")
"""What acts: a person, a body of persons, a pronoun for one."""
PATHS = words("nouns.paths")
WORKS = words("nouns.works")


def is_person(lemma: str) -> bool:
    """Tell a noun for persons, also by its ending: "pathologist", "craftsman"."""
    listed = lemma in PERSONS or lemma in MALES or lemma in FEMALES or lemma in ROLES
    return listed or lemma.endswith(("ologist", "ician", "nist", "rist", "phist", "sman", "woman", "maker"))


def is_body(lemma: str) -> bool:
    """Tell a noun for a body of persons."""
    return lemma in COLLECTIVES or lemma in ORGANISATIONS
