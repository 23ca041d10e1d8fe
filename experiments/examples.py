"""Our own sentences through every system, with what it deletes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from experiments._experiment import Experiment, Found, Job, Workplace
from experiments._pages import Page, Table
from experiments._sources import SENTENCES
from experiments.comparison import PARTS

from laconic.annotate import load_annotator
from laconic.budget import Budget
from laconic.errors import InfeasibleBudget
from laconic.systems.registry import SYSTEMS, open_system
from laconic.text.tokenise import tokenise

RATIO = 0.6
REFUSED = "(nothing of this length)"


def sentences() -> list[str]:
    return SENTENCES.read_text(encoding="utf-8").splitlines()


def shorten(at: Workplace, *, system: str, ratio: float) -> Found:
    """What a system makes of every sentence: the words it keeps, and the text."""
    answering = open_system(system)
    found = []
    for sentence in load_annotator(threads=1).annotate(sentences()):
        at.check_time()
        budget = None if system == "everything" else Budget.at_most(ratio=ratio, unit="pieces")
        try:
            answer = answering.compress(sentence, budget)
        except InfeasibleBudget:
            found.append({"kept": None, "text": REFUSED})
        else:
            kept = None if answer.kept is None else list(answer.kept)
            found.append({"kept": kept, "text": answer.text})
    return {"answers": found}


def marked(text: str, kept: list[int] | None, answer: str) -> str:
    """A sentence with what was deleted struck out; an answer with words of its own as it is."""
    if kept is None:
        return answer
    sentence = tokenise(text)
    parts = []
    for place, (word, space) in enumerate(zip(sentence.words, sentence.spaces, strict=True)):
        parts.append(f"{word}{space}" if place in kept else f"<del>{word}</del>{space}")
    return "".join(parts).replace("</del> <del>", " ").replace("</del><del>", "").strip()


def pages(found: Mapping[str, Found]) -> Iterator[Page]:
    tables = []
    for number, text in enumerate(sentences()):
        rows = [("system", "what it keeps")]
        for system, job in found.items():
            answer = job["answers"][number]
            rows.append((f"`{system}`", marked(text, answer["kept"], answer["text"])))
        tables.append(Table(rows, text))
    note = (
        f"Sentences written for this page, none of them from any corpus. Every system may keep at most {RATIO:.0%} "
        "of the "
        "words, and says nothing where it can make nothing so short; `everything` shows the whole. What is deleted is "
        "struck out; commas, capitals and articles that deletion breaks are repaired in the text, which is not "
        "shown here."
    )
    yield Page("examples", "Thirty sentences through all systems", note, tables)


def _jobs() -> Iterator[Job]:
    for system in SYSTEMS:
        uses = tuple(dict.fromkeys((*PARTS.get(system, (system,)), "parser")))
        yield Job(system, shorten, {"system": system, "ratio": RATIO}, uses=uses)


EXPERIMENTS = (
    Experiment(
        "comparison/examples", "thirty sentences of our own through all systems", 3, tuple(_jobs()), pages
    ),
)
