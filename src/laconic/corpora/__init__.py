"""Corpora of sentences and their compressions, of trees and of text: values, readers, registry."""
