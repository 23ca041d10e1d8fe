"""Word pieces by the library whose results ours must equal."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from laconic.annotate import pieces


def library_pieces(vocabulary: Mapping[str, int]) -> Callable[[str], tuple[int, ...]]:
    """The ids of a word after the marks were made one; without the library, the test is skipped."""
    library = pytest.importorskip("tokenizers")
    model = library.models.WordPiece(dict(vocabulary), unk_token=pieces.UNKNOWN, max_input_chars_per_word=100)
    tokenizer = library.Tokenizer(model)
    tokenizer.normalizer = library.normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()

    def of_word(word: str) -> tuple[int, ...]:
        visible = pieces._SURFACE.get(word) or word.translate(pieces._INSIDE)
        # Lone surrogates cannot cross into the library.
        visible = visible.encode("utf-8", "replace").decode("utf-8")[:400]
        ids = tokenizer.encode(visible, add_special_tokens=False).ids
        return tuple(ids[: pieces.MOST_PIECES_A_WORD]) or (vocabulary[pieces.UNKNOWN],)

    return of_word
