"""Causal graphs of textbooks and papers, in shorthand, with what their authors say follows from them.

`z>x` is an arrow, `x<>y` an unobserved common cause, `~u` an unobserved variable. `sets` are the published
minimal adjustment sets, `front` the front-door sets, `instruments` names with what to hold fixed; None
where nothing is published (the definitions taken literally then decide). `identifiable` is the published
verdict.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Textbook:
    """A graph, the question asked of it, and the answers in print."""

    name: str
    nodes: str
    edges: str
    sets: tuple[str, ...] | None = None
    front: tuple[str, ...] | None = None
    instruments: tuple[str, ...] | None = None
    identifiable: bool | None = None
    exposure: str = "x"
    outcome: str = "y"
    adjusted: str = ""


SMALL = (
    Textbook("Simpson: a confounder (Pearl, Glymour & Jewell 2016, fig. 3.3)", "z x y", "z>x z>y x>y", ("z",)),
    Textbook("a mediator (Primer, sec. 3.7)", "x m y", "x>m m>y x>y", ("",)),
    Textbook("a collider (Primer, fig. 2.3)", "x y c", "x>y x>c y>c", ("",)),
    Textbook("Monty Hall: two causes of one effect (Primer, sec. 1.3.2)", "x y z", "x>z y>z", ("",)),
    Textbook("drug, blood pressure after treatment (Primer, fig. 1.8)", "x z y", "x>z z>y x>y", ("",)),
    Textbook("back-door with a proxy (Primer, fig. 3.6)", "~z w x y", "z>x z>w w>y x>y", ("w",)),
    Textbook("two ways (Primer, fig. 3.7)", "e a z x y", "e>x e>z a>z a>y z>x z>y x>y", ("e z", "a z")),
    Textbook(
        "study question 3.3.1 (Primer, fig. 3.8)",
        "a b c d w x y z",
        "b>a b>z c>z c>d a>x z>x z>y d>y x>w w>y",
        ("z a", "z b", "z c", "z d"),
        ("w",),
    ),
    Textbook("smoking, tar, cancer (Pearl 2009, fig. 3.5)", "~u x tar y", "u>x u>y x>tar tar>y", (), ("tar",)),
    Textbook(
        "admissible sets (Pearl 2009, fig. 3.4)",
        "x1 x2 x3 x4 x5 x6 x y",
        "x1>x3 x1>x4 x2>x4 x2>x5 x3>x x4>x x4>y x5>y x>x6 x6>y",
        ("x1 x4", "x2 x4", "x3 x4", "x4 x5"),
        ("x6",),
    ),
    Textbook("bow (Pearl 2009, fig. 3.9a)", "x y", "x>y x<>y", (), (), (), identifiable=False),
    Textbook("fig. 3.9b of Pearl 2009", "x z y", "x>z z>y x<>z", (), (), identifiable=False),
    Textbook("fig. 3.9c of Pearl 2009", "x z y", "x>z z>y x<>z z<>y", (), (), identifiable=False),
    Textbook("fig. 3.9d of Pearl 2009", "x z y", "x>z z>y x<>y z<>y", (), (), identifiable=False),
    Textbook("instrument (Pearl 2009, fig. 3.9e)", "z x y", "z>x x>y x<>y", (), (), ("z",), identifiable=False),
    Textbook("confounded instrument (Brito & Pearl 2002)", "z x y", "z<>x x>y x<>y", (), (), ("z",)),
    Textbook("conditional instrument (Brito & Pearl 2002)", "w z x y", "w>z w>y z>x x>y x<>y", (), (), ("z w",)),
    Textbook(
        "dagitty's conditional instrument", "~u w z x y", "w>z z>x x>y w>u u>x u>y", (), (), ("z w",)
    ),
    Textbook("M-bias (Greenland, Pearl & Robins 1999)", "a b m x y", "a>x a>m b>m b>y x>y", ("",)),
    Textbook(
        "M-bias, adjusted", "a b m x y", "a>x a>m b>m b>y x>y", ("a m", "b m"), adjusted="m"
    ),
    Textbook("butterfly (Ding & Miratrix 2015)", "a b m x y", "a>x a>m b>m b>y m>x m>y x>y", ("a m", "b m")),
    Textbook("diamond (Elwert & Winship 2014)", "x a b y", "x>a x>b a>y b>y", ("",), ("a b",)),
    Textbook(
        "napkin (Pearl & Mackenzie 2018)", "w z x y", "w>z z>x x>y w<>x w<>y", (), (), identifiable=True
    ),
    Textbook("Verma (Verma & Pearl 1990)", "a x c y", "a>x x>c c>y x<>y", (), ("c",), identifiable=True),
    Textbook(
        "time-varying treatment (Pearl & Robins 1995)",
        "x1 z x2 y",
        "x1>z z>x2 x1>y x2>y z<>y",
        (),
        (),
        identifiable=True,
        exposure="x1 x2",
    ),
    Textbook(
        "two exposures (dagitty)",
        "c m m2 x1 x2 y1 y2",
        "c>y1 c>m x1>x2 x1>y2 y2>y1 x2>y1 x1>m2 m2>m m>x2",
        ("c", "m m2"),
        exposure="x1 x2",
        outcome="y1 y2",
    ),
    Textbook("selection by an intermediate (Robins 2001)", "~u z x y", "u>z u>y z>x x>y", ("z",)),
    Textbook("Asia: smoking and dyspnoea (Lauritzen & Spiegelhalter 1988)",
             "asia tub x lung bronc either xray y",
             "asia>tub x>lung x>bronc tub>either lung>either either>xray either>y bronc>y", ("",)),
    Textbook("sprinkler and wet grass (Pearl 2009, fig. 1.2)", "season x rain y slippery",
             "season>x season>rain x>y rain>y y>slippery", ("season", "rain")),
    Textbook("Cancer: smoker and dyspnoea (Korb & Nicholson 2010)", "pollution x cancer xray y",
             "pollution>cancer x>cancer cancer>xray cancer>y", ("",)),
)  # fmt: skip
"""Small enough to take the definitions literally."""

SHRIER = Textbook(
    "warming up and injury (Shrier & Platt 2008)",
    "coach genetics team pregame connective previous contact tissue ingame fitness neuro x y",
    "coach>fitness coach>team genetics>fitness genetics>neuro genetics>connective team>previous team>x"
    " pregame>x connective>tissue connective>neuro contact>ingame contact>previous tissue>y ingame>y"
    " fitness>pregame fitness>neuro neuro>ingame neuro>y x>ingame",
    (
        "coach fitness", "coach pregame", "connective neuro", "fitness genetics", "fitness team",
        "neuro tissue", "pregame team",
    ),
)  # fmt: skip
POLZER = Textbook(
    "tooth loss and mortality (Polzer et al. 2012)",
    "x y periodontitis caries diabetes obesity hypertension psychosocial age sex alcohol smoking sport lipids",
    "x>y periodontitis>x caries>x diabetes>y diabetes>periodontitis diabetes>hypertension diabetes>lipids"
    " obesity>y obesity>periodontitis obesity>diabetes obesity>hypertension obesity>lipids hypertension>y"
    " psychosocial>x psychosocial>y psychosocial>periodontitis psychosocial>caries psychosocial>diabetes"
    " psychosocial>obesity psychosocial>hypertension psychosocial>alcohol psychosocial>smoking"
    " psychosocial>sport psychosocial>lipids age>x age>y age>periodontitis age>caries age>diabetes age>obesity"
    " age>hypertension age>psychosocial age>alcohol age>smoking age>sport age>lipids sex>x sex>y"
    " sex>periodontitis sex>caries sex>diabetes sex>obesity sex>hypertension sex>psychosocial sex>alcohol"
    " sex>smoking sex>sport sex>lipids alcohol>x alcohol>y alcohol>diabetes alcohol>obesity"
    " alcohol>hypertension alcohol>smoking alcohol>lipids smoking>x smoking>y smoking>periodontitis"
    " smoking>diabetes smoking>obesity smoking>hypertension smoking>sport sport>y sport>periodontitis"
    " sport>diabetes sport>obesity sport>hypertension sport>lipids lipids>y",
    (
        "age alcohol diabetes obesity psychosocial sex smoking sport",
        "age alcohol periodontitis psychosocial sex smoking",
    ),
)
THOEMMES = Textbook(
    "two waves (Thoemmes 2013)",
    "~e0 ~e1 e2 ~e3 ~e4 s1 s2 s3 x y z z2 z3",
    "e0>x e1>s1 e2>s2 e2>y e3>s3 e4>y s1>s2 s1>z s2>s3 s2>z2 s3>y x>y x>s1 y>z3",
    ("",),
)
THOEMMES_ADJUSTED = Textbook(THOEMMES.name, THOEMMES.nodes, THOEMMES.edges, (), adjusted="s2")
SCHIPF = Textbook(
    "testosterone and diabetes (Schipf et al. 2010)",
    "x y a s wc u pa",
    "a>s a>pa a>wc a>u a>x s>x s>y wc>x wc>u wc>y u>x u>y pa>wc pa>y",
)
ACID = Textbook(
    "Acid & de Campos 1996",
    "x1 x2 x x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 y x16 x17 x18",
    "x4>x5 x5>x7 x5>x11 x6>x7 x6>x14 x7>x9 x8>x14 x8>y x9>x10 x10>x12 x10>y x11>x12 x12>x13 x14>x16 x16>x17"
    " x1>x4 x1>x x2>x y>x17 y>x18 x>x6 x>x5",
)
KAMPEN = Textbook(
    "psychiatry (van Kampen 2014)",
    "aff ais aln apa cdr det y ftw hos per san x",
    "aff>aln aff>apa aff>cdr ais>aff ais>y ais>x aln>apa aln>det aln>ftw aln>per aln>x cdr>det y>hos ftw>det"
    " ftw>y san>aln san>aff san>ais san>apa san>cdr x>y x>ftw x>hos per>det",
)
SEBASTIANI = Textbook(
    "genes and stroke (Sebastiani et al. 2005)",
    "selp.17 selp.22 ece1.13 ece1.12 met.6 selp.12 cat met.5 csf2.3 csf2.4 tgfbr3.10 tgfbr3.2 "
    "tgfbr3.9 tgfbr3.8 x anxa2.12 y bmp6.13 bmp6.12 bmp6.9 edn1.10 edni1.6 anxa2.8 adcy9.8 bmp6 "
    "anxa2.13 bmp6.11 bmp6.10 anxa2.11 tgfbr3.7 selp.14 edn1.9 bmp6.14 anxa2.7 anxa2.5 stroke",
    "selp.17>selp.22 ece1.13>selp.17 ece1.12>ece1.13 met.6>selp.12 cat>met.5 csf2.3>csf2.4 "
    "tgfbr3.10>tgfbr3.2 tgfbr3.10>tgfbr3.9 tgfbr3.2>tgfbr3.9 tgfbr3.8>tgfbr3.2 tgfbr3.8>tgfbr3.9 "
    "x>anxa2.12 x>y bmp6.13>bmp6.12 bmp6.13>bmp6.9 edn1.10>y edni1.6>edn1.10 edni1.6>y anxa2.8>x "
    "anxa2.8>cat anxa2.8>ece1.12 anxa2.8>edni1.6 anxa2.8>adcy9.8 anxa2.8>bmp6 anxa2.8>anxa2.13 "
    "bmp6.11>bmp6.9 bmp6.10>bmp6.11 bmp6.10>bmp6.13 bmp6>bmp6.10 anxa2.13>anxa2.11 met.5>met.6 "
    "met.5>tgfbr3.7 met.5>selp.14 edn1.9>edn1.10 edn1.9>bmp6.14 edn1.9>x anxa2.7>anxa2.11 "
    "anxa2.7>anxa2.5 bmp6.14>bmp6.12 tgfbr3.7>csf2.3 tgfbr3.7>tgfbr3.10 anxa2.12>anxa2.13 "
    "anxa2.12>anxa2.11 anxa2.12>anxa2.7 anxa2.12>anxa2.5 stroke>csf2.4 stroke>tgfbr3.10 stroke>met.6 "
    "stroke>selp.12 stroke>selp.22 stroke>ece1.13 stroke>ece1.12 stroke>bmp6.12 stroke>bmp6.13 "
    "stroke>bmp6.11 stroke>adcy9.8 stroke>bmp6.10 stroke>tgfbr3.8 stroke>met.5 stroke>selp.14",
)
LARGE = (SEBASTIANI, SHRIER, POLZER, THOEMMES, THOEMMES_ADJUSTED, SCHIPF, ACID, KAMPEN)
"""Too many paths for the definitions; separation is then checked by networkx."""
