"""Write the pages of docs that are made from code, below the current folder."""

from pathlib import Path

from corpusgraph.flows.docs import PAGES


def main() -> None:
    """Write the pages."""
    for name, made in PAGES.items():
        (Path("docs") / name).write_text(made(), encoding="utf-8")


if __name__ == "__main__":
    main()
