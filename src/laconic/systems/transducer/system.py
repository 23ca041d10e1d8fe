"""The tree transducer as a system: it learns rules and weights, rewrites trees, keeps to budgets.

Trevor Cohn and Mirella Lapata: Sentence Compression as Tree Transduction. JAIR 34, 2009.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from laconic.budgets import SearchSpace
from laconic.corpora.pair import Pair
from laconic.decode.contract import Decoder
from laconic.decode.cube_pruning import Beam
from laconic.decode.forest_decoder import ForestDecoder
from laconic.decode.ngram_decoder import NgramForestDecoder
from laconic.decode.transducer import Transducer, Transduction
from laconic.errors import LaconicError, ModelError
from laconic.files import read_lines, write_whole
from laconic.grammar.grammar import Grammar
from laconic.grammar.rule_features import ALL_FEATURES, FeatureGroup
from laconic.learn.interface import Weights
from laconic.learn.structured_svm import SvmProgress
from laconic.ngram import NgramModel, load_news_model
from laconic.sentence import Sentence
from laconic.systems.arrays import read_arrays, write_arrays
from laconic.systems.decoding import DecodingSystem
from laconic.systems.folder import read_settings, write_settings
from laconic.systems.transducer.answers import written
from laconic.systems.transducer.examples import OnError, aligned_trees
from laconic.systems.transducer.features import RuleFeatures, language_weight
from laconic.systems.transducer.learning import LearningOptions, Learnt, learn, prepare
from laconic.systems.trees import parsed_pairs, tree_of
from laconic.trees.transform import with_root

_GRAMMAR, _NAMES, _WEIGHTS = "grammar.txt.gz", "features.txt.gz", "weights.npz"
_NEWS = "news-trigram"


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
        `on_error` hears of them. Without a generator, one of seed 0 is used. The state of the SVM is kept in
        `checkpoint`, from which a stopped training goes on.
        """
        plan = options or LearningOptions()
        report = on_error or (lambda _: None)

        def with_words() -> Iterator[Pair]:
            for pair in pairs:
                if pair.source.words and all(pair.references):
                    yield pair
                else:
                    report(LaconicError(f"pair {pair.id!r}: the source or a reference has no words"))

        aligned = []
        for pair in parsed_pairs(with_words(), references=True):
            try:
                aligned.append(aligned_trees(pair))
            except LaconicError as error:
                report(error)
        learnt = learn(
            prepare(aligned, plan, on_error=report),
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

    def decoder(self, sentence: Sentence) -> Decoder:
        """The search over the rewritings of a sentence: best, k best, every length, marginals, samples."""
        return self.decoder_of(self.transduction(sentence))

    def decoder_of(self, space: Transduction) -> Decoder:
        """The search over a forest of rewritings."""
        count = len(space.tree.words)
        weight = 0.0 if self.weights is None else language_weight(self.weights)
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
            new_words=space.symbols[len(space.tree.words) :],
        )

    def save(self, folder: Path) -> None:
        """Write the rules, the features that have a weight, and the weights."""
        if self.grammar is None or self.weights is None:
            raise ModelError("a transducer that was not trained cannot be saved: call `fit` first")
        if self.language is not None and self.language is not load_news_model():
            raise ModelError("only a transducer with the news model or none can be saved")
        self.grammar.write(folder / _GRAMMAR)
        # The first two features have fixed numbers.
        kept = [place for place, weight in enumerate(self.weights) if weight or place < 2]
        with write_whole(folder / _NAMES) as stream:
            content = "".join(f"{self.names[place]}\n" for place in kept)
            stream.write(gzip.compress(content.encode(), mtime=0))
        write_arrays(folder / _WEIGHTS, {"weights": self.weights[kept].astype(np.float32)})
        settings = {
            "language": None if self.language is None else _NEWS,
            "beam": None if self.beam is None else [self.beam.unique, self.beam.total],
            "groups": [group.name for group in self.groups],
            "rare": self.rare,
            "word_price": self.word_price,
        }
        write_settings(folder, self.name, settings)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote."""
        settings = read_settings(folder, cls.name)
        names = tuple(line for _, line in read_lines(folder / _NAMES))
        weights = read_arrays(folder / _WEIGHTS).get("weights", np.zeros(0)).astype(np.float64)
        if len(weights) != len(names):
            raise ModelError(f"{folder}: {len(names)} features but {len(weights)} weights")
        try:
            beam = None if settings["beam"] is None else Beam(*settings["beam"])
            groups = FeatureGroup(0)
            for name in settings["groups"]:
                groups |= FeatureGroup[name]
            language = load_news_model() if settings["language"] == _NEWS else None
            return cls(
                language=language,
                beam=beam,
                grammar=Grammar.read(folder / _GRAMMAR),
                names=names,
                weights=weights,
                groups=groups,
                rare=int(settings["rare"]),
                word_price=float(settings["word_price"]),
            )
        except (KeyError, TypeError) as error:
            raise ModelError(f"{folder}: damaged settings of a transducer ({error!r})") from None

    @cached_property
    def _transducer(self) -> Transducer:
        assert self.grammar is not None
        return Transducer(self.grammar, RuleFeatures(self.groups, self.names, rare=self.rare))
