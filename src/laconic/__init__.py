"""Sentence compression by syntax: shorter, grammatical, exactly as long as you ask."""

__version__ = "0.1.0"
