"""Raw text to annotated sentences: the embedded parser, and adapters to others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic.annotate.annotator import Annotator as Annotator
    from laconic.annotate.annotator import annotate as annotate
    from laconic.annotate.annotator import load_annotator as load_annotator

__all__ = ["Annotator", "annotate", "load_annotator"]


def __getattr__(name: str) -> Any:
    # onnxruntime and the kernels are loaded when the parser is first asked for.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from laconic.annotate import annotator

    return getattr(annotator, name)
