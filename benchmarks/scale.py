"""What many rows cost: by kind of request, in files, by number of workers, and on an engine beside them.

python -m benchmarks.scale --data ../shared/data [--rows 200] [--workers 1 2 4]
python -m benchmarks.scale --memory 1000000    (many short rows: memory from time to time)
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import Any

import pyarrow as pa

from laconic.batch.job import Job
from laconic.batch.rows import Columns, compress_batch
from laconic.options import Options
from laconic.systems.default.compressor import Compressor
from laconic.systems.manner import system_for
from laconic.text.split import split_sentences

KINDS: dict[str, dict[str, Any]] = {
    "natural length": {},
    "at most 10 words": {"words": 10},
    "exactly 10 words": {"words": "=10"},
    "at most 60 characters": {"characters": 60},
    "half of the words": {"ratio": 0.5},
    "headlines, at most 10 words": {"words": 10, "like": "headlines"},
    "names and numbers stay": {"words": 10, "protect": ["names", "numbers"]},
    "160 septets (sms)": {"for_": "sms"},
    "the baseline truncate": {"words": 10, "system": "truncate"},
}
ROWS = 200


def processor_seconds(work: Callable[[], object]) -> float:
    """Seconds of processor time, which others on the machine change less than the time on the clock."""
    start = process_time()
    work()
    return process_time() - start


def kinds(batch: pa.RecordBatch) -> None:
    print(f"{'kind of request':30s} {'ms a sentence':>14s} {'core hours a million':>21s} {'refused':>8s}")
    for name, options in KINDS.items():
        compress_batch(batch.slice(0, 5), **options)
        found: list[pa.RecordBatch] = []
        seconds = processor_seconds(
            lambda found=found, options=options: found.append(compress_batch(batch, **options))
        )
        each = seconds / batch.num_rows
        refused = batch.num_rows - found[0].column("error").null_count
        print(f"{name:30s} {1e3 * each:14.1f} {each * 1e6 / 3600:21.1f} {refused:8d}")


def files(texts: Sequence[str], folder: Path) -> None:
    """What files add to the bare compressor, in one process."""
    options = {"words": 10, "impossible": "leave"}
    system, budget = system_for(Options.of(options)), Options.of(options).budget()
    batch = pa.record_batch({"text": list(texts)})
    bare = processor_seconds(lambda: list(system.compress_all(texts, budget, impossible="leave")))
    in_batches = processor_seconds(lambda: compress_batch(batch, **options))
    source = folder / "files.jsonl"
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    job = Job((str(source),), folder / "files.out.jsonl", Columns(options=options), workers=1)
    in_files = processor_seconds(job.run)
    for name, seconds in (
        ("compress_all", bare),
        ("compress_batch", in_batches),
        ("laconic batch", in_files),
    ):
        print(
            f"{name:30s} {1e3 * seconds / len(texts):14.1f} ms a sentence {bare / seconds:8.0%} of compress_all"
        )


def batch_command(source: Path, output: Path, *options: str) -> list[str]:
    code = "from laconic.cli import main; main()"
    return [sys.executable, "-c", code, "batch", str(source), str(output), *options]


def workers(texts: Sequence[str], counts: Sequence[int], folder: Path) -> None:
    """Rows a second from the start of the program to its end, and of the second half of the rows alone.

    Half of the rows and all of them: what the others take is what any more would, without the start. Beside it stands
    the bare compressor on as many threads. What w workers gain is said twice: by the clock, and by what processors did:
    n workers that each take as much processor time a row as one does are n times as fast where each has a core.
    """
    first: tuple[float, float] | None = None
    half = len(texts) // 2
    for count in counts:
        bare_seconds, bare_spent = _bare(texts[half:], count)
        (seconds, spent), (all_seconds, all_spent) = (
            _batch(some, count, folder) for some in (texts[:half], texts)
        )
        each, steady = 1e3 * all_spent / len(texts), 1e3 * (all_spent - spent) / (len(texts) - half)
        bare = 1e3 * bare_spent / (len(texts) - half)
        first = first or (all_seconds, all_spent)
        print(
            f"laconic batch, {count} workers      {len(texts) / all_seconds:6.1f} rows a second, {each:6.1f} ms of "
            f"processors a row, {all_spent / all_seconds:4.1f} cores had; {first[0] / all_seconds:.2f} times the first "
            f"by the clock, {count * first[1] / all_spent:.2f} by processors"
        )
        print(
            f"  without the start               {(len(texts) - half) / (all_seconds - seconds):6.1f} rows a second, "
            f"{steady:6.1f} ms of processors a row; compress_all on {count} threads "
            f"{(len(texts) - half) / bare_seconds:6.1f} and {bare:.1f}: {bare / steady:.0%} of it by processors, "
            f"{bare / each:.0%} with the start"
        )


def _batch(texts: Sequence[str], count: int, folder: Path) -> tuple[float, float]:
    """The seconds by the clock and of processors that the program takes for texts."""
    source = folder / "workers.jsonl"
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    output = folder / f"workers{count}.jsonl"
    output.unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = perf_counter()
    command = batch_command(source, output, "--words", "10", "--impossible", "leave", "--workers", str(count))
    subprocess.run(command, check=False, capture_output=True)
    seconds, after = perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _bare(texts: Sequence[str], threads: int) -> tuple[float, float]:
    """The same of the bare compressor in this process, which is warm."""
    system, budget = Compressor(threads=threads), Options(words=10).budget()
    list(system.compress_all(texts[:10], budget, impossible="leave"))
    start = perf_counter()
    spent = processor_seconds(lambda: list(system.compress_all(texts, budget, impossible="leave")))
    return perf_counter() - start, spent


def memory(rows: int, folder: Path) -> None:
    """The memory of all processes of a job over short rows, from time to time: it must not grow with them."""
    source = folder / "memory.jsonl"
    with source.open("w", encoding="utf-8") as lines:
        lines.writelines(f'{{"text": "Row {number} fell."}}\n' for number in range(rows))
    output = folder / "memory.out.jsonl"
    command = batch_command(source, output, "--words", "9", "--system", "truncate", "--workers", "2")
    start = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    samples: list[tuple[float, int]] = []
    while process.poll() is None:
        samples.append((perf_counter() - start, _resident(process.pid)))
        sleep(1)
    assert process.returncode == 0
    with output.open(encoding="utf-8") as lines:
        assert sum(1 for _ in lines) == rows
    tenths = [samples[len(samples) * tenth // 10] for tenth in range(10)] + samples[-1:]
    print(f"{rows:,} rows in {samples[-1][0]:.0f} s; MiB of all processes at each tenth of it:")
    print("  " + " ".join(f"{each >> 20}" for _, each in tenths))
    settled = [each for at, each in samples if at > 0.1 * samples[-1][0]]
    print(f"  from the first tenth on between {min(settled) >> 20} and {max(settled) >> 20} MiB")


def _resident(process: int) -> int:
    """The bytes in memory of a process and all that it started."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except (OSError, IndexError):
        return 0  # it has ended
    return pages * resource.getpagesize() + sum(_resident(int(child)) for child in children)


