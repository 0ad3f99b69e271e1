"""What is broken is left out, and real texts are not touched."""

import gzip
import json
from pathlib import Path

import pytest

from corpusgraph.tasks.text.readable import mend, read
from tests.conftest import SHARED

PROSE = "On 8 September 1854 the Board of Guardians removed the handle of the pump in Broad Street. "
SHIFTED = "".join(chr(ord(c) - 29) if c.isalpha() else c for c in PROSE * 15)
SPACED = " ".join("Thehandleofthepumpwasremovedbytheboardofguardians")
BROKEN = {
    "codes": "(cid:12)(cid:45) (cid:7)(cid:8)(cid:9) " * 20,
    "glyphs": "/g12/g45/g7 /g8/g9/g10 " * 20,
    "private": "\uf041\uf042\uf043 \uf044\uf045 " * 20,
    "lost": "\ufffd\ufffd\ufffda \ufffd\ufffd " * 20,
    "spaced": SPACED,
    "shifted": SHIFTED,
}
REAL = {
    "chinese": "第八日，监护人委员会拆除了宽街水泵的把手。斯诺认为受污染的水引起霍乱。" * 20,
    "arabic": "أزال مجلس الأوصياء مقبض المضخة في شارع برود في الثامن من سبتمبر. " * 20,
    "vietnamese": "Hội đồng đã tháo tay cầm của máy bơm ở phố Broad vào ngày 8 tháng 9 năm 1854. " * 20,
    "code": "def total(rows: list[int]) -> int:\n    return sum(row.n_deaths for row in rows if row.year == 1854)\n"
    * 20,
    "table": "street | deaths | year\nBroad | 5 | 1854\nPoland | 0 | 1854\n" * 30,
    "numbers": "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n" * 30,
    "names": "Adams, John; Bazalgette, Joseph; Cooper, Edmund; Farr, William; Snow, John; Budd, William\n"
    * 10,
    "poem": "’Twas brillig, and the slithy toves\nDid gyre and gimble in the wabe:\n\nAll mimsy were the borogoves,\n"
    * 5,
    "identifiers": "".join(f"    'Stage{n}Report',\n" for n in range(100)),
    "heading": f"I N T R O D U C T I O N\n\n{PROSE}",
    "bullets": f"\uf0b7 {PROSE}\n" * 5,
    "one lost letter": "a\ufffdb",
    "yoruba": "Gbogbo ènìyàn ni a bí ní òmìnira; iyì àti ẹ̀tọ́ kọ̀ọ̀kan sì dọ́gba. " * 10,
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_text_is_unreadable(kind: str) -> None:
    reading = read(BROKEN[kind])
    assert reading.is_unreadable
    assert reading.why


@pytest.mark.parametrize("kind", BROKEN)
def test_the_rest_of_a_text_is_kept(kind: str) -> None:
    reading = read(f"{PROSE * 30}\n\n{BROKEN[kind]}\n\n{PROSE * 30}")
    assert not reading.is_unreadable
    assert 0 < reading.lost < 0.5
    assert reading.text.count("Broad Street") >= 55
    assert "(cid:" not in reading.text


@pytest.mark.parametrize("kind", REAL)
def test_real_text_is_not_touched(kind: str) -> None:
    assert read(REAL[kind]).text == REAL[kind]
    assert mend(REAL[kind]) == (REAL[kind], 0)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the corpora are not beside the repository")
def test_whole_corpora_are_not_touched() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (SHARED / "corpora").rglob("*.txt")]
    for path in (SHARED / "eval").glob("*/corpus.jsonl.gz"):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            texts += [json.loads(line)["text"] for line in lines]
    assert len(texts) > 150
    assert [text[:80] for text in texts if read(text).n_lost or mend(text)[1]] == []


def test_a_page_upside_down_is_noise() -> None:
    text = (Path(__file__).parent / "upside_down.txt").read_text(encoding="utf-8")
    assert read(text).is_unreadable


@pytest.mark.parametrize(
    ("mistaken", "right"),
    [
        ("CafÃ© au lait", "Café au lait"),
        ("The pumpâ€™s handle", "The pump’s handle"),
        ("the pumpâ\x80\x99s handle", "the pump’s handle"),
        ("ÐŸÑ€Ð¸Ð²ÐµÑ‚", "Привет"),
        ("Tiáº¿ng Viá»‡t", "Tiếng Việt"),
    ],
)
def test_mistaken_encodings_are_put_right(mistaken: str, right: str) -> None:
    assert mend(f"{mistaken}\nplain\nnaïve") == (f"{right}\nplain\nnaïve", 1)
