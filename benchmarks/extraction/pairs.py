"""Pairs of heads of a sentence, and what is so of each: the features of a trained reader."""

import zlib
from collections.abc import Container, Sequence
from itertools import product

from corpusgraph.tasks.extract.patterns import Statement
from corpusgraph.tasks.extract.tree import Tree

FARTHEST = 6
"""Steps through the tree from one end to the other."""
_NO_HEAD = frozenset({"PUNCT", "SYM", "ADP", "CCONJ", "PART", "INTJ", "SCONJ"})
_INNER = frozenset(
    {
        "compound", "flat", "fixed", "goeswith", "case", "mark", "aux", "cop", "det", "punct", "cc", "expl",
        "discourse",
    }
)  # fmt: skip
_ARGUMENTS = frozenset({"nsubj", "obj", "obl", "nmod"})
_RELATIVE = frozenset({"who", "which", "that", "whom", "whose"})
_BREAKS = frozenset({",", ";", ":", "--", "—", "("})
_OPEN = frozenset({"NOUN", "VERB", "ADJ", "ADV", "PROPN", "NUM", "PRON"})
Pair = tuple[int, int]


def hashed(names: Sequence[str]) -> list[int]:
    """Return the numbers of features, each once."""
    return list({zlib.crc32(name.encode()) for name in names})


