"""Trees: side files for pairs, and treebanks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from laconic.corpora.characters import same_word
from laconic.corpora.pair import Pair
from laconic.corpora.records import Record, text_field
from laconic.errors import FormatError, LaconicError
from laconic.formats import OnError, conllu, jsonl, penn
from laconic.sentence import Sentence
from laconic.trees.constituency import Tree

TreeTable = dict[tuple[str, ...], Tree]
"""The tree of each sentence, by its words."""


def read_tree_table(path: Path, *, on_error: OnError = None) -> TreeTable:
    """The trees of a side file: JSON Lines with a space-joined sentence `text` and its Penn brackets `tree`.

    Words that the parser escaped (brackets, quotes) are restored.
    """

    def convert(_number: int, record: Record) -> tuple[tuple[str, ...], Tree]:
        words = tuple(text_field(record, "text").split())
        return words, _over(words, penn.parse_tree(text_field(record, "tree")))

    return dict(jsonl.convert_json_lines(path, convert, on_error=on_error))


def with_trees(pairs: Iterable[Pair], side_file: Path, *, on_error: OnError = None) -> Iterator[Pair]:
    """The pairs with the trees of their sources and references from a side file.

    A broken line of the side file, or a pair one of whose trees is missing, is an error.
    """
    table = read_tree_table(side_file, on_error=on_error)
    for pair in pairs:
        wanted = (pair.source.words, *pair.references)
        missing = next((words for words in wanted if words not in table), None)
        if missing is None:
            tree, *reference_trees = (table[words] for words in wanted)
            source = pair.source.annotated(tree=tree)
            yield replace(pair, source=source, reference_trees=tuple(reference_trees))
            continue
        message = f"no tree for pair {pair.id!r}: {' '.join(missing)[:60]!r}"
        fault = FormatError(message, source=str(side_file))
        if on_error is None:
            raise fault
        on_error(fault)


def read_penn(path: Path, *, functions: bool = True, on_error: OnError = None) -> Iterator[Sentence]:
    """Stream the sentences of a treebank in Penn brackets with their trees, without empty elements.

    Without `functions`, labels are bare categories.
    """
    for tree in penn.read_trees(path, traces=False, functions=functions, on_error=on_error):
        yield Sentence.from_words(tree.words, tree=tree)


def read_dependencies(path: Path, *, on_error: OnError = None) -> Iterator[Sentence]:
    """Stream the sentences of a CoNLL-U treebank with their tags, heads and relations."""
    return map(conllu.to_sentence, conllu.read_conllu(path, on_error=on_error))


def _over(words: Sequence[str], tree: Tree) -> Tree:
    if len(tree.words) != len(words) or not all(map(same_word, tree.words, words)):
        raise LaconicError(
            f"the tree's words are not the text's: {' '.join(tree.words)[:60]!r} "
            f"against {' '.join(words)[:60]!r}"
        )
    return replace(tree, words=tuple(words))
