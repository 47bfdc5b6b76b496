"""From Parquet files to a fitted TAN, batch by batch: processor time and the most memory held.

    python benchmarks/streams.py [--rows 10000000] [--rounds 2]

The rows are drawn from a random tree, 50 attributes with 5 states, two classes, as whole numbers of one byte
in ten files. Each way runs in a process of its own, by turns; only its own work is timed, not the imports.
The bare loop decodes and counts, and learns nothing; the goal is at most twice its time, in less than 1 GB.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

WAYS = ("decode", "count", "first", "pass", "sketch")
FILES, STATES, COLUMNS = 10, 5, 50
BATCH = 250_000


def make(folder: Path, rows: int) -> None:
    """Write the files."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from synthetic import sample_tree

    codes, y = sample_tree(rows, COLUMNS, STATES, 2)
    for i, part in enumerate(np.array_split(np.arange(rows), FILES)):
        here = slice(part[0], part[-1] + 1)
        columns = {f"a{j}": code[here].astype(np.int8) for j, code in enumerate(codes)}
        pq.write_table(pa.table(columns | {"y": y[here].astype(np.int8)}), folder / f"{i}.parquet")


def run(way: str, folder: Path) -> None:
    """Do the work of one way, and print what it took."""
    import pyarrow.dataset as ds

    import pgm_nb as pnb
    from pgm_nb.counts import count_blocks
    from pgm_nb.warm_up import warm_up

    if way != "decode":
        warm_up()
    table = ds.dataset(str(folder))
    processor, wall = time.process_time(), time.perf_counter()
    if way == "decode":
        for _ in table.to_batches(batch_size=BATCH):
            pass
    elif way == "count":
        blocks = (
            (
                np.stack([batch.column(i).to_numpy().astype(np.uint8) for i in range(COLUMNS)]),
                batch.column(COLUMNS).to_numpy().astype(np.intp),
            )
            for batch in table.to_batches(batch_size=BATCH)
        )
        count_blocks(blocks, (STATES,) * COLUMNS, 2)
    else:
        scanned = pnb.scan(str(folder / "*.parquet"), target="y")
        pnb.TreeAugmentedNaiveBayes().fit_batches(scanned, bins=way)
    taken = time.process_time() - processor, time.perf_counter() - wall
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([*taken, memory]))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--run", nargs=2, metavar=("WAY", "FOLDER"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        run(given.run[0], Path(given.run[1]))
        return
    with tempfile.TemporaryDirectory() as name:
        maker = f"from pathlib import Path; from streams import make; make(Path({name!r}), {given.rows})"
        subprocess.run([sys.executable, "-c", maker], check=True, cwd=Path(__file__).parent)
        print(f"{given.rows:,} rows, {sum(p.stat().st_size for p in Path(name).iterdir()) / 1e6:.0f} MB")
        found: dict[str, list[list[float]]] = {way: [] for way in WAYS}
        for _ in range(given.rounds):
            for way in WAYS:
                command = [sys.executable, __file__, "--run", way, name]
                text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                found[way].append(json.loads(text))
    floor = min(found["count"])[0]
    print("| | processor time, s | over decode and count | wall, s | memory, MB |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for way, times in found.items():
        processor, wall = min(times)[0], min(taken[1] for taken in times)
        memory = max(taken[2] for taken in times)
        print(f"| {way} | {processor:.2f} | {processor / floor:.2f} | {wall:.1f} | {memory:.0f} |")


if __name__ == "__main__":
    main()
