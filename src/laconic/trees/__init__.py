"""Constituency and dependency trees, heads, alignment of pairs."""
