"""The dependency tree of a source sentence, asked for what depends on what."""

from __future__ import annotations

from functools import cached_property

from laconic.sentence import Sentence

SUBJECTS = frozenset(["nsubj", "nsubj:pass", "csubj", "csubj:pass", "nsubj:outer", "csubj:outer", "expl"])
AUXILIARIES = frozenset(["aux", "aux:pass", "cop"])
_SAME_PART = frozenset(["conj", "appos", "flat", "nmod", "compound"])
_INNER_CLAUSES = frozenset(["ccomp", "xcomp", "parataxis"])
_POSSIBLE_HEADS = _SAME_PART | _INNER_CLAUSES
_LINKS = frozenset(["case", "mark"])
_STATED = frozenset(["conj", "ccomp", "parataxis"])
_BARE = frozenset(["VB", "VBG", "VBN"])


class SourceTree:
    """An annotated sentence: words in small letters, tags, heads, relations, children in order.

    Plain relations are without their subtype: that of "nsubj:pass" is "nsubj". Links are the children of a word that
    link it to its head; what has a passive auxiliary is passive.
    """

    def __init__(self, sentence: Sentence) -> None:
        assert sentence.heads is not None and sentence.relations is not None and sentence.tags is not None
        self.sentence = sentence
        self.words = [word.casefold() for word in sentence.words]
        self.heads, self.relations, self.tags = sentence.heads, sentence.relations, sentence.tags
        self.plain_relations = [relation.partition(":")[0] for relation in self.relations]
        self.children: list[list[int]] = [[] for _ in self.words]
        self.links: list[list[int]] = [[] for _ in self.words]
        self.passive: set[int] = set()
        self._subjects: list[list[int]] = [[] for _ in self.words]
        self._parts: list[list[int]] = [[] for _ in self.words]
        for word, head in enumerate(self.heads):
            if head >= 0:
                self.children[head].append(word)
                relation = self.relations[word]
                if relation in _LINKS:
                    self.links[head].append(word)
                elif relation == "aux:pass":
                    self.passive.add(head)
                elif relation in SUBJECTS:
                    self._subjects[head].append(word)
                elif self.plain_relations[word] in _POSSIBLE_HEADS:
                    self._parts[head].append(word)
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

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """The first and the last word of what hangs on each word, itself included."""
        firsts, lasts = [*range(len(self))], [*range(len(self))]
        for root in (word for word, head in enumerate(self.heads) if head < 0):
            for word in reversed(self.subtree(root)):
                head = self.heads[word]
                if head >= 0:
                    firsts[head] = min(firsts[head], firsts[word])
                    lasts[head] = max(lasts[head], lasts[word])
        return [*zip(firsts, lasts, strict=True)]

    def related(self, head: int, *relations: str) -> list[int]:
        """The children of a word that stand in one of these relations to it."""
        return [child for child in self.children[head] if self.relations[child] in relations]

    def subjects(self, verb: int) -> list[int]:
        """The subjects of a verb."""
        return self._subjects[verb]

    def stand_ins(self, word: int) -> list[int]:
        """The word and those below it that can take its part: the cook and the (gardener), a group of (men)."""
        found = [word]
        for node in found:
            found += [part for part in self._parts[node] if self.plain_relations[part] in _SAME_PART]
        return found

    def possible_heads(self, word: int, *, but: int) -> list[int]:
        """The word and those below it that its dependent `but` could hang on: it came and (won), it says it (won)."""
        if self.plain_relations[but] in _POSSIBLE_HEADS:
            return self._below(word, but)
        found = self._possible_heads.get(word)
        if found is None:
            found = self._possible_heads[word] = self._below(word)
        return found

    def _below(self, word: int, but: int = -1) -> list[int]:
        found = [word]
        for node in found:
            found += [part for part in self._parts[node] if part != but]
        return found

    def is_mark(self, word: int) -> bool:
        """Whether a word is punctuation."""
        return self.relations[word] == "punct"

    def is_verb(self, word: int) -> bool:
        """Whether a word is a verb."""
        return self.tags[word].startswith(("V", "MD"))

    def is_clause(self, word: int) -> bool:
        """Whether a word is the verb or predicate of a clause."""
        return self.is_verb(word) or bool(self.subjects(word))

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
