import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.corpora.characters import project_keep, same_word, sentence_of_tokens, token_places
from laconic.errors import LaconicError
from laconic.sentence import Sentence

TOKENS = st.lists(st.text(st.characters(codec="ascii", categories=("L", "N", "P")), min_size=1), max_size=8)


@given(TOKENS, st.data())
def test_true_spacing_is_recovered(tokens, data: st.DataObject) -> None:
    spaces = [data.draw(st.sampled_from(("", " ", "\n", "  "))) for _ in tokens]
    text = "\t" + "".join(map("".join, zip(tokens, spaces, strict=True)))
    sentence = sentence_of_tokens(tokens, text)
    assert sentence.text == text
    assert sentence.words == tuple(tokens)


def test_words_are_as_the_author_wrote_them() -> None:
    tokens = ["``", "Oh", ",", "''", "he", "said", "-LRB-", "and\\/or", "-RRB-", "``", "wept", "''", "..."]
    text = '"Oh," he said (and/or) “wept”…'
    sentence = sentence_of_tokens(tokens, text)
    assert sentence.text == text
    assert sentence.words == ('"', "Oh", ",", '"', "he", "said", "(", "and/or", ")", "“", "wept", "”", "…")


def test_a_quote_stands_for_itself_before_it_stands_for_another() -> None:
    assert token_places(["''", "'"], "'' '") == [(0, 2), (3, 4)]


@pytest.mark.parametrize(
    ("tokens", "text", "message"),
    [
        (["a", "c"], "a b", r"token 1, 'c', is not in the text at character 2: 'b'"),
        (["a", "b"], "a", r"token 1, 'b', is not in the text at character 1"),
        (["a"], "a b", r"the tokens end before the text does, at character 2: 'b'"),
        (["a", ""], "a", r"token 1, ''"),
    ],
)
def test_nothing_is_guessed(tokens, text: str, message: str) -> None:
    with pytest.raises(LaconicError, match=message):
        token_places(tokens, text)


def test_white_space_alone_is_a_sentence_without_words() -> None:
    assert sentence_of_tokens([], " \n").text == " \n"


def test_same_word_knows_escapes_only() -> None:
    assert same_word("''", '"')
    assert same_word("(", "(")
    assert not same_word("(", "-LRB-")
    assert not same_word("The", "the")


class TestProjection:
    places = ((0, 2), (2, 5), (6, 9))  # "do" "n't" "run"

    def test_pieces_kept_together_keep_the_whole(self) -> None:
        coarse = Sentence(("don't", "run"), (" ", ""))
        assert project_keep(self.places, [True, True, False], coarse) == (0,)

    def test_a_word_kept_in_part_is_no_deletion(self) -> None:
        coarse = Sentence(("don't", "run"), (" ", ""))
        assert project_keep(self.places, [True, False, True], coarse) is None

    def test_a_finer_cut_keeps_all_pieces(self) -> None:
        fine = Sentence(("do", "n", "'", "t", "run"), ("", "", "", " ", ""))
        assert project_keep(self.places, [False, True, False], fine) == (1, 2, 3)

    @given(TOKENS, st.data())
    def test_the_same_cut_keeps_the_same_words(self, tokens, data: st.DataObject) -> None:
        sentence = Sentence.from_words(tokens)
        keep = [data.draw(st.booleans()) for _ in tokens]
        places = token_places(tokens, sentence.text)
        assert project_keep(places, keep, sentence) == tuple(i for i, kept in enumerate(keep) if kept)
