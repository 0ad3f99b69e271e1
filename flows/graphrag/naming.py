"""Which names a tool's folder may have."""

import re

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices, whatever follows a point."""


def unsafe_name(name: object) -> str | None:
    """Tell why a name cannot be that of a folder; None where it can."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return (
            f"{name!r} cannot be the name of a folder: it has letters, digits, '_', '-' and '.', at most "
            "100, and begins with a letter or digit"
        )
    if _DEVICES.fullmatch(name) or name.endswith("."):
        return f"{name!r} cannot be the name of a folder everywhere: Windows keeps it for itself"
    return None
