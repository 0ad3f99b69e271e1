"""What can be told of a text before anything is extracted from it."""
