from laconic.compression import Compression
from laconic.metrics.case import Output, positions_in
from laconic.sentence import Sentence

SOURCE = Sentence(
    ("Well", ",", "the", "dog", "saw", "the", "dog", "."), ("", " ", " ", " ", " ", " ", "", "")
)


def test_a_deletion_keeps_its_own_positions() -> None:
    compression = Compression.by_deletion(SOURCE, [2, 3, 7])
    output = Output.of(compression, SOURCE)
    assert output == Output(("the", "dog", "."), compression.text, (2, 3, 7))


def test_a_rewriting_is_aligned() -> None:
    rewriting = Compression(SOURCE, None, ("A", "dog", "."), "A dog.")
    assert Output.of(rewriting, SOURCE) == Output(("A", "dog", "."), "A dog.", (6, 7))


def test_words_are_aligned_and_written_as_the_author_would() -> None:
    output = Output.of(["the", "dog", "."], SOURCE)
    assert output.kept == (5, 6, 7)
    assert output.text == Compression.by_deletion(SOURCE, output.kept).text


def test_words_that_are_no_deletion_are_joined_by_spaces() -> None:
    assert Output.of(["A", "dog"], SOURCE) == Output(("A", "dog"), "A dog", (6,))


def test_a_text_is_split_at_spaces_and_kept_as_it_is() -> None:
    assert Output.of("The dog .", SOURCE) == Output(("The", "dog", "."), "The dog .", (5, 6, 7))


def test_positions_fold_case_only_where_words_are_no_deletion() -> None:
    assert positions_in(["The", "the"], ["The"]) == (0,)
    assert positions_in(["The", "the"], ["The", "end"]) == (1,)
