"""Nouns for persons and bodies of persons: what he, she and they can stand for, and what names name."""

from corpusgraph.tasks.extract.rules.known_names import ROLES
from corpusgraph.tasks.text.wordlist import wordset

MALES = wordset("""
    man boy king prince duke lord sir father son brother husband uncle nephew gentleman emperor monk priest
    shepherd fisherman policeman chairman spokesman statesman clergyman bishop pope friar widower
    grandfather stepfather dad daddy granddad grandpa grandson stepson godfather actor waiter bridegroom
    hero god salesman nobleman earl baron sultan tsar czar king
""")
FEMALES = wordset("""
    woman girl queen princess duchess lady mother daughter sister wife aunt niece actress widow nun bride
    grandmother stepmother mum mom mummy grandma granny granddaughter stepdaughter godmother waitress
    heroine empress goddess spokeswoman chairwoman businesswoman countess midwife mistress maid
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
AGENTS = (
    PERSONS
    | MALES
    | FEMALES
    | COLLECTIVES
    | ROLES
    | wordset("""
    researcher scientist official guard counsel settler villager rebel protester demonstrator trader dealer
    smuggler terrorist troop adversary enemy police authority firm bank charity hospital school regulator
    lawmaker activist campaigner supporter opponent critic analyst expert investigator inspector firefighter
    rescuer volunteer shareholder investor customer buyer seller employee boss employer operator maker
    leader ruler regime administration commission army navy fleet regiment garrison battalion men women
    children magistrate preacher apprentice porter coachman gardener cook maid beggar bandit robber pirate
    designer league screenwriter rival band crewman seaman fisher hunter miner builder carter bargeman
    singer artist builder tenant he she they we i you who him her them us me
""")
)
"""What acts: a person, a body of persons, a pronoun for one."""
PATHS = wordset("""
    road lane path street way track trail door gate passage corridor stair stairs staircase step steps
    bridge avenue alley tunnel line highway route canal hall hallway ladder window drive walk entrance
    archway railway valley pass ramp footpath
""")
"""What leads to a place."""
WORKS = wordset("""
    film movie album song single version game book novel magazine series show episode record recording video
    music play opera cartoon documentary comic painting work remix soundtrack track cover edition program
    programme newspaper
""")


def is_person(lemma: str) -> bool:
    """Tell a noun for persons, also by its ending: "pathologist", "craftsman"."""
    listed = lemma in PERSONS or lemma in MALES or lemma in FEMALES or lemma in ROLES
    return listed or lemma.endswith(("ologist", "ician", "nist", "rist", "phist", "sman", "woman", "maker"))


def is_body(lemma: str) -> bool:
    """Tell a noun for a body of persons."""
    return lemma in COLLECTIVES or lemma in ORGANISATIONS
