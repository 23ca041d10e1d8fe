"""What may be torn along the arcs of a sentence, by what the tree says of each."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.systems.default.bonds import Bond, Tear
from laconic.systems.default.source_tree import AUXILIARIES, SourceTree
from laconic.systems.default.tie import MOST_ALTERNATIVES

SMALL = [
    *("mark", "cc", "case", "det", "aux", "aux:pass", "cop", "expl", "compound:prt", "nmod:poss"),
    *("fixed", "advmod", "cc:preconj"),
]
HIGHEST = 4


def bonds(tree: SourceTree) -> Iterator[Bond]:
    """The bonds of each arc in turn."""
    few = MOST_ALTERNATIVES
    for word, head in enumerate(tree.heads):
        if head < 0 or tree.is_mark(word):
            continue
        relation, governor = tree.relations[word], tree.heads[head]
        small = relation in SMALL and not tree.children[word]
        linked = governor
        if relation in AUXILIARIES:
            linked = next((subject for subject in tree.subjects(head) if subject != word), governor)
        if small and linked >= 0:
            yield Bond(Tear.LINK, (head, linked), (word,), word, Tear.LONE_LINK, None)
            yield Bond(Tear.LONE_LINK, (head,), (word,), word, None, Tear.LINK)
        else:
            yield Bond(Tear.PART, (head,), tuple(tree.stand_ins(word)[:few]), word, None, None)
        if relation == "conj" and tree.is_clause(word) and not tree.subjects(word):
            for subject in tree.subjects(head):
                yield Bond(Tear.PART, (word,), tuple(tree.stand_ins(subject)[:few]), subject, None, None)
        instead = tuple(tree.possible_heads(head, but=word)[:few])
        links = (*tree.links[head], *tree.links[word])
        above = tree.above(head)[:HIGHEST]
        for height, top in enumerate(above):
            between = (head, *above[:height])
            skipped = (between + instead[1:])[:few]
            yield Bond(Tear.SKIPPED_HEAD, (word, top), skipped, word, Tear.HEAD, None)
            if tree.links[head] and word not in links:
                yield Bond(Tear.BARE, (word, top), (between + links)[:few], word, None, None)
        at_most = Tear.SKIPPED_HEAD if governor >= 0 else None
        yield Bond(Tear.HEAD, (word,), instead, word, None, at_most)
        if len(instead) > 1:
            yield Bond(Tear.OWN_HEAD, (word,), (head,), word, None, None)
        if small and governor >= 0 and relation in ("mark", "case", "cc"):
            needed = tuple(tree.possible_heads(governor, but=head)[:few])
            yield Bond(Tear.GOVERNOR, (word,), needed, word, None, None)
