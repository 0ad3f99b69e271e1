"""Text that XML can hold."""

import re

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPECIAL = re.compile("[^ !#-%'-;=?-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REFERENCES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\n": "&#10;",
    "\t": "&#9;",
    "\r": "&#13;",
}


def is_legal(text: str) -> bool:
    """Tell whether XML 1.0 can hold every character."""
    return _NOT_XML.search(text) is None


def is_plain(text: str) -> bool:
    """Tell whether text is written in XML as it is."""
    return _SPECIAL.search(text) is None


def in_xml(text: str) -> str:
    """Return text for an attribute or an element; what XML cannot hold becomes U+FFFD."""
    return _SPECIAL.sub(_reference, text) if _SPECIAL.search(text) else text


def id_in_xml(text: str) -> str:
    """Return an id; U+FFFD is followed by the number of what it stands for, so that ids stay different."""
    return in_xml(_NOT_XML.sub(lambda match: f"\ufffd{ord(match[0]):x}", text))


def _reference(match: re.Match[str]) -> str:
    return _REFERENCES.get(match[0], "\ufffd")
