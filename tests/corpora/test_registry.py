import hashlib
import json
import re
from pathlib import Path

import pytest

from laconic.corpora import registry as module
from laconic.corpora.registry import (
    Corpus,
    checksum,
    find_corpus,
    open_corpus,
    open_pairs,
    registry,
    verify_corpus,
)
from laconic.errors import LaconicError


@pytest.fixture
def own_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A registry of tiny files in a folder of the test."""
    contents = {
        "some.pairs": ("pairs", json.dumps({"id": "1", "source": "a b", "target": "a"})),
        "some.penn": ("penn", "(S (VB Go))"),
        "some.conllu": ("conllu", "1\tGo\t_\t_\tVB\t_\t0\troot\t_\t_\n"),
        "some.text": ("text", "A paragraph."),
        "some.trees": ("trees", "{}"),
    }
    corpora = {}
    for name, (kind, content) in contents.items():
        (tmp_path / name).write_text(content)
        digest = hashlib.sha256(content.encode()).hexdigest()
        corpora[name] = Corpus(name, name, kind, digest, "made for the test", "tiny")  # type: ignore[arg-type]
    monkeypatch.setattr(module, "registry", lambda: corpora)
    return tmp_path


def test_every_entry_is_complete() -> None:
    entries = registry()
    assert len(entries) == 27
    assert len({corpus.path for corpus in entries.values()}) == len(entries)
    for corpus in entries.values():
        assert re.fullmatch(r"[0-9a-f]{64}", corpus.sha256)
        assert corpus.format in ("pairs", "trees", "penn", "conllu", "text")
        assert corpus.licence
        assert corpus.note


def test_an_unknown_name_gets_a_hint() -> None:
    with pytest.raises(LaconicError, match=r"no corpus 'spoken.tain'; known: spoken.train"):
        find_corpus("spoken.tain")


def test_a_corpus_opens_by_its_format(own_registry) -> None:
    assert [pair.kept for pair in open_corpus("some.pairs", own_registry)] == [((0,),)]
    assert [sentence.tree.labels for sentence in open_corpus("some.penn", own_registry)] == [("S", "VB")]
    assert [sentence.heads for sentence in open_corpus("some.conllu", own_registry)] == [(-1,)]
    assert list(open_corpus("some.text", own_registry)) == [("A paragraph.",)]
    with pytest.raises(LaconicError, match="with_trees"):
        open_corpus("some.trees", own_registry)


def test_only_pairs_open_as_pairs(own_registry) -> None:
    assert [pair.id for pair in open_pairs("some.pairs", own_registry)] == ["1"]
    with pytest.raises(LaconicError, match=r"'some.text' holds no pairs.*these do: some.pairs"):
        open_pairs("some.text", own_registry)


def test_a_changed_file_is_found_out(own_registry) -> None:
    verify_corpus("some.text", own_registry)
    (own_registry / "some.text").write_text("A paragraph!")
    with pytest.raises(LaconicError, match=r"some.text: SHA-256 is [0-9a-f]{64}, but corpus 'some.text' has"):
        verify_corpus("some.text", own_registry)


def test_a_missing_file_has_no_checksum(tmp_path: Path) -> None:
    with pytest.raises(LaconicError, match="no such file"):
        checksum(tmp_path / "none")
