"""Subtitles brought within reading speed, width and number of lines."""

from __future__ import annotations

from laconic.documents.subtitles.fitting import FittedSubtitles as FittedSubtitles
from laconic.documents.subtitles.fitting import Subtitles as Subtitles
from laconic.documents.subtitles.fitting import check as check
from laconic.documents.subtitles.fitting import fit as fit
from laconic.documents.subtitles.norms import NORMS as NORMS
from laconic.documents.subtitles.norms import Norm as Norm
from laconic.documents.subtitles.report import SubtitleReport as SubtitleReport
