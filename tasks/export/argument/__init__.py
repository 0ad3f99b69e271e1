"""The bundle of an argument network."""
