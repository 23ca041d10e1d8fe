"""The tree transducer as a system: it learns rules and weights, rewrites trees, keeps to budgets.

Trevor Cohn and Mirella Lapata: Sentence Compression as Tree Transduction. JAIR 34, 2009.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from laconic.budgets import SearchSpace
from laconic.corpora.pair import Pair
from laconic.decode.cube_pruning import Beam
from laconic.decode.forest_decoder import ForestDecoder
from laconic.decode.ngram_decoder import NgramForestDecoder
from laconic.decode.transducer import Transducer, Transduction
from laconic.errors import ModelError
from laconic.grammar.grammar import Grammar
from laconic.grammar.rule_features import ALL_FEATURES, SOURCE_WORDS, FeatureGroup
from laconic.learn.interface import Weights
from laconic.learn.structured_svm import SvmProgress
from laconic.ngram import NgramModel, load_news_model
from laconic.sentence import Sentence
from laconic.storage import Content, Stored, open_model, write_model
from laconic.systems.annotation import tree_of
from laconic.systems.decoding import DecodingSystem
from laconic.systems.transducer.answers import drafted, written
from laconic.systems.transducer.examples import OnError, aligned_pairs
from laconic.systems.transducer.features import LANGUAGE, RuleFeatures, language_weight
from laconic.systems.transducer.learning import LearningOptions, Learnt, learn, prepare
from laconic.trees.transform import with_root

_NEWS, _NONE = "news-trigram", "none"


@dataclass(frozen=True, eq=False)
class TreeTransducer(DecodingSystem):
    """Rewrites the tree of a sentence by rules learnt from pairs, and so deletes, substitutes and reorders.

    `language` is the language model that scores outputs, the news model unless another or None is given;
    `beam` is that of searches with it. `word_price` is added to the score for every word of the source that
    is kept, and so moves the length that is natural without a budget.
    """

    language: NgramModel | None = field(default_factory=load_news_model, repr=False)
    beam: Beam | None = field(default_factory=lambda: Beam(100, 200))
    grammar: Grammar | None = field(default=None, repr=False)
    names: tuple[str, ...] = field(default=(), repr=False)
    weights: Weights | None = field(default=None, repr=False)
    groups: FeatureGroup = ALL_FEATURES
    rare: int = 1
    word_price: float = 0.0
    name: ClassVar[str] = "transducer"

    def fit(
        self,
        pairs: Iterable[Pair],
        *,
        options: LearningOptions | None = None,
        generator: np.random.Generator | None = None,
        checkpoint: Path | None = None,
        progress: Callable[[SvmProgress], None] | None = None,
        on_error: OnError | None = None,
    ) -> Self:
        """The system after learning from the first reference of each pair; missing trees are the parser's.

        Pairs that cannot be aligned, or that the rules cannot derive within their limits, are passed over;
        `on_error` hears of them. Without a generator, one of seed 0 is used. The state of learning is kept in the
        folder `checkpoint`, from which a stopped training goes on.
        """
        plan = options or LearningOptions()
        report = on_error or (lambda _: None)
        learnt = learn(
            prepare(aligned_pairs(pairs, on_error=report), plan, on_error=report),
            plan,
            language=self.language,
            generator=generator or np.random.default_rng(0),
            checkpoint=checkpoint,
            progress=progress,
        )
        return self.taught(learnt, plan)

    def taught(self, learnt: Learnt, options: LearningOptions) -> Self:
        """The system with what was learnt under these options."""
        # What is stored has single precision, so that a system and its copy on disk score alike.
        weights = learnt.weights.astype(np.float32).astype(np.float64)
        return replace(
            self,
            grammar=learnt.grammar,
            names=learnt.names,
            weights=weights,
            groups=options.groups,
            rare=options.rare,
        )

    def transduction(self, sentence: Sentence) -> Transduction:
        """The forest of all rewritings of a sentence, its edges scored; the parser finds a missing tree."""
        if self.weights is None:
            raise ModelError("a transducer that was not trained: call `fit` or `load` first")
        space = self._transducer.transduction(with_root(tree_of(sentence)))
        return replace(space, forest=space.forest.scored(self.weights))

    def decoder(self, sentence: Sentence) -> ForestDecoder:
        """The search over the rewritings of a sentence: best, k best, every length, marginals, samples."""
        return self.decoder_of(self.transduction(sentence))

    def decoder_of(self, space: Transduction) -> ForestDecoder:
        """The search over a forest of rewritings."""
        count = len(space.tree.words)
        weight = self.language_weight()
        if self.language is None or weight == 0.0:
            return ForestDecoder(space.forest, words=count)
        ids = self.language.vocabulary.ids(space.symbols)
        return NgramForestDecoder(
            space.forest, self.language, words=count, symbol_ids=ids, weight=weight, beam=self.beam
        )

    def search_space(self, sentence: Sentence) -> SearchSpace:
        """The rewritings; kept words are copied, other words of the output may be new."""
        space = self.transduction(sentence)
        return SearchSpace(
            sentence,
            self.decoder_of(space),
            word_price=self.word_price,
            rewrites=True,
            write=lambda solution: written(sentence, space, solution),
            draft=lambda solution: drafted(sentence, space, solution),
            new_words=space.symbols[len(space.tree.words) :],
        )

    def deletion_space(self, sentence: Sentence) -> SearchSpace:
        """The derivations that only delete, by their rules alone, exactly: the language model is for another to be."""
        space = self.transduction(sentence).deletions()
        return SearchSpace(
            sentence,
            ForestDecoder(space.forest, words=len(space.tree.words)),
            word_price=self.word_price,
            selective=True,
            write=lambda solution: written(sentence, space, solution),
            new_words=space.symbols[len(space.tree.words) :],
        )

    def language_weight(self) -> float:
        """What the logarithm of the language model's probability counts."""
        return 0.0 if self.weights is None else language_weight(self.weights)

    def save(self, folder: Path) -> None:
        """Write the rules, the features that have a weight, and the weights."""
        if self.grammar is None or self.weights is None:
            raise ModelError("a transducer that was not trained cannot be saved: call `fit` first")
        if self.language is not None and self.language is not load_news_model():
            raise ModelError("only a transducer with the news model or none can be saved")
        # The first two features have fixed numbers.
        kept = [place for place, weight in enumerate(self.weights) if weight or place < 2]
        settings = {
            "language": _NONE if self.language is None else _NEWS,
            "beam": None if self.beam is None else {"unique": self.beam.unique, "total": self.beam.total},
            "groups": [group.name for group in self.groups],
            "rare": self.rare,
            "word_price": self.word_price,
        }
        lines = {"grammar": self.grammar.to_lines(), "features": [self.names[place] for place in kept]}
        weights = self.weights[kept].astype(np.float32)
        write_model(folder, self.name, Content(settings, {"weights": weights}, lines))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote."""
        with open_model(folder, cls.name) as stored:
            names = tuple(stored.lines_of("features", distinct=True))
            if names[:2] != (LANGUAGE, SOURCE_WORDS):
                raise stored.fault(
                    "features", f"a text that starts with {LANGUAGE} and {SOURCE_WORDS}", names[:2]
                )
            weights = stored.array("weights", np.float32, (len(names),))
            settings = stored.settings
            groups = FeatureGroup(0)
            for name in settings["groups"]:
                groups |= FeatureGroup[name]
            return cls(
                language=load_news_model() if stored.choice("language", (_NEWS, _NONE)) == _NEWS else None,
                beam=None if settings["beam"] is None else _beam(stored),
                grammar=Grammar.from_lines(stored.lines_of("grammar")),
                names=names,
                weights=weights.astype(np.float64),
                groups=groups,
                rare=stored.whole("rare", low=0, high=1 << 31),
                word_price=stored.number("word_price"),
            )

    @cached_property
    def _transducer(self) -> Transducer:
        assert self.grammar is not None
        return Transducer(self.grammar, RuleFeatures(self.groups, self.names, rare=self.rare))


def _beam(stored: Stored) -> Beam:
    sizes = stored.within("beam")
    unique, total = (sizes.whole(name, low=1, high=10**6) for name in ("unique", "total"))
    return Beam(unique, total)
