from dataclasses import replace

import pytest

from laconic.errors import LaconicError
from laconic.metrics.relations import RelationF1
from laconic.metrics.statistics import Overlap
from laconic.sentence import Sentence
from tests.metrics.cases import case_of


def parse(text, heads, relations):
    return Sentence.from_words(text.split()).annotated(heads=heads, relations=relations.split())


OUTPUT = parse("the dog saw it .", (1, 2, -1, 2, 2), "det nsubj root obj punct")
REFERENCE = parse("dog saw the cat .", (1, -1, 3, 1, 1), "nsubj root det obj punct")


def case(output, reference):
    words = case_of("the dog saw it the cat .", " ".join(output.words), " ".join(reference.words))
    return replace(words, output_parse=output, reference_parse=reference)


def test_by_hand() -> None:
    # (saw, nsubj, dog) is shared. The output also has (dog, det, the) and (saw, obj, it), the reference
    # (cat, det, the) and (saw, obj, cat).
    assert RelationF1().measure(case(OUTPUT, REFERENCE)) == Overlap(1, 3, 1, 3)


def test_labels_count_only_when_labelled() -> None:
    relabelled = OUTPUT.annotated(relations=("det", "obj", "root", "nsubj", "punct"))
    assert RelationF1().measure(case(OUTPUT, relabelled)) == Overlap(1, 3, 1, 3)
    assert RelationF1(labelled=False).measure(case(OUTPUT, relabelled)) == Overlap(3, 3, 3, 3)
    assert RelationF1().name != RelationF1(labelled=False).name


def test_a_single_word_has_no_relations() -> None:
    alone = parse("dog", (-1,), "root")
    assert RelationF1().measure(case(alone, alone)).f1 is None
    assert RelationF1().measure(case(alone, REFERENCE)).f1 == 0.0


def test_repeated_relations_are_counted_as_often_as_both_have_them() -> None:
    twice = parse("dog dog saw", (2, 2, -1), "nsubj nsubj root")
    assert RelationF1().measure(case(twice, REFERENCE)) == Overlap(1, 2, 1, 3)


def test_sentences_without_a_parse_are_refused() -> None:
    with pytest.raises(LaconicError, match="pass a parser"):
        RelationF1().measure(case_of("a", "a", "a"))
