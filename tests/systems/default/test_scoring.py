"""A sentence without a stop is read as if it had one, and its answer has none."""

from __future__ import annotations

import numpy as np

from laconic.annotate.annotator import load_annotator
from laconic.decode.path import PathDecoder
from laconic.systems.default.compressor import Compressor
from laconic.systems.default.scoring import with_stop, without_stop
from laconic.text.tokenise import tokenise

TEXT = "my brother says we can borrow the van on Saturday as long as we bring it back with a full tank"


def test_the_last_word_is_not_taken_for_the_stop(compressor: Compressor) -> None:
    headlines = compressor.with_manner(register="news")
    assert headlines.compress(TEXT).text.endswith("the van on Saturday")
    assert headlines.compress(TEXT + ".").text.endswith("the van on Saturday.")


def test_paths_without_the_stop_score_as_with_it() -> None:
    sentence = tokenise(TEXT)
    stopped = with_stop(sentence)
    assert stopped is not None and with_stop(stopped) is None
    [analysis] = load_annotator(threads=1).analyse([stopped])
    found = without_stop(analysis, sentence)
    assert found is not None
    assert found.sentence.words == sentence.words and len(found.sentence.heads or ()) == len(sentence)
    assert found.sentence.tree is not None and found.sentence.tree.words == sentence.words
    prices = np.append(np.zeros(len(sentence)), np.inf)  # the stop is kept
    with_it = PathDecoder(analysis.scores.follow).best(prices=prices)
    without_it = PathDecoder(found.scores.follow).best()
    assert with_it.kept[:-1] == without_it.kept
    np.testing.assert_allclose(with_it.score, without_it.score, rtol=1e-5)
