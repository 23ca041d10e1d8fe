"""Hunting for requests that break a promise: seeded cases, laws, and failures shrunk to one line."""
