"""From answers and the outcomes of single questions to a method's scores, and the files that hold them."""

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.llm import Usage
from corpusgraph.schemas.results import ToolWarning, warned
from corpusgraph.schemas.run import EvaluationReport, GroupScores, Interval, Latency, MethodScores, Outcome
from corpusgraph.tasks.export.files import json_bytes
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.text.tokens import CJK

_ARTICLES = frozenset({"a", "an", "the"})
_YES_OR_NO = (["yes"], ["no"])
_CITATION = re.compile(r"\[\d+\]")
_UNSPACED = re.compile(rf"[{CJK}]")


def answer_tokens(text: str) -> list[str]:
    """Return the words of a text: case-folded, without punctuation, symbols and English articles.

    Parameters
    ----------
    text : str
        A text in any script; a character of one without spaces is a word.

    Returns
    -------
    list of str
        Each character of a script without spaces is a word.

    References
    ----------
    Rajpurkar et al. 2016 (SQuAD); Lewis et al. 2020 (MLQA).

    """
    kept = "".join(c for c in nfc(text).casefold() if unicodedata.category(c)[0] not in "PS")
    return [word for word in _UNSPACED.sub(r" \g<0> ", kept).split() if word not in _ARTICLES]


def answer_scores(text: str, right: Sequence[str], question: str = "") -> dict[str, float]:
    """Score a text against the right answers; each score is the best over them.

    `answer_contains`: 1 if the words of a right answer stand in the text side by side, left out where that
    tells nothing (`is_telling`); `answer_exact_match`: 1 if they are the text; `answer_f1`: harmonic mean of
    precision and recall of words. Marks of citations, [1], are no part of the text.

    Parameters
    ----------
    text : str
        The text to score.
    right : sequence of str
        Right answers.
    question : str
        What was asked, for `is_telling`.

    Returns
    -------
    dict of str to float
        0 to 1.

    References
    ----------
    Rajpurkar et al. 2016.

    """
    said = answer_tokens(_CITATION.sub(" ", text))
    wanted = [answer_tokens(answer) for answer in right]
    contains = max((float(_contains(said, words)) for words in wanted), default=0.0)
    return {
        **({"answer_contains": contains} if is_telling(question, right) else {}),
        "answer_exact_match": max((float(said == words) for words in wanted), default=0.0),
        "answer_f1": max((f1(said, words) for words in wanted), default=0.0),
    }


def is_telling(question: str, right: Sequence[str]) -> bool:
    """Tell whether a text that holds an answer tells something: not if it is yes, no, or in the question.

    Parameters
    ----------
    question : str
        What is asked.
    right : sequence of str
        Right answers.

    Returns
    -------
    bool
        Whether its being there can count as right.

    """
    wanted = [answer_tokens(answer) for answer in right]
    asked = answer_tokens(question)
    return not any(words in _YES_OR_NO or _contains(asked, words) for words in wanted)


def _contains(said: list[str], words: list[str]) -> bool:
    n = len(words)
    return bool(n) and any(said[at : at + n] == words for at in range(len(said) - n + 1))


def f1(said: Sequence[str], words: Sequence[str]) -> float:
    """Return the F1 of two bags of words; where one is empty, 1 if both are.

    Parameters
    ----------
    said, words : sequence of str
        Words, repeated ones too.

    Returns
    -------
    float
        0 to 1.

    """
    if not said or not words:
        return float(not said and not words)
    common = sum((Counter(said) & Counter(words)).values())
    return 2 * common / (len(said) + len(words))


Matrix = NDArray[np.float64]
RESAMPLES, SEED, LEVEL = 2000, 20240, 0.95


def resampled_means(values: Matrix, resamples: int = RESAMPLES, seed: int = SEED) -> Matrix:
    """Return the means of draws of the rows with replacement: the bootstrap.

    A draw takes whole rows, so metrics stay paired. The same number of rows, resamples and seed draws the
    same rows.

    Parameters
    ----------
    values : array of float, shape (questions, metrics)
        A row or more.
    resamples : int
        Draws.
    seed : int
        Of the generator.

    Returns
    -------
    Matrix
        One row a draw.

    References
    ----------
    Efron & Tibshirani 1993, chapter 6.

    """
    n = len(values)
    times = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples)
    means: Matrix = times @ values / n
    return means


