import json

import numpy as np
import pytest

from laconic.ngram import load_news_model
from laconic.ngram.news import NEWS_MODEL
from laconic.ngram.tables import log_probability
from laconic.text.tokenise import tokenise


def test_it_fits_in_six_mebibytes_and_has_a_card() -> None:
    assert sum(path.stat().st_size for path in NEWS_MODEL.iterdir()) <= 6 * 2**20
    card = json.loads((NEWS_MODEL / "card.json").read_text())
    assert {"command", "options", "training", "licences", "dev sources"} <= card.keys()
    model = load_news_model()
    assert card["ngrams"] == np.diff(model.offsets).tolist()
    assert card["options"]["folding"] == model.vocabulary.folding == "news"


def test_it_prefers_english_in_its_order() -> None:
    model = load_news_model()
    words = tokenise("The company said it expects a profit this year.").words
    generator = np.random.default_rng(2)
    shuffled = [generator.permutation(words).tolist() for _ in range(20)]
    assert all(model.score_sentence(words) > model.score_sentence(other) + 5 for other in shuffled)


def test_spellings_of_one_sign_score_alike() -> None:
    model = load_news_model()
    curly = tokenise("“It rose 17 pct in 1986,” the bank’s chairman said.").words
    straight = tokenise('"It rose 25 pct in 1850," the bank\'s chairman said.').words
    assert model.score_sentence(curly) == model.score_sentence(straight)
    assert 0 not in model.vocabulary.ids(curly)


@pytest.mark.parametrize("history", ["", "the", "of the", "New York", "zebra zebra"])
def test_it_is_normalised_up_to_the_rounding_of_its_values(history: str) -> None:
    model = load_news_model()
    context = model.vocabulary.ids(history.split())
    logarithms = (
        log_probability(model.tables, context, 0, len(context), word) for word in range(len(model.vocabulary))
    )
    total = sum(map(np.exp, logarithms))
    assert total == pytest.approx(1.0, abs=0.01)


def test_it_is_loaded_once() -> None:
    assert load_news_model() is load_news_model()
