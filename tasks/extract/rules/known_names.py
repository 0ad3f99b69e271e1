"""Names, parts of names and nouns known beforehand, and what kind of thing each names."""

from corpusgraph.tasks.text.wordlist import table, words

FEMALE = words("known_names.female")
EITHER = words("known_names.either")
GIVEN = FEMALE | EITHER | words("known_names.given")
TITLES = words("known_names.titles")
ROLE_OF = words("known_names.role_of")
ROLES = words("known_names.roles")
ORG_HEADS = words("known_names.org_heads")
PLACE_HEADS = words("known_names.place_heads")
PLACE_FIRST = words("known_names.place_first")
CONCEPT_HEADS = words("known_names.concept_heads")
HEADS = ORG_HEADS | PLACE_HEADS | CONCEPT_HEADS
"""Last words of names that say what is named."""
LOWER_HEADS = words("known_names.lower_heads")
ORDINALS = words("known_names.ordinals")
DEMONYMS = words("known_names.demonyms")
KIND_OF = table("known_names.kinds")
SAYING = words("known_names.saying")


PLACES = words("known_names.places")
ORGANISATIONS = words("known_names.organisations")
