"""Blind readings: draw sentences, make sheets of answers, score what readers wrote, and keep it.

    python -m experiments.readings answers --data ../shared/data --seed 3 --count 80 --output new.jsonl
    python -m experiments.readings sheet old=old.jsonl new=new.jsonl --output SHEET [--parts 5]
    python -m experiments.readings score SHEET ...
    python -m experiments.readings keep SHEET ... --name NAME

`answers` writes what the installed default makes of development sentences at five limits; run by another installation,
it writes what that makes of the same sentences. A reader gets SHEET.txt and `data/rubric.md`, nothing else, and writes
SHEET.ratings.jsonl; SHEET.key.json says who wrote what. With `--parts`, the sentences are dealt to as many sheets,
SHEET-0 and so on, one a reader. For people there is `laconic rate`, whose sheets these are.

`keep` stores words by their places in sentences, sentences by their places in corpora: no text. `line` counts the
sentences of a corpus from 0. The checksums of the data and of the models come from `answers`, and are stored, too.
`python -m experiments default/judge` holds the judge of `laconic evaluate --readers` against all that was kept.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from experiments._pages import Row, write_text
from experiments._sources import commit_of, data_checksum, shipped_models

from laconic import __version__
from laconic.budget import Budget
from laconic.cli.rate import named_files
from laconic.corpora.registry import find_corpus
from laconic.errors import InfeasibleBudget, LaconicError
from laconic.files import read_lines
from laconic.formats.jsonl import format_line, read_json_lines, write_json_lines
from laconic.rating.outputs import Answers
from laconic.rating.scores import whole_rating
from laconic.rating.sheets import ASKED, beside, lines_of
from laconic.text.tokenise import tokenise

RESULTS = Path(__file__).parent / "results" / "readings"
CORPORA = {
    "ewt.dev": "ewt.dev",
    "gum.dev": "gum.dev.dependencies",
    "msr.dev": "msr.dev",
    "google.dev": "google.dev",
}
"""What sentences are drawn from, with the names that the registry has for it."""
UNKNOWN = "unknown"
NATURAL = "natural length"
LIMITS: Mapping[str, Budget | None] = {
    NATURAL: None,
    "at most 60% of the words": Budget.at_most(ratio=0.6, unit="pieces"),
    "at most 80% of the words": Budget.at_most(ratio=0.8, unit="pieces"),
    "at most 75 characters": Budget.at_most(75, unit="characters"),
    "exactly half of the words": Budget.exactly(ratio=0.5, unit="pieces"),
}
FEWEST, MOST = 15, 45
FROM_PAIRS = 5
"""One in so many sentences of general prose is from the abstractive pairs, the others are from treebanks."""

_FAULT = re.compile(r"[a-z]+(-[a-z]+){0,4}")
_HEAD = ("limit", "system", "n", "both ≥ 4", "grammar", "meaning", "meaning ≤ 2")
Place = tuple[str, int, str]
"""A corpus, the number of a sentence in it, and a limit."""


class Signature(NamedTuple):
    """Who answered: the versions of systems, the checksums of the models of each, and those of the corpora."""

    systems: dict[str, str]
    models: dict[str, dict[str, str] | str]
    data: dict[str, str]
    note: str = ""


class Rated(NamedTuple):
    """A reading of one answer of one system; `kept` is None if the answer is no deletion.

    Systems that gave the same text to a sentence have the same `answer` there, its name on the sheet.
    """

    corpus: str
    line: int
    limit: str
    system: str
    answer: str
    kept: list[int] | None
    grammar: int
    meaning: int
    faults: list[str]

    @property
    def is_good(self) -> bool:
        return self.grammar >= 4 and self.meaning >= 4

    @property
    def row(self) -> str:
        """The row of a table that it belongs to."""
        apart = self.corpus == "google.dev" and self.limit == NATURAL
        return f"{self.limit}, Google" if apart else self.limit


def sentences(data: Path, corpus: str) -> Iterator[tuple[int, str]]:
    """The sentences of a corpus, numbered from 0."""
    if corpus not in CORPORA:
        raise LaconicError(f"no corpus {corpus!r} to read from; there are {', '.join(CORPORA)}")
    known = find_corpus(CORPORA[corpus])
    if known.format == "pairs":
        return enumerate(row["source"] for row in read_json_lines(data / known.path))
    start = "# text = "
    lines = (line for _, line in read_lines(data / known.path) if line.startswith(start))
    return enumerate(line.removeprefix(start).strip() for line in lines)


def draw(data: Path, *, seed: int, count: int) -> list[tuple[Place, str]]:
    """Sentences nobody has read in the readings to learn from: `count` at each limit, and as many of Google's."""
    read = {row["source"] for row in read_json_lines(data / "readings" / "dev.jsonl")}
    generator = random.Random(seed)

    def shuffled(*corpora: str) -> list[tuple[str, int, str]]:
        found = [
            (corpus, line, text)
            for corpus in corpora
            for line, text in sentences(data, corpus)
            if text not in read and text.endswith((".", "?", "!")) and FEWEST <= len(tokenise(text)) <= MOST
        ]
        generator.shuffle(found)
        return found

    prose, pairs, google = shuffled("ewt.dev", "gum.dev"), shuffled("msr.dev"), shuffled("google.dev")
    of_pairs = count // FROM_PAIRS
    of_prose = count - of_pairs
    if len(prose) < of_prose * len(LIMITS) or len(pairs) < of_pairs * len(LIMITS) or len(google) < count:
        raise LaconicError(f"there are not {count} sentences for every limit: ask for fewer")
    drawn = []
    for place, limit in enumerate(LIMITS):
        chosen = prose[place * of_prose :][:of_prose] + pairs[place * of_pairs :][:of_pairs]
        drawn += [((corpus, line, limit), text) for corpus, line, text in chosen]
    return drawn + [((corpus, line, NATURAL), text) for corpus, line, text in google[:count]]


