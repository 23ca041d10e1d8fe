"""The n-gram compressor finds the likeliest subsequence of every length, by enumeration."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from laconic.budget import Budget
from laconic.corpora.pair import Pair
from laconic.decode.contract import Limit
from laconic.errors import LaconicError
from laconic.ngram import load_news_model
from laconic.sentence import Sentence
from laconic.systems.annotation import annotated
from laconic.systems.decoding import DecodingSystem
from laconic.systems.ngram import MOST_IN_TRIGRAMS, Ngram
from laconic.systems.registry import open_system
from laconic.text.tokenise import tokenise

SENTENCE = tokenise("The old mayor of the town said on Monday that he resigned.")
SHORT = tokenise("The mayor said on Monday he quit .")


def bigram_score(words: list[str]) -> float:
    model = load_news_model()
    path = ["<s>", *words, "</s>"]
    ids = [1, *model.vocabulary.ids(words).tolist(), 2]
    return sum(model.score_id((ids[place],), ids[place + 1])[1] for place in range(len(path) - 1))


def trigram_score(words: list[str]) -> float:
    return load_news_model().score_sentence(words)


@pytest.mark.parametrize(("order", "judge"), [(2, bigram_score), (3, trigram_score)])
def test_every_length_is_the_likeliest_of_all(order: int, judge) -> None:
    decoder = Ngram(order=order).decoder(SHORT)
    for length in range(1, len(SHORT) + 1):
        best = max(
            judge([SHORT.words[word] for word in kept]) for kept in combinations(range(len(SHORT)), length)
        )
        found = decoder.best(limit=Limit(length, length))
        assert found.score == pytest.approx(best, abs=1e-4)
        assert judge([SHORT.words[word] for word in found.kept]) == pytest.approx(best, abs=1e-4)


def test_without_a_budget_the_ratio_says_how_many() -> None:
    for ratio, words in ((0.25, 3), (0.5, 6), (1.0, 12)):
        found = Ngram(ratio=ratio).compress(SENTENCE)
        assert abs(len(found.standing) - words) <= 1
    assert len(Ngram(ratio=1.0).compress(SENTENCE, Budget.at_most(5, unit="pieces")).standing) == 5
    assert len(Ngram(ratio=0.25).compress(SENTENCE, Budget.at_least(8, unit="pieces")).standing) == 8


def test_the_ratio_is_learnt_and_survives_the_disk(tmp_path: Path) -> None:
    pairs = [Pair.aligned("a", tokenise("It fell again today"), [["It", "fell"]])]
    system = Ngram(order=2, significance=0.5, links=1.0).fit(pairs)
    assert system.ratio == 0.5
    system.save(tmp_path)
    loaded = Ngram.load(tmp_path)
    assert (loaded.order, loaded.ratio, loaded.significance, loaded.links) == (2, 0.5, 0.5, 1.0)
    assert loaded.compress(SENTENCE).text == system.compress(SENTENCE).text


def test_significance_counts_what_nouns_and_verbs_say() -> None:
    [parsed] = annotated([SENTENCE])
    plain, telling = Ngram(order=2), Ngram(order=2, significance=1.0)
    model = load_news_model()
    for place, (word, tag) in enumerate(zip(parsed.words, parsed.tags, strict=True)):  # type: ignore[arg-type]
        prices = [float("inf") if other == place else float("-inf") for other in range(len(parsed))]
        gained = (
            telling.decoder(parsed).best(prices=prices).score
            - plain.decoder(parsed).best(prices=prices).score
        )
        says = -model.score((), word)[1] if tag.startswith(("NN", "VB", "JJ", "CD")) else 0.0
        assert gained == pytest.approx(says, abs=1e-6)


def test_links_count_governors_and_old_neighbours() -> None:
    sentence = Sentence.from_words(["It", "fell", "on", "Monday"])
    sentence = annotated([sentence])[0].annotated(heads=(1, -1, 3, 1))
    base, linked = Ngram(order=2), Ngram(order=2, links=10.0)

    def gained(*kept: int) -> float:
        prices = [float("inf") if word in kept else float("-inf") for word in range(4)]
        return round(
            linked.decoder(sentence).best(prices=prices).score
            - base.decoder(sentence).best(prices=prices).score
        )

    assert gained(1, 3) == 10.0  # "Monday" hangs on "fell"
    assert gained(0, 3) == 10.0 * 1  # it only begins as before
    assert gained(2) == 0.0
    assert gained(0, 1, 2, 3) == 40.0


def test_long_sentences_have_bigrams() -> None:
    long = Sentence.from_words(["word"] * (MOST_IN_TRIGRAMS + 1))
    assert len(Ngram(ratio=0.1).compress(long, Budget.exactly(5, unit="pieces")).standing) == 5


def test_options_are_checked(tmp_path: Path) -> None:
    for options, message in (({"order": 4}, "order 2 or 3"), ({"ratio": 1.5}, "between 0 and 1")):
        with pytest.raises(LaconicError, match=message):
            Ngram(**options)
    with pytest.raises(LaconicError, match="only a system with the news model"):
        other = replace(load_news_model())
        Ngram(language=other).save(tmp_path)


@pytest.mark.parametrize("name", ["ngram", "noisy-channel"])
def test_a_range_of_words_is_filled_as_the_system_weighs_length(name: str) -> None:
    system = open_system(name)
    assert isinstance(system, DecodingSystem)
    sentence = tokenise("On Monday the council, which met twice, agreed to lower the fees.")
    space = system.search_space(sentence)

    def worth(budget: Budget) -> float:
        kept = system.compress(sentence, budget).kept
        solution = space.only(kept or ())
        assert solution is not None
        return space.worth(solution)

    assert worth(Budget.between(4, 8)) >= max(worth(Budget.exactly(words)) for words in range(4, 9)) - 1e-9