def percentile_intervals(values: Matrix, resamples: int = RESAMPLES) -> tuple[Matrix, Matrix, Matrix]:
    """Return mean, lower and upper end of each column's bootstrap 95% percentile interval.

    Parameters
    ----------
    values : array of float, shape (questions, metrics)
        A row or more.
    resamples : int
        Draws.

    Returns
    -------
    mean, low, high : array of float, shape (metrics,)
        Each of shape (columns,).

    References
    ----------
    Efron & Tibshirani 1993.

    """
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(resampled_means(values, resamples), [tail, 1 - tail], axis=0)
    return values.mean(axis=0), low, high


ANSWER_METRICS = ("answer_contains", "answer_exact_match", "answer_f1")
_DIGITS = 6


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return the share of the gold documents that are among the first k.

    Parameters
    ----------
    ranked : sequence of str
        Ids of documents, best first.
    gold : collection of str
        Ids of those that answer, at least one.
    k : int
        Rank to cut at.

    Returns
    -------
    float
        0 to 1.

    """
    wanted = set(gold)
    return len(wanted.intersection(ranked[:k])) / len(wanted)


def score_all(
    outcomes: Mapping[str, Sequence[Outcome]], warnings: Sequence[ToolWarning]
) -> list[MethodScores]:
    """Score each method, and compare each with the first on the same questions.

    Parameters
    ----------
    outcomes : mapping of str to sequence of Outcome
        Method -> its outcomes, on the same questions in the same order.
    warnings : sequence of ToolWarning
        What all figures suffer from.

    Returns
    -------
    list of MethodScores
        In the order of the methods; the first is compared with nothing.

    """
    first = next(iter(outcomes))
    scores = []
    for method, found in outcomes.items():
        made = method_scores(method, found, [*warnings, *run_warnings(found)])
        scores.append(made if method == first else compared(made, found, first, outcomes[first]))
    return scores


def run_warnings(outcomes: Sequence[Outcome]) -> list[ToolWarning]:
    """Sum up the questions that failed, and the warnings of the others by code.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Of one method.

    Returns
    -------
    list of ToolWarning
        `question_failed`, and the codes of the questions' own warnings.

    """
    failed = [outcome for outcome in outcomes if outcome.error]
    first = failed[0].error if failed else ""
    told = f"{len(failed)} questions failed and recall nothing; the first: {first}"
    found = [*warned("question_failed", told, (outcome.question.id for outcome in failed), when=failed)]
    for code in sorted({code for outcome in outcomes for code in outcome.warnings}):
        having = [outcome for outcome in outcomes if code in outcome.warnings]
        told = f"{len(having)} of {len(outcomes)} questions, as: {having[0].warnings[code]}"
        found += warned(code, told, (outcome.question.id for outcome in having))
    return found


def method_scores(
    method: str, outcomes: Sequence[Outcome], warnings: Sequence[ToolWarning] = ()
) -> MethodScores:
    """Average a method's outcomes; each metric has a bootstrap 95% interval over questions.

    Parameters
    ----------
    method : str
        Its name.
    outcomes : sequence of Outcome
        One or more.
    warnings : sequence of ToolWarning
        Passed on.

    Returns
    -------
    MethodScores
        Latency in milliseconds.

    """
    return MethodScores(
        method=method,
        metrics=_metrics(outcomes),
        n_questions=len(outcomes),
        n_answers=n_answers(outcomes),
        usage=sum((outcome.usage for outcome in outcomes), Usage()),
        latency_ms=latency([outcome.milliseconds for outcome in outcomes]),
        groups=tuple(_groups(outcomes)),
        warnings=tuple(warnings),
    )


def n_answers(outcomes: Sequence[Outcome]) -> int:
    """Return how many questions have known answers.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Of one method.

    Returns
    -------
    int
        From 0.

    """
    return sum(outcome.answer_scores is not None for outcome in outcomes)


def _measured(outcome: Outcome) -> dict[str, float]:
    return {**{f"recall@{k}": share for k, share in outcome.recall.items()}, **(outcome.answer_scores or {})}


def _metrics(outcomes: Sequence[Outcome]) -> dict[str, Interval]:
    return _intervals([_measured(outcome) for outcome in outcomes])


def _groups(outcomes: Sequence[Outcome]) -> Iterator[GroupScores]:
    """Yield the scores of the questions of each type and of each number of hops, where there are several."""
    for what in ("type", "hops"):
        valued = ((getattr(outcome.question, what), outcome) for outcome in outcomes)
        members = grouped((f"{what}: {value}", outcome) for value, outcome in valued if value is not None)
        for group, found in sorted(members.items()) if len(members) > 1 else ():
            yield GroupScores(
                group=group, metrics=_metrics(found), n_questions=len(found), n_answers=n_answers(found)
            )


def compared(
    scores: MethodScores, outcomes: Sequence[Outcome], versus: str, base: Sequence[Outcome]
) -> MethodScores:
    """Add how a method differs from the method `versus` on the same questions, question by question.

    Parameters
    ----------
    scores : MethodScores
        Of the method.
    outcomes : sequence of Outcome
        Of the method.
    versus : str
        Name of the other method.
    base : sequence of Outcome
        Of the other method, on the same questions in the same order.

    Returns
    -------
    MethodScores
        With the mean differences and their bootstrap 95% intervals.

    """
    pairs = [(_measured(mine), _measured(other)) for mine, other in zip(outcomes, base, strict=True)]
    found = _intervals([{name: mine[name] - other[name] for name in mine} for mine, other in pairs])
    return scores.model_copy(update={"versus": versus, "differences": found})


def _intervals(rows: Sequence[Mapping[str, float]]) -> dict[str, Interval]:
    """Return the mean and interval of each metric over the questions that have it, recalls first."""
    found = {}
    for name in (*(name for name in rows[0] if name not in ANSWER_METRICS), *ANSWER_METRICS):
        if values := [[row[name]] for row in rows if name in row]:
            mean, low, high = np.round(np.stack(percentile_intervals(np.array(values))), _DIGITS)[:, 0]
            found[name] = Interval(value=float(mean), low=float(low), high=float(high))
    return found


def latency(milliseconds: Sequence[float]) -> Latency:
    """Summarise times in milliseconds; the first question, which reads the index, counts only if alone.

    Parameters
    ----------
    milliseconds : sequence of float
        Times in the order of the questions, one or more.

    Returns
    -------
    Latency
        Milliseconds.

    """
    warm = np.array(milliseconds[1:] or milliseconds)
    mean, median, p95 = warm.mean(), np.median(warm), np.quantile(warm, 0.95)
    told = {"mean": mean, "median": median, "p95": p95, "first": milliseconds[0]}
    return Latency(**{name: round(float(value), 3) for name, value in told.items()})


_Part = tuple[MethodScores | GroupScores, str, Mapping[str, Interval], str]
"""What is scored, the method it is compared with, its metrics, and its group of questions."""
Outcomes = Mapping[str, Sequence[Outcome]]
"""Method -> its outcomes, question by question."""


def evaluation_files(report: EvaluationReport, outcomes: Outcomes) -> dict[str, bytes]:
    """Return results.parquet, summary.csv, summary.json, plot.png and plot.svg.

    Parameters
    ----------
    report : EvaluationReport
        Scores by method.
    outcomes : mapping of str to sequence of Outcome
        Method -> its outcomes, question by question.

    Returns
    -------
    dict of str to bytes
        Name of a file -> its content.

    """
    return {
        "results.parquet": results_parquet(outcomes),
        "summary.csv": summary_csv(report.scores),
        "summary.json": json_bytes(report.model_dump(mode="json", exclude={"path", "files"})),
        **plots(report),
    }


def results_parquet(outcomes: Outcomes) -> bytes:
    """Write one row per method and question: ranked ids, recalls, time, usage, answer and its scores.

    Parameters
    ----------
    outcomes : mapping of str to sequence of Outcome
        Method -> its outcomes, question by question.

    Returns
    -------
    bytes
        A Parquet file.

    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [_row(method, outcome) for method, found in outcomes.items() for outcome in found]
    data = io.BytesIO()
    table = pa.Table.from_pylist(rows)
    blank = {"error": pa.string(), "type": pa.string(), "hops": pa.int64()}  # all None tells no type
    blank |= dict.fromkeys(ANSWER_METRICS, pa.float64())
    fields = [pa.field(f.name, blank.get(f.name, f.type)) for f in table.schema]
    pq.write_table(table.cast(pa.schema(fields)), data)
    return data.getvalue()


