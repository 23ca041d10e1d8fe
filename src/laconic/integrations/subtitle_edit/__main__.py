"""`python -m laconic.integrations.subtitle_edit request.json`: what Subtitle Edit runs."""

from __future__ import annotations

import sys
from pathlib import Path

from laconic.errors import LaconicError
from laconic.integrations.subtitle_edit.answer import respond


def main() -> int:
    """Answer one request; the exit code is 0 unless there was nowhere to write the answer."""
    if len(sys.argv) != 2:
        print("usage: python -m laconic.integrations.subtitle_edit request.json", file=sys.stderr)
        return 2
    try:
        respond(Path(sys.argv[1]))
    except LaconicError as error:
        print(f"laconic: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
