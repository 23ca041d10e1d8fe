"""Every path: answers are the library's, refusals are problems, and no input is a failure of the service."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs laconic[serve]")
pytest.importorskip("prometheus_client", reason="needs laconic[serve]")
pytest.importorskip("httpx", reason="the tests of the service need httpx")

from hypothesis import given, settings
from hypothesis import strategies as st

import laconic
from laconic.options import TABLE
from laconic.serve import models
from laconic.serve.pool import Deadline, too_slow
from laconic.serve.problems import Refusal
from laconic.serve.settings import Settings, hosts_of
from laconic.serve.work import Work
from tests.serve.conftest import SENTENCE, started

JSON = {"content-type": "application/json"}
TEXTS = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        ["", " ", ".", SENTENCE, "It fell. It rose again, he said.", "No\n\n- way\n- out", "né 🇫🇷 ‘x’"]
    ),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 40) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=4,
)
AMOUNTS = st.one_of(
    st.integers(-1, 30), st.sampled_from(["=3", "2..5", "..4", "3..", "0.5", "x", ""]), VALUES
)
PINS = st.lists(
    st.one_of(st.sampled_from(["fell", "council", " "]), st.tuples(st.integers(-1, 9), st.integers(0, 20))),
    max_size=2,
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("words", "characters", "tokens", "ratio", "seconds", "bytes"), AMOUNTS),
        "for": st.sampled_from(["title", "sms", "nobody"]) | VALUES,
        "tokenizer": st.sampled_from(["laconic", "bytes", "/etc/passwd"]) | VALUES,
        "per": st.sampled_from(["text", "sentence", "line", "page"]) | VALUES,
        "like": st.sampled_from(["headlines", "broadcast"]) | VALUES,
        "length": st.sampled_from(["short", 0.3]) | VALUES,
        "system": st.sampled_from(["default", "truncate", "everything", "../x", "joint:a+b"]) | VALUES,
        "keep": PINS | VALUES,
        "drop": PINS | VALUES,
        "protect": st.sampled_from(["names", ["numbers", "urls"], ["x"]]) | VALUES,
        "drop_sentences": st.booleans() | VALUES,
        "impossible": st.sampled_from(["error", "leave", "nearest"]),
        "format": st.sampled_from(["text", "markdown", "html", "lines"]),
        "what": VALUES,
    },
).filter(lambda options: len(options) < 5)  # more are refused for one of them, nearly always


def sent(client, path: str, body: object):
    return client.post(path, content=json.dumps(body).encode(), headers=JSON)


def is_fine(answer) -> bool:
    """Whether an answer is one, or a refusal in the form that refusals have."""
    if answer.status_code == 200:
        return True
    assert answer.headers["content-type"] == "application/problem+json"
    problem = models.ProblemModel.model_validate(answer.json())
    return problem.status == answer.status_code < 500 and bool(problem.detail)


@settings(max_examples=120)
@given(path=st.sampled_from(["/compress", "/frontier", "/explain"]), text=TEXTS, options=OPTIONS)
def test_no_options_are_a_failure(client, path, text, options) -> None:
    assert is_fine(sent(client, path, {"text": text, **options}))


@settings(max_examples=60)
@given(
    path=st.sampled_from(["/compress", "/frontier", "/explain", "/parse", "/batch", "/subtitles"]),
    body=VALUES,
)
def test_no_body_is_a_failure(client, path, body) -> None:
    assert is_fine(sent(client, path, body))


@settings(max_examples=60)
@given(
    path=st.sampled_from(["/compress", "/batch", "/subtitles?answer=report"]), body=st.binary(max_size=200)
)
def test_no_bytes_are_a_failure(client, path, body) -> None:
    assert is_fine(client.post(path, content=body, headers=JSON))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"words": 6},
        {"words": "=5"},
        {"characters": "..40", "keep": ["Tuesday"]},
        {"ratio": 0.5, "drop": [[4, 11]]},
        {"for": "title", "like": "headlines"},
        {"words": 4, "system": "truncate"},
        {"bytes": 30, "impossible": "nearest", "protect": ["names"]},
    ],
)
def test_answers_are_the_librarys(client, options) -> None:
    named = {("for_" if name == "for" else name): value for name, value in options.items()}
    if "drop" in named:
        named["drop"] = [tuple(place) for place in named["drop"]]
    expected = laconic.compress(SENTENCE, **named)
    answer = sent(client, "/compress", {"text": SENTENCE, **options}).json()
    models.CompressAnswer.model_validate(answer)
    assert (answer["text"], answer["notes"]) == (expected.text, list(expected.notes))
    detail = sent(client, "/compress", {"text": SENTENCE, "detail": True, **options}).json()
    assert laconic.CompressedText.from_dict(detail).to_dict() == expected.to_dict()


def test_every_length_is_what_the_library_makes_at_that_length(client) -> None:
    text = f"{SENTENCE} It didn’t rain."
    answer = sent(client, "/frontier", {"text": text, "keep": [[0, 3]]}).json()
    models.FrontierAnswer.model_validate(answer)
    first, second = answer["sentences"]
    assert [each["words"] for each in second["answers"]] == [1, 2, 3]
    for each in first["answers"]:
        assert laconic.compress(SENTENCE, words=f"={each['words']}", keep=(0, 3)).text == each["text"]
    assert text[second["start"] :].startswith(second["source"])


def test_a_very_long_sentence_has_fewer_lengths_so_that_they_come_in_time(client) -> None:
    words = " ".join(f"w{number}" for number in range(239)) + " fell."
    [found] = sent(client, "/frontier", {"text": words, "system": "truncate"}).json()["sentences"]
    assert [each["words"] for each in found["answers"]] == list(range(16, 241, 16))
    assert found["answers"][-1]["text"] == words


def test_many_texts_are_answered_in_order_and_one_refusal_loses_none(client) -> None:
    answer = sent(client, "/compress", {"text": [SENTENCE, "It.", SENTENCE], "words": "=3"}).json()
    models.CompressAnswers.model_validate(answer)
    first, second, third = answer["answers"]
    assert first == third and first["costs"]["words"] == 3
    assert second["problem"]["possible"] == [1]


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        ("/parse", {"text": "It fell.", "tokens": 5}, "there is no option 'tokens'"),
        (
            "/parse",
            {"text": "It fell.", "fromat": "json"},
            "there is no option 'fromat'; did you mean 'format'?",
        ),
        (
            "/compress",
            {"text": "It fell.", "for_": "title"},
            "there is no option 'for_'; did you mean 'for'?",
        ),
        ("/compress", {"text": "It fell.", "word": 5}, "there is no option 'word'; did you mean 'words'?"),
        (
            "/compress",
            {"content": "It fell.", "ratio": 0.5},
            "there is no option 'ratio'",
        ),
    ],
)
def test_what_is_meant_can_be_asked_for_there(client, path, body, detail) -> None:
    answer = client.post(path, json=body)
    assert (answer.status_code, answer.json()["detail"]) == (422, detail)


def test_what_cannot_be_read_is_said(client) -> None:
    number = b'{"text": "It fell.", "words": ' + b"7" * 5000 + b"}"
    long = client.post("/compress", content=number, headers=JSON)
    assert (long.status_code, long.json()["detail"]) == (400, "a number in the JSON has too many digits")
    lines = client.post("/batch", content=number + b'\n"\xff"\n').text.splitlines()
    assert [json.loads(line)["problem"]["detail"] for line in lines] == [
        "a number in the JSON has too many digits",
        "the body is not JSON in UTF-8, or is nested too deeply",
    ]
    bytes_ = client.post("/compress", content=b'"\xff"', headers=JSON)
    assert bytes_.json()["detail"] == "the body is not JSON in UTF-8, or is nested too deeply"


@pytest.mark.parametrize(
    ("address", "others", "called", "status"),
    [
        ("127.0.0.1", (), "127.0.0.1:8000", 200),
        ("127.0.0.1", (), "LOCALHOST:8000", 200),
        ("127.0.0.1", (), "localhost.", 200),
        ("localhost", (), "[::1]:8000", 200),
        ("127.0.0.1", (), "evil.example:8000", 421),
        ("127.0.0.1", (), "localhost.evil.example", 421),
        ("127.0.0.1", (), "127.0.0.2", 421),
        ("127.0.0.1", ("proxy.example",), "proxy.example", 200),
        ("192.168.1.5", (), "192.168.1.5:8000", 200),
        ("192.168.1.5", (), "evil.example", 421),
        ("0.0.0.0", (), "any.example", 200),
        ("0.0.0.0", ("proxy.example",), "any.example", 421),
    ],
)
def test_only_who_calls_the_service_by_its_name_is_answered(address, others, called, status) -> None:
    answer = started(hosts=hosts_of(address, others)).get("/health", headers={"host": called})
    assert answer.status_code == status
    if status == 421:
        assert answer.json()["type"] == "urn:laconic:wrong-host" and "--allow-host" in answer.json()["detail"]


def test_what_is_impossible_says_what_is_possible(client) -> None:
    answer = sent(client, "/compress", {"text": SENTENCE, "words": "=60"})
    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:laconic:impossible" and answer.json()["possible"] == [12]


def test_a_proxy_is_answered_in_its_shape(client) -> None:
    answer = sent(client, "/compress", {"content": SENTENCE, "target_ratio": 0.5}).json()
    models.ContentAnswer.model_validate(answer)
    assert answer["compressed_tokens"] <= 0.5 * answer["original_tokens"]
    whole = sent(client, "/compress", {"content": SENTENCE, "target_ratio": None}).json()
    assert whole["compressed"] == laconic.compress(SENTENCE).text


def test_work_for_a_proxy_is_stopped_when_its_time_is_up() -> None:
    class Short(Deadline):
        checks = 0

        def check(self) -> None:
            self.checks += 1
            if self.checks > 3:
                raise too_slow(self.seconds)

    with pytest.raises(Refusal, match="within"):
        Work(Settings()).compress_content(f"{SENTENCE} It rained again on Monday. " * 3, 0.5, Short(30))


def test_each_word_has_its_reason(client) -> None:
    answer = sent(client, "/explain", {"text": SENTENCE, "words": 6}).json()
    models.ExplainAnswer.model_validate(answer)
    [sentence] = answer["sentences"]
    [met] = [each for each in sentence["words"] if each["word"] == "met"]
    assert sentence["words"][met["under"]]["word"] == "council" and not met["kept"]
    assert met["rival"] is None or "met" in met["rival"]["text"]
    assert sentence["text"] == answer["text"]


def test_fewer_words_of_a_long_text_have_rivals_so_that_they_come_in_time(client) -> None:
    text = f"{SENTENCE} " * 50
    asked = {"text": text, "words": 300, "system": "truncate"}
    found = sent(client, "/explain", asked).json()["sentences"]
    assert sum("rival" in word for sentence in found for word in sentence["words"]) == 6000 // (50 * 12)


def test_trees_come_in_three_forms(client) -> None:
    answer = sent(client, "/parse", {"text": "It fell. It rose."}).json()
    models.ParseAnswer.model_validate(answer)
    assert [each["words"][1] for each in answer["sentences"]] == ["fell", "rose"]
    assert sent(client, "/parse", {"text": "It fell.", "format": "penn"}).text.startswith("(")
    assert "\tnsubj\t" in sent(client, "/parse", {"text": "It fell.", "format": "conllu"}).text


def test_subtitles_come_back_within_their_norm(client) -> None:
    cue = "1\n00:00:01,000 --> 00:00:02,000\nWell, I really do not think so, to be honest.\n"
    answer = client.post("/subtitles?for=netflix&like=broadcast&protect=negations", content=cue.encode())
    text = answer.text.splitlines()[2]
    assert answer.status_code == 200 and len(text) <= 20 and "not" in text
    assert "1 shortened" in answer.headers["x-laconic-summary"]
    fits = cue.replace("Well, I really do not think so, to be honest.", "No.")
    assert client.post("/subtitles", content=fits.encode()).content == fits.encode()


def test_a_batch_keeps_its_order_and_a_bad_line_stops_nothing(client) -> None:
    lines = [json.dumps({"text": f"It fell {number} times again.", "words": 3}) for number in range(12)]
    lines[3:3] = ["nonsense", '{"text": 3}', '{"text": "It fell.", "words": "=9"}', "[" * 9000]
    answer = client.post("/batch", content="\n".join(lines).encode())
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert [each["line"] for each in found] == list(range(1, len(lines) + 1))
    assert [each["problem"]["status"] for each in found if "problem" in each] == [400, 422, 422, 400]
    expected = [laconic.compress(json.loads(line)["text"], words=3).text for line in (*lines[:3], *lines[7:])]
    assert [each["text"] for each in found if "text" in each] == expected


def test_what_is_offered_can_be_asked_for(client) -> None:
    offered = client.get("/systems").json()
    models.SystemsAnswer.model_validate(offered)
    assert {
        each["name"].replace("for", "for_") if each["name"] == "for" else each["name"]
        for each in offered["options"]
    } == set(TABLE)
    for limit in offered["limits"][:3]:
        assert sent(client, "/compress", {"text": "It fell.", "for": limit["name"]}).status_code == 200


def test_the_schema_names_every_option_and_its_examples_work(client) -> None:
    schema = client.get("/openapi.json").json()
    shape = schema["components"]["schemas"]["CompressRequest"]
    assert {("for_" if name == "for" else name) for name in shape["properties"]} == {*TABLE, "text", "detail"}
    assert len(shape["examples"]) >= 3
    for example in shape["examples"]:
        assert sent(client, "/compress", example).status_code == 200, example
    assert {"/compress", "/frontier", "/explain", "/parse", "/systems", "/subtitles", "/batch"} <= set(
        schema["paths"]
    )


def test_the_examples_of_the_documentation_are_answered_as_it_says(client) -> None:
    page = (Path(__file__).parents[2] / "docs" / "service.md").read_text(encoding="utf-8")
    examples = re.findall(r"^\$ curl -s localhost:8000(\S+) --json '(.*)'\n(.*)$", page, re.MULTILINE)
    assert len(examples) == page.count("$ curl")
    for path, body, answer in examples:
        assert sent(client, path, json.loads(body)).json() == json.loads(answer), body


def test_files_of_the_machine_cannot_be_named(client, tmp_path) -> None:
    for options in (
        {"system": str(tmp_path)},
        {"system": f"joint:{tmp_path}+default"},
        {"tokens": 3, "tokenizer": str(tmp_path)},
    ):
        assert "this service has" in sent(client, "/compress", {"text": SENTENCE, **options}).json()["detail"]
