"""The systems by name; nothing of a system is imported before it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module, resources
from importlib.util import find_spec
from os import PathLike
from pathlib import Path

from laconic.errors import LaconicError, ModelError
from laconic.storage import kind_of
from laconic.systems.system import System


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a system's class is, what it does in a line, and whether it works only after training.

    `extra` is a package that it needs and a plain installation does not have.
    """

    place: str
    summary: str
    trained: bool = True
    extra: str | None = None

    @property
    def can_run(self) -> bool:
        """Whether all that it needs is installed."""
        return self.extra is None or find_spec(self.extra) is not None


SYSTEMS: dict[str, Entry] = {
    "default": Entry(
        "laconic.systems.default.compressor:Compressor",
        "the network's scores inside an exact search over words that the parse ties together",
        trained=False,
    ),
    "dependency": Entry(
        "laconic.systems.dependency:Dependency", "the best words with the best tree over them"
    ),
    "discriminative": Entry(
        "laconic.systems.dependency:Discriminative",
        "the best path over words, by neighbours and what is dropped between them",
    ),
    "markov": Entry(
        "laconic.systems.markov:Markov", "keeps or drops constituents by a lexicalised Markov grammar"
    ),
    "noisy-channel": Entry(
        "laconic.systems.noisy_channel:NoisyChannel", "the short tree that grew into the long one"
    ),
    "transducer": Entry(
        "laconic.systems.transducer.system:TreeTransducer", "rewrites the tree by rules learnt from pairs"
    ),
    "ngram": Entry("laconic.systems.ngram:Ngram", "the likeliest words of a given number"),
    "joint-lm": Entry("laconic.systems.joint:JointLm", "the transducer and n-grams, searched together"),
    "joint-discriminative": Entry(
        "laconic.systems.joint:JointDiscriminative",
        "the transducer and the discriminative model, searched together",
    ),
    "ilp": Entry(
        "laconic.systems.ilp:Ilp", "the best words under linguistic constraints (needs SciPy)", extra="scipy"
    ),
    "bayesian": Entry(
        "laconic.systems.synchronous:Bayesian", "rewrites the tree by rules found by sampling derivations"
    ),
    "em": Entry(
        "laconic.systems.synchronous:ExpectationMaximisation", "rewrites the tree by rules weighed by MAP-EM"
    ),
    "variational": Entry(
        "laconic.systems.synchronous:VariationalBayes",
        "rewrites the tree by rules weighed by variational Bayes",
    ),
    "truncate": Entry("laconic.systems.truncate:Truncate", "keeps the first words that fit", trained=False),
    "everything": Entry("laconic.systems.everything:Everything", "keeps every word", trained=False),
}

JOINT = "joint:"
"""Before two names with a + between them: both systems, searched together."""

DEFAULT = "default"
"""The system that is used when none is named."""


GROUP = "laconic.systems"
"""The entry points by which other packages add systems: a name, and a `System` that is made without arguments."""


@cache
def added_systems() -> dict[str, Entry]:
    """The systems of other packages that are installed."""
    from importlib.metadata import entry_points

    found = entry_points(group=GROUP)
    return {
        point.name: Entry(
            point.value, f"a system of {point.dist.name if point.dist else point.module}", trained=False
        )
        for point in found
        if point.name not in SYSTEMS
    }


def entry_of(name: str) -> Entry:
    """The system of that name, of laconic or of others; an unknown name is an error that says which are meant."""
    found = SYSTEMS.get(name) or added_systems().get(name)
    if found is None:
        known = [*SYSTEMS, *added_systems()]
        near = get_close_matches(name, known, n=3) or known
        raise LaconicError(f"no system {name!r} and no such folder; known: {', '.join(near)}")
    return found


def system_class(name: str) -> type[System]:
    """The class of the system of that name."""
    module, _, attribute = entry_of(name).place.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        if name in SYSTEMS:
            raise
        raise LaconicError(f"system {name!r} of another package cannot be loaded: {error}") from error
    if not (isinstance(found, type) and issubclass(found, System)):
        raise LaconicError(f"{module}:{attribute}, system {name!r} of another package, is no System")
    return found


def open_system(name: str | PathLike[str] = DEFAULT) -> System:
    """A system ready to use: by its name, by the folder of its model, or as `joint:A+B` two of them together.

    >>> open_system("truncate").name
    'truncate'
    """
    if not isinstance(name, str | PathLike):
        raise LaconicError(f"a system is given by its name or its folder, not as {name!r:.60}")
    if str(name).startswith(JOINT):
        from laconic.systems.joint import joint_of

        return joint_of(str(name).removeprefix(JOINT))
    folder = Path(name)
    if str(name) not in SYSTEMS and folder.is_dir():
        kind = kind_of(folder)
        if kind == "joint":
            from laconic.systems.joint import Joint

            return Joint.load(folder)
        if kind not in SYSTEMS and kind not in added_systems():
            raise ModelError(f"{folder}: a model of {kind!r}, which is no system")
        return system_class(kind).load(folder)
    if isinstance(name, PathLike) and str(name) not in SYSTEMS:
        raise ModelError(f"{folder}: no such folder, or no folder")
    system = system_class(str(name))
    if not entry_of(str(name)).trained:
        return system()
    shipped = Path(str(resources.files("laconic"))) / "models" / str(name)
    if not shipped.is_dir():
        raise ModelError(
            f"system {name!r} has no model yet: train one with "
            f"`laconic train {name} --pairs FILE --output FOLDER`, then give FOLDER as the system"
        )
    return system.load(shipped)
