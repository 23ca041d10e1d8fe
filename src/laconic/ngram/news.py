"""The trigram model of English news that comes with the package; its card lies beside it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from laconic.ngram.model import NgramModel
from laconic.ngram.storage import load

NEWS_MODEL = Path(__file__).parent.parent / "models" / "news-trigram"
"""The folder of the shipped model."""


@cache
def load_news_model() -> NgramModel:
    """The shipped trigram model of cased news text; loaded once a process, then shared.

    Its vocabulary folds words as "news" does (quotes, dashes, digits), so give it words as written.
    """
    return load(NEWS_MODEL)
