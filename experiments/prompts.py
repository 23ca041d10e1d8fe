"""Prompts: is the limit met, how much is saved, and is the answer still there?

Every question of `data/passages.toml` is asked of its own passage among others that have nothing to do with it. An
answer is there if its words stand, next to each other, in what is left of its own passage. `the start` is what most
programs do with what is too long: every document's first tokens, as many as fit.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from experiments._experiment import Experiment, Found, Job, Workplace
from experiments._pages import Page, Row, Table, in_percent

from laconic.documents.prompts import compress_prompt, own_tokens

PASSAGES = Path(__file__).parent / "data" / "passages.toml"
INSTRUCTION = "Answer the question from the documents alone, in one line."
RATIOS = (0.5, 0.33, 0.2)


@dataclass(frozen=True)
class Case:
    """A question, the words that answer it, and the documents, of which one has them."""

    question: str
    answer: str
    documents: tuple[str, ...]
    place: int


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    met: bool
    saved: float
    answered: bool
    seconds: float


def cases(documents: int, questions: int = 3) -> Iterator[Case]:
    """So many questions a passage, with it among as many others as make up the number; its place goes round."""
    passages = tomllib.loads(PASSAGES.read_text(encoding="utf-8"))["passage"]
    texts = [passage["text"].strip() for passage in passages]
    for number, passage in enumerate(passages):
        for turn, (question, answer) in enumerate(passage["questions"][:questions]):
            others = [texts[(number + 1 + 3 * turn + step) % len(texts)] for step in range(documents - 1)]
            place = (number + turn) % documents
            chosen = (*others[:place], texts[number], *others[place:])
            yield Case(question, answer, chosen, place)


def with_question(case: Case, limit: int) -> tuple[str, ...]:
    return shortened(case, limit, None)


def without_question(case: Case, limit: int) -> tuple[str, ...]:
    return shortened(case, limit, "")


def shortened(case: Case, limit: int, query: str | None) -> tuple[str, ...]:
    found = compress_prompt(
        case.documents, tokens=limit, instruction=INSTRUCTION, question=case.question, query=query
    )
    return found.documents


def the_start(case: Case, limit: int) -> tuple[str, ...]:
    words = [document.split() for document in case.documents]
    length = max(map(len, words))
    while cost(case, cut := tuple(" ".join(each[:length]) for each in words)) > limit:
        length -= 1
    return cut


def cost(case: Case, documents: tuple[str, ...]) -> int:
    return own_tokens().count("\n\n".join((INSTRUCTION, *filter(None, documents), case.question)))


MANNERS: dict[str, Callable[[Case, int], tuple[str, ...]]] = {
    "laconic": with_question,
    "laconic, not told the question": without_question,
    "the start": the_start,
}


def outcome(case: Case, ratio: float, manner: Callable[[Case, int], tuple[str, ...]]) -> Outcome:
    whole, around = cost(case, case.documents), cost(case, ())
    limit = around + int(ratio * (whole - around))
    start = process_time()
    documents = manner(case, limit)
    seconds = process_time() - start
    found = cost(case, documents)
    answered = case.answer.casefold() in documents[case.place].casefold()
    return Outcome(found <= limit, 1 - found / whole, answered, seconds)


def ask(at: Workplace, *, manner: str, ratio: float, documents: int, questions: int) -> Found:
    """How all questions fare."""
    found = []
    for case in cases(documents, questions):
        at.check_time()
        found.append(outcome(case, ratio, MANNERS[manner]))
    count = len(found)
    return {
        "questions": count,
        "met": sum(each.met for each in found),
        "saved": sum(each.saved for each in found) / count,
        "answered": sum(each.answered for each in found) / count,
        "seconds": sum(each.seconds for each in found) / count,
    }


def prompt_pages(found: Mapping[str, Found]) -> Iterator[Page]:
    rows: list[Row] = [
        (
            "manner",
            "share allowed",
            "limit met",
            "tokens saved, %",
            "answer still there, %",
            "processor seconds a prompt",
        )
    ]
    for name, job in found.items():
        manner, _, share = name.rpartition(", ")
        shares = (in_percent(job["saved"]), in_percent(job["answered"]), f"{job['seconds']:.2f}")
        rows.append((manner, share, f"{job['met']} of {job['questions']}", *shares))
    note = f"{DOCUMENTS} passages of our own a question; tokens are laconic's own."
    yield Page("prompts", "Prompts", note, [Table(rows)], plotted="answer still there, %")


DOCUMENTS, QUESTIONS = 5, 3
EXPERIMENTS = (
    Experiment(
        "default/prompts",
        "prompts: limits met, tokens saved, answers still there",
        15,
        tuple(
            Job(
                f"{manner}, {ratio:.0%}",
                ask,
                {"manner": manner, "ratio": ratio, "documents": DOCUMENTS, "questions": QUESTIONS},
                uses=() if manner == "the start" else ("annotator", "ties", "reader"),
            )
            for manner in MANNERS
            for ratio in RATIOS
        ),
        prompt_pages,
    ),
)
