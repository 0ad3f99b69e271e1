"""Answers without a language model: are they in the cited sentences, and is what has none declined.

    python -m benchmarks.answers.run [FOLDER…] [--outputs FOLDER] [--write]
    python -m benchmarks.answers.run --texts FOLDER [--part dev|test] [--outputs FOLDER]

A FOLDER holds corpus.jsonl.gz and queries.jsonl.gz. Its questions are asked of an index of its corpus, and
of one that lacks every gold passage, where nothing can be right; so are those of the other folders. A chat
(.txt), facts for a memory and the questions on both (.json) were written before the rules were (told), and
after (fresh). The rules for chats were made on two longer ones in `chats` (flat, team); of the third
(wedding) only the totals were looked at. `--texts` names the folder of the corpora of texts.json: long texts,
each question with what the sentence holds that answers it. The dev part, of every other document, was tuned
on; the test part, of the documents between, was written with it and looked at once.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from corpusgraph.flows import api
from corpusgraph.flows.answer import answer_question
from corpusgraph.flows.engine import Inline
from corpusgraph.flows.evaluate import Evaluation, document_ids, index_whole, study_of
from corpusgraph.flows.interop.sources import new_memory
from corpusgraph.flows.load.questions import read_questions
from corpusgraph.flows.ports import IndexResources
from corpusgraph.flows.progress import Silent
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.schemas.answer import AnswerResult
from corpusgraph.schemas.run import GoldQuestion
from corpusgraph.schemas.settings import Settings
from corpusgraph.schemas.study import Question
from corpusgraph.tasks.evaluate.scores import answer_scores, answer_tokens

HERE = Path(__file__).parent
MARK = "<!-- read by hand -->"
"""What stands below in RESULTS.md was written by hand and stays."""


@dataclass(frozen=True)
class Asked:
    """A question with its answer by the index, and what was right."""

    answer: AnswerResult
    right: Sequence[str] = ()
    all_gold: bool = False
    """Whether every gold passage was retrieved."""

    @property
    def told(self) -> bool:
        """Whether a right answer stands in the cited sentences."""
        return self.answer.supported and any(self._holds(c.text) for c in self.answer.citations)

    @property
    def told_first(self) -> bool:
        """Whether it stands in the first."""
        return self.answer.supported and any(self._holds(c.text) for c in self.answer.citations[:1])

    def _holds(self, text: str) -> bool:
        return bool(answer_scores(text, self.right)["answer_contains"])


def can_be_found(question: GoldQuestion) -> bool:
    """Tell whether finding the answer tells something: it is not yes or no, nor named in the question."""
    if {tuple(answer_tokens(answer)) for answer in question.answers} & {("yes",), ("no",)}:
        return False
    return not answer_scores(question.question, question.answers)["answer_contains"]


def indexed(corpus: Path, queries: Path, outputs: Path) -> OpenIndex:
    """Index each line of a corpus as one passage."""
    study = study_of(Evaluation(corpus, queries))
    index_whole(study, Settings(outputs=outputs), Inline(), Silent())
    return api.open(study.study, outputs)


def without_gold(opened: OpenIndex, questions: Iterable[GoldQuestion]) -> IndexResources:
    """Return an index as if it had no passage that answers one of the questions."""
    gold = {id_ for question in questions for id_ in question.gold}
    removed = [id_ for id_, given in document_ids(opened).items() if given in gold]
    return IndexResources(opened, {"id": {"not": removed}})


def asked_of(opened: OpenIndex, resources: IndexResources, questions: Iterable[GoldQuestion]) -> list[Asked]:
    """Ask questions of an index, as its resources show it, with the default method."""
    ids = document_ids(opened)
    found = []
    for question in questions:
        answer = answer_question(
            resources.index, resources["embedder"], Question(ask=question.question), resources=resources
        )
        retrieved = {ids.get(passage.item.source_doc) for passage in answer.passages}
        found.append(Asked(answer, question.answers, set(question.gold) <= retrieved))
    return found


def remembered(facts: Sequence[dict[str, Any]], name: str, outputs: Path) -> None:
    """Tell facts to an empty memory, one call a fact."""
    new_memory(name, replace=True, outputs=outputs)
    for fact in facts:
        entity = {"name": fact["entity"], "entityType": fact["type"], "observations": []}
        calls: list[tuple[str, dict[str, Any]]] = [("create_entities", {"entities": [entity]})]
        if "fact" in fact:
            observed = {"entityName": fact["entity"], "contents": [fact["fact"]]}
            calls.append(("add_observations", {"observations": [observed]}))
        else:
            target = {"name": fact["target"], "entityType": fact["target_type"], "observations": []}
            calls.append(("create_entities", {"entities": [target]}))
            ends = {"source_id": fact["entity"], "target_id": fact["target"]}
            calls.append(("add_entity_relationship", {**ends, "relation_type": fact["relation"]}))
        for tool, arguments in calls:
            result = api.call(tool, arguments, index=name, outputs=outputs)
            if not result.success:
                raise ValueError(f"{tool}: {result.error}")


NEAR = 500
"""Characters from the sentence that answers, within which a citation leads a reader to it."""


def judged(answer: AnswerResult, right: Sequence[str], opened: OpenIndex) -> str:
    """Return "right" where a citation holds the answer, "partly" where one stands near it, else "wrong"."""
    wanted = [_plain(one) for one in right]
    if not answer.supported:
        return "declined"
    if any(one in _plain(citation.text) for citation in answer.citations for one in wanted):
        return "right"
    texts = {document.id: document.text for document in opened.documents}
    around = (texts[c.document_id][max(0, c.start - NEAR) : c.end + NEAR] for c in answer.citations)
    return "partly" if any(one in _plain(text) for text in around for one in wanted) else "wrong"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def of_texts(folder: Path, part: str, outputs: Path) -> Iterator[tuple[str, str]]:
    """Yield figures on the questions on long texts, and print every answer."""
    questions = json.loads((HERE / "texts.json").read_text(encoding="utf-8"))
    verdicts: dict[str, list[str]] = {}
    said: list[bool] = []
    declined: list[bool] = []
    spent = 0.0
    for corpus in dict.fromkeys(question["corpus"] for question in questions[part]):
        if not (outputs / corpus).exists():
            api.index(folder / corpus, corpus, outputs=outputs)
        opened = api.open(corpus, outputs)
        for question in questions[part] + questions[f"{part}_unanswered"]:
            if question["corpus"] != corpus:
                continue
            began = time.process_time()
            answer = api.ask(question["question"], corpus, outputs=outputs)
            spent += time.process_time() - began
            if "answers" not in question:
                declined.append(not answer.supported)
                print(f"  {'declined' if declined[-1] else 'answered':8} {answer.query} | {answer.text}")
                continue
            verdict = judged(answer, question["answers"], opened)
            if "verdict" in question:
                said.append(answer.text.casefold().startswith(question["verdict"]))
            verdicts.setdefault(corpus, []).append(verdict)
            print(f"  {verdict:8} {answer.query} | {answer.text}")
    everything = [verdict for of_corpus in verdicts.values() for verdict in of_corpus]
    for name, of_corpus in {**verdicts, "all": everything}.items():
        yield f"{part}, {name}: right", share([verdict == "right" for verdict in of_corpus])
        yield f"{part}, {name}: near it", share([verdict == "partly" for verdict in of_corpus])
        yield f"{part}, {name}: declined", share([verdict == "declined" for verdict in of_corpus])
    yield f"{part}: yes or no said, and right", share(said)
    yield f"{part}: declined, no answer", share(declined)
    yield f"{part}: CPU ms a question", f"{1000 * spent / (len(everything) + len(declined)):.1f}"


def share(found: Sequence[bool]) -> str:
    """Return how many of how many, and the per cent."""
    return f"{sum(found)} of {len(found)} ({100 * sum(found) / max(1, len(found)):.1f} %)"


def of_told(which: str, outputs: Path) -> Iterator[tuple[str, str]]:
    """Yield figures on a chat and a memory, and print every answer."""
    asked_in = json.loads((HERE / f"{which}.json").read_text(encoding="utf-8"))
    api.index(HERE / f"{which}.txt", f"{which}-chat", outputs=outputs)
    remembered(asked_in["memory"], f"{which}-memory", outputs)
    for what in ("chat", "memory"):
        name = f"{which}-{what}"
        answers = [Asked(api.ask(q["question"], name, outputs=outputs), q["answers"]) for q in asked_in[what]]
        for asked in answers:
            print(f"  {asked.told:d}{asked.told_first:d} {asked.answer.query} | {asked.answer.text}")
        none = [api.ask(query, name, outputs=outputs) for query in asked_in[f"{what}_unanswered"]]
        for answer in none:
            print(f"  {answer.supported:d}  {answer.query} | {answer.text}")
        yield f"{name}: answer in the cited sentences", share([asked.told for asked in answers])
        yield f"{name}: in the first", share([asked.told_first for asked in answers])
        yield f"{name}: declined, no answer", share([not answer.supported for answer in none])


def of_chats(outputs: Path) -> Iterator[tuple[str, str]]:
    """Yield figures on each chat in `chats`."""
    for path in sorted((HERE / "chats").glob("*.json")):
        name, asked_in = path.stem, json.loads(path.read_text(encoding="utf-8"))
        api.index(path.with_suffix(".txt"), name, outputs=outputs)
        began = time.process_time()
        answers = [
            Asked(api.ask(q["question"], name, outputs=outputs), q["answers"]) for q in asked_in["questions"]
        ]
        none = [api.ask(query, name, outputs=outputs) for query in asked_in["unanswered"]]
        spent = 1000 * (time.process_time() - began) / (len(answers) + len(none))
        yield f"{name}: answer in the cited sentences", share([asked.told for asked in answers])
        yield f"{name}: in the first", share([asked.told_first for asked in answers])
        yield f"{name}: declined", share([not asked.answer.supported for asked in answers])
        yield f"{name}: declined, no answer", share([not answer.supported for answer in none])
        yield f"{name}: CPU ms a question", f"{spent:.1f}"


def of_sets(folders: Sequence[Path], outputs: Path) -> Iterator[tuple[str, str]]:
    """Yield figures on question sets: of all, and of even and odd questions."""
    sets = {folder.name: read_questions(folder / "queries.jsonl.gz", None)[0] for folder in folders}
    for folder in folders:
        queries, own = folder / "queries.jsonl.gz", sets[folder.name]
        opened = indexed(folder / "corpus.jsonl.gz", queries, outputs)
        began = time.process_time()
        found = asked_of(opened, IndexResources(opened), own)
        spent = 1000 * (time.process_time() - began) / len(own)
        others = [question for name in sets if name != folder.name for question in sets[name]]
        foreign = asked_of(opened, IndexResources(opened), others)
        lacking = asked_of(opened, without_gold(opened, own), own)
        for part, step in (("", slice(None)), (", even", slice(0, None, 2)), (", odd", slice(1, None, 2))):
            known = [asked for asked, question in zip(found, own, strict=True) if can_be_found(question)]
            gold = [asked for asked in known[step] if asked.all_gold]
            declined = [not asked.answer.supported for asked in found[step] if asked.all_gold]
            yield f"{folder.name}{part}: all gold retrieved: answer cited", share([a.told for a in gold])
            yield f"{folder.name}{part}: in the first", share([a.told_first for a in gold])
            yield f"{folder.name}{part}: declined, all gold retrieved", share(declined)
            for what, asked_without in (("other set", foreign), ("gold removed", lacking)):
                refused = [not asked.answer.supported for asked in asked_without[step]]
                yield f"{folder.name}{part}: declined, {what}", share(refused)
        n = sum(len(asked.answer.citations) for asked in found) / len(found)
        yield f"{folder.name}: sentences of an answer", f"{n:.2f}"
        yield f"{folder.name}: CPU ms a question", f"{spent:.1f}"


def main() -> None:
    """Measure, print and, with --write, keep the table in RESULTS.md."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--outputs", type=Path, help="where indexes are kept; a scratch folder unless given")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--texts", type=Path, help="folder of the corpora of texts.json")
    parser.add_argument("--part", choices=("dev", "test"), default="dev")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        outputs = given.outputs or Path(scratch)
        outputs.mkdir(parents=True, exist_ok=True)
        if given.texts:
            rows = list(of_texts(given.texts, given.part, outputs))
        else:
            of_all = (of_told("told", outputs), of_told("fresh", outputs), of_chats(outputs))
            rows = [*chain.from_iterable(of_all), *of_sets(given.folders, outputs)]
    lines = ["| | |", "|---|---:|", *(f"| {what} | {figure} |" for what, figure in rows)]
    print("\n".join(lines))
    if given.write:
        path = HERE / "RESULTS.md"
        by_hand = path.read_text(encoding="utf-8").partition(MARK)[2] if path.exists() else ""
        head = "# Answers without a language model\n\nMade by `python -m benchmarks.answers.run --write`.\n"
        table = "\n".join(lines)
        path.write_text(f"{head}\n{table}\n\n{MARK}{by_hand}", encoding="utf-8")


if __name__ == "__main__":
    main()
