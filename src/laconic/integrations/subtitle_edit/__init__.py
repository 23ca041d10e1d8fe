"""A plugin for Subtitle Edit 5, which speaks with it through JSON files."""
