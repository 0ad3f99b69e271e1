"""Annotators: the parser that ships with the package, and any spaCy pipeline that a study names."""
