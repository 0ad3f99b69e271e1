"""Linear regression sets of NIST's Statistical Reference Datasets, with their certified values.

Source: NIST/ITL StRD, https://www.itl.nist.gov/div898/strd/lls/lls.shtml (in the public domain): Norris, Pontius,
NoInt1, NoInt2, Filip, Longley (JASA 1967), Wampler1 to Wampler5 (Wampler, JASA 1970). NIST computed the certified
values with multiple-precision arithmetic of 500 digits and rounded them to 15. Norris is also in
scipy/stats/tests/data/nist_linregress, Longley in statsmodels.datasets. That nothing was mistyped is tested: the
certified values follow from the data in exact rational arithmetic (test_nist.py).
"""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Reference:
    """One set: y, then predictors; `degree` is that of a polynomial in a single one."""

    data: tuple[tuple[str, ...], ...]
    certified: str
    degree: int = 1
    intercept: bool = True

    def rows(self) -> list[dict[str, float]]:
        """Return the rows as a program reads them."""
        names = ["y", *(f"x{at}" for at in range(1, len(self.data[0])))]
        return [dict(zip(names, map(float, row), strict=True)) for row in self.data]

    def terms(self) -> list[str]:
        """Return the terms of the model as tool 23 takes them."""
        if self.degree > 1:
            return ["x1", *(f"x1^{k}" for k in range(2, self.degree + 1))]
        return [f"x{at}" for at in range(1, len(self.data[0]))]

    def design(self) -> list[list[Fraction]]:
        """Return the exact design matrix."""
        one = [Fraction(1)] if self.intercept else []
        if self.degree > 1:
            return [one + [Fraction(x) ** k for k in range(1, self.degree + 1)] for _, x in self.data]
        return [one + [Fraction(x) for x in row[1:]] for row in self.data]

    def estimates(self) -> list[float]:
        """Return the certified estimates."""
        return [float(line.split()[0]) for line in self.certified.strip().splitlines()]

    def errors(self) -> list[float]:
        """Return the certified standard deviations of the estimates."""
        return [float(line.split()[1]) for line in self.certified.strip().splitlines()]


def _pairs(text: str) -> tuple[tuple[str, ...], ...]:
    cells = text.split()
    return tuple((cells[at], cells[at + 1]) for at in range(0, len(cells), 2))


_NORRIS = """
    0.1 0.2  338.8 337.4  118.1 118.2  888.0 884.6  9.2 10.1  228.1 226.5
    668.5 666.3  998.5 996.3  449.1 448.6  778.9 777.0  559.2 558.2  0.3 0.4
    0.1 0.6  778.1 775.5  668.8 666.9  339.3 338.0  448.9 447.5  10.8 11.6
    557.7 556.0  228.3 228.1  998.0 995.8  888.8 887.6  119.6 120.2  0.3 0.3
    0.6 0.3  557.6 556.8  339.3 339.1  888.0 887.2  998.5 999.0  778.9 779.0
    10.2 11.1  117.6 118.3  228.9 229.2  668.4 669.1  449.2 448.9  0.2 0.5
"""
_PONTIUS = """
    .11019 150000  .21956 300000  .32949 450000  .43899 600000  .54803 750000  .65694 900000
    .76562 1050000  .87487 1200000  .98292 1350000  1.09146 1500000  1.20001 1650000  1.30822 1800000
    1.41599 1950000  1.52399 2100000  1.63194 2250000  1.73947 2400000  1.84646 2550000  1.95392 2700000
    2.06128 2850000  2.16844 3000000  .11052 150000  .22018 300000  .32939 450000  .43886 600000
    .54798 750000  .65739 900000  .76596 1050000  .87474 1200000  .98300 1350000  1.09150 1500000
    1.20004 1650000  1.30818 1800000  1.41613 1950000  1.52408 2100000  1.63159 2250000  1.73965 2400000
    1.84696 2550000  1.95445 2700000  2.06177 2850000  2.16829 3000000
"""
_FILIP = """
    0.8116 -6.860120914  0.9072 -4.324130045  0.9052 -4.358625055  0.9039 -4.358426747  0.8053 -6.955852379
    0.8377 -6.661145254  0.8667 -6.355462942  0.8809 -6.118102026  0.7975 -7.115148017  0.8162 -6.815308569
    0.8515 -6.519993057  0.8766 -6.204119983  0.8885 -5.853871964  0.8859 -6.109523091  0.8959 -5.79832982
    0.8913 -5.482672118  0.8959 -5.171791386  0.8971 -4.851705903  0.9021 -4.517126416  0.909 -4.143573228
    0.9139 -3.709075441  0.9199 -3.499489089  0.8692 -6.300769497  0.8872 -5.953504836  0.89 -5.642065153
    0.891 -5.031376979  0.8977 -4.680685696  0.9035 -4.329846955  0.9078 -3.928486195  0.7675 -8.56735134
    0.7705 -8.363211311  0.7713 -8.107682739  0.7736 -7.823908741  0.7775 -7.522878745  0.7841 -7.218819279
    0.7971 -6.920818754  0.8329 -6.628932138  0.8641 -6.323946875  0.8804 -5.991399828  0.7668 -8.781464495
    0.7633 -8.663140179  0.7678 -8.473531488  0.7697 -8.247337057  0.77 -7.971428747  0.7749 -7.676129393
    0.7796 -7.352812702  0.7897 -7.072065318  0.8131 -6.774174009  0.8498 -6.478861916  0.8741 -6.159517513
    0.8061 -6.835647144  0.846 -6.53165267  0.8751 -6.224098421  0.8856 -5.910094889  0.8919 -5.598599459
    0.8934 -5.290645224  0.894 -4.974284616  0.8957 -4.64454848  0.9047 -4.290560426  0.9129 -3.885055584
    0.9209 -3.408378962  0.9219 -3.13200249  0.7739 -8.726767166  0.7681 -8.66695597  0.7665 -8.511026475
    0.7703 -8.165388579  0.7702 -7.886056648  0.7761 -7.588043762  0.7809 -7.283412422  0.7961 -6.995678626
    0.8253 -6.691862621  0.8602 -6.392544977  0.8809 -6.067374056  0.8301 -6.684029655  0.8664 -6.378719832
    0.8834 -6.065855188  0.8898 -5.752272167  0.8964 -5.132414673  0.8963 -4.811352704  0.9074 -4.098269308
    0.9119 -3.66174277  0.9228 -3.2644011
"""
_LONGLEY = """
    60323 83 234289 2356 1590 107608 1947
    61122 88.5 259426 2325 1456 108632 1948
    60171 88.2 258054 3682 1616 109773 1949
    61187 89.5 284599 3351 1650 110929 1950
    63221 96.2 328975 2099 3099 112075 1951
    63639 98.1 346999 1932 3594 113270 1952
    64989 99 365385 1870 3547 115094 1953
    63761 100 363112 3578 3350 116219 1954
    66019 101.2 397469 2904 3048 117388 1955
    67857 104.6 419180 2822 2857 118734 1956
    68169 108.4 442769 2936 2798 120445 1957
    66513 110.8 444546 4681 2637 121950 1958
    68655 112.6 482704 3813 2552 123366 1959
    69564 114.2 502601 3931 2514 125368 1960
    69331 115.7 518173 4806 2572 127852 1961
    70551 116.9 554894 4007 2827 130081 1962
"""
_DELTA = (759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048, 2048)
"""Wampler's disturbances of Wampler3, for x from 0 to 10; they are the same from 20 down to 10."""


