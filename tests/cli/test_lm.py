import math
from pathlib import Path

import pytest

from laconic.cli.application import run
from laconic.ngram import EstimationOptions, estimate, load, read_arpa

TEXT = "The cat sat. The dog sat on the mat.\n\nA cat ran in 1990.\n"
SENTENCES = [
    ["The", "cat", "sat", "."],
    ["The", "dog", "sat", "on", "the", "mat", "."],
    ["A", "cat", "ran", "in", "1990", "."],
]


@pytest.fixture
def text(tmp_path: Path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


def test_raw_text_is_cut_and_trained_on(text, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lm", "train", str(text), "--order", "2", "--output", str(tmp_path / "model")]) == 0
    assert "n-grams of 1 to 2 words" in capsys.readouterr().out
    expected = estimate(SENTENCES, EstimationOptions(order=2))
    model = load(tmp_path / "model")
    assert model.vocabulary == expected.vocabulary
    assert model.score_sentence(SENTENCES[1]) == expected.score_sentence(SENTENCES[1])


def test_tokenised_text_is_taken_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("can't stop .\n")
    assert run(["lm", "train", str(tmp_path / "text.txt"), "--tokenised", "-o", str(tmp_path / "m")]) == 0
    assert "can't" in load(tmp_path / "m").vocabulary.words


def test_options_reach_the_estimation(text, tmp_path: Path) -> None:
    arguments = [
        "--order",
        "3",
        "--min-count",
        "1",
        "--vocabulary",
        "9",
        "--cut-offs",
        "1,2",
        "--prune",
        "1e-6",
    ]
    path = tmp_path / "m.arpa.gz"
    assert run(["lm", "train", str(text), str(text), *arguments, "--fold", "-o", str(path)]) == 0
    options = EstimationOptions(3, 1, 9, (1, 2), 1e-6, "news")
    expected = estimate(SENTENCES * 2, options)
    model = read_arpa(path, folding="news")
    assert model.vocabulary == expected.vocabulary
    assert model.offsets == expected.offsets


def test_scores_and_perplexity(text, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["lm", "train", str(text), "--fold", "--bits", "8", "-o", str(tmp_path / "m")])
    run(["lm", "train", str(text), "--fold", "-o", str(tmp_path / "m.arpa")])
    capsys.readouterr()
    model = load(tmp_path / "m")
    for arguments in (["--model", str(tmp_path / "m")], ["--model", str(tmp_path / "m.arpa"), "--fold"]):
        assert run(["lm", "score", "The zebra sat. A cat ran in 1850.", *arguments]) == 0
        written = capsys.readouterr()
        header, *rows = [line.split("\t") for line in written.out.splitlines()]
        assert header == ["log_probability", "tokens", "unknown", "sentence"]
        assert [row[1:] for row in rows] == [["5", "1", "The zebra sat ."], ["7", "0", "A cat ran in 1850 ."]]
        scores = [model.score_sentence(row[3].split()) for row in rows]
        assert [float(row[0]) for row in rows] == pytest.approx(scores, abs=1e-3)
        perplexity = float(written.err.split()[1])
        assert perplexity == pytest.approx(math.exp(-sum(scores) / 12), abs=0.01)
        assert "(sentences 2, tokens 12, unknown 1)" in written.err


def test_the_shipped_model_is_the_default(text, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lm", "score", str(text)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "--model", "missing", "Text."], "missing: no model here"),
        (["train", "TEXT", "-o", "TEXT"], "is a file: name a new folder"),
        (["train", "TEXT", "-o", "out", "--bits", "9"], "--bits is 8 or 32, not 9"),
        (["train", "TEXT", "-o", "out", "--cut-offs", "1;2"], "--cut-offs takes whole numbers"),
        (["train", "TEXT", "-o", "out", "--cut-offs", "2"], "takes 2 cut-offs"),
        (["train", "nothing.txt", "-o", "out"], "nothing.txt: no such file"),
    ],
)
def test_mistakes_are_named(
    text,
    arguments,
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["lm", *(str(text) if argument == "TEXT" else argument for argument in arguments)]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
