"""`laconic warm`: compile everything once, so that no later run has to."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.cli.output import open_output
from laconic.cli.progress import counted, progress_bar

SENTENCE = "The old mill by the river, which had stood empty for years, was sold on Monday, the owner said."


def warm() -> Iterator[str]:
    """Let every system shorten a sentence, freely and to a length; the name of each as soon as it is ready.

    Machine code is compiled for this computer and kept where `laconic.kernel` says: in an image or a test
    environment, this is the moment to pay for it.
    """
    from laconic.annotate import load_annotator
    from laconic.budget import Budget
    from laconic.systems.registry import SYSTEMS, open_system

    (sentence,) = load_annotator().annotate([SENTENCE])
    half = len(sentence) // 2
    for name in SYSTEMS:
        system = open_system(name)
        system.compress(sentence)
        for unit in ("words", "characters"):
            least = half if unit == "words" else len(SENTENCE) // 2
            system.compress(sentence, Budget.at_most(least, unit=unit))
            system.compress(sentence, Budget.between(least // 2, least, unit=unit))
        yield name


def warm_command() -> None:
    """Compile everything now, so that the first answer does not wait for it; for images and tests.

    \b
    Example:
      laconic warm
    """
    with open_output(None) as write, progress_bar("compiling", answer_on_terminal=False) as report:
        for name in counted(warm(), report):
            write(name)