def _wampler(scale: int, ratio: str = "1") -> tuple[tuple[str, ...], ...]:
    """Return y = the sum of (ratio x)^k for k to 5, disturbed; Wampler2 is rounded to five places, exactly."""
    rows = []
    for x in range(21):
        y = sum((Fraction(ratio) * x) ** k for k in range(6)) + scale * _DELTA[min(x, 20 - x)]
        rows.append((str(int(y)) if y.denominator == 1 else f"{float(y):.5f}", str(x)))
    return tuple(rows)


_ONES = "1.0 {}\n1.0 {}\n1.0 {}\n1.0 {}\n1.0 {}\n1.0 {}"
SETS = {
    "Norris": Reference(
        _pairs(_NORRIS), "-0.262323073774029 0.232818234301152\n1.00211681802045 0.429796848199937E-03"
    ),
    "Pontius": Reference(
        _pairs(_PONTIUS),
        """0.673565789473684E-03 0.107938612033077E-03
        0.732059160401003E-06 0.157817399981659E-09
        -0.316081871345029E-14 0.486652849992036E-16""",
        degree=2,
    ),
    "NoInt1": Reference(
        tuple((str(130 + at), str(60 + at)) for at in range(11)),
        "2.07438016528926 0.165289256198347E-01",
        intercept=False,
    ),
    "NoInt2": Reference(
        (("3", "4"), ("4", "5"), ("4", "6")), "0.727272727272727 0.420827318078432E-01", intercept=False
    ),
    "Filip": Reference(
        _pairs(_FILIP),
        """-1467.48961422980 298.084530995537
        -2772.17959193342 559.779865474950
        -2316.37108160893 466.477572127796
        -1127.97394098372 227.204274477751
        -354.478233703349 71.6478660875927
        -75.1242017393757 15.2897178747400
        -10.8753180355343 2.23691159816033
        -1.06221498588947 0.221624321934227
        -0.670191154593408E-01 0.142363763154724E-01
        -0.246781078275479E-02 0.535617408889821E-03
        -0.402962525080404E-04 0.896632837373868E-05""",
        degree=10,
    ),
    "Longley": Reference(
        tuple(tuple(line.split()) for line in _LONGLEY.strip().splitlines()),
        """-3482258.63459582 890420.383607373
        15.0618722713733 84.9149257747669
        -0.358191792925910E-01 0.334910077722432E-01
        -2.02022980381683 0.488399681651699
        -1.03322686717359 0.214274163161675
        -0.511041056535807E-01 0.226073200069370
        1829.15146461355 455.478499142212""",
    ),
    "Wampler1": Reference(_wampler(0), _ONES.format(*[0] * 6), degree=5),
    "Wampler2": Reference(_wampler(0, "0.1"), "1.0 0\n0.1 0\n0.01 0\n0.001 0\n0.0001 0\n0.00001 0", degree=5),
    "Wampler3": Reference(
        _wampler(1),
        _ONES.format(
            *(2152.32624678170, 2363.55173469681, 779.343524331583),
            *(101.475507550350, 5.64566512170752, 0.112324854679312),
        ),
        degree=5,
    ),
    "Wampler4": Reference(
        _wampler(100),
        _ONES.format(
            *(215232.624678170, 236355.173469681, 77934.3524331583),
            *(10147.5507550350, 564.566512170752, 11.2324854679312),
        ),
        degree=5,
    ),
    "Wampler5": Reference(
        _wampler(10_000),
        _ONES.format(
            *(21523262.4678170, 23635517.3469681, 7793435.24331583),
            *(1014755.07550350, 56456.6512170752, 1123.24854679312),
        ),
        degree=5,
    ),
}
