"""From annotated sentences to evidence: names, relations, claims, arguments and events."""
