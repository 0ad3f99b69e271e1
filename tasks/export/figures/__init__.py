"""The picture of a bundle that a person looks at first."""

PICTURES = {
    "figure.png": "what to look at first",
    "figure.svg": "the same as vector graphics, whose text can be searched and read aloud",
}
"""File: what it is."""
DRAWN_BY = ("matplotlib", "pillow")
"""The libraries that draw."""
