"""N-gram language models: estimation, ARPA and mapped binary files, compiled lookups, hashable states."""

from laconic.ngram.arpa import read_arpa, write_arpa
from laconic.ngram.kneser_ney import EstimationOptions, estimate
from laconic.ngram.model import NgramModel, Perplexity, State
from laconic.ngram.news import load_news_model
from laconic.ngram.pruning import prune
from laconic.ngram.storage import load, save
from laconic.ngram.tables import Tables, log_probability, pair_log_probabilities
from laconic.ngram.vocabulary import BEGIN, END, UNKNOWN, Vocabulary

__all__ = [
    "BEGIN",
    "END",
    "UNKNOWN",
    "EstimationOptions",
    "NgramModel",
    "Perplexity",
    "State",
    "Tables",
    "Vocabulary",
    "estimate",
    "load",
    "load_news_model",
    "log_probability",
    "pair_log_probabilities",
    "prune",
    "read_arpa",
    "save",
    "write_arpa",
]
