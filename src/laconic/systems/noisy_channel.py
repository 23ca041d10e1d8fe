"""The noisy channel of Knight and Marcu (2000), the baseline of the Markov grammar.

Kevin Knight and Daniel Marcu: Statistics-Based Summarization, Step One: Sentence Compression. AAAI 2000.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from laconic.budgets import SearchSpace
from laconic.corpora.pair import Pair
from laconic.decode.channel_forest import channel_forest
from laconic.decode.contract import Decoder
from laconic.decode.cube_pruning import Beam
from laconic.decode.ngram_decoder import NgramForestDecoder
from laconic.errors import LaconicError, ModelError
from laconic.files import write_whole
from laconic.grammar.deletion_scfg import derive_by_words
from laconic.grammar.noisy_channel import ChannelModel
from laconic.grammar.pcfg import Pcfg
from laconic.ngram import EstimationOptions, NgramModel, estimate
from laconic.ngram import load as load_bigrams
from laconic.ngram import save as save_bigrams
from laconic.sentence import Sentence
from laconic.systems.decoding import DecodingSystem
from laconic.systems.folder import read_settings, write_settings
from laconic.systems.trees import parsed, parsed_pairs, tree_of

_BEAM = Beam(unique=20, total=60)
_CHANNEL, _BIGRAMS = "channel.json", "bigrams"


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

    def decoder(self, sentence: Sentence) -> Decoder:
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
        """Write the grammar and the templates as JSON, the bigram model as arrays."""
        if self.channel is None or self.bigrams is None:
            raise ModelError("a noisy channel that was not trained cannot be saved: call `fit` first")
        content = {
            "productions": [
                [label, list(children), count]
                for label, rules in self.channel.grammar.counts.items()
                for children, count in rules.items()
            ],
            "templates": [
                [label, list(target), list(children), count]
                for (label, target), expansions in self.channel.templates.items()
                for children, count in expansions.items()
            ],
        }
        with write_whole(folder / _CHANNEL) as stream:
            stream.write(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode())
        save_bigrams(self.bigrams, folder / _BIGRAMS, bits=8)
        write_settings(folder, self.name, {"least": self.least})

    @classmethod
    def load(cls, folder: Path) -> Self:
        """The system that `save` wrote."""
        settings = read_settings(folder, cls.name)
        try:
            content = json.loads((folder / _CHANNEL).read_text(encoding="utf-8"))
            return cls(_channel(content), load_bigrams(folder / _BIGRAMS), int(settings["least"]))
        except (KeyError, TypeError, ValueError, OSError) as error:
            if isinstance(error, LaconicError):
                raise ModelError(f"{folder}: {error}") from None
            raise ModelError(f"{folder}: no noisy channel, or a damaged one ({error!r})") from None


def _channel(content: dict[str, Any]) -> ChannelModel:
    productions: dict[str, dict[tuple[str, ...], int]] = {}
    for label, children, count in content["productions"]:
        productions.setdefault(label, {})[tuple(children)] = int(count)
    templates: dict[tuple[str, tuple[str, ...]], dict[tuple[str, ...], int]] = {}
    for label, target, children, count in content["templates"]:
        templates.setdefault((label, tuple(target)), {})[tuple(children)] = int(count)
    return ChannelModel(Pcfg.from_counts(productions), templates)


def _without_rare(model: ChannelModel, least: int) -> ChannelModel:
    """The model of what was seen at least so often; every category keeps its most frequent production."""

    def frequent(counts: dict[str, Any] | Any) -> dict[Any, dict[tuple[str, ...], int]]:
        kept = {
            key: {sequence: count for sequence, count in seen.items() if count >= least}
            for key, seen in counts.items()
        }
        return {key: seen for key, seen in kept.items() if seen}

    productions = frequent(model.grammar.counts)
    if not productions:
        raise LaconicError(f"no production was seen {least} times: train on more pairs, or lower `least`")
    return ChannelModel(Pcfg.from_counts(productions), frequent(model.templates))
