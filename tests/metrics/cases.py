"""Cases for the tests of metrics."""

from __future__ import annotations

from hypothesis import strategies as st

from laconic.metrics.case import Case, Output, positions_in
from laconic.sentence import Sentence


def case_of(source: str, output: str, reference: str) -> Case:
    """The case of words written with spaces between them."""
    sentence = Sentence.from_words(source.split())
    words = tuple(reference.split())
    return Case(sentence, Output.of(output.split(), sentence), words, positions_in(sentence.words, words))


@st.composite
def deletions(draw: st.DrawFn):
    """A case whose output and reference keep any positions of a source with repeated words."""
    source = Sentence.from_words(draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=7)))
    output, reference = (
        tuple(position for position in range(len(source)) if draw(st.booleans())) for _ in range(2)
    )
    output_words, reference_words = (tuple(source.words[i] for i in kept) for kept in (output, reference))
    return Case(source, Output(output_words, " ".join(output_words), output), reference_words, reference)
