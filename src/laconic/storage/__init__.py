"""Model folders and checkpoints: JSON, text and numeric arrays, each checked before it is read; never code."""

from laconic.storage.checked import LARGE, expanded, read_checked, read_json
from laconic.storage.checkpoint import Checkpoint
from laconic.storage.content import Content, Stored
from laconic.storage.model_folder import (
    add_to_card,
    checksum_of,
    kind_of,
    open_model,
    read_card,
    seal_card,
    write_card,
    write_model,
)

__all__ = [
    "LARGE",
    "Checkpoint",
    "Content",
    "Stored",
    "add_to_card",
    "checksum_of",
    "expanded",
    "kind_of",
    "open_model",
    "read_card",
    "read_checked",
    "read_json",
    "seal_card",
    "write_card",
    "write_model",
]
