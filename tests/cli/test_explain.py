"""`laconic explain` gives reasons, alternatives and every length; `compress` has the default's manners."""

from __future__ import annotations

import json

import pytest

from laconic.options import TABLE
from tests.cli.conftest import type_of_run

TEXT = "The council, which met on Tuesday, agreed to lower the fees."


def test_every_word_gets_a_line(laconic: type_of_run) -> None:
    out = laconic("explain", TEXT, "--words", 8).out.splitlines()
    assert out[0] == "=> The council agreed to lower the fees."
    assert len(out) == 15
    assert out[2].startswith("+ council")
    assert "deleted with" in out[5] and "acl:relcl of 'council'" in out[5]
    assert (
        " else: " in out[2]
        and " else: " not in laconic("explain", TEXT, "--words", 8, "--rivals", 1).out.splitlines()[2]
    )


def test_pins_and_all_other_options_are_those_of_compress(laconic: type_of_run) -> None:
    import inspect

    from laconic.cli.compress import compress_command
    from laconic.cli.explain import explain_command

    here, there = (inspect.signature(each).parameters for each in (explain_command, compress_command))
    for name in TABLE:
        [one], [other] = (each[name].annotation.__metadata__ for each in (here, there))
        assert (one.param_decls, one.help, one.metavar) == (other.param_decls, other.help, other.metavar)
        assert here[name].annotation.__origin__ == there[name].annotation.__origin__
    out = laconic("explain", TEXT, "--words", 6, "--keep", "@26:33", "--drop", "council").out.splitlines()
    assert out[0] == f"=> {laconic(TEXT, '--words', 6, '--keep', '@26:33', '--drop', 'council').out.strip()}"
    assert [line.split()[1] for line in out if "must " in line] == ["council", "Tuesday"]


def test_reasons_are_written_as_json_and_html(laconic: type_of_run) -> None:
    record = json.loads(laconic("explain", TEXT, "--words", 8, "--json").out)
    [sentence] = record["sentences"]
    assert sentence["text"] == record["text"] == "The council agreed to lower the fees."
    assert all(word["rival"]["cost"] > 0 for word in sentence["words"])
    assert "<del>, which met on Tuesday,</del>" in laconic("explain", TEXT, "--words", 8, "--html").out
    assert laconic("explain", TEXT, "--json", "--html").code == 2
    assert "--per sentence" in laconic("explain", f"{TEXT} {TEXT}", "--best", 2, "--words", 9).err


def test_alternatives_and_lengths_are_listed(laconic: type_of_run) -> None:
    best = laconic("explain", TEXT, "--best", 3).out.splitlines()
    assert len(best) == 3
    assert best[0].endswith("The council agreed to lower the fees.")
    lengths = laconic("explain", TEXT, "--every-length").out.splitlines()
    assert [int(line.split()[0]) for line in lengths] == list(range(1, 15))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", TEXT, "--every-length", "--words", "3"], "takes no limit"),
        (["explain", TEXT, "--tokens", "3"], "a limit in tokens needs tokens and a tokenizer"),
        ([TEXT, "--like", "poetry"], "like='poetry': is one of headlines, broadcast, print"),
        ([TEXT, "--length", "loud"], "length='loud': is short, medium, long, or a number from 0 to 1"),
        ([TEXT, "--system", "truncate", "--length", "long"], "length='long': is the default system's"),
        ([TEXT, "--drop-sentences", "--per", "line"], "drop_sentences=True: the limit is per line"),
    ],
)
def test_mistakes_are_explained(laconic: type_of_run, arguments: list[str], message: str) -> None:
    result = laconic(*arguments)
    assert result.code == 2
    assert message in result.err


def test_other_systems_explain_themselves_and_keep_to_totals(laconic: type_of_run) -> None:
    assert laconic("explain", TEXT, "--system", "truncate", "--words", 4).out.splitlines()[1].startswith("+ ")
    total = laconic("--words", 12, "--system", "truncate", stdin=f"{TEXT}\n{TEXT}\n").out
    assert total.count("\n") == 2 and len(total.split()) == 12


def test_manners_and_totals(laconic: type_of_run) -> None:
    assert len(laconic(TEXT, "--length", "long").out) >= len(laconic(TEXT, "--length", "0").out)
    assert laconic(TEXT, "--like", "broadcast").code == 0
    assert len(laconic(TEXT, "--tokens", 30, "--tokenizer", "bytes").out) <= 31
    total = laconic("--words", 12, stdin=f"{TEXT}\n{TEXT}\n")
    assert total.out.count("\n") == 2
    assert len(total.out.split()) <= 12
    assert "~" in laconic("--words", 12, "--diff", stdin=f"{TEXT}\n{TEXT}\n").out