class PairReader:
    """The pairs of a sentence, and the features of each.

    Parameters
    ----------
    tree : Tree
        The sentence. What is coordinated counts as hanging where its first member hangs.
    statements : sequence of Statement
        What the patterns read in it.

    """

    def __init__(self, tree: Tree, statements: Sequence[Statement]) -> None:
        self.tree = tree
        self._read: dict[Pair, list[Statement]] = {}
        for statement in statements:
            self._read.setdefault((statement.source, statement.target), []).append(statement)
        tokens = range(len(tree))
        self._heads, self._roles = list(tree.heads), list(tree.deprels)
        firsts = [self._first(token) for token in tokens]
        for token, first in enumerate(firsts):
            if first != token and not (
                tree.upos[token] in ("VERB", "AUX", "ADJ") and self._has_subject(token)
            ):
                self._heads[token] = tree.heads[first] if tree.heads[first] != first else token
                self._roles[token] = tree.deprels[first]
        self._ways = [self._way(token) for token in tokens]
        self._marks = [tree.case_of(token) or tree.mark_of(token) for token in tokens]
        for token, first in enumerate(firsts):
            if first != token and not self._marks[token] and tree.upos[token] != "VERB":
                self._marks[token] = tree.case_of(first)
        self._joined = [first != token for token, first in enumerate(firsts)]
        self._adverbs = [
            [tree.lows[child] for child in tree.dependents(token, "advmod", "cc")] for token in tokens
        ]
        self._shapes = [self._shape(token) for token in tokens]
        self._relatives = [self._relative(token) for token in tokens]

    def _first(self, token: int) -> int:
        """Return the first member of a coordination."""
        for _ in range(8):
            if self.tree.relations[token] != "conj" or self.tree.heads[token] == token:
                break
            token = self.tree.heads[token]
        return token

    def _has_subject(self, token: int) -> bool:
        return self.tree.dependent(token, "nsubj", "csubj") is not None

    def _way(self, token: int) -> list[int]:
        """Return a token and the heads above it."""
        way = [token]
        while self._heads[way[-1]] not in way and len(way) < 12:
            way.append(self._heads[way[-1]])
        return way

    def _shape(self, token: int) -> str:
        """Return whether a token has a subject, a copula and an object."""
        tree = self.tree
        return "".join(
            str(int(tree.dependent(token, *relations) is not None))
            for relations in (("nsubj", "csubj"), ("cop",), ("obj",))
        )

    def _relative(self, token: int) -> str:
        """Return what the relative pronoun of a relative clause is in it."""
        tree = self.tree
        if tree.deprels[token] != "acl:relcl":
            return ""
        pronouns = (
            child
            for child in tree.subtree(token)
            if tree.lows[child] in _RELATIVE and tree.upos[child] in ("PRON", "DET")
        )
        return next((tree.relations[child] for child in pronouns), "")

    @property
    def read(self) -> dict[Pair, str]:
        """Pair -> type of what the patterns read of it."""
        return {pair: statements[0].type for pair, statements in self._read.items()}

    def heads(self) -> list[int]:
        """Return the tokens that may be an end."""
        tree = self.tree
        return [
            token
            for token, (upos, relation) in enumerate(zip(tree.upos, tree.relations, strict=True))
            if upos not in _NO_HEAD
            and (upos != "DET" or relation in _ARGUMENTS)
            and (relation not in _INNER or upos == "VERB")
            and (upos, relation) not in (("ADV", "advmod"), ("ADJ", "amod"))
            and (relation != "nummod" or upos == "NUM")
        ]

    def pairs(self, heads: Sequence[int], paths: Container[str] | None = None) -> list[Pair]:
        """Return the pairs of some heads, source first, that are near in the tree, by one of some paths."""
        near = [(a, b) for a, b in product(heads, heads) if a != b and self._meeting(a, b) is not None]
        return near if paths is None else [pair for pair in near if self.path(*pair) in paths]

    def path(self, source: int, target: int) -> str:
        """Return the relations on the way up from the source and on that up from the target."""
        up, _, down = self.parts(source, target)
        return "^".join(">".join(self._roles[token] for token in way) for way in (up, down))

    def _meeting(self, source: int, target: int) -> tuple[int, int] | None:
        """Return how many steps both ends are from where their ways up meet, None where that is far."""
        below = {token: steps for steps, token in enumerate(self._ways[target])}
        for steps, token in enumerate(self._ways[source]):
            if token in below:
                return (steps, below[token]) if steps + below[token] <= FARTHEST else None
        return None

    def parts(self, source: int, target: int) -> tuple[list[int], int, list[int]]:
        """Return the tokens from the source up, where the ways meet, and those from the target up."""
        up, down = self._meeting(source, target) or (0, 0)
        return self._ways[source][:up], self._ways[source][up], self._ways[target][:down]

    def words(self, source: int, target: int) -> tuple[str, str, str, str, str]:
        """Return the lemmas whose vectors count: both ends, where they meet, and the next above each end."""
        lemmas, (up, top, down) = self.tree.lemmas, self.parts(source, target)
        return (
            lemmas[source],
            lemmas[target],
            lemmas[top],
            *(lemmas[way[1]] if len(way) > 1 else "" for way in (up, down)),
        )  # type: ignore[return-value]

    def features(self, source: int, target: int) -> list[str]:
        """Return the names of what is so of a pair."""
        tree, marks = self.tree, self._marks
        up, top, down = self.parts(source, target)
        rise, fall = (">".join(self._roles[token] for token in way) for way in (up, down))
        marked = [">".join(f"{self._roles[t]}:{marks[t]}" for t in way) for way in (up, down)]
        path, lemma = f"{rise}^{fall}", tree.lemmas[top]
        kinds, meet = (tree.upos[source], tree.upos[target]), tree.upos[top]
        nearest = "|".join(f"{self._roles[way[-1]]}:{marks[way[-1]]}" if way else "-" for way in (up, down))
        voice = any(tree.deprels[child] in ("nsubj:pass", "aux:pass") for child in tree.children[top])
        names = [
            f"path {path}",
            f"path {path} {kinds} {meet}",
            f"path {path} {lemma}",
            f"path {path} {voice}",
            f"marked {marked}",
            f"marked {marked} {lemma}",
            f"rise {rise} {kinds[0]}",
            f"fall {fall} {kinds[1]}",
            f"rises {marked[0]}",
            f"falls {marked[1]}",
            f"from {lemma} {marked[0] if len(up) < 3 else ''}",
            f"to {lemma} {marked[1] if len(down) < 3 else ''}",
            f"meet {meet}",
            f"meet {lemma}",
            f"kinds {kinds}",
            f"source {tree.lemmas[source]}",
            f"target {tree.lemmas[target]}",
            f"steps {len(up)} {len(down)}",
            f"nearest {voice} {nearest}",
            f"nearest {voice} {nearest} {lemma}",
            f"meet mark {marks[top]}",
            f"shape {self._shapes[top]} {path}",
            f"source shape {self._shapes[source]} {kinds[0]} {path}",
            f"target shape {self._shapes[target]} {kinds[1]} {path}",
        ]
        names += [f"source joined {rise}"] * self._joined[source] + [f"target joined {fall}"] * self._joined[
            target
        ]
        names += [name for word in self._adverbs[top] for name in (f"adverb {word}", f"adverb {word} {path}")]
        for side, way in (("up", up), ("down", down)):
            for step, token in enumerate(way):
                if step:
                    names += [f"{side} {tree.lemmas[token]}", f"{side} {tree.lemmas[token]} {path}"]
                place = f"{side} {min(step, 1)}"
                if marks[token]:
                    names += [f"mark {place} {marks[token]}", f"mark {place} {marks[token]} {path}"]
                names += [f"adverb {place} {word}" for word in self._adverbs[token]]
                if self._relatives[token]:
                    relative = f"relative {place} {self._relatives[token]}"
                    names += [f"{relative} {path}", f"{relative} {tree.lemmas[token]}"]
        return names + self._order(source, target, kinds, path) + self._of_patterns(source, target)

    def _order(self, source: int, target: int, kinds: tuple[str, str], path: str) -> list[str]:
        """Return what is so of the words between both ends."""
        tree = self.tree
        low, high = sorted((source, target))
        between = range(low + 1, high)
        breaks = sum(tree.words[token] in _BREAKS for token in between)
        nouns = sum(tree.upos[token] in ("NOUN", "PROPN") for token in between)
        verbs = min(4, sum(tree.upos[token] == "VERB" for token in between))
        order, far = source < target, sum(high - low > bound for bound in (1, 3, 6, 11, 19))
        names = [
            f"order {order} {far}",
            f"order {order} {path}",
            f"breaks {min(4, breaks)}",
            f"nouns {min(5, nouns)}",
            f"verbs {verbs}",
            f"verbs {verbs} {path}",
            f"length {min(5, len(tree) // 10)}",
        ]
        if high - low <= 4:
            inner = [tree.upos[t] if tree.upos[t] in _OPEN else tree.lows[t] for t in between]
            names += [f"between {' '.join(tree.lows[low + 1 : high])}", f"between {kinds} {' '.join(inner)}"]
        return names

    def _of_patterns(self, source: int, target: int) -> list[str]:
        """Return what the patterns say of the pair, either way round."""
        names = []
        for order, pair in (("as", (source, target)), ("against", (target, source))):
            for statement in self._read.get(pair, ()):
                is_open = statement.name.startswith("open ")
                names += [f"{order} read", f"{order} read {'open' if is_open else statement.type}"]
                names += [f"{order} read by {statement.name}"] * (not is_open)
        return names
