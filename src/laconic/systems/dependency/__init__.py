"""Sentence compression as dependency parsing (see `Dependency`)."""

from laconic.systems.dependency.factors import Factors as Factors
from laconic.systems.dependency.learning import LearningOptions as LearningOptions
from laconic.systems.dependency.system import PATHS as PATHS
from laconic.systems.dependency.system import Dependency as Dependency
from laconic.systems.dependency.system import Discriminative as Discriminative