def _row(method: str, outcome: Outcome) -> JsonDict:
    question, usage = outcome.question, outcome.usage
    return {
        "method": method,
        "question_id": question.id,
        "question": question.question,
        "type": question.type,
        "hops": question.hops,
        "gold": list(question.gold),
        "ranked": list(outcome.ranked),
        **{f"recall@{k}": share for k, share in outcome.recall.items()},
        "latency_ms": outcome.milliseconds,
        "tokens": usage.tokens,
        "calls": usage.calls,
        "cost": usage.cost,
        "answer": outcome.answer,
        "right_answers": list(question.answers),
        **dict.fromkeys(ANSWER_METRICS),
        **(outcome.answer_scores or {}),
        "error": outcome.error,
        "warnings": list(outcome.warnings),
    }


def summary_csv(scores: Sequence[MethodScores]) -> bytes:
    """Write one line per method, group and metric, differences from the first method among them.

    `group` is blank for all questions, else a type or number of hops.

    Parameters
    ----------
    scores : sequence of MethodScores
        By method, the first being what others are compared with.

    Returns
    -------
    bytes
        UTF-8.

    """
    sheet = io.StringIO()
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(("method", "metric", "versus", "value", "low", "high", "n_questions", "group"))
    for score in scores:
        parts: list[_Part] = [(score, "", score.metrics, "")]
        parts += [(score, score.versus or "", score.differences, "")]
        parts += [(group, "", group.metrics, group.group) for group in score.groups]
        for scored, versus, found, group in parts:
            for name, at in found.items():
                # how many questions the metric is averaged over
                n = scored.n_answers if name in ANSWER_METRICS else scored.n_questions
                writer.writerow((score.method, name, versus, at.value, at.low, at.high, n, group))
    return sheet.getvalue().encode()


