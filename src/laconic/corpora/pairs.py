"""Reading pairs of sentences and compressions from JSON Lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from laconic.corpora.characters import project_keep, sentence_of_tokens, token_places
from laconic.corpora.pair import Pair
from laconic.corpora.records import Record, mask_field, text_field, texts_field
from laconic.errors import LaconicError
from laconic.formats import OnError
from laconic.formats.jsonl import convert_json_lines
from laconic.sentence import Sentence

Tokeniser = Callable[[str], Sentence]


def read_pairs(
    path: Path,
    *,
    tokenise: Tokeniser | None = None,
    only_aligned: bool = False,
    on_error: OnError = None,
) -> Iterator[Pair]:
    """Stream the pairs of a JSON Lines file, plain or gzip.

    A line holds a `source` text with a `target` text or several `targets`; or `tokens` with a `keep` mask
    of 0 and 1, whose kept tokens are the reference, and optionally the raw `source` and `target`, parts of
    speech `pos` and dependency labels `deprel`. `id` (else the line number) and `doc` are taken over.

    Words are cut as the file cuts them: by `tokens` where the line has them, with the true spacing recovered
    from the raw `source`, else at white space. With `tokenise`, raw texts are cut by it instead, and a mask
    is projected onto the new words by characters; where it keeps a part of a word, the reference is the
    `target` and counts as no deletion. With `only_aligned`, lines that say `"aligned": false` are left out:
    their mask lacks the words of the target that were not found in the source.
    """

    def convert(number: int, record: Record) -> Pair | None:
        if only_aligned and record.get("aligned") is False:
            return None
        identity = str(record.get("id", number))
        doc = text_field(record, "doc") if record.get("doc") is not None else None
        if "tokens" not in record:
            return _from_texts(record, identity, doc, tokenise or split_at_spaces)
        if tokenise is None:
            return _from_tokens(record, identity, doc)
        return _from_raw_text(record, identity, doc, tokenise)

    return convert_json_lines(path, convert, on_error=on_error)


def split_at_spaces(text: str) -> Sentence:
    """The text cut at white space, as tokenised corpora are stored.

    >>> split_at_spaces("It 's  on .").words
    ('It', "'s", 'on', '.')
    """
    pieces = re.findall(r"(\S+)(\s*)", text)
    return Sentence(
        words=tuple(word for word, _ in pieces),
        spaces=tuple(space for _, space in pieces),
        lead=text[: len(text) - len(text.lstrip())],
    )


def _from_texts(record: Record, identity: str, doc: str | None, tokenise: Tokeniser) -> Pair:
    source = tokenise(text_field(record, "source"))
    if "targets" in record:
        targets = texts_field(record, "targets")
    else:
        targets = (text_field(record, "target"),)
    return Pair.aligned(identity, source, [tokenise(target).words for target in targets], doc=doc)


def _from_tokens(record: Record, identity: str, doc: str | None) -> Pair:
    tokens, keep = _masked_tokens(record)
    if "source" in record:
        sentence = sentence_of_tokens(tokens, text_field(record, "source"))
    else:
        sentence = Sentence.from_words(tokens)
    sentence = sentence.annotated(
        tags=texts_field(record, "pos") if "pos" in record else None,
        relations=texts_field(record, "deprel") if "deprel" in record else None,
    )
    return _pair_of_mask(identity, sentence, tuple(i for i, kept in enumerate(keep) if kept), doc)


def _from_raw_text(record: Record, identity: str, doc: str | None, tokenise: Tokeniser) -> Pair:
    tokens, keep = _masked_tokens(record)
    if "source" not in record:
        raise LaconicError("tokens only, no field 'source' to cut afresh: read this file without `tokenise`")
    text = text_field(record, "source")
    sentence = tokenise(text)
    kept = project_keep(token_places(tokens, text), keep, sentence)
    if kept is None:
        return Pair(identity, sentence, (tokenise(text_field(record, "target")).words,), (None,), doc)
    return _pair_of_mask(identity, sentence, kept, doc)


def _masked_tokens(record: Record) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    tokens, keep = texts_field(record, "tokens"), mask_field(record, "keep")
    if len(tokens) != len(keep):
        raise LaconicError(f"{len(tokens)} tokens but {len(keep)} marks in 'keep'")
    return tokens, keep


def _pair_of_mask(identity: str, sentence: Sentence, kept: tuple[int, ...], doc: str | None) -> Pair:
    return Pair(identity, sentence, (tuple(sentence.words[position] for position in kept),), (kept,), doc)
