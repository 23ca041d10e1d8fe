"""The field's numbers on the kinds of text we compare systems on, and of what kind each number is."""

from __future__ import annotations

from collections.abc import Iterator

from experiments._pages import Row

PUBLISHED = "published"
RECOMPUTED = "recomputed from published outputs"
FIRST = "a first experiment of ours"

_GOOGLE = "Google, test"
_NEWS: tuple[tuple[str, str, str, str, str], ...] = (
    ("LSTM, 2 million pairs (Filippova et al. 2015)", _GOOGLE, "F1 at a rate", "82 at 38", PUBLISHED),
    ("Wang et al. 2017", _GOOGLE, "F1 at a rate", "80 at 43", PUBLISHED),
    ("HiSAN (2018)", _GOOGLE, "F1", "83.2", PUBLISHED),
    ("Zhao et al. 2018", _GOOGLE, "F1 at a rate", "85.1 at 39", PUBLISHED),
    ("SLAHAN, tagger, mean of 3 seeds", _GOOGLE, "unclipped bag F1 at a rate", "85.0 at 39", PUBLISHED),
    ("SLAHAN with syntax, mean of 3 seeds", _GOOGLE, "unclipped bag F1 at a rate", "85.5 at 40.7", PUBLISHED),
    ("SLAHAN, tagger, mean of 3 seeds", _GOOGLE, "positional F1, exact", "84.2, 24.7", RECOMPUTED),
    ("SLAHAN with syntax, mean of 3 seeds", _GOOGLE, "positional F1, exact", "84.7, 25.8", RECOMPUTED),
    ("SLAHAN, best of 36 published files", _GOOGLE, "positional F1, exact", "85.05, 27.3", RECOMPUTED),
    (
        "Llama2-13B, told the length, fine-tuned (InstructCMP)",
        _GOOGLE,
        "clipped bag F1, gold length",
        "89",
        PUBLISHED,
    ),
    (
        "a keep-or-drop head on all-MiniLM-L6-v2, 208,000 pairs",
        "Google's dev file",
        "positional F1, exact",
        "84.7, 28.5",
        FIRST,
    ),
)
THADANI = {
    "3-gram ILP (Clarke & Lapata 2008)": (("74.96", "57.49", "0.72"), ("66.66", "49.57", "1.22")),
    "bigram DP (McDonald 2006)": (("78.80", "57.89", "0.01"), ("73.18", "51.14", "0.01")),
    "dependency ILP": (("80.02", "60.78", "0.16"), ("73.76", "54.31", "0.28")),
    "joint n-gram and dependency ILP": (("80.13", "62.61", "0.31"), ("74.00", "56.24", "0.60")),
    "Lagrangian DP and LP": (("79.10", "62.04", "0.12"), ("72.06", "53.78", "0.21")),
}
"""Of Thadani (2014), on spoken and on written, at gold length: unigram F1, relation F1 by the RASP parser, seconds."""
_PAPERS = {
    "Transducer1 (Cohn & Lapata 2009)": ("66.63 at 82.3", "58.02 at 76.5"),
    "McDonald, after Cohn & Lapata 2009": ("47.48 at 68.6", "48.39 at 60.1"),
    "ILP, after Cohn & Lapata 2009": ("54.12 at 77.7", "54.84 at 72.0"),
    "Gibbs sampling (Yamangil & Shieber 2010)": ("61.64 at 65.5", ""),
    "transduction with a language model, dual (Yao et al. 2014)": ("61.5 at 75.3", "60.5 at 70.7"),
    "transduction with discriminative scores, dual (Yao et al. 2014)": ("63.3 at 74.9", "62.3 at 71.0"),
}


def _clarke_and_lapata(name: str, place: int) -> Iterator[Row]:
    sentences = f"{name}, test"
    for title, scores in THADANI.items():
        unigrams, relations, _ = scores[place]
        measure = "unigram F1, relation F1 (RASP), gold length"
        yield f"{title}, by Thadani 2014", sentences, measure, f"{unigrams}, {relations}", PUBLISHED
    for title, both in _PAPERS.items():
        if both[place]:
            yield title, sentences, "relation F1 (their parsers) at a rate", both[place], PUBLISHED


FIELD: dict[str, tuple[Row, ...]] = {
    "news": _NEWS,
    "spoken": tuple(_clarke_and_lapata("spoken", 0)),
    "written": (
        *_clarke_and_lapata("written", 1),
        (
            "exact, all lengths (Qian & Liu 2014)",
            "written, 441 sentences",
            "unigram F1, relation F1",
            "80.5, 59.9",
            PUBLISHED,
        ),
    ),
}
"""Rows of system, sentences, measure, score and what kind of number it is."""
