"""A small dataset with every type, holes and traps, prepared for any target."""

from typing import Any

from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.tools.prepare import (
    PrepareStatisticalAnalysis,
    prepare_statistical_analysis,
)

ROWS: list[dict[str, Any]] = [
    {
        "id": f"u{n}",
        "deaths": None if n == 4 else 2.5 * n + (n * n) % 7,
        "houses": (5 * n) % 11,
        "code": 99 if n in {3, 8} else n % 3,
        "area": ["Soho", "Huế", "East\nEnd"][n % 3],
        "rank": n % 3 + 1,
        "piped": None if n == 5 else n % 2 == 0,
        "day": None if n == 2 else f"18{54 + n % 5}-09-{n + 1:02d}",
        "at": f"1854-09-08T10:{n:02d}:30",
        "note": None if n == 1 else ["=1+1", 'said "no", then, left', "", "NA", "水很脏"][n % 5],
        "empty": None,
    }
    for n in range(20)
]
MAPPING: dict[str, Any] = {
    "unit": "id",
    "labels": {"deaths": "Deaths per 10,000", "area": "Khu vực"},
    "types": {"rank": "ordinal", "area": "nominal", "note": "text"},
    "value_labels": {"rank": {"1": "low", "2": "middle", "3": "high"}},
    "missing": {"code": [99]},
}


def prepared(target: BundleFormat, analysis: str = "descriptive", **mapping: Any) -> StatisticalAnalysis:
    ask = PrepareStatisticalAnalysis.model_validate(
        {
            "data": ROWS,
            "analysis_type": analysis,
            "output_format": target,
            "variable_mapping": {**MAPPING, **mapping},
        }
    )
    return prepare_statistical_analysis(ask).data


def regression(target: BundleFormat, **mapping: Any) -> StatisticalAnalysis:
    parts = {"outcome": "deaths", "predictors": ["houses", "area"], "controls": ["piped"], **mapping}
    return prepared(target, "regression", **parts)


def sem(target: BundleFormat) -> StatisticalAnalysis:
    return prepared(target, "sem", latents={"risk": ["deaths", "houses", "code"]})
