"""The dependency tree of a source sentence, asked for what depends on what."""

from __future__ import annotations

from laconic.sentence import Sentence

SUBJECTS = frozenset(["nsubj", "nsubj:pass", "csubj", "csubj:pass", "nsubj:outer", "csubj:outer", "expl"])
AUXILIARIES = frozenset(["aux", "aux:pass", "cop"])
_SAME_PART = frozenset(["conj", "appos", "flat", "nmod", "compound"])
_INNER_CLAUSES = frozenset(["ccomp", "xcomp", "parataxis"])
_POSSIBLE_HEADS = _SAME_PART | _INNER_CLAUSES
_STATED = frozenset(["conj", "ccomp", "parataxis"])
_BARE = frozenset(["VB", "VBG", "VBN"])


class SourceTree:
    """An annotated sentence: words in small letters, tags, heads, relations, children in order.

    Plain relations are without their subtype: that of "nsubj:pass" is "nsubj".
    """

    def __init__(self, sentence: Sentence) -> None:
        assert sentence.heads is not None and sentence.relations is not None and sentence.tags is not None
        self.sentence = sentence
        self.words = [word.casefold() for word in sentence.words]
        self.heads, self.relations, self.tags = sentence.heads, sentence.relations, sentence.tags
        self.plain_relations = [relation.partition(":")[0] for relation in self.relations]
        self.children: list[list[int]] = [[] for _ in self.words]
        for word, head in enumerate(self.heads):
            if head >= 0:
                self.children[head].append(word)
        self._subtrees: dict[int, list[int]] = {}
        self._possible_heads: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self.words)

    def subtree(self, word: int) -> list[int]:
        """The word and everything below it, from the top down."""
        found = self._subtrees.get(word)
        if found is None:
            found = [word]
            for node in found:
                found.extend(self.children[node])
            self._subtrees[word] = found
        return found

    def above(self, word: int) -> list[int]:
        """The heads above a word, the nearest first."""
        found = []
        while (word := self.heads[word]) >= 0:
            found.append(word)
        return found

    def span(self, word: int) -> tuple[int, int]:
        """The first and the last word of what hangs on a word."""
        inside = self.subtree(word)
        return min(inside), max(inside)

    def related(self, head: int, *relations: str) -> list[int]:
        """The children of a word that stand in one of these relations to it."""
        return [child for child in self.children[head] if self.relations[child] in relations]

    def subjects(self, verb: int) -> list[int]:
        """The subjects of a verb."""
        return [child for child in self.children[verb] if self.relations[child] in SUBJECTS]

    def stand_ins(self, word: int) -> list[int]:
        """The word and those below it that can take its part: the cook and the (gardener), a group of (men)."""
        return self._below(word, _SAME_PART)

    def possible_heads(self, word: int, *, but: int) -> list[int]:
        """The word and those below it that its dependent `but` could hang on: it came and (won), it says it (won)."""
        if self.plain_relations[but] in _POSSIBLE_HEADS:
            return self._below(word, _POSSIBLE_HEADS, but=but)
        found = self._possible_heads.get(word)
        if found is None:
            found = self._possible_heads[word] = self._below(word, _POSSIBLE_HEADS)
        return found

    def _below(self, word: int, relations: frozenset[str], *, but: int = -1) -> list[int]:
        found = [word]
        for node in found:
            found.extend(
                child
                for child in self.children[node]
                if child != but and self.plain_relations[child] in relations
            )
        return found

    def is_mark(self, word: int) -> bool:
        """Whether a word is punctuation."""
        return self.relations[word] == "punct"

    def is_clause(self, word: int) -> bool:
        """Whether a word is the verb or predicate of a clause."""
        return self.tags[word].startswith(("V", "MD")) or bool(self.subjects(word))

    def main_verbs(self) -> list[int]:
        """The predicates that can be the main one: the roots, what was said, what stands beside them."""
        found = [word for word, head in enumerate(self.heads) if head < 0]
        for node in found:
            found.extend(
                child
                for child in self.children[node]
                if self.relations[child] in _STATED and self.is_clause(child) and self._stands_alone(child)
            )
        return found

    def _stands_alone(self, verb: int) -> bool:
        """Whether a clause can be said by itself: not "they saw (him go)", nor "ask (whether they left)"."""
        first = next((child for child in self.children[verb] if self.relations[child] in AUXILIARIES), verb)
        bare = self.relations[verb] == "ccomp" and self.tags[first] in _BARE
        asked = any(
            self.words[child] in ("whether", "if")
            if self.relations[child] == "mark"
            else child < verb and self.tags[child].startswith("W")
            for child in self.children[verb]
        )
        return not bare and not asked

    def between_commas(self, word: int) -> tuple[int, int] | None:
        """The two commas around a phrase, if there are two: this is, if I may say so, wrong."""
        inside = [part for part in self.subtree(word) if self.words[part] != ","] or [word]
        before, after = min(inside) - 1, max(inside) + 1
        if before > 0 and after < len(self) and self.words[before] == self.words[after] == ",":
            return before, after
        return None
