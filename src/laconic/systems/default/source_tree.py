"""The dependency tree of a source sentence, asked for what depends on what."""

from __future__ import annotations

from laconic.sentence import Sentence
from laconic.systems.default.lexicon import INVERTERS, MAGNITUDES, PERSONS, REPORTS, UNITS

SUBJECTS = frozenset(["nsubj", "nsubj:pass", "csubj", "csubj:pass", "nsubj:outer", "csubj:outer", "expl"])
AUXILIARIES = frozenset(["aux", "aux:pass", "cop"])
CLAUSES = frozenset(["ccomp", "conj", "parataxis"])
RELATIVE_CLAUSES = frozenset(["acl:relcl", "advcl:relcl"])
_FINITE = frozenset(["VBD", "VBZ", "VBP", "MD"])
_THINGS, _PEOPLE, _GROUPS = ("it", "its"), ("he", "him", "his", "she", "her"), ("they", "them", "their")
PRONOUNS = frozenset((*_THINGS, *_PEOPLE, *_GROUPS))
_AMOUNTS = UNITS | MAGNITUDES
_BARE = frozenset(["VB", "VBG", "VBN"])
_SAID_OF = frozenset(["acl", *RELATIVE_CLAUSES])
_SAME_PART = frozenset(["flat", "conj"])
_DETERMINERS = frozenset(["det", "nmod:poss", "nummod"])


