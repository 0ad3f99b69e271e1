"""Frameworks of the textbooks, in shorthand: `ab` is a attacks b; sets are words, the empty set is ''."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Textbook:
    """A framework, where it is from, and answers known without computing."""

    name: str
    arguments: str
    attacks: str
    known: dict[str, set[str]]


def _t(name: str, arguments: str, attacks: str, **known: str) -> Textbook:
    return Textbook(
        name, arguments, attacks, {k: set(v.split("|")) if v != "none" else set() for k, v in known.items()}
    )


TEXTBOOK = (
    _t("no argument at all", "", "", grounded="", preferred="", stable=""),
    _t("one argument", "a", "", grounded="a", preferred="a", stable="a"),
    _t("who speaks last, wins (Dung 1995)", "abc", "ab ba ca", grounded="bc", preferred="bc", stable="bc"),
    _t("Nixon diamond (Dung 1995)", "ab", "ab ba", grounded="", preferred="a|b", stable="a|b", ideal=""),
    _t("a simple attack", "ab", "ab", grounded="a", preferred="a", stable="a"),
    _t("reinstatement (Baroni et al. 2011)", "abc", "ab bc", grounded="ac", preferred="ac", stable="ac"),
    _t("a chain of four", "abcd", "ab bc cd", grounded="ac", stable="ac"),
    _t("a chain of five", "abcde", "ab bc cd de", grounded="ace", stable="ace"),
    _t("a self-attack", "a", "aa", grounded="", preferred="", stable="none", stage="", semi_stable=""),
    _t("a self-attack beside a bystander", "ab", "aa", grounded="b", preferred="b", stable="none", stage="b"),
    _t("a self-attacker's victim", "ab", "aa ab", grounded="", preferred="", stable="none", stage="b"),
    _t("a self-attacker that is attacked", "ab", "aa ba", grounded="b", stable="b"),
    _t("ideal beyond grounded (Dung, Mancarella & Toni 2007)", "ab", "aa ab ba", grounded="", preferred="b", ideal="b"),
    _t("a cycle of two and one of them hurt", "abc", "ab ba cb", grounded="ac", stable="ac"),
    _t("a cycle of three (Dung 1995)", "abc", "ab bc ca", preferred="", stable="none", stage="a|b|c", semi_stable=""),
    _t("a cycle of four", "abcd", "ab bc cd da", grounded="", preferred="ac|bd", stable="ac|bd"),
    _t("a cycle of five", "abcde", "ab bc cd de ea", preferred="", stable="none", stage="ac|ad|bd|be|ce"),
    _t("a cycle of six", "abcdef", "ab bc cd de ef fa", preferred="ace|bdf", stable="ace|bdf"),
    _t("a cycle of seven", "abcdefg", "ab bc cd de ef fg ga", preferred="", stable="none"),
    _t("floating acceptance (Baroni et al. 2011)", "abcd", "ab ba ac bc cd", grounded="", preferred="ad|bd", ideal=""),
    _t("floating acceptance without the last", "abc", "ab ba ac bc", preferred="a|b", stable="a|b", grounded=""),
    _t("semi-stable where stable is not (Caminada 2006)", "abc", "ab ba bc cc", semi_stable="b", preferred="a|b"),
    _t("eager beyond ideal (Caminada 2007)", "abcde", "ab ba bc cd de ec", preferred="a|bd", semi_stable="bd",
       stable="bd", ideal="", eager="bd"),
    _t("an odd cycle with an exit", "abcd", "ab bc ca cd", preferred="", stage="ad|bd|c", semi_stable=""),
    _t("an odd cycle that is broken", "abcd", "ab bc ca da", grounded="bd", stable="bd"),
    _t("an odd cycle hit by a dilemma", "abcde", "ab bc ca de ed da", preferred="bd|e", stable="bd", semi_stable="bd"),
    _t("a dilemma and a loop", "abc", "ab ba ac cc", preferred="a|b", stable="a", semi_stable="a", eager="a"),
    _t("stage against semi-stable (Verheij 1996)", "abc", "aa ab bc", semi_stable="", stage="b", preferred=""),
    _t("two dilemmas", "abcd", "ab ba cd dc", preferred="ac|ad|bc|bd", grounded="", complete="|a|b|c|d|ac|ad|bc|bd"),
    _t("all against all, three", "abc", "ab ba bc cb ac ca", preferred="a|b|c", stable="a|b|c"),
    _t("all against all, four", "abcd", "ab ba ac ca ad da bc cb bd db cd dc", stable="a|b|c|d"),
    _t("a symmetric path of four", "abcd", "ab ba bc cb cd dc", stable="ac|ad|bd", grounded=""),
    _t("a symmetric cycle of five", "abcde", "ab ba bc cb cd dc de ed ea ae", stable="ac|ad|bd|be|ce"),
    _t("a star inwards", "abcd", "ad bd cd", grounded="abc", stable="abc"),
    _t("a star outwards", "abcd", "ab ac ad", grounded="a", stable="a"),
    _t("two against three", "abcde", "ac ad ae bc bd be ca da ea cb db eb", stable="ab|cde"),
    _t("a ladder of dilemmas", "abcdef", "ab ba cd dc ef fe ac ce", grounded=""),
    _t("all attack themselves", "abc", "aa bb cc", preferred="", stable="none", stage=""),
    _t("a loop below an undefeated one", "abc", "ab bb bc", grounded="ac", stable="ac"),
    _t("a defender that is attacked back", "abc", "ab bc ba", preferred="ac|b", stable="ac|b"),
    _t("three who travel on a tandem (Caminada 2008)", "abcdef", "ad db be ec cf fa", preferred="abc|def",
       grounded=""),
    _t("a zombie: undecided breeds undecided", "abcd", "aa ab bc cd", grounded="", preferred="", stage="bd"),
    _t("two islands, one without answer", "abcde", "ab bc ca de ed", preferred="d|e", stable="none",
       semi_stable="d|e", grounded=""),
    _t("ideal between two", "abcde", "ab ba ac bc cd de ed", grounded="", preferred="ad|bd|ae|be"),
    _t("Tweety: a bird, a penguin, a magic spell", "abc", "ba cb", grounded="ac"),
    _t("grounded wins over a loop of two", "abcd", "ab bc cb cd", grounded="ac", stable="ac"),
)  # fmt: skip
