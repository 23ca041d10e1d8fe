"""The lexicalised Markov grammar of Galley and McKeown (2007), with the length control they did not have.

Michel Galley and Kathleen McKeown: Lexicalized Markov Grammars for Sentence Compression. NAACL-HLT 2007.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal, Self, get_args

import numpy as np

from laconic.budgets import SearchSpace
from laconic.corpora.pair import Pair
from laconic.decode.cube_pruning import Beam
from laconic.decode.deletion_forest import deletion_forest
from laconic.decode.forest_decoder import ForestDecoder
from laconic.decode.ngram_decoder import NgramForestDecoder
from laconic.errors import LaconicError, ModelError
from laconic.grammar.deletion_scfg import (
    DeletionDerivation,
    derive_by_edits,
    derive_by_words,
    derive_strictly,
)
from laconic.grammar.markov import MarkovGrammar, MarkovOptions
from laconic.learn.markov import train_markov
from laconic.learn.witten_bell import Smoothing
from laconic.ngram import load_news_model
from laconic.sentence import Sentence
from laconic.storage import Content, open_model, write_model
from laconic.systems.annotation import parsed, parsed_pairs, tree_of
from laconic.systems.calibration import best_price
from laconic.systems.decoding import DecodingSystem

Matching = Literal["words", "strict", "edits"]
"""How a reference is read as a derivation: by the source's tree over the kept words, by phrases that correspond
strictly to those of the reference's tree, or by the alignment of least edits between both trees."""

PRICES = tuple(step / 20 for step in (0, *range(1, 17), *range(-1, -5, -1)))
"""The prices of a word that `Markov.calibrated` tries, in nats; of equally good ones it takes the first."""

_BEAM = Beam(unique=30, total=90)


@dataclass(frozen=True, eq=False)
class Markov(DecodingSystem):
    """Keeps or drops every constituent by its head, its sisters and its ancestors.

    The first reference of each pair is learnt from. With a `language_weight` the logarithm of the
    probability that the news model gives to the output is added with that weight; `word_price` is added for
    every kept word, and so sets the length that is natural without a budget.
    """

    grammar: MarkovGrammar | None = None
    options: MarkovOptions = field(default_factory=MarkovOptions)
    matching: Matching = "words"
    substitutions: int = 0
    smoothing: Smoothing | None = None
    least: int = 1
    language_weight: float = 0.0
    word_price: float = 0.0
    name: ClassVar[str] = "markov"

    def __post_init__(self) -> None:
        if self.matching not in get_args(Matching):
            raise LaconicError(f"pairs are matched by words, strict or edits, not {self.matching!r}")
        for name in ("language_weight", "word_price"):
            if not np.isfinite(getattr(self, name)):
                raise LaconicError(f"the {name} must be a finite number, not {getattr(self, name)}")

    def fit(self, pairs: Iterable[Pair], *, development: Iterable[Pair] | None = None) -> Self:
        """The system whose grammar is estimated from the first references of the pairs.

        With development pairs, the price of a word is chosen on them, by `calibrated`.
        """
        grammar = train_markov(
            self.derivations(pairs), self.options, smoothing=self.smoothing, least=self.least
        )
        fitted = replace(self, grammar=grammar)
        return fitted if development is None else fitted.calibrated(development)

    def calibrated(self, pairs: Iterable[Pair], *, prices: Sequence[float] = PRICES) -> Self:
        """The system with the price of a word whose answers without a budget have the best F1 on the pairs.

        Dropping a phrase is one decision, keeping it is one more for everything inside: so the most probable
        derivation drops long phrases more often than the grammar expects, and the longer the more often. A price
        for every word weighs against it.
        """
        return replace(self, word_price=best_price(self.decoder, pairs, prices))

    def derivations(self, pairs: Iterable[Pair]) -> Iterator[DeletionDerivation]:
        """What the pairs say about deletion; pairs that the matching cannot use are left out."""
        for pair in parsed_pairs(pairs, references=self.matching != "words"):
            tree, kept = pair.source.tree, pair.kept[0]
            assert tree is not None
            if self.matching == "words":
                if kept is not None:
                    yield derive_by_words(tree, kept)
                continue
            assert pair.reference_trees is not None
            target = pair.reference_trees[0]
            if self.matching == "strict":
                if kept is not None:
                    yield derive_strictly(tree, target, kept)
            elif derivation := derive_by_edits(tree, target, substitutions=self.substitutions):
                yield derivation

    def decoder(self, sentence: Sentence) -> ForestDecoder:
        """The deletions of constituents of a sentence; the parser finds a missing tree."""
        if self.grammar is None:
            raise ModelError("a Markov grammar that was not trained: call `fit` or `load` first")
        forest = deletion_forest(self.grammar, tree_of(sentence))
        if not self.language_weight:
            return ForestDecoder(forest, words=len(sentence))
        model = load_news_model()
        return NgramForestDecoder(
            forest,
            model,
            words=len(sentence),
            symbol_ids=model.vocabulary.ids(sentence.words),
            weight=self.language_weight,
            beam=_BEAM,
        )

    def search_space(self, sentence: Sentence) -> SearchSpace:
        """The deletions of constituents, each kept word at its price."""
        tree = parsed(sentence)
        return SearchSpace(tree, self.decoder(tree), word_price=self.word_price)

    def save(self, folder: Path) -> None:
        """Write the grammar and the weights."""
        if self.grammar is None:
            raise ModelError("a Markov grammar that was not trained cannot be saved: call `fit` first")
        weights = {"language_weight": self.language_weight, "word_price": self.word_price}
        write_model(folder, self.name, Content(weights) | self.grammar.content())

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote."""
        with open_model(folder, cls.name) as stored:
            grammar = MarkovGrammar.from_stored(stored)
            return cls(
                grammar,
                grammar.options,
                language_weight=stored.number("language_weight"),
                word_price=stored.number("word_price"),
            )
