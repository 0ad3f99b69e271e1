"""The nouns of corpusgraph and the ports its outer ring implements. Imports nothing of ours."""
