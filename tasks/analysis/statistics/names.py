"""Names that a target program accepts, and the map from the old names to the new."""

import keyword
import re
import unicodedata
from collections.abc import Callable, Sequence

from corpusgraph.schemas.study import BundleFormat

_R_WORDS = """if else repeat while function for next break in TRUE FALSE NULL Inf NaN
    NA NA_integer_ NA_real_ NA_complex_ NA_character_ T F"""
_R = frozenset(_R_WORDS.split())
_STATA_WORDS = """_all _b byte _coef _cons double float if in int long _n _N _pi _pred _rc _skip strL
    using with alias _r _se"""
_STATA = frozenset(_STATA_WORDS.split())
_SPSS = frozenset({"ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"})
_FORMULA = {"C", "Q", "I", "np", "poly", "scale", "center", "bs", "cr", "cc", "te", "data", "model"}
"""Functions of Python's model formulas, and names the script itself uses."""


def legal_names(names: Sequence[str], target: BundleFormat) -> dict[str, str]:
    """Map each name to one the target accepts; a legal name stays, and no two new names are the same.

    R and Python keep letters of every script. Stata names are ASCII, up to 32 characters, so that
    readers before version 14 open the file; SPSS names are up to 64 bytes and unique without case.

    Parameters
    ----------
    names
        The names as given.
    target
        The program whose rules count.

    Returns
    -------
    dict of str to str
        Old name -> new name, in the order given.

    """
    rule = _RULES[target]
    fold: Callable[[str], str] = str.casefold if target == "spss" else str
    made: dict[str, str] = {}
    taken: set[str] = set()
    fixed = {name: rule(name) or f"v{at}" for at, name in enumerate(names, 1)}
    for name in sorted(dict.fromkeys(names), key=lambda n: fixed[n] != n):  # stable: legal names first
        made[name] = _unused(fixed[name], taken, fold, target)
        taken.add(fold(made[name]))
    return {name: made[name] for name in names}


def _unused(name: str, taken: set[str], fold: Callable[[str], str], target: BundleFormat) -> str:
    tried, n = name, 1
    while fold(tried) in taken:
        n += 1
        tried = _cut(name, target, len(f"_{n}")) + f"_{n}"
    return tried


def _cut(name: str, target: BundleFormat, room: int = 0) -> str:
    if target == "stata":
        return name[: 32 - room]
    if target == "spss":
        return name.encode()[: 64 - room].decode(errors="ignore")
    return name


def _r(name: str) -> str:
    legal = _replaced(name, lambda c: _plain(c) or c == ".")
    if legal and not (legal[0].isalpha() or re.match(r"\.(?!\d)", legal)):
        legal = _started(legal)
    return f"{legal}_" if legal in _R or re.fullmatch(r"\.\.(\.|\d+)", legal) else legal


def _python(name: str) -> str:
    legal = _replaced(unicodedata.normalize("NFKC", name), lambda c: f"a{c}".isidentifier())
    legal = legal if legal.isidentifier() and not legal.startswith("_") else _started(legal)
    return f"{legal}_" if keyword.iskeyword(legal) or legal in _FORMULA else legal


def _stata(name: str) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    legal = _replaced(plain, lambda c: c.isascii() and _plain(c))
    legal = _cut(_started(legal) if legal and legal[0].isdigit() else legal, "stata")
    return f"{legal}_" if legal in _STATA or re.fullmatch(r"str\d+", legal) else legal


def _spss(name: str) -> str:
    legal = _replaced(name, lambda c: _plain(c) or c in ".@").rstrip("._")
    legal = legal if legal[:1].isalpha() else _started(legal)  # SPSS allows @ first, ReadStat does not
    legal = _cut(legal, "spss").rstrip("._")
    return f"{legal}_v" if legal.upper() in _SPSS else legal


def _plain(character: str) -> bool:
    """Return whether it is a letter of any script, an ASCII digit or an underscore."""
    return character.isalpha() or (character.isascii() and character.isdigit()) or character == "_"


def _replaced(name: str, legal: Callable[[str], bool]) -> str:
    """Put one underscore for each run of illegal characters; a name of nothing else becomes empty."""
    kept = re.sub(" +", "_", "".join(c if legal(c) else " " for c in name))
    return kept if kept.strip("_.") else ""


def _started(name: str) -> str:
    """Begin with a letter; nothing stays nothing."""
    return f"v{name}" if name.startswith("_") else f"v_{name}" if name else ""


_RULES: dict[BundleFormat, Callable[[str], str]] = {
    "r": _r,
    "python": _python,
    "stata": _stata,
    "spss": _spss,
}
