"""Nouns for persons and bodies of persons: what he, she and they can stand for, and what names name."""

from corpusgraph.tasks.index.rules.wordlist import wordset

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
    somebody someone
    everyone anybody nobody anyone
""")
COLLECTIVES = wordset("""
    people company council committee board government family team army crew police court parliament congress
    senate assembly party club firm band public nation group union minority crowd staff jury ministry
    cabinet house legislature clergy nobility militia cattle community couple pair population enemy
""")
