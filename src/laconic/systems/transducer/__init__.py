"""Sentence compression as tree transduction, after Cohn and Lapata (2009)."""
