"""What a drawn picture shows: groups of the SVG with their first colour, its text, and the size of the PNG."""

import io
import re
from dataclasses import dataclass

from lxml import etree
from PIL import Image

_SVG = {"s": "http://www.w3.org/2000/svg"}


@dataclass(frozen=True)
class Text:
    words: str
    name: str
    x: float
    y: float
    size: float
    anchor: str


@dataclass(frozen=True)
class Picture:
    root: "etree._Element"
    groups: dict[str, "etree._Element"]
    texts: list[Text]
    png: Image.Image

    @property
    def words(self) -> str:
        return "\n".join(text.words for text in self.texts)

    def caption(self) -> str:
        return self.of("caption")

    def of(self, name: str) -> str:
        return " ".join(text.words for text in self.texts if re.fullmatch(rf"{name}(-\d+)?", text.name))

    def fill(self, group: str) -> str:
        found = re.search(r"fill: (#[0-9a-f]{6})", etree.tostring(self.groups[group]).decode())
        return found[1].upper() if found else ""

    def stroke(self, group: str) -> str:
        found = re.search(r"stroke: (#[0-9a-f]{6})", etree.tostring(self.groups[group]).decode())
        return found[1].upper() if found else ""

    def is_dashed(self, group: str) -> bool:
        return b"stroke-dasharray" in etree.tostring(self.groups[group])

    def hint(self, group: str) -> str:
        return str(self.groups[group].findtext("s:title", namespaces=_SVG))

    def numbered(self, kind: str) -> set[str]:
        return {gid for gid in self.groups if re.fullmatch(rf"{kind}-\d+", gid)}


def _style(element: "etree._Element", name: str) -> str:
    found = re.search(rf"{name}: ([^;]+)", element.get("style", ""))
    return found[1] if found else ""


def look(files: dict[str, bytes]) -> Picture:
    assert set(files) == {"figure.png", "figure.svg"}
    root = etree.fromstring(files["figure.svg"])
    groups = {g.get("id", ""): g for g in root.iterfind(".//s:g", _SVG)}
    texts = [
        Text(
            "".join(map(str, t.itertext())),
            t.getparent().get("id", ""),  # type: ignore[union-attr]
            float(t.get("x", "")),
            float(t.get("y", "")),
            float(_style(t, "font-size").removesuffix("px")),
            _style(t, "text-anchor") or "start",
        )
        for t in root.iterfind(".//s:text", _SVG)
        if t.get("transform", "").startswith("rotate(-0 ")
    ]
    png = Image.open(io.BytesIO(files["figure.png"]))
    png.load()
    wide, high = (float(v) for v in root.get("viewBox", "").split()[2:])
    assert abs(png.size[0] - wide * 150 / 72) <= 1.5, "150 dots an inch"
    assert abs(png.size[1] - high * 150 / 72) <= 1.5
    assert root.get("role") == "img"
    assert root.findtext("s:title", namespaces=_SVG)
    assert root.findtext("s:desc", namespaces=_SVG)
    for text in texts:
        assert -1 <= text.x <= wide + 1, text
        assert 0 <= text.y <= high, text
    return Picture(root, groups, texts, png)


def overlaps(picture: Picture) -> list[tuple[str, str]]:
    """Lines of text that lie over each other, by the widths of the font of the PNG."""
    from corpusgraph.tasks.export.figures.page import width

    boxes = []
    for text in picture.texts:
        wide = width(text.words, text.size)
        left = text.x - {"start": 0.0, "middle": wide / 2, "end": wide}[text.anchor]
        boxes.append((left, text.y - 0.6 * text.size, left + wide, text.y, text.words))
    return [
        (a[4], b[4])
        for i, a in enumerate(boxes)
        for b in boxes[i + 1 :]
        if a[0] < b[2] - 1 and b[0] < a[2] - 1 and a[1] < b[3] - 1 and b[1] < a[3] - 1
    ]
