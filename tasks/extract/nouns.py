"""Nouns for persons and bodies of persons: what he, she and they can stand for, and what names name."""

from corpusgraph.tasks.index.rules.known_names import ROLES
from corpusgraph.tasks.index.rules.wordlist import wordset

MALES = wordset("""
    man boy king prince duke lord sir father son brother husband uncle nephew gentleman emperor monk priest
    shepherd fisherman policeman chairman spokesman statesman clergyman bishop pope friar widower
    grandfather
    stepfather actor waiter bridegroom hero god salesman nobleman earl baron sultan tsar czar king
""")
FEMALES = wordset("""
    woman girl queen princess duchess lady mother daughter sister wife aunt niece actress widow nun bride
    grandmother stepmother waitress heroine empress goddess spokeswoman chairwoman businesswoman countess
    midwife mistress maid
""")
PERSONS = wordset("""
    person child baby friend neighbour neighbor cousin parent patient pupil citizen inhabitant
    resident visitor
    guest stranger passenger prisoner victim candidate magistrate monarch tyrant usurper legislator
    representative deputy delegate elector voter colleague servant slave master peasant worker
    labourer laborer
    thief murderer criminal suspect defendant plaintiff attorney clerk driver pilot sailor gunner striker
    goalkeeper doctor mate girlfriend boyfriend twin orphan youth teenager adult user customer client reader
    speaker member individual councillor councilman plumber engineer surgeon striker ancestor
    forebear forefather settler colonist pioneer defector immigrant emigrant refugee traveller traveler
    hunter warrior knight opponent supporter adversary fellow gardener juror housekeeper
    somebody someone
    everyone anybody nobody anyone
""")
COLLECTIVES = wordset("""
    people company council committee board government family team army crew police court parliament congress
    senate assembly party club firm band public nation group union minority crowd staff jury ministry
    cabinet house legislature clergy nobility militia cattle community couple pair population enemy
""")
ORGANISATIONS = wordset("""
    operator dairy brewer carmaker maker provider producer supplier chain retailer charity start-up
    startup insurer
    lender studio militia faction sect tribe clan family dynasty house broadcaster sponsor employer
    conglomerate
    wire cooperative co-operative brewery newspaper magazine rival giant label distributor developer
    organiser organizer contractor watchdog regulator trade-union nonprofit
""")
"""Nouns for bodies of persons, beside those that the rules for names know."""


def is_person(lemma: str) -> bool:
    """Tell a noun for persons, also by its ending: "pathologist", "craftsman"."""
    listed = lemma in PERSONS or lemma in MALES or lemma in FEMALES or lemma in ROLES
    return listed or lemma.endswith(("ologist", "ician", "nist", "rist", "phist", "sman", "woman", "maker"))


def is_body(lemma: str) -> bool:
    """Tell a noun for a body of persons."""
    return lemma in COLLECTIVES or lemma in ORGANISATIONS