def plots(report: EvaluationReport) -> dict[str, bytes]:
    """Draw recall by method with its 95% intervals, as PNG and SVG; needs no display.

    Parameters
    ----------
    report : EvaluationReport
        With at least one method.

    Returns
    -------
    dict of str to bytes
        plot.png and plot.svg.

    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "corpusgraph", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 1.4 + 0.55 * len(report.scores)), layout="constrained")
        _draw(figure.subplots(), report)
        files = {}
        for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
            data = io.BytesIO()
            figure.savefig(data, format=kind, dpi=150, metadata=metadata)
            files[f"plot.{kind}"] = data.getvalue()
    return files


def _draw(axes: Any, report: EvaluationReport) -> None:
    """Draw a point with its interval for each method and k, methods from top to bottom."""
    for number, k in enumerate(report.k):
        found = [score.metrics[f"recall@{k}"] for score in report.scores]
        apart = 0.5 * ((number + 0.5) / len(report.k) - 0.5)
        below = [max(0.0, at.value - at.low) for at in found]
        above = [max(0.0, at.high - at.value) for at in found]
        axes.errorbar(
            [at.value for at in found],
            [row + apart for row in range(len(found))],
            xerr=[below, above],
            fmt="o",
            capsize=3,
            label=f"recall@{k}",
        )
    axes.set_yticks(range(len(report.scores)), [score.method for score in report.scores])
    axes.set_ylim(len(report.scores) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.grid(axis="x", alpha=0.3)
    n = report.scores[0].n_questions
    axes.set_xlabel(f"share of gold documents found; bootstrap 95% interval over {n} questions")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