def dask(texts: Sequence[str], counts: Sequence[int]) -> None:
    try:
        import dask.dataframe as dd
        import distributed
        import pandas as pd
    except ImportError:
        print("dask is not installed")
        return
    from laconic.integrations.dask import compress_frame

    frame = pd.DataFrame({"text": list(texts)})
    for count in counts:
        with (
            distributed.LocalCluster(
                n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            client.wait_for_workers(count)
            for system, label in (("truncate", "engine alone"), ("default", "")):
                parts = dd.from_pandas(frame, npartitions=4 * count, sort=False)
                start = perf_counter()
                compress_frame(parts, words=10, impossible="leave", system=system).compute()
                seconds = perf_counter() - start
                print(f"dask, {count} workers {label:12s} {len(texts) / seconds:10.1f} rows a second")


def ray(texts: Sequence[str], counts: Sequence[int]) -> None:
    try:
        import ray as engine
        import ray.data
    except ImportError:
        print("ray is not installed")
        return
    from laconic.integrations.ray import compress_dataset

    for count in counts:
        engine.init(num_cpus=count, include_dashboard=False, log_to_driver=False, configure_logging=False)
        engine.data.DataContext.get_current().enable_progress_bars = False
        for system, label in (("truncate", "engine alone"), ("default", "")):
            dataset = engine.data.from_arrow(pa.table({"text": list(texts)})).repartition(4 * count)
            start = perf_counter()
            compress_dataset(dataset, words=10, impossible="leave", system=system).materialize()
            print(
                f"ray, {count} workers {label:12s} {len(texts) / (perf_counter() - start):11.1f} rows a second"
            )
        engine.shutdown()


def spark(texts: Sequence[str], counts: Sequence[int]) -> None:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        print("spark is not installed")
        return
    from laconic.integrations.spark import compress_frame

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    for count in counts:
        session = (
            SparkSession.builder.master(f"local[{count}]")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.log.level", "ERROR")
            .getOrCreate()
        )
        frame = session.createDataFrame([(text,) for text in texts], "text string").repartition(4 * count)
        for system, label in (("truncate", "engine alone"), ("default", "")):
            start = perf_counter()
            compress_frame(frame, words=10, impossible="leave", system=system).collect()
            print(
                f"spark, {count} workers {label:12s} {len(texts) / (perf_counter() - start):9.1f} rows a second"
            )
        session.stop()


ENGINES = {"dask": dask, "ray": ray, "spark": spark}


def run(data: Path, rows: int = ROWS, counts: Sequence[int] = (1, 2)) -> None:
    with (data / "compression" / "google.dev.jsonl").open(encoding="utf-8") as lines:
        # `compress_all` takes each for one sentence: who cuts texts into sentences would do other work with others.
        sources = (json.loads(line)["source"] for line in lines)
        texts = list(islice((text for text in sources if len(split_sentences(text)) == 1), rows))
    kinds(pa.record_batch({"text": texts}))
    with tempfile.TemporaryDirectory() as folder:
        files(texts, Path(folder))
        workers(texts * 2, counts, Path(folder))
    for engine in ENGINES.values():
        engine(texts, counts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument(
        "--memory", type=int, metavar="ROWS", help="only this: memory over so many short rows"
    )
    options = parser.parse_args()
    if options.memory:
        with tempfile.TemporaryDirectory() as folder:
            memory(options.memory, Path(folder))
        return
    run(options.data, options.rows, options.workers)


if __name__ == "__main__":
    main()
