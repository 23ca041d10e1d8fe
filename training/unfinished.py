"""Find the verbs and adjectives that next to never stand without something after them.

    python -m training.unfinished --data ../shared/data

Writes `src/laconic/systems/default/unfinished.txt`. Deterministic: the same data give the same bytes.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from laconic.files import write_whole
from laconic.formats.conllu import ConlluRow, read_conllu
from laconic.systems.default.lexicon import COMPLETIONS

TREEBANKS = ("gum.train.conllu.gz", "ewt.train.conllu.gz", "amalgum-news.silver.conllu.gz")
OUTPUT = Path("src/laconic/systems/default/unfinished.txt")
FEWEST = {"active": 12, "passive": 20, "predicative": 8}
MOST_ALONE = {"active": 1 / 30, "passive": 1 / 45, "predicative": 1 / 30}
NOT_PREDICATES = frozenset(["aux", "aux:pass", "cop", "amod", "compound", "acl:relcl", "advcl:relcl"])

HEADER = """\
# Verbs and adjectives, in the forms that were seen twice, that next to never stand without a complement after them in
# the trees of GUM and EWT (train) and of AMALGUM's news: python -m training.unfinished
"""


class Use(NamedTuple):
    """A predicate in a sentence."""

    voice: str
    lemma: str
    form: str
    alone: bool


def uses(words: tuple[ConlluRow, ...]) -> Iterator[Use]:
    """The predicates of a sentence, but for those whose complement may have moved before them."""
    children: dict[str, list[ConlluRow]] = defaultdict(list)
    for word in words:
        children[word.head].append(word)
    for word in words:
        below = children[word.id]
        before = [child for child in below if int(child.id) < int(word.id)]
        after = [child for child in below if int(child.id) > int(word.id)]
        voice = _voice(word, below)
        moved = any(child.xpos.startswith("W") or child.deprel in ("obj", "ccomp") for child in before)
        if voice is not None and word.deprel not in NOT_PREDICATES and not moved:
            alone = not any(child.deprel in COMPLETIONS for child in after)
            yield Use(voice, word.lemma.lower(), word.form.lower(), alone)


def _voice(word: ConlluRow, below: list[ConlluRow]) -> str | None:
    relations = {child.deprel for child in below}
    if word.xpos == "JJ":
        return "predicative" if "cop" in relations else None
    if not word.xpos.startswith("V"):
        return None
    if "aux:pass" in relations or (word.xpos, word.deprel) == ("VBN", "acl"):
        return "passive"
    # A participle that shares its auxiliary with another verb may be both: (had his shoulder) examined.
    return "active" if word.xpos != "VBN" or "aux" in relations else None


def main(data: Path) -> None:
    """Count, and write the forms of what is seldom alone."""
    all_uses, alone = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    forms: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for name in TREEBANKS:
        for sentence in read_conllu(data / "treebank" / name, on_error=print):
            for use in uses(sentence.words):
                key = use.voice, use.lemma
                all_uses[key] += 1
                alone[key] += use.alone
                forms[key][use.form] += 1
    with write_whole(OUTPUT) as stream:
        stream.write(HEADER.encode())
        for voice, fewest in FEWEST.items():
            stream.write(f"[{voice}]\n".encode())
            for key in sorted(all_uses):
                if (
                    key[0] == voice
                    and all_uses[key] >= fewest
                    and alone[key] <= MOST_ALONE[voice] * all_uses[key]
                ):
                    spelt = (form for form, times in forms[key].items() if times > 1)  # and not by mistake
                    stream.write(f"{' '.join(sorted(spelt))}\n".encode())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    main(parser.parse_args().data)
