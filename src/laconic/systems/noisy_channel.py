"""The noisy channel of Knight and Marcu (2000), the baseline of the Markov grammar.

Kevin Knight and Daniel Marcu: Statistics-Based Summarization, Step One: Sentence Compression. AAAI 2000.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Self, TypeVar

from laconic.budgets import SearchSpace
from laconic.corpora.pair import Pair
from laconic.decode.channel_forest import channel_forest
from laconic.decode.cube_pruning import Beam
from laconic.decode.forest_decoder import ForestDecoder
from laconic.decode.ngram_decoder import NgramForestDecoder
from laconic.errors import LaconicError, ModelError
from laconic.grammar.deletion_scfg import derive_by_words
from laconic.grammar.noisy_channel import ChannelModel
from laconic.grammar.pcfg import Children, Pcfg
from laconic.ngram import EstimationOptions, NgramModel, estimate
from laconic.ngram.storage import content_of, model_of
from laconic.sentence import Sentence
from laconic.storage import Content, open_model, write_model
from laconic.systems.annotation import parsed, parsed_pairs, tree_of
from laconic.systems.decoding import DecodingSystem

_BEAM = Beam(unique=20, total=60)
_BIGRAMS = "bigrams"

K = TypeVar("K")


@dataclass(frozen=True, eq=False)
class NoisyChannel(DecodingSystem):
    """Finds the short tree that most probably grew into the long one, by logarithm over length.

    The source model is a context-free grammar times a bigram model, the channel one of expansion templates;
    both are estimated from the first references. Productions, templates and bigrams seen less than `least`
    times are forgotten.
    """

    channel: ChannelModel | None = None
    bigrams: NgramModel | None = None
    least: int = 1
    name: ClassVar[str] = "noisy-channel"

    def __post_init__(self) -> None:
        if self.least < 1:
            raise LaconicError(f"what is remembered was seen at least once, not {self.least} times")

    def fit(self, pairs: Iterable[Pair]) -> Self:
        """The system whose models are estimated from the sources and the first references of the pairs."""
        trees, derivations, texts = [], [], []
        for pair in parsed_pairs(pairs):
            tree, kept = pair.source.tree, pair.kept[0]
            assert tree is not None
            trees.append(tree)
            texts += [pair.source.words, pair.references[0]]
            if kept is not None:
                derivations.append(derive_by_words(tree, kept))
        channel = _without_rare(ChannelModel.train(trees, derivations), self.least)
        options = EstimationOptions(order=2, min_count=2, cut_offs=(self.least,), folding="news")
        return replace(self, channel=channel, bigrams=estimate(texts, options))

    def decoder(self, sentence: Sentence) -> ForestDecoder:
        """The short trees of a sentence, which is parsed if it must be; scores are logarithms, not yet over length."""
        if self.channel is None or self.bigrams is None:
            raise ModelError("a noisy channel that was not trained: call `fit` or `load` first")
        return NgramForestDecoder(
            channel_forest(self.channel, tree_of(sentence)),
            self.bigrams,
            words=len(sentence),
            symbol_ids=self.bigrams.vocabulary.ids(sentence.words),
            beam=_BEAM,
        )

    def search_space(self, sentence: Sentence) -> SearchSpace:
        """The short trees, each worth the logarithm of its probability over its length."""
        tree = parsed(sentence)
        return SearchSpace(tree, self.decoder(tree), value=lambda score, words: score / words)

    def save(self, folder: Path) -> None:
        """Write the grammar and the templates as lines, the bigram model as arrays."""
        if self.channel is None or self.bigrams is None:
            raise ModelError("a noisy channel that was not trained cannot be saved: call `fit` first")
        bigrams = content_of(self.bigrams, bits=8).within(_BIGRAMS)
        channel = Content({"least": self.least}, lines=self.channel.to_lines())
        write_model(folder, self.name, channel | bigrams)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote."""
        with open_model(folder, cls.name) as stored:
            return cls(
                ChannelModel.from_lines(stored.lines_of("productions"), stored.lines_of("templates")),
                model_of(stored.within(_BIGRAMS)),
                stored.whole("least", low=1, high=1 << 31),
            )


def _without_rare(model: ChannelModel, least: int) -> ChannelModel:
    """The model of what was seen at least so often; every category keeps its most frequent production."""

    def frequent(counts: Mapping[K, Mapping[Children, int]]) -> dict[K, dict[Children, int]]:
        kept = {
            key: {sequence: count for sequence, count in seen.items() if count >= least}
            for key, seen in counts.items()
        }
        return {key: seen for key, seen in kept.items() if seen}

    productions = frequent(model.grammar.counts)
    if not productions:
        raise LaconicError(f"no production was seen {least} times: train on more pairs, or lower `least`")
    return ChannelModel(Pcfg.from_counts(productions), frequent(model.templates))
