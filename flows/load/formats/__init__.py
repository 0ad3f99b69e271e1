"""The kinds of documents that are read, and the kinds of files that are known to be none.

A further kind is a module here, with a reader of its bytes and its `FORMAT`.
"""

import pkgutil
from importlib import import_module

from corpusgraph.flows.load import rows
from corpusgraph.flows.load.decoding import Format

_OWN: list[Format] = [
    import_module(f"{__name__}.{module.name}").FORMAT for module in pkgutil.iter_modules(__path__)
]
FORMATS = (*_OWN, *rows.FORMATS)
BY_ENDING = {ending: kind for kind in FORMATS for ending in kind.endings}
KINDS = ", ".join(kind.endings[0] for kind in FORMATS[:-1]) + f" and {FORMATS[-1].endings[0]}"
"""The kinds that are read, as a sentence names them."""
UNREAD = frozenset({
    "png", "jpg", "jpeg", "gif", "tif", "tiff", "bmp", "webp", "ico", "mp3", "mp4", "m4a", "wav",
    "ogg", "avi", "mov", "zip", "tar", "7z", "rar", "bz2", "xz", "exe", "dll", "so", "o", "a",
    "class", "pyc", "xlsx", "xls", "ods", "pptx", "ppt", "odp", "doc", "docm", "dot", "odt", "rtf",
    "epub", "mobi", "djvu", "ps", "json", "xml", "yml", "yaml", "toml", "ini", "cfg", "css", "js",
    "ts", "py", "r", "rmd", "ipynb", "do", "dta", "sav", "rds", "rdata", "feather", "arrow",
    "sqlite", "db", "pickle", "pkl", "npy", "npz", "log", "lock", "bib", "ris",
})  # fmt: skip
"""Endings of files that are not read."""
OTHER = BY_ENDING["txt"]
"""What is not known is read as text, if it is text."""