def answers(drawn: Iterable[tuple[Place, str]], signature: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the installed default makes of sentences, signed; a limit that cannot be met has no answer."""
    from laconic.systems.default.compressor import Compressor

    compressor = Compressor(threads=1)
    for (corpus, line, limit), source in drawn:
        found: dict[str, Any] = {"corpus": corpus, "line": line, "limit": limit, "source": source}
        try:
            answer = compressor.compress(source, LIMITS[limit])
        except InfeasibleBudget:
            found |= {"text": None, "kept": None, "notes": []}
        else:
            kept = None if answer.kept is None else list(answer.kept)
            found |= {"text": answer.text, "kept": kept, "notes": list(answer.notes)}
        yield found | signature


def installed(data: Path) -> dict[str, Any]:
    """What runs here: the version, with its commit in a repository, the models, and the data it is given."""
    import laconic

    return {
        "version": f"{__version__} {commit_of(Path(laconic.__file__).parent)}".strip(),
        "models": shipped_models(),
        "data": {corpus: data_checksum(name, data) for corpus, name in CORPORA.items()},
    }


def make_sheets(answered: Mapping[str, Path], sheet: Path, *, parts: int = 1, seed: int = 1) -> list[Path]:
    """Write the texts of several systems, shuffled, equal ones merged, and a key without any text."""
    found = {system: {_place(row): row for row in read_json_lines(path)} for system, path in answered.items()}
    first = next(iter(found.values()))
    if any(rows.keys() != first.keys() for rows in found.values()):
        raise LaconicError("the systems answered different sentences: draw with the same seed and count")
    signed = _signed({system: next(iter(rows.values())) for system, rows in found.items()})
    generator = random.Random(seed)
    places = sorted(first)
    generator.shuffle(places)
    made = []
    for part in range(parts):
        path = sheet if parts == 1 else sheet.with_name(f"{sheet.name}-{part}")
        text: list[str] = []
        key: dict[str, Any] = {}
        for number, place in enumerate(places[part::parts]):
            rows = {system: of[place] for system, of in found.items()}
            if len({row["source"] for row in rows.values()}) != 1:
                raise LaconicError(f"{place}: the systems were given different sentences")
            texts = {system: row["text"] for system, row in rows.items()}
            asked = Answers("", first[place]["source"], place[2], texts)
            text.append(f"[{number}] ({asked.group}) SOURCE: {asked.source}")
            for shown in lines_of(number, asked, generator):
                corpus, line, limit = place
                wrote = {system: rows[system]["kept"] for system in shown.systems}
                key[shown.name] = {"corpus": corpus, "line": line, "limit": limit, "kept": wrote}
                text.append(f"  {shown.name}: {shown.text}")
            text.append("")
        write_text(beside(path, ".txt"), "\n".join(text))
        write_text(beside(path, ".key.json"), json.dumps({**signed._asdict(), "answers": key}))
        made.append(path)
    return made


def _signed(rows: Mapping[str, Mapping[str, Any]]) -> Signature:
    """What a row of each system says of all; installations of before they noted checksums say less."""
    data: dict[str, str] = {}
    for row in rows.values():
        noted = row.get("data", {})
        if any(data.get(corpus, checksum) != checksum for corpus, checksum in noted.items()):
            raise LaconicError("the systems answered sentences of different files: draw from the same data")
        data |= noted
    systems = {system: row["version"] for system, row in rows.items()}
    return Signature(systems, {system: row.get("models", UNKNOWN) for system, row in rows.items()}, data)


def _signature(content: Mapping[str, Any]) -> Signature:
    """What a key or a kept file says; those of before checksums were noted say less."""
    models, data = content.get("models", {}), content.get("data", {})
    return Signature(content["systems"], models, data, content.get("note", ""))


def read_sheet(sheet: Path) -> tuple[Signature, list[Rated]]:
    """Who answered on a sheet, and what its reader wrote, for each system."""
    key = json.loads(beside(sheet, ".key.json").read_text(encoding="utf-8"))
    path = beside(sheet, ".ratings.jsonl")
    ratings = {row["id"]: row for row in read_json_lines(path)}
    if missing := [name for name in key["answers"] if name not in ratings]:
        raise LaconicError(f"{path}: no rating of {', '.join(missing[:10])}")
    read = []
    for name, answer in key["answers"].items():
        rating = ratings[name]
        grammar, meaning = (whole_rating(rating.get(asked), asked, name, path) for asked in ASKED)
        # A fault in words of the reader's own might quote the sentence.
        faults = [fault if _FAULT.fullmatch(fault) else "other" for fault in rating.get("faults", ())]
        where = answer["corpus"], answer["line"], answer["limit"]
        read += [
            Rated(*where, system, name, kept, grammar, meaning, faults)
            for system, kept in answer["kept"].items()
        ]
    return _signature(key), read


def shares(read: Sequence[Rated]) -> Iterator[Row]:
    """For each limit and system: how many answers there are, and what readers made of them."""
    rows: dict[tuple[str, str], list[Rated]] = defaultdict(list)
    for rating in read:
        rows[rating.row, rating.system].append(rating)
        if rating.corpus != "google.dev":
            rows["all but Google", rating.system].append(rating)
    order = [*LIMITS, f"{NATURAL}, Google", "all but Google"]
    for (limit, system), found in sorted(rows.items(), key=lambda row: order.index(row[0][0])):

        def mean(value: Callable[[Rated], float], of: Sequence[Rated] = found) -> float:
            return sum(map(value, of)) / len(of)

        yield (
            limit,
            system,
            str(len(found)),
            f"{mean(lambda rating: rating.is_good):.0%}",
            f"{mean(lambda rating: rating.grammar):.2f}",
            f"{mean(lambda rating: rating.meaning):.2f}",
            f"{mean(lambda rating: rating.meaning <= 2):.0%}",
        )


def contests(read: Sequence[Rated]) -> Iterator[str]:
    """How often one system's answer was read as better than another's, where the texts differ."""
    by_place: dict[Place, dict[str, Rated]] = defaultdict(dict)
    for rating in read:
        by_place[rating.corpus, rating.line, rating.limit][rating.system] = rating
    systems = list(dict.fromkeys(rating.system for rating in read))
    for limit in dict.fromkeys(sorted((rating.row for rating in read), key=limit_order)):
        for one, other in combinations(systems, 2):
            pairs = [
                (of[one], of[other])
                for of in by_place.values()
                if one in of and other in of and of[one].row == limit and of[one].answer != of[other].answer
            ]
            steps = [a.grammar + a.meaning - b.grammar - b.meaning for a, b in pairs]
            better, worse = sum(step > 0 for step in steps), sum(step < 0 for step in steps)
            equal = len(steps) - better - worse
            yield f"{limit}: {one} against {other}: better {better}, worse {worse}, equal {equal}"


def keep(sheets: Sequence[Path], name: str, folder: Path = RESULTS) -> None:
    """Store a reading without its texts, and make the tables of all kept readings again."""
    signature: Signature | None = None
    read: list[Rated] = []
    for sheet in sheets:
        of_sheet, ratings = read_sheet(sheet)
        if of_sheet != (signature or of_sheet):
            raise LaconicError(f"{sheet}: other systems than those of the sheets before it")
        signature = of_sheet
        read += ratings
    assert signature is not None
    write_reading(name, signature, read, folder)
    write_text(folder / "README.md", readme(folder))


def write_reading(name: str, signature: Signature, read: Sequence[Rated], folder: Path = RESULTS) -> None:
    """Write the file of a reading, one rating a line; it says what is not known."""
    known = signature._replace(
        models={system: signature.models.get(system, UNKNOWN) for system in signature.systems},
        data={
            corpus: signature.data.get(corpus, UNKNOWN) for corpus in sorted({each.corpus for each in read})
        },
    )
    head = {"readers": "language models, not people"} | {
        name: value for name, value in known._asdict().items() if value
    }
    rows = ",\n".join(format_line(rating._asdict()) for rating in sorted(read, key=_rating_order))
    write_text(folder / f"{name}.json", f'{json.dumps(head)[:-1]}, "readings": [\n{rows}\n]}}\n')


def kept_reading(name: str, folder: Path = RESULTS) -> tuple[Signature, list[Rated]]:
    """Who answered, and the ratings, of a reading that was kept."""
    content = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return _signature(content), [Rated(**row) for row in content["readings"]]


def readme(folder: Path = RESULTS) -> str:
    """The page with the tables of all kept readings."""
    parts = [
        "# Readings",
        "",
        "    python -m experiments.readings --help",
        "",
        "Answers of the default to development sentences, read blind: sentences of EWT, GUM and the abstractive pairs,",
        "and of Google at natural length. **The readers are language models that did not know which system wrote what,",
        "not people.** They rate grammar and meaning from 1 to 5; the line between meaning 3 and 4 is the softest. The",
        "files hold the places of sentences and words, the ratings, and the checksums of the corpora and of the models",
        "of every system; no text. `keep` makes this page from them.",
    ]
    for path in sorted(folder.glob("*.json")):
        signature, read = kept_reading(path.stem, folder)
        named = ", ".join(f"{system} is {version}" for system, version in signature.systems.items())
        lines = [f"| {' | '.join(row)} |" for row in (_HEAD, ("---",) * len(_HEAD), *shares(read))]
        contested = [f"- {line}" for line in contests(read)]
        parts += ["", f"## {path.stem}", "", f"{named}.", *_told(signature), "", *lines, ""]
        parts += ["Sums of grammar and meaning, where the answers differ:", "", *contested]
    return "\n".join([*parts, ""])


def _told(signature: Signature) -> Iterator[str]:
    """What the page says of checksums: those of the corpora, whose models are not known, and how they were found."""
    yield f"Corpora: {', '.join(f'{corpus} {checksum}' for corpus, checksum in signature.data.items())}."
    unknown = [system for system, models in signature.models.items() if models == UNKNOWN]
    if unknown:
        yield f"The models of {' and '.join(unknown)} are not known."
    if signature.note:
        yield signature.note


def limit_order(row: str) -> int:
    """The place of a row among those of a table."""
    return [*LIMITS, f"{NATURAL}, Google"].index(row)


def _rating_order(rating: Rated) -> tuple[int, str, int, str]:
    return limit_order(rating.row), rating.corpus, rating.line, rating.system


def _place(row: Mapping[str, Any]) -> Place:
    return row["corpus"], row["line"], row["limit"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("answers", help="write this installation's answers to drawn sentences")
    drawing.add_argument("--data", type=Path, default=Path("../shared/data"))
    drawing.add_argument("--seed", type=int, required=True)
    drawing.add_argument("--count", type=int, default=80, help="sentences for each limit (default: 80)")
    drawing.add_argument("--output", type=Path, required=True)
    sheet = commands.add_parser("sheet", help="make blind sheets of the answers of several systems")
    sheet.add_argument("answers", nargs="+", metavar="NAME=FILE")
    sheet.add_argument("--output", type=Path, required=True, metavar="SHEET")
    sheet.add_argument("--parts", type=int, default=1, help="deal the sentences to so many sheets")
    scoring = commands.add_parser("score", help="print what readers made of the systems on sheets")
    scoring.add_argument("sheets", nargs="+", type=Path, metavar="SHEET")
    keeping = commands.add_parser("keep", help="store a reading without its texts")
    keeping.add_argument("sheets", nargs="+", type=Path, metavar="SHEET")
    keeping.add_argument("--name", required=True)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    match options.command:
        case "answers":
            drawn = draw(options.data, seed=options.seed, count=options.count)
            write_json_lines(options.output, answers(drawn, installed(options.data)))
        case "sheet":
            for path in make_sheets(named_files(options.answers), options.output, parts=options.parts):
                print(f"{path}.txt, {path}.key.json")
        case "score":
            read = [rating for sheet in options.sheets for rating in read_sheet(sheet)[1]]
            print("\n".join("\t".join(row) for row in (_HEAD, *shares(read))), *contests(read), sep="\n")
        case "keep":
            keep(options.sheets, options.name)


if __name__ == "__main__":
    main()
