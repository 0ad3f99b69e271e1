"""Write the pages of docs that are made from code, below the current folder."""

from pathlib import Path

from corpusgraph.flows.docs.pages import PAGES, page, samples

if __name__ == "__main__":
    with samples():
        for name in PAGES:
            (Path("docs") / name).write_text(page(name, Path("docs")), encoding="utf-8")
