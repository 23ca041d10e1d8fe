"""Kills `laconic batch` at random moments, again and again, and compares the bytes it leaves in the end.

python -m tests.batch.kills --kills 50 --seed 1
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROWS, SHARD = 600, 20
MANY_ROWS = 4000  # so many that shards that nobody set grow


def command(source: Path, output: Path, workers: int, shard: int | None = SHARD) -> list[str]:
    code = "from laconic.cli import main; main()"
    options = ["--words", "3..4", "--system", "truncate", "--workers", str(workers)]
    options += [] if shard is None else ["--shard-rows", str(shard)]
    return [sys.executable, "-c", code, "batch", str(source), str(output), *options]


def begun(source: Path, output: Path, workers: int, shard: int | None = SHARD) -> subprocess.Popen[bytes]:
    """A process whose job has begun."""
    process = subprocess.Popen(
        command(source, output, workers, shard), stderr=subprocess.DEVNULL, start_new_session=True
    )
    while not output.with_name(f"{output.name}.parts").exists() and process.poll() is None:
        time.sleep(0.001)
    return process


def survived(kills: int, seed: int, folder: Path, shard: int | None = SHARD) -> Iterator[int]:
    """Kill a job so often, finishing it after every few kills; how many parts were there at each kill.

    Without a number of rows for a shard, shards are as they usually are: they grow.
    """
    chance = random.Random(seed)
    source = folder / "in.jsonl"
    rows = MANY_ROWS if shard is None else ROWS
    texts = (f"Number {number} fell" + " again" * chance.randrange(30) + "." for number in range(rows))
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    begun(source, folder / "whole.jsonl", 1, shard).wait()
    expected = (folder / "whole.jsonl").read_bytes()
    assert expected.count(b"\n") == rows
    killed = 0
    while killed < kills:
        output = folder / "out.jsonl"
        for _ in range(min(chance.choice([1, 1, 3]), kills - killed)):
            workers = chance.choice([1, 1, 2])
            process = begun(source, output, workers, shard)
            # Spread over the job by what is there, not by the clock, which depends on what else runs; then a moment
            # more, within a part, between it and its line, while all are put together or removed.
            parts, wanted = output.with_name("out.jsonl.parts"), chance.randint(0, ROWS // SHARD)
            while process.poll() is None and len(list(parts.glob("0*"))) < wanted:
                time.sleep(0.0005)
            time.sleep(chance.random() ** 3 * 0.05)
            process.kill()  # the program alone: its workers must end by themselves
            process.wait()
            killed += 1
            yield len(list(parts.glob("0*"))) if parts.exists() else 0
            if output.exists():
                assert output.read_bytes() == expected, "an output that is there is whole"
        finished = subprocess.run(
            command(source, output, 1, shard), capture_output=True, text=True, check=False
        )
        # A kill may have come when all was done.
        assert finished.returncode in (0, 1) or "is there already" in finished.stderr, finished.stderr
        assert output.read_bytes() == expected
        assert not list(folder.glob("*.parts")), "nothing is left behind"
        output.unlink()
    left = [path.name for path in folder.iterdir() if path.name not in ("in.jsonl", "whole.jsonl")]
    assert all(name.startswith(".out.jsonl.") for name in left), left


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--growing", action="store_true", help="shards as they usually are")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        shard = None if options.growing else SHARD
        moments = list(survived(options.kills, options.seed, Path(folder), shard))
    print(f"{len(moments)} kills survived; parts at each: {' '.join(map(str, moments))}")


if __name__ == "__main__":
    main()
