"""`laconic warm`: compile everything once, so that no later run has to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from laconic.cli.output import open_output
from laconic.cli.progress import counted, progress_bar

SENTENCE = "The old mill by the river, which had stood empty for years, was sold on Monday, the owner said."


def warm() -> Iterator[str]:
    """Let every system shorten a sentence, freely and to a length; the name of each as soon as it is ready.

    Machine code is compiled for this computer and kept where `laconic.kernel` says: in an image or a test
    environment, this is the moment to pay for it.
    """
    from laconic.annotate import load_annotator
    from laconic.budget import Budget, Unit
    from laconic.errors import InfeasibleBudget
    from laconic.systems.registry import SYSTEMS, open_system

    (sentence,) = load_annotator().annotate([SENTENCE])
    budgets: list[Budget | None] = [None]
    sizes: dict[Unit, int] = {
        "words": len(SENTENCE.split()),
        "pieces": len(sentence),
        "characters": len(SENTENCE),
    }
    for unit, whole in sizes.items():
        budgets += [
            Budget.at_most(whole // 2, unit=unit),
            Budget.between(whole // 4, whole // 2, unit=unit),
        ]
    for name, entry in SYSTEMS.items():
        if not entry.can_run:
            continue
        system = open_system(name)
        for budget in budgets:
            with suppress(InfeasibleBudget):  # one system keeps everything
                system.compress(sentence, budget)
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