class SourceTree:
    """An annotated sentence: words in small letters, tags, heads, relations, children in order."""

    def __init__(self, sentence: Sentence) -> None:
        assert sentence.heads is not None and sentence.relations is not None and sentence.tags is not None
        self.sentence = sentence
        self.words = [word.casefold() for word in sentence.words]
        self.heads, self.relations, self.tags = sentence.heads, sentence.relations, sentence.tags
        self.children: list[list[int]] = [[] for _ in self.words]
        for word, head in enumerate(self.heads):
            if head >= 0:
                self.children[head].append(word)
        self._subtrees: dict[int, list[int]] = {}
        self._nouns: dict[int, list[int]] = {}
        self._sharing_subject: dict[int, list[int]] = {}
        self.main = frozenset(
            verb for root, head in enumerate(self.heads) if head < 0 for verb in self.main_verbs(root)
        )

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

    def nouns(self, word: int) -> list[int]:
        """The nouns of a phrase, any of which may stand for it: the linebacker Mayo, a group of men."""
        found = self._nouns.get(word)
        if found is None:
            phrase = [word]  # without the clauses that are said of it
            for node in phrase:
                phrase.extend(child for child in self.children[node] if self.relations[child] not in _SAID_OF)
            found = [part for part in phrase if self.tags[part].startswith("NN") or self.tags[part] == "PRP"]
            self._nouns[word] = found
        return found

    def subjects(self, verb: int) -> list[int]:
        """The subjects of a verb."""
        return [child for child in self.children[verb] if self.relations[child] in SUBJECTS]

    def objects(self, verb: int) -> list[int]:
        """The objects of a verb."""
        return self.related(verb, "obj")

    def related(self, head: int, relation: str) -> list[int]:
        """The children of a word that stand in this relation to it."""
        return [child for child in self.children[head] if self.relations[child] == relation]

    def determiners(self, noun: int) -> list[int]:
        """The articles, possessors and numbers of a noun."""
        return [child for child in self.children[noun] if self.relations[child] in _DETERMINERS]

    def outer_clause(self, predicate: int) -> tuple[int, int] | None:
        """Subject and copula of a clause whose predicate is a clause with a subject of its own.

        In "what we found is that they left", both hang on "left": what … is.
        """
        subjects = [child for child in self.subjects(predicate) if self.relations[child] != "expl"]
        if len(subjects) > 1:
            for child in self.children[predicate]:
                if self.relations[child] in AUXILIARIES and subjects[0] < child < subjects[1]:
                    return subjects[0], child
        return None

    def sharing_subject(self, verb: int) -> list[int]:
        """The verb and those that can take over its subject: it came and won; it says it won."""
        found = self._sharing_subject.get(verb)
        if found is None:
            found = [verb]
            for node in found:
                found.extend(
                    child
                    for child in self.children[node]
                    if self.relations[child] in CLAUSES and self._shares_subject(child, node)
                )
            self._sharing_subject[verb] = found
        return found

    def stand_ins(self, word: int, head: int) -> list[int]:
        """What a dependent can belong to instead of its head: verbs with the same subject, or other nouns."""
        found = (
            self.sharing_subject(head)
            if self.is_clause(head)
            else self.nouns(head) + self.sharing_subject(head)
        )
        if len(found) == 1:
            return found
        inside = self.subtree(word)
        return [part for part in found if part not in inside]

    def partners(self, verb: int) -> list[int]:
        """The verb and the conjuncts that share its subject and its auxiliaries: has come and won."""
        return [verb] + [
            child
            for child in self.conjuncts(verb)
            if self.tags[child] not in _FINITE
            and not any(
                self.relations[part] in SUBJECTS or self.relations[part] in AUXILIARIES
                for part in self.children[child]
            )
        ]

    def conjuncts(self, word: int) -> list[int]:
        """What stands beside a word in a list."""
        return self.related(word, "conj")

    def standing_for(self, noun: int) -> list[int]:
        """The words that can bear the part of a noun in its clause: Ana (Reis) and (Ben Hall)."""
        return [noun] + [child for child in self.children[noun] if self.relations[child] in _SAME_PART]

    def finite(self, verb: int) -> int:
        """The first auxiliary of a verb, or the verb itself."""
        return next((child for child in self.children[verb] if self.relations[child] in AUXILIARIES), verb)

    def inverter(self, auxiliary: int) -> int | None:
        """What puts an auxiliary before its subject in a statement: only, never, nor; None in a question."""
        if self.words[-1] == "?":
            return None
        earlier = (word for word in range(auxiliary - 1, -1, -1) if self.words[word] in INVERTERS)
        return next(earlier, None)

    def sharers(self, predicate: int) -> list[int]:
        """The conjuncts that have no subject of their own."""
        return [child for child in self.conjuncts(predicate) if not self.subjects(child)]

    def shared_predicates(self, predicate: int) -> list[int]:
        """The other nouns and adjectives that a subject is said to be: a lawyer and (a mother of two)."""
        return [part for part in self.partners(predicate)[1:] if not self.tags[part].startswith("V")]

    def main_verbs(self, root: int) -> list[int]:
        """The root and the clauses on it that can stand alone: what was said, what follows a semicolon."""
        found, within = [root], [root]
        for node in within:
            for child in self.children[node]:
                stated = self.relations[child] in CLAUSES or self.is_put_off(child)
                if stated and not self.asks(child) and self.is_finite(child):
                    found.append(child)
                    within.append(child)
                # Nor does what someone is about to say need them: we regret to say (it failed).
                elif self.relations[child] in ("xcomp", "csubj") and self.words[child] in REPORTS:
                    within.append(child)
        return found

    def asks(self, verb: int) -> bool:
        """Whether a clause is a question within another clause: whether they left, who left."""
        return self.relations[verb] in CLAUSES and any(
            self.words[child] in ("whether", "if")
            if self.relations[child] == "mark"
            else child < verb and any(self.tags[part].startswith("W") for part in self.subtree(child)[:2])
            for child in self.children[verb]
        )

    def is_clause(self, word: int) -> bool:
        """Whether a word is the verb or predicate of a clause."""
        return self.tags[word].startswith("V") or bool(self.subjects(word))

    def is_finite(self, verb: int) -> bool:
        """Whether a clause can be said by itself: not "they saw (him go)"."""
        return self.relations[verb] not in ("ccomp", "csubj") or self.tags[self.finite(verb)] not in _BARE

    def is_put_off(self, verb: int) -> bool:
        """Whether a clause is a subject whose place "it" holds: it is sad (that they left)."""
        return self.relations[verb] == "csubj" and bool(self.related(self.heads[verb], "expl"))

    def mains_above(self, word: int) -> list[int]:
        """The words above that can be the main verb of the sentence, from the nearest up."""
        found = []
        while (word := self.heads[word]) >= 0:
            if word in self.main:
                found.append(word)
        return found

    def joins(self, word: int) -> bool:
        """Whether a word joins its clause to another so that neither can do without it: because, to, when."""
        if self.relations[word] == "mark":
            return self.words[word] != "that"
        return (
            self.relations[word] == "advmod"
            and self.tags[word] == "WRB"
            and self.heads[self.heads[word]] >= 0
        )

    def handed_on(self, subject: int, verb: int) -> list[int]:
        """The subjects of the clauses around a verb for which its own may stand: it says (it) won."""
        found: list[int] = []
        while (verb := self.heads[verb]) >= 0:
            found.extend(outer for outer in self.subjects(verb) if self.may_be_same(subject, outer))
        return found

    def between_commas(self, word: int) -> tuple[int, int] | None:
        """The two commas around a phrase, if there are two: this is, if I may say so, wrong."""
        inside = [part for part in self.subtree(word) if self.words[part] != ","] or [word]
        before, after = min(inside) - 1, max(inside) + 1
        if before > 0 and after < len(self) and self.words[before] == self.words[after] == ",":
            return before, after
        return None

    def is_mark(self, word: int) -> bool:
        """Whether a word is punctuation."""
        return self.relations[word] == "punct"

    def stands_for(self, pronoun: int, noun: int) -> bool:
        """Whether a pronoun can stand for a noun before it."""
        word, tag, person = self.words[pronoun], self.tags[noun], self._is_person(noun)
        if self.relations[noun] == "compound" or self.words[noun] in _AMOUNTS:
            return False
        if word in _THINGS:
            return tag in ("NN", "NNP") and not person
        if word in _PEOPLE:
            return tag == "NNP" or person
        return word in _GROUPS and tag in ("NNS", "NNPS")

    def _is_person(self, noun: int) -> bool:
        """Whether a noun is known for one person, or has a first name and a last."""
        return self.words[noun] in PERSONS or bool(self.related(noun, "flat"))

    def _shares_subject(self, verb: int, outer: int) -> bool:
        """Whether a clause has no subject of its own, or a pronoun that may be that of the clause around it."""
        named = self.subjects(outer)
        return all(
            any(self.may_be_same(own, other) for other in named) if named else self.tags[own] == "PRP"
            for own in self.subjects(verb)
        )

    def may_be_same(self, pronoun: int, other: int) -> bool:
        """Whether a word is a pronoun that may stand for another subject: it says (it) won."""
        word, tag, person = self.words[pronoun], self.tags[other], self._is_person(other)
        if self.tags[pronoun] != "PRP":
            return False
        if not tag.startswith(("NN", "W")):
            return word == self.words[other]
        if tag in ("NNS", "NNPS"):
            return word in _GROUPS
        # More nouns are people, and more are several, than can be told: the star says she won, the firm says they won.
        return word in _PEOPLE or (word in (*_THINGS, *_GROUPS) and not person)
