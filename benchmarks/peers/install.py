"""Install the peers, each into a virtual environment of its own.

    python benchmarks/peers/install.py --home FOLDER [--peer NAME ...]

The peers ask tiktoken for an encoding, which it would download at first use. LiteLLM, a dependency of
graphrag, carries the same files; they are put where tiktoken looks for them.
"""

import argparse
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

PINS: dict[str, tuple[str, ...]] = {
    "fast": ("fast-graphrag==0.0.5", "sentencepiece<0.2.1"),
    "nano": ("nano-graphrag==0.0.8.2",),
    "lightrag": ("lightrag-hku==1.5.7", "openai"),
    "graphrag": ("graphrag==3.3.0",),
}
"""Name -> what pip installs."""
TOKENIZERS = "lib/python*/site-packages/litellm/litellm_core_utils/tokenizers"


def python_of(home: Path, peer: str) -> Path:
    """Return the interpreter of a peer."""
    return home / "venv" / peer / "bin" / "python"


def install(home: Path, peer: str) -> None:
    """Make a peer's virtual environment, unless it is there."""
    python = python_of(home, peer)
    done = home / "venv" / peer / ".installed"
    if done.exists():
        return
    venv.create(python.parents[1], with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *PINS[peer]], check=True)
    done.touch()


def tokenizers(home: Path) -> None:
    """Copy the encodings that LiteLLM carries; their names are hashes of 40 hex digits."""
    into = home / "tiktoken_cache"
    into.mkdir(parents=True, exist_ok=True)
    for folder in (home / "venv").glob(f"*/{TOKENIZERS}"):
        for path in folder.iterdir():
            if len(path.name) == 40:
                shutil.copy(path, into / path.name)


def home_of(given: str | None) -> Path:
    """Return the scratch folder, from the option or the environment."""
    said = given or os.environ.get("PEERS_HOME")
    if not said:
        sys.exit("say where: --home FOLDER, or PEERS_HOME in the environment")
    return Path(said).resolve()


def main() -> None:
    """Install all peers, or those named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer", action="append", choices=PINS, help="only this one; may be repeated")
    parser.add_argument("--home", help="scratch folder; default: $PEERS_HOME")
    given = parser.parse_args()
    home = home_of(given.home)
    for peer in given.peer or PINS:
        print(f"{peer}: {', '.join(PINS[peer])}", flush=True)
        install(home, peer)
    tokenizers(home)


if __name__ == "__main__":
    main()
