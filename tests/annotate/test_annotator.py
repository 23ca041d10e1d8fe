"""The embedded parser: a well-formed answer to anything, the same on any number of threads."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.annotate.annotator import MOST_WORDS, PART_WORDS, Annotator, annotate
from laconic.annotate.network import WINDOW, Network
from laconic.errors import LaconicError, ModelError
from laconic.sentence import Sentence
from laconic.text.split import split_sentences
from laconic.trees.dependency import is_projective

TEXTS = [
    "The council on Tuesday plans to consider the matter.",
    "Stocks fell.",
    "",
    "Why did the committee, which had met twice, refuse to answer questions about the budget?",
    "No",
    "He said that she said that they had said that nothing more could be said about what was said.",
    '"It\'s over," he said; nobody (not even she) replied.',
]

# Anything that is no white space alone: letters of all scripts, emoji, controls, lone surrogates.
tokens = st.text(st.characters(), min_size=1, max_size=12) | st.sampled_from(
    ("the", "of", "said", "👩‍👩‍👧", "🇫🇷", ".", "(", "-LRB-", "'s", "42", "…", "\ud800", "\0", "+", "x" * 500)
)


def check_well_formed(network: Network, sentence: Sentence) -> None:
    """One label a word, one projective tree with one root, one constituency tree under ROOT."""
    assert sentence.tags is not None and sentence.heads is not None and sentence.relations is not None
    assert set(sentence.tags) <= set(network.tags)
    assert is_projective(sentence.heads)
    assert [head == -1 for head in sentence.heads] == [name == "root" for name in sentence.relations]
    assert sentence.tree is not None  # Sentence and Tree check the rest when they are made
    assert (sentence.tree.labels[0], sentence.tree.labels.count("ROOT")) == ("ROOT", 1)
    assert sentence.tree.tags == sentence.tags
    assert not any("+" in label for label, _, _ in sentence.tree.spans)


@settings(max_examples=60)
@given(st.lists(tokens, min_size=1, max_size=25))
def test_any_words_get_well_formed_trees(network: Network, annotator: Annotator, words: list[str]) -> None:
    [found] = annotator.annotate([Sentence.from_words(words)])
    assert found.words == tuple(words)
    check_well_formed(network, found)


@settings(max_examples=12)
@given(st.integers(1, 300), st.lists(tokens, min_size=1, max_size=9), st.randoms(use_true_random=False))
def test_any_length_gets_well_formed_trees(
    network: Network, annotator: Annotator, count: int, some: list[str], generator: random.Random
) -> None:
    words = [generator.choice(some) for _ in range(count)]
    [found] = annotator.annotate([Sentence.from_words(words)])
    check_well_formed(network, found)


@pytest.mark.parametrize("threads", [2, 5])
def test_neighbours_order_and_threads_do_not_matter(network: Network, threads: int) -> None:
    alone = {text: next(Annotator(network, threads=1).annotate([text])) for text in TEXTS}
    many = Annotator(network, threads=threads)
    shuffled = TEXTS * 5
    random.Random(1).shuffle(shuffled)
    assert list(many.annotate(shuffled)) == [alone[text] for text in shuffled]


def test_scores_do_not_depend_on_neighbours_either(network: Network, annotator: Annotator) -> None:
    texts = [text for text in TEXTS if text]
    together = list(Annotator(network, threads=3).analyse(texts * 2))
    for analysis, text in zip(together, texts * 2, strict=True):
        [alone] = annotator.analyse([text])
        assert alone.sentence == analysis.sentence
        for name in alone.scores.__slots__:
            assert np.array_equal(getattr(alone.scores, name), getattr(analysis.scores, name)), name


def test_the_stream_is_read_no_further_than_needed(network: Network) -> None:
    read = 0

    def endless():
        nonlocal read
        while True:
            read += 1
            yield "Stocks fell."

    stream = Annotator(network, threads=2).annotate(endless())
    for _ in range(3):
        next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert 3 <= read < 40


def test_a_fault_in_the_stream_reaches_the_caller(network: Network) -> None:
    def broken():
        yield "Stocks fell."
        raise LaconicError("line 2 is broken")

    for threads in (1, 2):
        with pytest.raises(LaconicError, match="line 2"):
            list(Annotator(network, threads=threads).annotate(broken()))


def test_a_parser_is_named_by_its_checksum(network: Network, annotator: Annotator) -> None:
    assert annotator.signature == f"laconic-{network.checksum[:12]}"


def test_sentences_without_words_pass_through(network: Network) -> None:
    empty = Sentence((), (), lead=" \n")
    for threads in (1, 2):
        found = list(Annotator(network, threads=threads).annotate([empty, "It fell.", ""]))
        assert (found[0], len(found[1]), len(found[2])) == (empty, 3, 0)


def test_annotation_replaces_what_was_there(annotator: Annotator) -> None:
    old = Sentence.from_words(["It", "fell"]).annotated(tags=["X", "X"], heads=[-1, 0])
    [found] = annotator.annotate([old])
    assert (found.tags, found.heads) == (("PRP", "VBD"), (1, -1))


def test_the_function_and_the_texts_spacing() -> None:
    [found] = annotate(["  It's\tdown . "], threads=1)
    assert (found.text, found.words) == ("  It's\tdown . ", ("It", "'s", "down", "."))


@pytest.mark.parametrize("count", [WINDOW + 50, MOST_WORDS, MOST_WORDS + 1, 2 * MOST_WORDS + 77])
def test_long_sentences_get_one_tree(network: Network, annotator: Annotator, count: int) -> None:
    words = ["the", "old", "council", "plans", "to", "move", ","] * (count // 7 + 1)
    [found] = annotator.annotate([Sentence.from_words(words[:count])])
    check_well_formed(network, found)
    assert len(found) == count
    longest = max(end - start for label, start, end in found.tree.spans if label != "ROOT")
    assert 3 < longest <= (WINDOW if count <= MOST_WORDS else PART_WORDS)


def test_analysis_refuses_what_it_cannot_score(annotator: Annotator) -> None:
    with pytest.raises(LaconicError, match="a sentence needs words to be analysed"):
        list(annotator.analyse([""]))


def test_what_is_too_long_for_one_tree_is_scored_as_a_whole(annotator: Annotator) -> None:
    [found] = annotator.analyse(["a " * (MOST_WORDS + 1)])
    assert len(found.sentence) == len(found.scores.keep) == MOST_WORDS + 1


def test_registers_differ_and_mix(annotator: Annotator) -> None:
    def keep(register: str | tuple[float, ...]) -> np.ndarray:
        [analysis] = annotator.analyse([TEXTS[3]], register=register)
        return analysis.scores.keep

    assert np.array_equal(keep("spoken"), keep((0.0, 1.0, 0.0, 0.0)))
    assert not np.allclose(keep("news"), keep("written"), atol=0.1)
    assert np.isfinite(keep((0.5, 0.25, 0.25, 0.0))).all()
    trees = {next(annotator.analyse([TEXTS[3]], register=name)).sentence for name in ("news", "spoken")}
    assert len(trees) == 1


@pytest.mark.parametrize(
    ("register", "message"),
    [
        ("poetry", "no register 'poetry'; known: news, spoken, written, general"),
        ((1.0, 0.0), "a mixture needs 4 weights"),
        ((1.0, 0.0, 0.0, float("nan")), "are numbers"),
    ],
)
def test_wrong_registers_are_named(
    annotator: Annotator, register: str | tuple[float, ...], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        annotator.analyse(["It fell."], register=register)


def test_mistaken_calls_are_named(network: Network, annotator: Annotator) -> None:
    with pytest.raises(LaconicError, match="even if there is only one"):
        list(annotator.annotate("Stocks fell."))
    with pytest.raises(LaconicError, match="at least one thread, not 0"):
        Annotator(network, threads=0)


@pytest.mark.parametrize(
    "text",
    [
        "... !!! ?? -- ( ) \" '",
        "Der Rat wird am Dienstag über die Angelegenheit beraten.",
        "理事会は火曜日にこの問題を検討する予定です。",
        "المجلس يخطط للنظر في الأمر يوم الثلاثاء",
        "THE COUNCIL ON TUESDAY PLANS TO CONSIDER THE MATTER.",
        "the council on tuesday plans to consider the matter and nobody knows what it will say",
        "👍👍🏽 👩‍👩‍👧‍👦 ❤️",
        "a" * 5000,
        "http://example.org/" + "x/" * 300,
        "\u200b\u200b \ufeff",
    ],
)
def test_odd_texts_get_an_answer(network: Network, annotator: Annotator, text: str) -> None:
    for found in annotator.annotate(split_sentences(text)):
        if found.words:
            check_well_formed(network, found)
    [whole] = annotator.annotate([text])
    assert whole.text == text


def test_capitals_do_not_mislead(annotator: Annotator) -> None:
    [written], [shouted] = ([found] for found in annotator.annotate([TEXTS[0], TEXTS[0].upper()]))
    same = sum(map(int.__eq__, written.heads, shouted.heads))  # type: ignore[arg-type]
    assert same >= len(written) - 2


@pytest.mark.slow
def test_a_megabyte_on_one_line(network: Network) -> None:
    text = "and then the old council plans to consider the matter with no end " * (1_000_000 // 66)
    [found] = Annotator(network).annotate([text])
    check_well_formed(network, found)
    assert found.text == text


def test_a_forked_process_can_go_on() -> None:
    # The program warns, or hangs, if threads of the tokenizer or of the network do not survive a fork.
    program = """
import os
from laconic.annotate import load_annotator
annotator = load_annotator(threads=1)
before = list(annotator.annotate(["Stocks fell ."]))
child = os.fork()
same = list(annotator.annotate(["Stocks fell ."])) == before
if child == 0:
    os._exit(0 if same else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), same)
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("0 True\n", "")
