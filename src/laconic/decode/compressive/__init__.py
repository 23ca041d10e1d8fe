"""Compressive parsing (see `CompressiveParser`)."""

from laconic.decode.compressive.parser import CompressiveParser as CompressiveParser
from laconic.decode.compressive.parser import ParseMarginals as ParseMarginals
