"""Lists for a person, and the parts of docs that are made from code (`python -m corpusgraph.flows.docs`)."""
