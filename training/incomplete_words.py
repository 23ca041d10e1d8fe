"""Find the verbs and adjectives that next to never stand without something after them.

    python -m training.incomplete_words --data ../shared/data

Writes `src/laconic/systems/default/incomplete_words.toml`. Deterministic: the same data give the same bytes.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from laconic.files import write_whole
from laconic.formats.conllu import ConlluSentence, read_conllu, to_sentence
from laconic.systems.default.completions import completions, voice_of
from laconic.systems.default.source_tree import SourceTree

TREEBANKS = ("gum.train.conllu.gz", "ewt.train.conllu.gz", "amalgum-news.silver.conllu.gz")
OUTPUT = Path("src/laconic/systems/default/incomplete_words.toml")
FEWEST = {"active": 12, "passive": 20, "predicative": 8}
MOST_ALONE = {"active": 1 / 30, "passive": 1 / 45, "predicative": 1 / 30}
NOT_PREDICATES = frozenset(["amod", "compound", "acl:relcl", "advcl:relcl"])

HEADER = """\
# Verbs and adjectives, in the forms that were seen twice, that next to never stand without a complement after them in
# the trees of GUM and EWT (train) and of AMALGUM's news: python -m training.incomplete_words
"""


class Use(NamedTuple):
    """A predicate in a sentence."""

    voice: str
    lemma: str
    form: str
    alone: bool


def uses(record: ConlluSentence) -> Iterator[Use]:
    """The predicates of a sentence, but for those whose complement may have moved before them."""
    tree = SourceTree(to_sentence(record))
    for word, row in enumerate(record.words):
        voice = voice_of(tree, word)
        moved = any(
            tree.tags[child].startswith("W") or tree.relations[child] in ("obj", "ccomp")
            for child in tree.children[word]
            if child < word
        )
        if voice is not None and tree.relations[word] not in NOT_PREDICATES and not moved:
            yield Use(voice, row.lemma.lower(), row.form.lower(), not completions(tree, word))


def main(data: Path) -> None:
    """Count, and write the forms of what is seldom alone."""
    all_uses, alone = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    forms: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for name in TREEBANKS:
        for sentence in read_conllu(data / "treebank" / name, on_error=print):
            for use in uses(sentence):
                key = use.voice, use.lemma
                all_uses[key] += 1
                alone[key] += use.alone
                forms[key][use.form] += 1
    with write_whole(OUTPUT) as stream:
        stream.write(HEADER.encode())
        for voice, fewest in FEWEST.items():
            stream.write(f"{voice} = [\n".encode())
            for key in sorted(all_uses):
                if (
                    key[0] == voice
                    and all_uses[key] >= fewest
                    and alone[key] <= MOST_ALONE[voice] * all_uses[key]
                ):
                    spelt = (form for form, times in forms[key].items() if times > 1)  # and not by mistake
                    stream.write(f"  {', '.join(map(json.dumps, sorted(spelt)))},\n".encode())
            stream.write(b"]\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    main(parser.parse_args().data)
