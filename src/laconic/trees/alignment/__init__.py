"""Alignment of a source sentence with its compression: by deletion, by edits, by free rewriting, by constituents."""
