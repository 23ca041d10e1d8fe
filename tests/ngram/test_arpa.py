import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import FormatError
from laconic.ngram.arpa import read_arpa, write_arpa
from laconic.ngram.kneser_ney import EstimationOptions, estimate
from tests.ngram.corpora import sentences

FOREIGN = """made elsewhere; this line is ignored
\\data\\
ngram 1=4
ngram 2=3

\\1-grams:
-0.5\tb\t-0.25
-1\ta -0.125
-99 <s> -0.5
-0.75\t</s>

\\2-grams:
-0.2\tb a
-0.1\t<s> b
-0.3 a </s>

\\end\\
"""


@given(corpus=sentences, order=st.integers(1, 4), prune=st.sampled_from([0.0, 1e-2]))
@settings(max_examples=25, deadline=None)
def test_round_trip_is_exact(corpus, order, prune, tmp_path_factory: pytest.TempPathFactory) -> None:
    model = estimate(corpus, EstimationOptions(order=order, prune=prune))
    folder = tmp_path_factory.mktemp("arpa")
    for name in ("model.arpa", "model.arpa.gz"):
        write_arpa(model, folder / name)
        again = read_arpa(folder / name)
        assert again.vocabulary == model.vocabulary
        assert again.offsets == model.offsets
        for ours, theirs in zip(model.tables, again.tables, strict=True):
            assert np.array_equal(ours, theirs)


def test_compressed_files_are_compressed_and_repeatable(tmp_path: Path) -> None:
    model = estimate([["a", "b"]])
    for name in ("one.gz", "two.gz"):
        write_arpa(model, tmp_path / name)
    assert (tmp_path / "one.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()


def test_files_of_other_programs_are_read(tmp_path: Path) -> None:
    (tmp_path / "foreign.arpa").write_text(FOREIGN)
    model = read_arpa(tmp_path / "foreign.arpa")
    assert model.vocabulary.words == ("<unk>", "<s>", "</s>", "b", "a")
    # <s> b a </s>: -0.1 - 0.2 - 0.3; <s> a b </s>: (-0.5 - 1) + (-0.125 - 0.5) + (-0.25 - 0.75)
    assert model.score_sentence(["b", "a"]) == pytest.approx(-0.6 * math.log(10))
    assert model.score_sentence(["a", "b"]) == pytest.approx(-3.125 * math.log(10))
    assert model.score_sentence(["zebra"]) == -math.inf, "this file lists no unknown word"


def test_an_upper_case_unknown_word_is_the_unknown_word(tmp_path: Path) -> None:
    (tmp_path / "m.arpa").write_text("\\data\\\nngram 1=2\n\\1-grams:\n-1\t<UNK>\n-0.5\t</s>\n\\end\\\n")
    assert read_arpa(tmp_path / "m.arpa").score((), "zebra")[1] == pytest.approx(-math.log(10))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\\data\\", "data", r"m\.arpa: no \\data\\ section"),
        ("ngram 1=4\nngram 2=3\n\n\\1-grams:", "\\1-grams:", r"m\.arpa:3: expected 'ngram 1=…'"),
        ("ngram 2=3", "ngram 3=3", r"m\.arpa:4: expected 'ngram 2=…'"),
        ("\\1-grams:", "\\2-grams:", r"m\.arpa:6: expected \\1-grams:"),
        ("ngram 1=4", "ngram 1=5", r"m\.arpa:6: \\data\\ announces 5 1-grams, here are 4"),
        ("ngram 2=3", "ngram 2=2", r"m\.arpa:12: \\data\\ announces 2 2-grams, here are 3"),
        ("-0.2\tb a", "-0.2\tb", r"m\.arpa:13: expected a probability, 2 words"),
        ("-0.2\tb a", "-0.2\tb a -0.5", r"m\.arpa:13: expected a probability, 2 words"),
        ("-0.2\tb a", "-0.2x\tb a", r"m\.arpa:13: not a number"),
        ("-0.2\tb a", "0.2\tb a", r"m\.arpa:13: not the logarithm of a probability"),
        ("-0.2\tb a", "nan\tb a", r"m\.arpa:13: not the logarithm of a probability"),
        ("-0.2\tb a", "-0.2\tb z", r"m\.arpa:13: the word 'z' is not listed as a 1-gram"),
        ("-0.2\tb a", "-0.2\t<s> b", r"m\.arpa:14: the n-gram '<s> b' is listed twice"),
        ("-1\ta -0.125", "-1\tb -0.125", r"m\.arpa:8: the word 'b' is listed twice"),
        ("\\end\\", "", r"m\.arpa:15: the file ends before \\end\\"),
        ("\\end\\", "\\3-grams:\n-1\ta b a\n\\end\\", r"m\.arpa:17: expected \\end\\ after 2 orders"),
    ],
)
def test_faults_are_named_with_their_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert FOREIGN.count(old) >= 1
    (tmp_path / "m.arpa").write_text(FOREIGN.replace(old, new, 1))
    with pytest.raises(FormatError, match=message):
        read_arpa(tmp_path / "m.arpa")


def test_a_missing_context_is_named(tmp_path: Path) -> None:
    text = FOREIGN.replace("ngram 2=3", "ngram 2=3\nngram 3=1").replace(
        "\\end\\", "\\3-grams:\n-1\ta b a\n\n\\end\\"
    )
    (tmp_path / "m.arpa").write_text(text)
    with pytest.raises(FormatError, match=r"m\.arpa:19: the 2-gram 'a b', a context here, is not listed"):
        read_arpa(tmp_path / "m.arpa")


def test_a_file_that_ends_within_its_header_is_named(tmp_path: Path) -> None:
    (tmp_path / "m.arpa").write_text("\\data\\\nngram 1=4\n")
    with pytest.raises(FormatError, match="ends within"):
        read_arpa(tmp_path / "m.arpa")
