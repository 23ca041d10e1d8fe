"""`laconic demo`: half a dozen sentences, shortened."""

from __future__ import annotations

from collections.abc import Iterator

from laconic.cli.options import SystemName
from laconic.cli.output import open_output
from laconic.compression import Compression
from laconic.systems.registry import DEFAULT, open_system
from laconic.text.tokenise import tokenise

SENTENCES = (
    "The harbour council, which met behind closed doors on Thursday evening, finally agreed to lower the "
    "mooring fees that small boats pay each winter.",
    "After weeks of heavy rain, farmers along the river say that the potato harvest will be the smallest in "
    "more than twenty years.",
    "“We never expected so many people,” the organiser of the open-air concert said, adding that a second "
    "evening had already been planned.",
    "Despite a slow start to the year, sales of the company's electric bicycles rose by 12 percent in March, "
    "mostly because of a new model for families.",
    "A retired teacher who found an old violin in her attic learned this week that it was built in 1742 and "
    "may be worth a fortune.",
    "The museum will stay open until midnight on Saturday so that visitors can see the restored ceiling, "
    "said its director, Ines Halvorsen.",
)


def demonstrate(name: str = DEFAULT) -> Iterator[Compression]:
    """The compressions of the built-in sentences by the system of that name."""
    system = open_system(name)
    return (system.compress(tokenise(sentence)) for sentence in SENTENCES)


def demo_command(system: SystemName = DEFAULT) -> None:
    """Shorten a few built-in sentences.

    \b
    Example:
      laconic demo
    """
    with open_output(None) as write:
        write(f"system: {system}")
        for compression in demonstrate(system):
            rate = len(compression.text) / len(compression.sentence.text)
            write(f"\n{compression.sentence.text}\n=> {compression.text}  [{rate:.0%} of the characters]")
